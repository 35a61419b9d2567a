import type { Json } from '../../kernel/json.ts';
import type { CheckFacts } from '../check.ts';
import { hasWord, leavesOf } from '../scalar-kinds.ts';

/** Shorter values may be in an answer by chance. */
const minLength = 3;

/**
 * A value in the answer of a run in which tools and peer provide nothing, although only they provided it in the
 * case: neither the candidate's input nor the agreement has it.
 */
export function untoldIn(
  { vocabulary }: CheckFacts,
  told: readonly Json[],
  known: Json,
  answer: Json,
): Json | undefined {
  const asked = JSON.stringify(known);
  const texts = told.flatMap(leavesOf).map(({ value }) => String(value));
  return leavesOf(answer)
    .flatMap(({ value }): Json[] =>
      typeof value === 'string' ? [value, ...value.split(/["<>;,|]+/), ...value.split(/\s+/)] : [value],
    )
    .find((value) => {
      const text = String(value);
      if (typeof value === 'boolean' || value === null || text.length < minLength || asked.includes(text)) return false;
      const isKnown = typeof value === 'number' ? vocabulary.hasNumber(value) : vocabulary.hasText(text);
      return !isKnown && texts.some((one) => one === text || (text.length > minLength && hasWord(one, text)));
    });
}
