import type { Assertion, DerivedCase, DropReason, Expectation } from '../contract/reading.ts';
import type { Json } from '../kernel/json.ts';
import { leavesOf } from '../verification/scalar-kinds.ts';
import type { Subject } from '../verification/subject.ts';
import { allowanceOf } from './allowance.ts';
import { assertionFault } from './assertions.ts';
import { mayExistAt, mayHaveValueAt, mustExistAt } from './schema-places.ts';
import { type World, worldOf } from './world.ts';

/** Why a derived case is not valid for this subject; `undefined` if it is. */
export function dropReasonOf(entry: DerivedCase, subject: Subject): DropReason | undefined {
  const world = worldOf(entry, subject);
  if (typeof world === 'string') return world;
  if (breaksSchemas(entry, subject)) return 'output';
  const expectations = everyExpectation(entry.expect);
  const known = new Set(['send', ...subject.tools.map(({ name }) => name)]);
  const named = expectations.flatMap(({ calls = [], order = [] }) => [
    ...calls.map(({ tool }) => tool),
    ...order.flatMap((one) => (Array.isArray(one) ? one : [one.last])),
  ]);
  if (named.some((name) => !known.has(name))) return 'tool';
  if (subject.role === 'provider' && (named.includes('send') || expectations.some(({ sends }) => sends !== undefined)))
    return 'peer';
  const answers = expectations.flatMap(({ answer = [] }) => answer);
  const schema = resultSchema(subject);
  if (schema !== null && answers.some((one) => !isPlace(schema, one))) return 'pointer';
  if (schema !== null && answers.some((one) => !isSatisfiable(schema, one))) return 'unmeetable';
  if (contradictsCase(world)) return 'case';
  return hasUnknownConstant(world, subject, expectations) ? 'constant' : undefined;
}

/** An expectation and all its alternatives. */
function everyExpectation(expect: Expectation): Expectation[] {
  return [expect, ...(expect.anyOf ?? []).flatMap(everyExpectation)];
}

/**
 * Whether a scripted answer of a tool or the peer breaks its schema: the host would refuse it before the handler sees
 * it.
 */
function breaksSchemas({ tools = {}, peer = [] }: DerivedCase, { surface }: Subject): boolean {
  const outputs = Object.entries(tools).flatMap(([name, answers]) =>
    answers.map(({ output }) => (output === undefined ? [] : surface.toolOutputIssues(name, output))),
  );
  const responses = peer.map(({ response }) => (response === undefined ? [] : surface.responseIssues(response)));
  return [...outputs, ...responses].some((issues) => issues.length > 0);
}

/** The schema of a handler's return value; `null` if there is none. */
function resultSchema({ role, responseSchema, task }: Subject): Json {
  return role === 'provider' ? responseSchema : (task?.outputSchema ?? null);
}

function isPlace(schema: Json, { at = '', ...wanted }: Assertion): boolean {
  const needsPlace = !('absent' in wanted || 'absentOrNull' in wanted || 'absentOrEquals' in wanted);
  return !needsPlace || 'notEquals' in wanted || mayExistAt(schema, at);
}

function isSatisfiable(schema: Json, { at = '', equals, oneOf, absent }: Assertion): boolean {
  if (absent === true && mustExistAt(schema, at)) return false;
  if (equals !== undefined && !mayHaveValueAt(schema, at, equals)) return false;
  return oneOf === undefined || oneOf.some((one) => mayHaveValueAt(schema, at, one));
}

/** Whether a world that changes nothing in its case demands another answer than the case. */
function contradictsCase(world: World): boolean {
  const { entry, base } = world;
  if (base === null || entry.request?.length || entry.tools !== undefined || entry.peer !== undefined) return false;
  const allowance = allowanceOf({ world, seen: { sends: [] } });
  return (entry.expect.answer ?? []).some((one) => assertionFault(one, base.output, allowance) !== undefined);
}

/** Whether an expectation demands a text with words that occur nowhere in what the reader saw. */
function hasUnknownConstant(world: World, subject: Subject, expectations: readonly Expectation[]): boolean {
  const demanded = expectations.flatMap(({ answer = [], calls = [], sends = [] }) => [
    ...answer,
    ...calls.flatMap(({ input = [] }) => input),
    ...sends.flatMap(({ input = [] }) => input),
  ]);
  const words = demanded.flatMap(({ equals, oneOf, absentOrEquals, contains }) =>
    [equals, absentOrEquals, contains, ...(oneOf ?? [])].flatMap((value) =>
      value === undefined
        ? []
        : leavesOf(value).flatMap((leaf) => (typeof leaf.value === 'string' ? wordsOf(leaf.value) : [])),
    ),
  );
  if (words.length === 0) return false;
  const [known, ofWorld] = [sourcesOf(subject), worldSourcesOf(world)];
  return words.map((word) => word.toLowerCase()).some((word) => !known.includes(word) && !ofWorld.includes(word));
}

/**
 * The words of a text: runs of three letters or more. Numbers and encoded data may be computed, so they do not count.
 */
function wordsOf(text: string): string[] {
  return text.replaceAll(ENCODED, ' ').match(/\p{L}{3,}/gu) ?? [];
}

/** Base64, hexadecimal and the like: runs that mix letters and digits. */
const ENCODED = /(?<![A-Za-z0-9+/])(?=[A-Za-z+/=]*\d)[A-Za-z0-9+/]{8,}={0,2}/g;

/** Everything that a demanded constant may come from in any world, in lower case. */
function sourcesOf(subject: Subject): string {
  const known = sources.get(subject) ?? textOf(allSources(subject));
  sources.set(subject, known);
  return known;
}

/** Each entry of a reading asks for the same sources. */
const sources = new WeakMap<Subject, string>();

function allSources({ agreement, requestSchema, responseSchema, cases, tools, task }: Subject): Json[] {
  return [
    agreement.text,
    requestSchema,
    responseSchema,
    cases.map(({ request, response, expected }) => [request, response, expected]),
    tools as unknown as Json,
    (task ?? null) as unknown as Json,
  ];
}

/** The sources that only this world adds. */
function worldSourcesOf({ entry, scenario }: World): string {
  return textOf([scenario.input, (entry.tools ?? null) as unknown as Json, (entry.peer ?? null) as unknown as Json]);
}

function textOf(values: readonly Json[]): string {
  return values
    .map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
    .join('\n')
    .toLowerCase();
}
