/** CPU time of ten million steps of a plain loop, in microseconds. Some 15 ms on a usual machine. */
let floorUs: number | undefined;

/**
 * Begins to measure. The returned function tells the CPU time that this process has spent since, as a multiple of a
 * plain loop of ten million steps. A slow or busy machine does not change it.
 */
export function startCost(): () => number {
  floorUs ??= Math.min(...[1, 2, 3].map(loopUs));
  const floor = floorUs;
  const started = process.cpuUsage();
  return () => spentUs(started) / floor;
}

function loopUs(seed: number): number {
  const started = process.cpuUsage();
  let state = seed;
  for (let step = 0; step < 10_000_000; step += 1) state = (state * 31 + step) | 0;
  // Keeps the loop from being left out.
  return spentUs(started) + (Object.is(state, -0) ? 1 : 0);
}

function spentUs(started: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(started);
  return user + system;
}
