import type { Tool } from '../../contract/job.ts';
import type { Peer, Scenario } from '../../contract/trial.ts';
import { escapeToken, isObject, type Json } from '../../kernel/json.ts';
import type { CheckFacts, SeenCase } from '../check.ts';
import { isEpoch, leavesOf } from '../scalar-kinds.ts';
import { defaultTrialNowMs, isReadOnly, type Subject } from '../subject.ts';
import { listsOf } from './lists.ts';
import { answeringAsShown, knowing, replacedAt } from './variations.ts';

/** A case in which one thing is as no case has it. */
export interface RareWorld {
  seenCase: SeenCase;
  /** What is other, in words. */
  change: string;
  /** The tool that tells something else, and where; absent where the request is another. */
  told?: { tool: string; pointer: string; from: Json; value: Json };
  /** What the request has instead of what it has in the case; absent where a tool tells something else. */
  asked?: { from: Json; value: Json };
  scenario: Scenario;
}

/** Numbers of the source that are tried in each place. */
const maxLiterals = 6;

/** Texts and lists are not made longer than this, in characters and items. */
const [maxLength, maxItems] = [300, 9];

/**
 * The cases of a provider with tools, each with one thing that a tool tells, or that is asked and that the tools know as they know that of
 * the case, smaller, larger, empty, longer, or otherwise as its schema has it; tools with side effects do as they are asked. Each place of
 * each case has its turn before the limit is reached.
 */
export function rareWorldsOf(facts: CheckFacts, limit: number): RareWorld[] {
  const queues = facts.cases.flatMap((one) => [...placesToldOtherwise(facts, one), ...askedOtherwise(facts, one)]);
  return inTurn(queues, limit);
}

/** Makes a world where what is other is allowed there: a place of a large value costs as much as all of it. */
type Attempt = () => RareWorld | undefined;

/** Attempts for each world that is wanted. */
const maxAttempts = 8;

/** The first of each queue, then the second of each, up to a limit. */
function inTurn(queues: readonly Attempt[][], limit: number): RareWorld[] {
  const found: RareWorld[] = [];
  let left = limit * maxAttempts;
  for (let round = 0; ; round += 1) {
    const next = queues.flatMap((queue) => queue[round] ?? []);
    if (next.length === 0) return found;
    for (const attempt of next) {
      if (found.length === limit || left === 0) return found;
      left -= 1;
      const world = attempt();
      if (world !== undefined) found.push(world);
    }
  }
}

/** The cases of a requester, each with one thing that the peer tells otherwise, or leaves out. */
export function peerWorldsOf(facts: CheckFacts, limit: number): RareWorld[] {
  const { subject } = facts;
  const shown = subject.cases.map(({ response }) => response);
  const queues = facts.cases.flatMap((seenCase) => {
    const { peer } = seenCase.scenario;
    const told = seenCase.seen.sends.flatMap(({ response }) => (isObject(response ?? null) ? [response as Json] : []));
    return [...new Map(told.map((response) => [JSON.stringify(response), response]))].flatMap(([key, response]) =>
      [...changesOf(facts, response, subject.responseSchema, shown), ...leftOut(response)].map(
        ({ pointer, from, others }) =>
          others.map(
            (value): Attempt =>
              () => {
                const other = value === absent ? without(response, pointer) : replacedAt(response, pointer, value);
                if (peer === undefined || subject.surface.responseIssues(other).length > 0) return undefined;
                const telling: Peer = async (request, nth, before) => {
                  const answer = await peer(request, nth, before);
                  return 'response' in answer && JSON.stringify(answer.response) === key ? { response: other } : answer;
                };
                const change = `the peer telling ${shortened(value)} at ${pointer || 'the root'}`;
                return {
                  seenCase,
                  change,
                  told: { tool: 'the peer', pointer, from, value },
                  scenario: { ...seenCase.scenario, peer: telling },
                };
              },
          ),
      ),
    );
  });
  return inTurn(queues, limit);
}

/** What stands for a member that is left out. */
const absent = '\u0000absent';

function leftOut(response: Json): Change[] {
  return isObject(response)
    ? Object.entries(response).map(([name, from]) => ({ pointer: `/${escapeToken(name)}`, from, others: [absent] }))
    : [];
}

function without(response: Json, pointer: string): Json {
  return Object.fromEntries(
    Object.entries(response as { [name: string]: Json }).filter(([name]) => `/${escapeToken(name)}` !== pointer),
  );
}

