import { equalJson } from '../schemas/equal-json.ts';
import { type Failed, mayAppeal, type Objection } from './lane-candidate.ts';
import type { LaneContext } from './lane-context.ts';

/** Independent candidates that must agree before a case is suspected. */
const fewestVoices = 3;

/** Independent refusals that must agree before an agreement is suspected. */
const fewestDeclines = 2;

/** A case that independent candidates answer alike and otherwise than agreed. */
export interface Suspicion extends Objection {
  testCase: number;
  /** Those that give this answer and pass every other case. */
  voters: Failed[];
}

/**
 * The case that the independent candidates contradict with one voice: those that saw neither each other's code nor how it went. `null` as soon as
 * one of them answers it differently, and for a requester, whose requests are nobody else's fault.
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

/** Whether enough independent candidates agree for the case to be put before a judge. */
export function enoughVoices(suspicion: Suspicion | null): suspicion is Suspicion {
  return suspicion !== null && suspicion.voters.length >= fewestVoices;
}

/** Whether enough independent refusals say that the agreement or a case is at fault. */
export function enoughDeclines({ tried }: Pick<LaneContext, 'tried'>): boolean {
  const declines = tried.filter(
    ({ fresh, attempted }) => fresh && attempted.kind === 'declined' && attempted.decline !== 'missing-tool',
  );
  return declines.length >= fewestDeclines;
}

/**
 * Independent candidates that were refused for the same findings and nothing else, where there are enough of them for
 * our reading of the agreement to be suspected; `null` where there are not.
 */
export function enoughRefusals(lanes: Pick<LaneContext, 'tried'>): Failed[] | null {
  const voices = refusedAlike(lanes);
  return voices.length >= fewestVoices ? voices : null;
}

/** The independent candidates that were refused for the same findings, all of which a judge may weigh. */
export function refusedAlike({ tried }: Pick<LaneContext, 'tried'>): Failed[] {
  const voices = tried.flatMap(({ fresh, attempted }) =>
    fresh && attempted.kind === 'failed' && mayAppeal(attempted) ? [attempted] : [],
  );
  const last = voices.at(-1);
  return last === undefined ? [] : voices.filter((one) => findingsKey(one) === findingsKey(last));
}

/** Findings by what they hold against a candidate, whatever it answered. */
function findingsKey({ findings }: Failed): string {
  return JSON.stringify(findings.map(({ check, message }) => [check, message]).sort());
}

function failures({ tested }: Failed): number {
  return tested?.cases.filter(({ passed }) => !passed).length ?? 0;
}
