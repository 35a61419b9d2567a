import { setImmediate } from 'node:timers/promises';
import type { Prompt } from '../contract/completion.ts';
import { BudgetUsedUp } from '../job/budget.ts';
import type { Deadline } from '../kernel/deadline.ts';
import { renderRepair, renderRetry } from '../prompting/render-repair.ts';
import { attempt } from './attempt.ts';
import { enoughDeclines, enoughRefusals, enoughVoters, refusedAlike, suspicionOf } from './blame-suspicion.ts';
import { underivedPlaces } from './blame-underived.ts';
import type { Attempted, Declined, Failed, Tested } from './lane-candidate.ts';
import type { LaneContext } from './lane-context.ts';
import { earlierAnswer, failureSignature } from './lane-facts.ts';

/**
 * Candidates of one lane: the first and two more. What two repairs with results of real runs do not fix, a third one
 * rarely does.
 */
const maxAttempts = 3;

/**
 * Longest module that is repaired, in UTF-16 units. The repair prompt contains all of it, and a sound module has a few
 * thousand.
 */
const maxRepairedCharacters = 65_536;

/** Progress of a lane while it runs. */
export interface LaneEvents {
  /** This many more characters of the model's answer arrived. */
  heard(characters: number): void;
  /** The model's first answer is complete. */
  answered(): void;
  /** The first candidate failed. */
  failed(): void;
}

/** What the next prompt of a lane is made from. */
interface Step {
  /** The candidate to repair; `null` = start afresh, without any code. */
  best: Failed | null;
  /** Failures that the prompt mentions besides it. */
  mentioned: readonly Failed[];
}

/**
 * Runs one lane of candidates until one is verified. A failed candidate is repaired with the results of its
 * runs. After the same failure twice, or with nothing to repair, the lane starts afresh and the prompt mentions
 * what failed. The same prompt is sent twice only to get another independent candidate. Resolves to `null` if
 * nothing more can be tried. Rejects as `attempt` does, except for a used-up budget.
 */
export async function runLane(
  lanes: LaneContext,
  deadline: Deadline,
  events?: LaneEvents,
  start: Failed | null = null,
): Promise<Tested | null> {
  let step: Step = { best: start, mentioned: [] };
  const failures = new Map<string, Failed>();
  for (let tries = 0; tries < maxAttempts && !isDecided(lanes); tries += 1) {
    const prompt = promptFor(step, lanes);
    // If the first prompt already contains a module, as after a complaint, no candidate is independent.
    const isBare = prompt === lanes.assignment.prompt && prompt.turns.length === 1;
    const next: Attempted | null = await tryOnce(prompt, step, lanes, deadline, events);
    if (next === null) return null;
    if (next.kind === 'verified') return next;
    const fresh = isBare && !(next.kind === 'failed' && next.isRepeat);
    lanes.tried.push({ fresh, attempted: next });
    events?.failed();
    if (lacksTool(next, lanes)) return null;
    const isVoter = next.kind === 'failed' && fresh && isSecondVoter(next, lanes);
    step = stepAfter(next, step, failures);
    if (isVoter) {
      // Another candidate contradicts the same case. A repair in progress may show that the case can be satisfied;
      // otherwise a further independent candidate shows more than a repair.
      await Promise.allSettled(lanes.running);
      // Gives a lane that has just verified a candidate a chance to abort this one.
      await setImmediate();
      step = { best: null, mentioned: [] };
    }
  }
  return null;
}

function promptFor({ best, mentioned }: Step, { assignment: { prompt, subject }, tried }: LaneContext): Prompt {
  const question =
    best?.facts && best.source !== null ? renderRepair(prompt, subject.role, best.source, best.facts) : prompt;
  return mentioned.length === 0
    ? question
    : renderRetry(question, subject.role, mentioned.map(earlierAnswer), tried.length);
}

async function tryOnce(
  prompt: Prompt,
  { best }: Step,
  lanes: LaneContext,
  deadline: Deadline,
  events: LaneEvents | undefined,
) {
  const running = attempt(
    {
      prompt,
      purpose: 'generate',
      repair: best !== null,
      repairs: best?.attempt,
      options: { heard: events?.heard },
      onAnswer: events?.answered,
    },
    lanes,
    deadline,
  );
  lanes.running.add(running);
  try {
    return await running;
  } catch (error) {
    if (error instanceof BudgetUsedUp) return null;
    throw error;
  } finally {
    lanes.running.delete(running);
  }
}

/**
 * The next step. A repair that fails a case which had passed is dropped. `failures` holds those of the lane, by
 * signature.
 */
function stepAfter(next: Failed | Declined, { best, mentioned }: Step, failures: Map<string, Failed>): Step {
  if (next.kind === 'declined') return { best: null, mentioned: [...failures.values()] };
  const signature = failureSignature(next.code, next.facts);
  const isKnown = failures.has(signature) || next.isRepeat;
  failures.set(signature, next);
  // A repair of an answer that was too long would be too long again.
  if (isKnown || next.code === 'CANDIDATE_TOO_LONG') return { best: null, mentioned: [...failures.values()] };
  const isRepairable = next.facts !== null && next.source !== null && next.source.length <= maxRepairedCharacters;
  if (isRepairable && (best === null || !failsMore(best, next))) return { best: next, mentioned: [] };
  return { best, mentioned: [...mentioned, next] };
}

function failsMore(best: Failed, next: Failed): boolean {
  const passed = passedBy(next);
  return [...passedBy(best)].some((testCase) => !passed.has(testCase));
}

function passedBy({ tested }: Failed): Set<number> {
  return new Set(tested?.cases.filter(({ passed }) => passed).map(({ testCase }) => testCase));
}

/** Whether another independent candidate contradicts the same case, or was refused for the same findings. */
function isSecondVoter(next: Failed, lanes: LaneContext): boolean {
  const groups = [suspicionOf(lanes)?.voters ?? [], refusedAlike(lanes)];
  return groups.some((voters) => voters.length > 1 && voters.includes(next));
}

/** Whether the model is right that our agent lacks a tool: the cases expect values that nothing provides. */
function lacksTool(next: Attempted, { assignment }: LaneContext): boolean {
  return next.kind === 'declined' && next.decline === 'missing-tool' && underivedPlaces(assignment).length > 0;
}

/** Whether further candidates would change nothing: enough of them agree that the fault is not theirs. */
function isDecided(lanes: LaneContext): boolean {
  return enoughDeclines(lanes) || enoughVoters(suspicionOf(lanes)) || enoughRefusals(lanes) !== null;
}
