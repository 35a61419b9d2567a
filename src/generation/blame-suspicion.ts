import { equalJson } from '../schemas/equal-json.ts';
import { type Failed, mayAppeal, type Objection } from './lane-candidate.ts';
import type { LaneContext } from './lane-context.ts';

/** Fewest independent candidates that must agree before a case is suspected. */
const minVoters = 3;

/** Fewest independent refusals that must agree before an agreement is suspected. */
const minDeclines = 2;

/** A case that independent candidates answer alike, but not as agreed. */
export interface Suspicion extends Objection {
  testCase: number;
  /** The candidates that give this answer and pass every other case. */
  voters: Failed[];
}

/**
 * The case that all independent candidates contradict in the same way. Independent candidates saw neither each other's
 * code nor its results. `null` as soon as one answers the case differently, and for a requester: its requests are its
 * own responsibility.
 */
export function suspicionOf({ assignment, tried }: Pick<LaneContext, 'assignment' | 'tried'>): Suspicion | null {
  if (assignment.subject.role !== 'provider') return null;
  const ran = tried.flatMap(({ fresh, attempted }) =>
    fresh && attempted.kind === 'failed' && attempted.tested !== null ? [attempted] : [],
  );
  const voters = ran.filter((one) => failures(one) === 1);
  const [testCase, objection] = [...(voters[0]?.objections ?? [])][0] ?? [];
  if (testCase === undefined || objection === undefined) return null;
  const agrees = (one: Failed) => {
    const other = one.objections.get(testCase);
    return other !== undefined && equalJson(other.answer, objection.answer);
  };
  return ran.every(agrees) ? { testCase, ...objection, voters } : null;
}

/** Whether enough independent candidates agree to ask a judge about the case. */
export function enoughVoters(suspicion: Suspicion | null): suspicion is Suspicion {
  return suspicion !== null && suspicion.voters.length >= minVoters;
}

/** Whether enough independent refusals say that the agreement or a case is at fault. */
export function enoughDeclines({ tried }: Pick<LaneContext, 'tried'>): boolean {
  const declines = tried.filter(
    ({ fresh, attempted }) => fresh && attempted.kind === 'declined' && attempted.decline !== 'missing-tool',
  );
  return declines.length >= minDeclines;
}

/**
 * Independent candidates that were refused for the same findings and nothing else, if there are enough of them
 * to doubt our interpretation of the agreement; else `null`.
 */
export function enoughRefusals(lanes: Pick<LaneContext, 'tried'>): Failed[] | null {
  const candidates = refusedAlike(lanes);
  return candidates.length >= minVoters ? candidates : null;
}

/** The independent candidates that were refused for the same findings, all of which a judge may decide. */
export function refusedAlike({ tried }: Pick<LaneContext, 'tried'>): Failed[] {
  const candidates = tried.flatMap(({ fresh, attempted }) =>
    fresh && attempted.kind === 'failed' && mayAppeal(attempted) ? [attempted] : [],
  );
  const last = candidates.at(-1);
  return last === undefined ? [] : candidates.filter((one) => findingsKey(one) === findingsKey(last));
}

/** Identifies findings by check and message, whatever the candidate answered. */
function findingsKey({ findings }: Failed): string {
  return JSON.stringify(findings.map(({ check, message }) => [check, message]).sort());
}

function failures({ tested }: Failed): number {
  return tested?.cases.filter(({ passed }) => !passed).length ?? 0;
}
