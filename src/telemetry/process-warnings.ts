const held: Error[] = [];
let tell = (warning: Error): void => void held.push(warning);

/** Keeps Node's warnings about this process from standard error until somebody takes them. Where Node was told to be silent, none are kept. */
export function holdWarnings(): void {
  if (process.listenerCount('warning') === 0) return;
  process.removeAllListeners('warning');
  process.on('warning', (warning) => tell(warning));
}

/** Hands over Node's warnings about this process: those that were held, and each that comes. */
export function takeWarnings(take: (warning: Error) => void): void {
  tell = take;
  for (const warning of held.splice(0)) take(warning);
}
