import type { Observation } from '../contract/trial.ts';
import { looseReplacements, substitute } from '../verification/loose-places.ts';
import type { Allowance } from './assertions.ts';
import type { WorldRun } from './world.ts';

/**
 * The differences allowed in the answer of a run: loose places of a provider's response, and ids that a requester
 * created and got back.
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

/** The differences allowed in a request that is sent: its loose places. */
export function allowanceOfSends({ world: { base } }: Pick<WorldRun, 'world'>): Allowance {
  return { base: base === null ? [] : [base.case.request], loose: base?.loose ?? [], replacements: [] };
}
