import type { Loose, Task, Tool, ToolAnswer } from '../../contract/job.ts';
import type { Observation, Scenario, SchemaIssue } from '../../contract/trial.ts';
import { escapeToken, isObject, type Json } from '../../kernel/json.ts';
import { equalJson, equalText } from '../../schemas/equal-json.ts';
import { caseScenario, type RunnableCase, runnableCases } from '../case-scenarios.ts';
import type { SeenCase } from '../check.ts';
import { looseDifferences, looseReplacements, substitute } from '../loose-places.ts';
import { decodedText, type Leaf, leavesOf } from '../scalar-kinds.ts';
import type { Subject } from '../subject.ts';
import type { Vocabulary } from '../vocabulary.ts';
import { type Datum, type Reach, type RenameMap, renameMapOf } from './rename-map.ts';

/** A case in a world where some of its data have other values, throughout request, tool answers, peer and expected answer. */
export interface World {
  seenCase: SeenCase;
  data: readonly Datum[];
  map: RenameMap;
  one: RunnableCase;
  scenario: Scenario;
}

/** The scalars a candidate is told in a case: what it is asked, and what tools and peer answer. */
export function toldLeaves({ one, seen }: SeenCase): { asked: Leaf[]; answered: Leaf[] } {
  return {
    asked: leavesOf(one.input),
    answered: [
      ...seen.calls.flatMap(({ output }) => (output === undefined ? [] : leavesOf(output))),
      ...seen.sends.flatMap(({ response }) => (response === undefined ? [] : leavesOf(response))),
    ],
  };
}

/**
 * Builds the world in which the given data are renamed, or fewer of them where schemas do not allow a fresh value. `undefined` where
 * nothing is left to rename. With `lenient`, a tool that the case calls once answers any input as it answered that call.
 */
export function renamedWorld(
  subject: Subject,
  vocabulary: Vocabulary,
  taken: ReadonlySet<string>,
  seenCase: SeenCase,
  wanted: readonly Datum[],
  how: { seed: string; reach: Reach; lenient?: boolean },
): World | undefined {
  let data = [...wanted];
  for (let round = 0; round < 4 && data.length > 0; round += 1) {
    // A shape that a pattern does not allow may pass where only its end changes.
    const reach = round === 0 ? how.reach : 'near';
    const map = renameMapOf(data, vocabulary, taken, `${subject.trialSeed}/${how.seed}/${round}`, reach);
    if (map.size === 0) return undefined;
    const renamed = renamedSubject(subject, map, how.lenient ? seenCase : undefined);
    const offending = newlyInvalid(subject, renamed, seenCase);
    if (offending.length === 0) return worldOf(renamed, seenCase, data, map);
    if (round > 0 || how.reach === 'near') {
      const kept = data.filter((datum) => !offending.some((text) => touches(datum, text)));
      // Where no datum can be named, the whole world is in doubt.
      if (kept.length === data.length) return undefined;
      data = kept;
    }
  }
  return undefined;
}

function worldOf(renamed: Subject, seenCase: SeenCase, data: readonly Datum[], map: RenameMap): World | undefined {
  const one = runnableCases(renamed).find(({ testCase }) => testCase === seenCase.one.testCase);
  if (!one) return undefined;
  const own: RunnableCase = { ...one, loose: seenCase.one.loose };
  return { seenCase, data, map, one: own, scenario: caseScenario(renamed, own) };
}

/** What replaces data by others, consistently. */
type Renaming = Pick<RenameMap, 'json' | 'shiftMs'>;

