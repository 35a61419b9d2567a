/** How long one piece of work may keep the thread while others want it, in milliseconds. */
const longMs = 20;

/**
 * Makes what is awaited between pieces of one long work, so that timers and others' work get their turn. Rejects with the signal's reason once it
 * is aborted.
 */
export function takingTurns(signal: AbortSignal): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < longMs) return;
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
    since = performance.now();
  };
}
