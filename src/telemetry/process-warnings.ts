const buffered: Error[] = [];
let deliver = (warning: Error): void => void buffered.push(warning);

/**
 * Buffers Node's process warnings instead of printing them, until `takeWarnings` is called. Does nothing if Node was
 * started with `--no-warnings`.
 */
export function holdWarnings(): void {
  if (process.listenerCount('warning') === 0) return;
  process.removeAllListeners('warning');
  process.on('warning', (warning) => deliver(warning));
}

/** Passes on Node's process warnings: the buffered ones, and each that follows. */
export function takeWarnings(take: (warning: Error) => void): void {
  deliver = take;
  for (const warning of buffered.splice(0)) take(warning);
}