/** A subject in which all data of cases, tool answers and task examples are renamed. */
export function renamedSubject(subject: Subject, map: Renaming, lenientFor?: SeenCase): Subject {
  const task: Task | undefined = subject.task && {
    ...subject.task,
    examples: (subject.task.examples ?? []).map((example) => ({
      ...example,
      input: map.json(example.input),
      output: map.json(example.output),
    })),
  };
  return {
    ...subject,
    ...(task ? { task } : {}),
    cases: subject.cases.map((one) => ({ ...one, request: map.json(one.request), response: map.json(one.response) })),
    tools: subject.tools.map((tool) => renamedTool(tool, map, lenientFor)),
    nowMs: (subject.nowMs ?? Date.UTC(2026, 0, 15, 12)) + map.shiftMs,
  };
}

function renamedTool(tool: Tool, map: Renaming, lenientFor: SeenCase | undefined): Tool {
  const answer = (given: ToolAnswer): ToolAnswer =>
    'output' in given ? { output: map.json(given.output) } : { error: map.json(given.error) };
  const calls = lenientFor?.seen.calls.filter((call) => call.tool === tool.name) ?? [];
  const [only] = calls;
  const otherwise: ToolAnswer | undefined =
    calls.length === 1 && only?.output !== undefined
      ? { output: map.json(only.output) }
      : tool.otherwise && answer(tool.otherwise);
  return {
    ...tool,
    ...(tool.examples
      ? { examples: tool.examples.map((example) => ({ input: map.json(example.input), ...answer(example) })) }
      : {}),
    ...(otherwise ? { otherwise } : {}),
  };
}

/** Texts of values that their schema allowed before and does not any more. */
function newlyInvalid(subject: Subject, renamed: Subject, { one, seen }: SeenCase): string[] {
  const { surface } = subject;
  const offending: string[] = [];
  const compare = (before: Json, after: Json, issuesOf: (value: Json) => SchemaIssue[]): void => {
    const issues = issuesOf(after);
    if (issues.length === 0) return;
    const known = new Set(issuesOf(before).map(signatureOf));
    for (const issue of issues) {
      if (!known.has(signatureOf(issue)))
        offending.push(JSON.stringify(at(before, issue.pointer) ?? before).toLowerCase());
    }
  };
  const index = subject.cases.findIndex(({ testCase }) => testCase === one.testCase);
  const [before, after] = [subject.cases[index], renamed.cases[index]];
  if (before && after) {
    compare(before.request, after.request, (value) => surface.requestIssues(value));
    compare(before.response, after.response, (value) => surface.responseIssues(value));
  }
  const examples = (whose: Subject) => whose.task?.examples?.find(({ testCase }) => testCase === one.testCase);
  const [wanted, fresh] = [examples(subject), examples(renamed)];
  if (wanted && fresh) compare(wanted.output, fresh.output, (value) => surface.resultIssues(value));
  for (const [place, tool] of subject.tools.entries()) {
    if (!seen.calls.some((call) => call.tool === tool.name)) continue;
    for (const [nth, example] of (tool.examples ?? []).entries()) {
      const changed = renamed.tools[place]?.examples?.[nth];
      if (!changed) continue;
      compare(example.input, changed.input, (value) => surface.toolInputIssues(tool.name, value));
      if ('output' in example && 'output' in changed)
        compare(example.output, changed.output, (value) => surface.toolOutputIssues(tool.name, value));
    }
  }
  return offending;
}

function signatureOf({ pointer, keyword }: SchemaIssue): string {
  return `${pointer} ${keyword}`;
}

function at(value: Json, pointer: string): Json | undefined {
  return leavesOf(value).find((leaf) => leaf.pointer === pointer)?.value ?? undefined;
}

function touches({ value }: Datum, text: string): boolean {
  return text.includes(JSON.stringify(value).replace(/^"|"$/g, '').toLowerCase());
}

/** How one place of an answer came out in a renamed world. */
export interface PlaceResult {
  pointer: string;
  in: 'response' | 'output' | 'request';
  expected: Json;
  got: Json | undefined;
  original: Json;
}

