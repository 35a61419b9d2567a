import type { Forbidden } from '../contract/reading.ts';
import type { Observation } from '../contract/trial.ts';
import { isObject, type Json } from '../kernel/json.ts';
import { hasWord } from '../verification/scalar-kinds.ts';

/** The named places of a run that reveal a forbidden value. */
export function revealedIn({ value, in: places = ['answer', 'logs'] }: Forbidden, seen: Observation): string[] {
  const contents: Record<(typeof places)[number], Json> = {
    answer: seen.value ?? null,
    logs: seen.logs,
    sends: seen.sends.map(({ request }) => request),
    calls: seen.calls.map(({ input }) => input),
  };
  return places.filter((place) => containsScalar(contents[place], value));
}

/**
 * Whether a value contains a scalar: as a value, as a member name, or in a text. A short scalar must be a whole word of
 * the text.
 */
function containsScalar(value: Json, wanted: Json): boolean {
  if (Array.isArray(value)) return value.some((item) => containsScalar(item, wanted));
  if (isObject(value))
    return Object.entries(value).some(([name, item]) => name === wanted || containsScalar(item, wanted));
  if (value === wanted) return true;
  if (typeof value !== 'string' || typeof wanted === 'boolean') return false;
  const text = String(wanted);
  return typeof wanted === 'string' && text.length >= minLength ? value.includes(text) : hasWord(value, text);
}

/** Shorter texts occur inside others by chance. */
const minLength = 4;
