import type { Observation } from '../contract/trial.ts';
import { looseReplacements, substitute } from '../verification/loose-places.ts';
import type { Allowance } from './assertions.ts';
import type { WorldRun } from './world.ts';

/**
 * In what the answer of a run may differ: loose places of a provider's response, ids that a requester made and got
 * back.
 */
export function allowanceOf({
  world: { base, baseAnswers },
  seen,
}: {
  world: WorldRun['world'];
  seen: Pick<Observation, 'sends'>;
}): Allowance {
  if (base === null) return { base: [], loose: [], replacements: [] };
  if (seen.sends.length === 0) return { base: baseAnswers, loose: base.loose, replacements: [] };
  const replacements = seen.sends.flatMap(({ request }) => looseReplacements(base.case.request, request, base.loose));
  return { base: baseAnswers.map((one) => substitute(one, replacements)), loose: [], replacements };
}

/** In what a request that is sent may differ: its loose places. */
export function allowanceOfSends({ world: { base } }: Pick<WorldRun, 'world'>): Allowance {
  return { base: base === null ? [] : [base.case.request], loose: base?.loose ?? [], replacements: [] };
}
