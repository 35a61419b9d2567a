import type { ResolvedLimits } from '../policy.ts';
import type { ActiveRun } from './active-run.ts';
import type { CpuMeter } from './cpu-meter.ts';
import type { LostIsolate } from './crossing.ts';

/**
 * The share of a step's time below which a run had too little processor for the rest of the time to count against it.
 */
const fairShare = 0.75;

/**
 * Whether a run that lost its isolate is repeated: once with new memory if that was refused, and once with more
 * time if it had too little processor. Records what it was granted in the run.
 */
export function grantSecondChance(
  run: ActiveRun,
  { stepMs, refused }: LostIsolate,
  limits: ResolvedLimits,
  cpu: CpuMeter,
): boolean {
  return stepMs === undefined ? refused === true && grantMemory(run) : grantTime(run, stepMs, limits, cpu);
}

/** In a new isolate no other run has taken any memory. */
function grantMemory(run: ActiveRun): boolean {
  const isFirst = !run.again;
  run.again = true;
  return isFirst;
}

/** On a busy machine the processor time of a run says more about it than the clock. */
function grantTime(run: ActiveRun, tookMs: number, { stepMs, watchdogMs }: ResolvedLimits, cpu: CpuMeter): boolean {
  const share = cpu.usedMs() / tookMs;
  if (run.moreMs > 0 || share >= fairShare) return false;
  run.moreMs = Math.ceil(Math.min(stepMs / share - stepMs, watchdogMs));
  return true;
}
