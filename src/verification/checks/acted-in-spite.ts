import type { Observation, ObservedCall } from '../../contract/trial.ts';
import type { Json } from '../../kernel/json.ts';
import { equalJson } from '../../schemas/equal-json.ts';
import type { RunnableCase } from '../case-scenarios.ts';
import { actsOnlyAfter, NAMES_IT } from '../prose/acts-after-answers.ts';
import { leavesOf } from '../scalar-kinds.ts';
import { isReadOnly, type Subject } from '../subject.ts';
import { mayServeRefusals } from './check-side-effects.ts';

/**
 * The tool that acts on an answer which is not taken: with what it is asked in the case, not where the peer is silent, and the output tells
 * another outcome than that of the case, by a word or truth value that nobody told.
 */
export function actedOnRefused(
  subject: Subject,
  before: Observation,
  silent: Observation,
  seen: Observation,
): string | undefined {
  // Between two messages, the answer to the first may have been taken.
  if (before.sends.length !== 1 || !tellsOtherOutcome(before, seen)) return undefined;
  return actsAsBefore(subject, before, seen).find((tool) => !silent.calls.some((call) => call.tool === tool));
}

/** A tool that acts before an answer after which alone the document has it act, with the sentence: that answer did not come, and the output tells another outcome. */
export function actedTooSoon(
  subject: Subject,
  one: RunnableCase,
  before: Observation,
  seen: Observation,
): { tool: string; sentence: string } | undefined {
  if (!seen.sends.some(({ error }) => error !== undefined) || !tellsOtherOutcome(before, seen)) return undefined;
  const acting = actsAsBefore(subject, before, seen);
  return actsOnlyAfter(subject, one, before).find(({ tool }) => acting.includes(tool));
}

/** The tools with side effects that succeed with what they were asked in the case as well, but for those that may be called whatever comes of it. */
function actsAsBefore(subject: Subject, before: Observation, seen: Observation): string[] {
  const isAct = ({ tool, error }: ObservedCall) =>
    error === undefined && !isReadOnly(subject, tool) && !mayServeRefusals(subject, tool);
  return seen.calls
    .filter(isAct)
    .filter(({ tool, input }) =>
      before.calls.some((call) => call.tool === tool && isAct(call) && equalJson(call.input, input)),
    )
    .map(({ tool }) => tool);
}

/** Whether an output has a word or truth value where that of the case has another, and the peer told neither. */
function tellsOtherOutcome({ value: usual = null }: Observation, { value, issues, sends }: Observation): boolean {
  if (value === undefined || issues.length > 0) return false;
  const told = new Set(sends.flatMap(({ response = null }) => leavesOf(response)).map((leaf) => leaf.value));
  const known = new Map<string, Json>(leavesOf(usual).map((leaf) => [leaf.pointer, leaf.value]));
  return leavesOf(value).some(
    (leaf) =>
      (typeof leaf.value === 'boolean' || (typeof leaf.value === 'string' && NAMES_IT.test(leaf.value))) &&
      typeof known.get(leaf.pointer) === typeof leaf.value &&
      known.get(leaf.pointer) !== leaf.value &&
      !told.has(leaf.value),
  );
}
