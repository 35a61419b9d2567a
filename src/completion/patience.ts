/** Longest silences allowed to a server, in milliseconds. */
export interface Patience {
  /** Before the response headers. */
  headersMs: number;
  /** Before the first word: a reasoning model thinks in silence. */
  firstWordMs: number;
  /** Between two pieces after that. */
  stallMs: number;
}

/**
 * Share of the time left when the question is asked, so that another attempt still fits, with bounds in milliseconds.
 */
const PATIENCE: Record<keyof Patience, { share: number; leastMs: number; mostMs: number }> = {
  headersMs: { share: 0.4, leastMs: 2_000, mostMs: 30_000 },
  firstWordMs: { share: 0.6, leastMs: 3_000, mostMs: 90_000 },
  stallMs: { share: 0.3, leastMs: 2_000, mostMs: 15_000 },
};

/** The silences allowed with this much time left. */
export function patienceFor(leftMs: number): Patience {
  const silence = ({ share, leastMs, mostMs }: (typeof PATIENCE)[keyof Patience]): number =>
    Math.min(mostMs, Math.max(leastMs, leftMs * share));
  return {
    headersMs: silence(PATIENCE.headersMs),
    firstWordMs: silence(PATIENCE.firstWordMs),
    stallMs: silence(PATIENCE.stallMs),
  };
}
