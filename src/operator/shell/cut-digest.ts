/** Fewest characters of a digest that name something. */
export const leastOfDigest = 6;

/** The known digests that a text means: the one that it is, or all that begin with it if it is long enough. */
export function digestsMeant(given: string, known: readonly string[]): string[] {
  if (known.includes(given)) return [given];
  return given.length >= leastOfDigest ? known.filter((digest) => digest.startsWith(given)) : [];
}
