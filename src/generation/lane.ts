import { setImmediate } from 'node:timers/promises';
import type { Prompt } from '../contract/completion.ts';
import { BudgetUsedUp } from '../job/budget.ts';
import type { Deadline } from '../kernel/deadline.ts';
import { renderRepair, renderRetry } from '../prompting/render-repair.ts';
import { attempt } from './attempt.ts';
import { enoughDeclines, enoughRefusals, enoughVoices, refusedAlike, suspicionOf } from './blame-suspicion.ts';
import { underivedPlaces } from './blame-underived.ts';
import type { Attempted, Declined, Failed, Tested } from './lane-candidate.ts';
import type { LaneContext } from './lane-context.ts';
import { earlierAnswer, failureSignature } from './lane-facts.ts';

/** Candidates of one lane: a first one and two more. What two rounds of executed facts do not mend, a third seldom does. */
const maxTries = 3;

/** Longest module that is repaired, in UTF-16 units: the question for a repair carries it whole, and a sound one has a few thousand. */
const maxRepairedCharacters = 65_536;

/** What others want to know of a lane while it runs. */
export interface LaneEvents {
  /** So many characters more of the model's answer came. */
  heard(characters: number): void;
  /** The model's first answer is there. */
  answered(): void;
  /** The first candidate failed. */
  failed(): void;
}

/** What the next question of a lane is made from. */
interface Step {
  /** The candidate to repair; `null` = start afresh, without any code. */
  best: Failed | null;
  /** Failures that are told beside it. */
  told: readonly Failed[];
}

/**
 * Works on one line of candidates until one is verified. What fails is repaired with the facts of its runs. The same
 * failure twice, or nothing to repair, makes a fresh start that is told what failed. No question is put twice, except
 * to hear another independent voice. Resolves to `null` where nothing more can be tried. Rejects as `attempt` does,
 * budget aside.
 */
export async function runLane(
  lanes: LaneContext,
  deadline: Deadline,
  events?: LaneEvents,
  start: Failed | null = null,
): Promise<Tested | null> {
  let step: Step = { best: start, told: [] };
  const seen = new Map<string, Failed>();
  for (let tries = 0; tries < maxTries && !isDecided(lanes); tries += 1) {
    const prompt = promptFor(step, lanes);
    // Where the first prompt brings a module along already, as for a complaint, nobody is independent.
    const isBare = prompt === lanes.assignment.prompt && prompt.turns.length === 1;
    const next: Attempted | null = await tryOnce(prompt, step, lanes, deadline, events);
    if (next === null) return null;
    if (next.kind === 'verified') return next;
    const fresh = isBare && !(next.kind === 'failed' && next.isRepeat);
    lanes.tried.push({ fresh, attempted: next });
    events?.failed();
    if (lacksTool(next, lanes)) return null;
    const isVoice = next.kind === 'failed' && fresh && isSecondVoice(next, lanes);
    step = stepAfter(next, step, seen);
    if (isVoice) {
      // Others wrote the same against a case: a repair under way may show that it can be kept, else a further independent voice says more than a repair.
      await Promise.allSettled(lanes.running);
      // So that whoever verified a candidate just now can call this lane off.
      await setImmediate();
      step = { best: null, told: [] };
    }
  }
  return null;
}

function promptFor({ best, told }: Step, { assignment: { prompt, subject }, tried }: LaneContext): Prompt {
  const question =
    best?.facts && best.source !== null ? renderRepair(prompt, subject.role, best.source, best.facts) : prompt;
  return told.length === 0 ? question : renderRetry(question, subject.role, told.map(earlierAnswer), tried.length);
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
 * What to ask next: a repair that loses a case which had passed is dropped. `seen` holds the failures of the lane, by
 * what went wrong.
 */
function stepAfter(next: Failed | Declined, { best, told }: Step, seen: Map<string, Failed>): Step {
  if (next.kind === 'declined') return { best: null, told: [...seen.values()] };
  const signature = failureSignature(next.code, next.facts);
  const isSeen = seen.has(signature) || next.isRepeat;
  seen.set(signature, next);
  // A repair of what was too long would come to the same length again.
  if (isSeen || next.code === 'CANDIDATE_TOO_LONG') return { best: null, told: [...seen.values()] };
  const isRepairable = next.facts !== null && next.source !== null && next.source.length <= maxRepairedCharacters;
  if (isRepairable && (best === null || !loses(best, next))) return { best: next, told: [] };
  return { best, told: [...told, next] };
}

function loses(best: Failed, next: Failed): boolean {
  const kept = passedBy(next);
  return [...passedBy(best)].some((testCase) => !kept.has(testCase));
}

function passedBy({ tested }: Failed): Set<number> {
  return new Set(tested?.cases.filter(({ passed }) => passed).map(({ testCase }) => testCase));
}

/** Whether another independent candidate says the same against a case, or was refused for the same findings. */
function isSecondVoice(next: Failed, lanes: LaneContext): boolean {
  const groups = [suspicionOf(lanes)?.voters ?? [], refusedAlike(lanes)];
  return groups.some((voters) => voters.length > 1 && voters.includes(next));
}

/** Whether a refusal is right that our agent lacks a tool: the cases want values that nothing yields. */
function lacksTool(next: Attempted, { assignment }: LaneContext): boolean {
  return next.kind === 'declined' && next.decline === 'missing-tool' && underivedPlaces(assignment).length > 0;
}

/** Whether further candidates would tell nothing new: enough of them agree that the fault is not theirs. */
function isDecided(lanes: LaneContext): boolean {
  return enoughDeclines(lanes) || enoughVoices(suspicionOf(lanes)) || enoughRefusals(lanes) !== null;
}
