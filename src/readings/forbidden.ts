import type { Forbidden } from '../contract/reading.ts';
import type { Observation } from '../contract/trial.ts';
import { isObject, type Json } from '../kernel/json.ts';
import { hasWord } from '../verification/scalar-kinds.ts';

/** The places among those named in which a forbidden value stands. */
export function occursIn({ value, in: places = ['answer', 'logs'] }: Forbidden, seen: Observation): string[] {
  const told: Record<(typeof places)[number], Json> = {
    answer: seen.value ?? null,
    logs: seen.logs,
    sends: seen.sends.map(({ request }) => request),
    calls: seen.calls.map(({ input }) => input),
  };
  return places.filter((place) => has(told[place], value));
}

/** Whether a value has a scalar in it: as a value or member name, or in a text; there a short one only as a word. */
function has(value: Json, wanted: Json): boolean {
  if (Array.isArray(value)) return value.some((item) => has(item, wanted));
  if (isObject(value)) return Object.entries(value).some(([name, item]) => name === wanted || has(item, wanted));
  if (value === wanted) return true;
  if (typeof value !== 'string' || typeof wanted === 'boolean') return false;
  const text = String(wanted);
  return typeof wanted === 'string' && text.length >= shortest ? value.includes(text) : hasWord(value, text);
}

/** Shorter texts stand inside of others by chance. */
const shortest = 4;
