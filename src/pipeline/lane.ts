import { setImmediate } from 'node:timers/promises';
import type { Deadline } from '../kernel/deadline.ts';
import { renderRepair } from '../prompting/render-repair.ts';
import { appeal } from './appeal.ts';
import { attempt } from './attempt.ts';
import { enoughDeclines, enoughVoices, type Suspicion, suspicionOf } from './blame-suspicion.ts';
import { underivedPlaces } from './blame-underived.ts';
import { BudgetUsedUp } from './budget.ts';
import type { Attempted, Failed, Tested } from './lane-candidate.ts';
import { failureSignature } from './lane-facts.ts';
import type { Work } from './lane-work.ts';

/** Candidates of one lane: a first one and two more. What two rounds of executed facts do not mend, a third seldom does. */
const maxTries = 3;

/** Longest module that is repaired, in UTF-16 units: the question for a repair carries it whole, and a sound one has a few thousand. */
const maxRepairedCharacters = 65_536;

/** What others want to know of a lane while it runs. */
export interface LaneEvents {
  /** The model's first answer is there. */
  answered(): void;
  /** The first candidate failed. */
  failed(): void;
}

/**
 * Works on one line of candidates until one is verified: what fails is repaired with the facts of its runs; the same failure twice, or nothing to
 * repair, makes a fresh start. Resolves to `null` where the lane has nothing more to try. Rejects as `attempt` does, budget aside.
 */
export async function runLane(work: Work, deadline: Deadline, events?: LaneEvents): Promise<Tested | null> {
  let best: Failed | null = null;
  const seen = new Set<string>();
  for (let tries = 0; tries < maxTries && !isDecided(work); tries += 1) {
    // Where the first prompt brings a module along already, as for a complaint, nobody is independent.
    const fresh: boolean = best === null && work.brief.prompt.turns.length === 1;
    const next: Attempted | null = await tryOnce(best, work, deadline, events);
    if (next === null) return null;
    if (next.kind === 'verified') return next;
    if (next.kind === 'appealed') {
      const upheld: Tested | null = best && (await appeal(best, work, deadline));
      if (upheld !== null) return upheld;
      best = null;
      continue;
    }
    work.tried.push({ fresh, attempted: next });
    events?.failed();
    if (lacksTool(next, work)) return null;
    const voices: Suspicion | null = fresh ? suspicionOf(work) : null;
    if (next.kind === 'failed' && voices?.voters.includes(next) && voices.voters.length > 1) {
      // Others wrote the same against a case: a repair under way may show that it can be kept, else a further independent voice says more than a repair.
      await Promise.allSettled(work.running);
      // So that whoever verified a candidate just now can call this lane off.
      await setImmediate();
      best = null;
    } else best = next.kind === 'declined' ? null : betterOf(best, next, seen);
  }
  return null;
}

async function tryOnce(best: Failed | null, work: Work, deadline: Deadline, events: LaneEvents | undefined) {
  const { prompt, subject } = work.brief;
  const repair =
    best?.facts && best.source !== null ? renderRepair(prompt, subject.role, best.source, best.facts) : null;
  const running = attempt(
    { prompt: repair ?? prompt, asked: 'candidate', repair: repair !== null, onAnswer: events?.answered },
    work,
    deadline,
  );
  work.running.add(running);
  try {
    return await running;
  } catch (error) {
    if (error instanceof BudgetUsedUp) return null;
    throw error;
  } finally {
    work.running.delete(running);
  }
}

/** What to repair next: a repair that loses a case which had passed is dropped. `null` = start afresh, without the old code. */
function betterOf(best: Failed | null, next: Failed, seen: Set<string>): Failed | null {
  const signature = failureSignature(next.code, next.facts);
  // The same question would come to the same length again.
  if (seen.has(signature) || next.code === 'CANDIDATE_TOO_LONG') return null;
  seen.add(signature);
  if (best !== null && loses(best, next)) return best;
  const isRepairable = next.facts !== null && next.source !== null && next.source.length <= maxRepairedCharacters;
  return isRepairable ? next : best;
}

function loses(best: Failed, next: Failed): boolean {
  const kept = passedBy(next);
  return [...passedBy(best)].some((testCase) => !kept.has(testCase));
}

function passedBy({ tested }: Failed): Set<number> {
  return new Set(tested?.cases.filter(({ passed }) => passed).map(({ testCase }) => testCase));
}

/** Whether a refusal is right that our agent lacks a tool: the cases want values that nothing yields. */
function lacksTool(next: Attempted, { brief }: Work): boolean {
  return next.kind === 'declined' && next.decline === 'missing-tool' && underivedPlaces(brief).length > 0;
}

/** Whether further candidates would tell nothing new: enough of them agree that the fault is not theirs. */
function isDecided(work: Work): boolean {
  return enoughDeclines(work) || enoughVoices(suspicionOf(work));
}
