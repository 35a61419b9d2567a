import { hash } from 'node:crypto';

/** A pseudo-random number from 0 (inclusive) to 1 (exclusive), determined by a seed and a name. */
export function drawn(seed: string, name: string): number {
  return hash('sha256', JSON.stringify([seed, name]), 'buffer').readUIntBE(0, 6) / 2 ** 48;
}

/** A pseudo-random item, determined as in `drawn`. */
export function drawnOf<T>(items: readonly T[], seed: string, name: string): T {
  return items[Math.floor(drawn(seed, name) * items.length)] as T;
}

const syllables = ['ba', 'den', 'fo', 'gil', 'har', 'ju', 'kem', 'lo', 'mir', 'nus', 'pe', 'ras', 'so', 'tul', 'vek'];

/** A meaningless sentence of 2 to 5 words that no document contains, determined as in `drawn`. */
export function drawnText(seed: string, name: string): string {
  const count = 2 + Math.floor(drawn(seed, name) * 4);
  const words = Array.from({ length: count }, (_, word) =>
    [0, 1, 2].map((nth) => drawnOf(syllables, seed, `${name} ${word} ${nth}`)).join(''),
  );
  return words.join(' ');
}