/** For each place of what tools told in a case, the worlds in which it is another. */
function placesToldOtherwise(facts: CheckFacts, seenCase: SeenCase): Attempt[][] {
  const { subject } = facts;
  const tools = compliant(facts);
  return seenCase.seen.calls.flatMap(({ tool, input, output }) => {
    if (output === undefined) return [];
    const { outputSchema = null, examples = [] } = subject.tools.find(({ name }) => name === tool) ?? {};
    const shown = examples.flatMap((example) => ('output' in example ? [example.output] : []));
    return changesOf(facts, output, outputSchema, shown).map(({ pointer, from, others }) =>
      others.map(
        (value): Attempt =>
          () => {
            const other = replacedAt(output, pointer, value);
            if (subject.surface.toolOutputIssues(tool, other).length > 0) return undefined;
            const told = tools.map((each) =>
              each.name === tool
                ? { ...each, examples: [{ input, output: other }, ...(each.examples ?? [])] }
                : isReadOnly(subject, each.name)
                  ? each
                  : {
                      ...each,
                      examples: [...asToldOtherwise(seenCase, each.name, from, value), ...(each.examples ?? [])],
                    },
            );
            return {
              seenCase,
              change: `${tool} telling ${shortened(value)} at ${pointer || 'the root'}`,
              told: { tool, pointer, from, value },
              scenario: { ...seenCase.scenario, tools: told as Scenario['tools'] },
            };
          },
      ),
    );
  });
}

/** The calls of a tool in a case, asked with what is told now and answered as they were. */
function asToldOtherwise({ seen }: SeenCase, tool: string, from: Json, value: Json): { input: Json; output: Json }[] {
  return seen.calls.flatMap((call) => {
    if (call.tool !== tool || call.output === undefined || from === null || typeof from === 'object') return [];
    const input = swapped(call.input, from, value);
    return JSON.stringify(input) === JSON.stringify(call.input) ? [] : [{ input, output: call.output }];
  });
}

/** A value in which all that is one thing is another. */
export function swapped(value: Json, from: Json, to: Json): Json {
  return leavesOf(value).reduce<Json>(
    (whole, leaf) => (leaf.value === from ? replacedAt(whole, leaf.pointer, to) : whole),
    value,
  );
}

/** For each place of a case's request, the worlds in which it is another. */
function askedOtherwise(facts: CheckFacts, seenCase: SeenCase): Attempt[][] {
  const { subject } = facts;
  const { input } = seenCase.one;
  if (typeof input === 'string') return [];
  const tools = compliant(facts);
  return changesOf(facts, input, subject.requestSchema, []).map(({ pointer, from, others }) =>
    others.map(
      (value): Attempt =>
        () => {
          const asked = replacedAt(input, pointer, value);
          if (subject.surface.requestIssues(asked).length > 0) return undefined;
          const known = knowing({ ...subject, tools }, seenCase.seen, from, value);
          return {
            seenCase,
            change: `${shortened(value)} at ${pointer || 'the root'} of the request`,
            asked: { from, value },
            scenario: { ...seenCase.scenario, input: asked, tools: known as Scenario['tools'] },
          };
        },
    ),
  );
}

/** The tools, of which those with side effects answer whatever they are asked as they did in a case, and those that no case calls as an example does. */
function compliant({ subject, cases }: CheckFacts): Tool[] {
  return subject.tools.map((tool) => {
    if (isReadOnly(subject, tool.name)) return tool;
    const called = cases.flatMap(({ seen }) => seen.calls.filter((call) => call.tool === tool.name));
    if (called.length === 0) return answeringAsShown(tool);
    const output = called.find((call) => call.output !== undefined)?.output;
    return output === undefined || tool.otherwise !== undefined ? tool : { ...tool, otherwise: { output } };
  });
}

interface Change {
  pointer: string;
  from: Json;
  others: Json[];
}

