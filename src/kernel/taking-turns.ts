/** Longest time that one piece of work may block the event loop, in milliseconds. */
const longMs = 20;

/**
 * Returns a function to await between the steps of long work: it yields to the event loop if the last yield was long
 * ago. Rejects with the signal's reason once the signal is aborted.
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