/** How an answer compares with what a handler that only carries data along would give. */
export interface WorldResult {
  world: World;
  seen: Observation;
  /** Places that hold the fresh value, and those that still hold the one it replaced. */
  fresh: PlaceResult[];
  stale: PlaceResult[];
  /** Places that hold neither, or are missing; also those that should have stayed as they were. */
  other: PlaceResult[];
  /** Places whose value is worked out rather than carried along: they may have changed or not. */
  computed: PlaceResult[];
  followed: boolean;
  /** Whether the answer is, to the letter, the one of the unchanged case. */
  unchanged: boolean;
}

/** Compares what a run in a renamed world gave with what it should have. */
export function compareWorld(world: World, seen: Observation): WorldResult {
  const result: WorldResult = {
    world,
    seen,
    fresh: [],
    stale: [],
    other: [],
    computed: [],
    followed: false,
    unchanged: false,
  };
  const { one: original, seen: before } = world.seenCase;
  const known = knownValues(world.seenCase);
  const isProvider = world.scenario.peer === undefined;
  const sent = nearestSent(world, seen);
  if (seen.end !== 'returned' || seen.value === undefined) {
    result.other.push({
      pointer: '',
      in: isProvider ? 'response' : 'output',
      expected: world.one.output,
      got: undefined,
      original: original.output,
    });
  } else {
    comparePlaces(
      result,
      isProvider ? 'response' : 'output',
      withSent(original.output, original, sent),
      withSent(world.one.output, world.one, sent),
      seen.value,
      isProvider ? original.loose : [],
      known,
      '',
    );
    result.unchanged =
      equalJson(seen.value, before.value ?? null) && (isProvider || equalJson(sentOf(seen), sentOf(before)));
  }
  if (!isProvider) {
    if (sent === undefined)
      result.other.push({
        pointer: '',
        in: 'request',
        expected: world.one.case.request,
        got: undefined,
        original: original.case.request,
      });
    else
      comparePlaces(result, 'request', original.case.request, world.one.case.request, sent, original.loose, known, '');
  }
  result.followed = result.stale.length === 0 && result.other.length === 0;
  return result;
}

function sentOf(seen: Observation): Json {
  return seen.sends.map(({ request }) => request);
}

/** The request that is the case's own, but for loose places; else the first one. */
function nearestSent({ one }: World, seen: Observation): Json | undefined {
  const own = seen.sends.find(({ request }) => looseDifferences(one.case.request, request, one.loose).length === 0);
  return (own ?? seen.sends[0])?.request;
}

/** An expected output with what the candidate sent at loose places of its request. */
function withSent(output: Json, { case: { request }, loose }: RunnableCase, sent: Json | undefined): Json {
  return sent === undefined ? output : substitute(output, looseReplacements(request, sent, loose));
}

interface Known {
  numbers: ReadonlySet<number>;
  text: string;
}

function knownValues(seenCase: SeenCase): Known {
  const { asked, answered } = toldLeaves(seenCase);
  const leaves = [...asked, ...answered];
  return {
    numbers: new Set(leaves.flatMap(({ value }) => (typeof value === 'number' ? [value] : []))),
    text: leaves
      .map(({ value }) => String(value))
      .join('\n')
      .toLowerCase(),
  };
}

