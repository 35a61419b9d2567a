let signalled: Promise<NodeJS.Signals> | undefined;

/** Resolves with the first signal since the first call that asks this process to stop; later signals change nothing. */
export function stopSignal(): Promise<NodeJS.Signals> {
  signalled ??= new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve(signal));
  });
  return signalled;
}
