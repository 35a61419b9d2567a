import type { Check } from '../check.ts';
import { ownLoosePlaces } from '../own-loose-places.ts';
import { unrunnableCases } from '../runnable-cases.ts';

/** Reports cases that could not be run, and places that count as loose without a declaration. */
export const caseCoverage: Check = {
  name: 'case-coverage',
  reason: 'A case that did not run has not passed, and a value that was not compared was not checked.',
  *run({ subject }) {
    const notes: string[] = [];
    const unrun = unrunnableCases(subject);
    if (unrun.length > 0)
      notes.push(
        `not run, because the task has no example for them: ${unrun.length === 1 ? 'case' : 'cases'} ${unrun.join(', ')}`,
      );
    const places = new Map<string, string>();
    for (const { pointer, as, word } of ownLoosePlaces(subject))
      places.set(word === undefined ? pointer : `word ${word + 1}`, as);
    if (places.size > 0) {
      notes.push(
        `loose automatically, because nothing determines them: ${[...places].map(([pointer, as]) => `${pointer} (${as})`).join(', ')}`,
      );
    }
    return { findings: [], ...(notes.length > 0 ? { note: notes.join('; ') } : {}) };
  },
};
