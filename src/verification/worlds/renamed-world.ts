import type { Task, Tool, ToolAnswer } from '../../contract/job.ts';
import type { Observation, Scenario, SchemaIssue } from '../../contract/trial.ts';
import type { Json } from '../../kernel/json.ts';
import { caseScenario } from '../case-scenarios.ts';
import type { SeenCase } from '../check.ts';
import { type RunnableCase, runnableCases } from '../runnable-cases.ts';
import { type Leaf, leavesOf } from '../scalar-kinds.ts';
import type { Subject } from '../subject.ts';
import type { Vocabulary } from '../vocabulary.ts';
import type { Datum } from './datum.ts';
import type { Reach } from './fresh-text.ts';
import { type RenameMap, renameMapOf } from './rename-map.ts';

/** A case with some of its data renamed, consistently in request, tool answers, peer and expected answer. */
export interface World {
  seenCase: SeenCase;
  data: readonly Datum[];
  map: RenameMap;
  one: RunnableCase;
  scenario: Scenario;
}

/** The scalars that a candidate is told in a case: by the request, and by answers of tools and peer. */
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
 * Builds a world with these data renamed, or with fewer if the schemas do not allow a fresh value. `undefined` if
 * nothing is left to rename. With `lenient`, a tool that the case calls once gives the same answer for any input.
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
    // A pattern that rejects a fresh shape may accept one with only its end changed.
    const reach = round === 0 ? how.reach : 'near';
    const map = renameMapOf(data, vocabulary, taken, `${subject.trialSeed}/${how.seed}/${round}`, reach);
    if (map.size === 0) return undefined;
    const renamed = renamedSubject(subject, map, how.lenient ? seenCase : undefined);
    const offending = newlyInvalid(subject, renamed, seenCase);
    if (offending.length === 0) return worldOf(renamed, seenCase, data, map);
    if (round > 0 || how.reach === 'near') {
      const remaining = data.filter((datum) => !offending.some((text) => touches(datum, text)));
      // If no datum causes the fault, the whole world is in doubt.
      if (remaining.length === data.length) return undefined;
      data = remaining;
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

/** A consistent replacement of data. */
type Renaming = Pick<RenameMap, 'json' | 'shiftMs'>;

/** The subject with the data of cases, tool answers and task examples renamed. */
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

/** The JSON of values that were valid before the renaming and are not any more. */
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

/** Whether the candidate passed a fresh value of the world to a tool or the peer. */
export function reachedOthers(world: World, datum: Datum, seen: Observation): boolean {
  const fresh = JSON.stringify(world.map.json(datum.value)).replace(/^"|"$/g, '').toLowerCase();
  const original = JSON.stringify(datum.value).replace(/^"|"$/g, '').toLowerCase();
  if (fresh === original) return false;
  return [...seen.calls.map(({ input }) => input), ...seen.sends.map(({ request }) => request)].some((input) =>
    JSON.stringify(input).toLowerCase().includes(fresh),
  );
}
