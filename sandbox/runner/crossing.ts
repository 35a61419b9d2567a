import type ivm from 'isolated-vm';
import { comeAgain, type GuestOutput, poll, ranOut } from '../guest/protocol.ts';
import type { ResolvedLimits } from '../policy.ts';
import { Texts, unpack } from '../wire.ts';
import type { Realm } from './engine.ts';

/** What one crossing into the guest and back gave, and how long it took. */
export interface Crossing {
  output: GuestOutput | undefined;
  texts: Texts;
  /** Whether the guest has answers at hand, so that it has to be entered again. */
  again: boolean;
  wallMs: number;
  cpuMs: number;
}

/** Why an isolate did not come back. */
export interface LostIsolate {
  lost: 'timed-out' | 'out-of-memory';
  /** How long the step took whose time was up. */
  stepMs?: number;
  /** Whether memory was refused: earlier runs may have taken it. */
  refused?: true;
}

/** The share of its limit above which a heap counts as full. */
const fullShare = 0.8;
const noTexts = new Texts('', []);

/** How long the guest is entered repeatedly before the time is checked; much less than any step. */
const quickMs = 5;

/** How often a poll may fail before the guest counts as lost. */
const lastAttempt = 3;

/** In place of a message: lets runs go on with the answers that the guest has at hand. */
export const goOn = '';

/** Enters a realm. The isolate and the clock show what ended the step, never the text of an error. */
export function enter(realm: Realm, message: string, { stepMs, memoryMb }: ResolvedLimits): Crossing | LostIsolate {
  const { isolate } = realm.engine;
  const cpu = isolate.cpuTime;
  const begun = performance.now();
  let stepBegun = begun;
  let packed: string | undefined;
  const timed = { timeout: stepMs };
  // An unhandled rejection in the guest comes out of the isolate in place of the output; the output can still be
  // polled.
  for (let attempt = 0; packed === undefined || packed === ''; attempt += 1) {
    try {
      // A poll needs no time limit: it runs our own code, and setting a limit costs as much as the call.
      packed =
        attempt === 0
          ? realm.door.applySync(undefined, message === goOn ? [] : [message], timed)
          : realm.door.applySync(undefined, [poll]);
      if (attempt > 0) break;
      // Nothing to say, but answers at hand. Only while that is quick: the caller counts the time of all of it.
      for (let now = begun; packed === comeAgain && now - begun < quickMs; now = performance.now()) {
        stepBegun = now;
        packed = realm.door.applySync(undefined, [], timed);
      }
    } catch {
      if (isolate.isDisposed) return { lost: 'out-of-memory' };
      const tookMs = performance.now() - stepBegun;
      if (tookMs >= stepMs || attempt === lastAttempt)
        return isFull(isolate, memoryMb) ? { lost: 'out-of-memory' } : { lost: 'timed-out', stepMs: tookMs };
    }
  }
  const took = { wallMs: performance.now() - begun, cpuMs: Number(isolate.cpuTime - cpu) / 1e6 };
  if (packed === ranOut) return { lost: 'out-of-memory', refused: true };
  const again = packed?.startsWith(comeAgain) ?? false;
  const said = again ? packed?.slice(comeAgain.length) : packed;
  if (!said) return { output: undefined, texts: noTexts, again, ...took };
  const { header, texts } = unpack<GuestOutput>(said);
  return { output: header, texts, again, ...took };
}

/**
 * The output that a realm held back whose time was up. Whatever is left to do there gets no more than the time of a
 * step.
 */
export function pollOnce(
  { door, engine: { isolate } }: Realm,
  { stepMs }: ResolvedLimits,
): { output: GuestOutput; texts: Texts } | undefined {
  if (isolate.isDisposed) return undefined;
  try {
    const packed = door.applySync(undefined, [poll], { timeout: stepMs });
    const said = packed.startsWith(comeAgain) ? packed.slice(comeAgain.length) : packed;
    if (!said || said === ranOut) return undefined;
    const { header, texts } = unpack<GuestOutput>(said);
    return { output: header, texts };
  } catch {
    return undefined;
  }
}

/**
 * Whether the time was spent on making room: a run that fills a heap mostly runs out of time before the last of it is
 * taken.
 */
function isFull(isolate: ivm.Isolate, memoryMb: number): boolean {
  return isolate.getHeapStatisticsSync().used_heap_size > fullShare * memoryMb * 2 ** 20;
}