function comparePlaces(
  result: WorldResult,
  place: PlaceResult['in'],
  original: Json,
  expected: Json,
  got: Json | undefined,
  loose: readonly Loose[],
  known: Known,
  pointer: string,
): void {
  if (loose.some((one) => one.pointer === pointer)) return;
  const entry: PlaceResult = { pointer, in: place, expected, got, original };
  if (Array.isArray(original) && Array.isArray(expected)) {
    if (!Array.isArray(got) || got.length !== expected.length) {
      result.other.push(entry);
      return;
    }
    for (const [index, item] of expected.entries())
      comparePlaces(result, place, original[index] as Json, item, got[index], loose, known, `${pointer}/${index}`);
    return;
  }
  if (isObject(original) && isObject(expected)) {
    if (!isObject(got)) {
      result.other.push(entry);
      return;
    }
    const names = Object.keys(expected);
    const before = Object.keys(original);
    for (const name of Object.keys(got))
      if (!Object.hasOwn(expected, name)) result.other.push({ ...entry, pointer: `${pointer}/${escapeToken(name)}` });
    for (const [index, name] of names.entries()) {
      comparePlaces(
        result,
        place,
        original[before[index] as string] as Json,
        expected[name] as Json,
        Object.hasOwn(got, name) ? got[name] : undefined,
        loose,
        known,
        `${pointer}/${escapeToken(name)}`,
      );
    }
    return;
  }
  if (!equalJson(original, expected)) {
    if (got !== undefined && sameScalar(expected, got)) result.fresh.push(entry);
    else if (typeof original === 'number' && typeof got === 'number' && got !== original) result.computed.push(entry);
    else if (
      typeof got === 'string' &&
      typeof expected === 'string' &&
      typeof original === 'string' &&
      matchesText(original, expected, got, known)
    )
      result.fresh.push(entry);
    else if (got !== undefined && sameScalar(original, got)) result.stale.push(entry);
    else result.other.push(entry);
    return;
  }
  if (isComputed(original, known)) {
    if (typeof got === typeof original) result.computed.push(entry);
    else result.other.push(entry);
    return;
  }
  if (got !== undefined && sameScalar(expected, got)) return;
  if (typeof got === 'string' && typeof original === 'string' && matchesText(original, original, got, known))
    result.computed.push(entry);
  else result.other.push(entry);
}

function sameScalar(wanted: Json, got: Json): boolean {
  if (typeof wanted === 'string' && typeof got === 'string') return equalText(wanted, got);
  if (typeof wanted === 'number' && typeof got === 'number')
    return Math.abs(wanted - got) <= 1e-9 * Math.max(1, Math.abs(wanted));
  return equalJson(wanted, got);
}

/** Whether a value of an answer was worked out: it is in nothing that the candidate was told, and looks like no word. */
function isComputed(value: Json, known: Known): boolean {
  if (typeof value === 'number')
    return !known.numbers.has(value) && (!Number.isInteger(value) || Math.abs(value) >= 1000);
  if (typeof value !== 'string' || value === '' || known.text.includes(value.toLowerCase()) || /\s/.test(value.trim()))
    return false;
  return /\d/.test(value) || decodedText(value) !== undefined || (value.length >= 12 && /[a-z][A-Z]/.test(value));
}

/** Whether a text is as expected but for numbers that were worked out, and for template words that happen to be data as well. */
function matchesText(original: string, expected: string, got: string, known: Known): boolean {
  const split = /(\d+(?:\.\d+)?|[\p{L}\p{M}]+)/gu;
  const [before, after, seen] = [original.split(split), expected.split(split), got.split(split)];
  if (before.length !== after.length || after.length !== seen.length) return false;
  let carried = original === expected;
  for (const [index, part] of after.entries()) {
    const was = before[index];
    if (seen[index] === part) carried ||= part !== was;
    else if (/^\d/.test(part) && /^\d/.test(seen[index] ?? '') && !known.text.includes(was ?? '')) continue;
    else if (seen[index] !== was || !/^\p{L}/u.test(part)) return false;
  }
  return carried;
}

/** Whether a fresh value of the world reached a tool or the peer. */
export function reachedOthers(world: World, datum: Datum, seen: Observation): boolean {
  const fresh = JSON.stringify(world.map.json(datum.value)).replace(/^"|"$/g, '').toLowerCase();
  const original = JSON.stringify(datum.value).replace(/^"|"$/g, '').toLowerCase();
  if (fresh === original) return false;
  return [...seen.calls.map(({ input }) => input), ...seen.sends.map(({ request }) => request)].some((input) =>
    JSON.stringify(input).toLowerCase().includes(fresh),
  );
}