/** The places of a value, each with what may stand there instead. */
function changesOf({ subject, literals }: CheckFacts, value: Json, schema: Json, shown: readonly Json[]): Change[] {
  const numbers = literals.numbers.filter((number) => Number.isInteger(number)).slice(0, maxLiterals);
  const scalars = leavesOf(value).map(({ pointer, value: from }) => ({
    pointer,
    from: from as Json,
    others: [
      ...(typeof from === 'number' ? declared(schema, pointer) : []),
      ...othersOf(subject, from, numbers),
      ...(typeof from === 'number' && !isEpoch(from) ? siblingsOf(value, pointer) : []),
      ...(pointer === '' || typeof from !== 'string' ? [] : declared(schema, pointer)),
      // What is told may have to agree with what is asked.
      ...(typeof from === 'string' ? alternativesTo(subject.requestSchema, from, 0) : []),
      ...shown.flatMap((other) => leavesOf(other).flatMap((leaf) => (leaf.pointer === pointer ? [leaf.value] : []))),
    ],
  }));
  const lists = listsOf(value).map(({ pointer, items }) => ({
    pointer,
    from: items as Json,
    others: listsLike(items),
  }));
  return [...scalars, ...lists].map(({ pointer, from, others }) => ({
    pointer,
    from,
    others: [...new Map(others.map((other) => [JSON.stringify(other), other])).values()].filter(
      (other) => JSON.stringify(other) !== JSON.stringify(from),
    ),
  }));
}

/** Other values of the kind of a scalar: the ends of what there may be, and what lies beside the numbers of the source. */
function othersOf({ nowMs = defaultTrialNowMs }: Subject, from: Json, numbers: readonly number[]): Json[] {
  if (typeof from === 'boolean') return [!from];
  if (typeof from === 'number') {
    const near = numbers.flatMap((number) => [number + 1, number - 1]);
    if (isEpoch(from)) return [nowMs + hourMs, nowMs - hourMs, nowMs + 2 * dayMs];
    return [0, from * 3, 1, from * 1_000 + 7, -3, 2, Math.floor(from / 2), ...near];
  }
  if (typeof from !== 'string') return [];
  if (/^\d{4}-\d{2}-\d{2}(?!\d)/.test(from))
    return ['', ...['2001-01-01', '2099-12-31'].map((day) => day + from.slice(day.length))];
  const longest = Math.max(64, ...numbers.filter((number) => number < maxLength)) + 1;
  return ['', from.repeat(Math.ceil(longest / Math.max(1, from.length))), [...from].slice(0, 3).join('')];
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Lists with one item, with some more than there are, with the last twice, and with none. */
function listsLike(items: readonly Json[]): Json[] {
  const [first] = items;
  if (first === undefined) return [];
  const more = Array.from({ length: Math.min(maxItems, items.length + 2) - items.length }, (_, nth) =>
    furtherItem(items.at(-1) as Json, nth + 2),
  );
  return [[first], [...items, ...more], [...items, items.at(-1) as Json], []];
}

/** An item like another under another name. */
function furtherItem(item: Json, nth: number): Json {
  if (typeof item === 'string') return `${item}${nth}`;
  if (typeof item === 'number') return item + nth;
  if (!isObject(item)) return item;
  const [name, value] = Object.entries(item).find(([, member]) => typeof member === 'string') ?? [];
  return name === undefined ? item : { ...item, [name]: `${value}${nth}` };
}

/** The other numbers of the same object: nothing is left where one is taken from its like. */
function siblingsOf(value: Json, pointer: string): Json[] {
  const parent = pointer.slice(0, pointer.lastIndexOf('/'));
  return leavesOf(value).flatMap((leaf) =>
    typeof leaf.value === 'number' && leaf.pointer.slice(0, leaf.pointer.lastIndexOf('/')) === parent
      ? [leaf.value]
      : [],
  );
}

/** The other words of a list in a schema that has this one. */
function alternativesTo(schema: Json, word: string, depth: number): Json[] {
  if (depth > maxSchemaDepth || typeof schema !== 'object' || schema === null) return [];
  const listed = isObject(schema) && Array.isArray(schema.enum) ? schema.enum : [];
  const own = listed.includes(word) ? listed.filter((other) => other !== word).slice(0, 2) : [];
  return [...own, ...Object.values(schema).flatMap((child) => alternativesTo(child, word, depth + 1))];
}

const maxSchemaDepth = 20;

/** What a schema itself has for a place: its words, or its ends. */
function declared(schema: Json, pointer: string): Json[] {
  let at: Json | undefined = schema;
  for (const token of pointer.split('/').slice(1)) {
    if (!isObject(at)) return [];
    const properties: Json | undefined = at.properties;
    at = isObject(properties)
      ? Object.entries(properties).find(([name]) => escapeToken(name) === token)?.[1]
      : /^\d+$/.test(token)
        ? at.items
        : undefined;
  }
  if (!isObject(at)) return [];
  const ends = [at.maximum, at.minimum].filter((end) => typeof end === 'number');
  return Array.isArray(at.enum) ? at.enum : ends;
}

function shortened(value: Json): string {
  return JSON.stringify(value).slice(0, 60);
}
