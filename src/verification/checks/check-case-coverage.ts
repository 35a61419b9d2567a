import type { Check } from '../check.ts';
import { ownLoosePlaces } from '../own-loose-places.ts';
import { unrunnableCases } from '../runnable-cases.ts';

/** Reports cases that could not be run, and places that count as loose without a declaration. */
export const caseCoverage: Check = {
  name: 'case-coverage',
  reason: 'Nobody should take a case for passed that was not run, or a value for agreed that was not compared.',
  *run({ subject }) {
    const notes: string[] = [];
    const unrun = unrunnableCases(subject);
    if (unrun.length > 0)
      notes.push(
        `not run, since the task has no example for them: ${unrun.length === 1 ? 'case' : 'cases'} ${unrun.join(', ')}`,
      );
    const places = new Map<string, string>();
    for (const { pointer, as, word } of ownLoosePlaces(subject))
      places.set(word === undefined ? pointer : `word ${word + 1}`, as);
    if (places.size > 0) {
      notes.push(
        `loose by themselves, since nothing yields them: ${[...places].map(([pointer, as]) => `${pointer} (${as})`).join(', ')}`,
      );
    }
    return { findings: [], ...(notes.length > 0 ? { note: notes.join('; ') } : {}) };
  },
};
