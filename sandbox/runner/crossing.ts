import type ivm from 'isolated-vm';
import { comeAgain, type GuestNews, poll, ranOut } from '../guest/protocol.ts';
import type { ResolvedLimits } from '../policy.ts';
import { Texts, unpack } from '../wire.ts';
import type { Realm } from './engine.ts';

/** What one crossing into the guest and back came to, and how long it took. */
export interface Crossing {
  news: GuestNews | undefined;
  texts: Texts;
  /** Whether the guest has answers at hand, so that it is to be entered again. */
  again: boolean;
  wallMs: number;
  cpuMs: number;
}

/** What became of an isolate that did not come back. */
export interface Left {
  left: 'timed-out' | 'out-of-memory';
  /** How long the step took whose time was up. */
  stepMs?: number;
  /** Whether memory was refused, which may be for what runs before have taken. */
  refused?: true;
}

/** The share of its limit above which a heap counts as full. */
const fullShare = 0.8;
const noTexts = new Texts('', []);

/** How long the guest may be entered again and again before it is looked at what that took; much less than any step. */
const quickMs = 5;

/** In place of a message: lets runs go on with the answers that the guest has at hand. */
export const goOn = '';

/** Enters a realm. What ends it is told by the isolate and the clock, never by what an error says. */
export function enter(realm: Realm, message: string, { stepMs, memoryMb }: ResolvedLimits): Crossing | Left {
  const { isolate } = realm.engine;
  const cpu = isolate.cpuTime;
  const begun = performance.now();
  let stepBegun = begun;
  let packed: string | undefined;
  const timed = { timeout: stepMs };
  // An unhandled rejection of the guest's comes out of the isolate in place of the answer; the news are still there to be polled.
  for (let attempt = 0; packed === undefined || packed === ''; attempt += 1) {
    try {
      // To be polled no time limit is needed: it is our own code that runs, and setting one costs as much as the call.
      packed =
        attempt === 0
          ? realm.door.applySync(undefined, message === goOn ? [] : [message], timed)
          : realm.door.applySync(undefined, [poll]);
      if (attempt > 0) break;
      // Nothing to be told, but answers at hand. Only where that is quick, for whoever called counts the time that all of it takes.
      for (let now = begun; packed === comeAgain && now - begun < quickMs; now = performance.now()) {
        stepBegun = now;
        packed = realm.door.applySync(undefined, [], timed);
      }
    } catch {
      if (isolate.isDisposed) return { left: 'out-of-memory' };
      const tookMs = performance.now() - stepBegun;
      if (tookMs >= stepMs || attempt === 3)
        return isFull(isolate, memoryMb) ? { left: 'out-of-memory' } : { left: 'timed-out', stepMs: tookMs };
    }
  }
  const took = { wallMs: performance.now() - begun, cpuMs: Number(isolate.cpuTime - cpu) / 1e6 };
  if (packed === ranOut) return { left: 'out-of-memory', refused: true };
  const again = packed?.startsWith(comeAgain) ?? false;
  const told = again ? packed?.slice(comeAgain.length) : packed;
  if (!told) return { news: undefined, texts: noTexts, again, ...took };
  const { header, texts } = unpack<GuestNews>(told);
  return { news: header, texts, again, ...took };
}

/** What a realm that did not come back in time has kept back; whatever is left to be done in it has no more than a step's time for that. */
export function pollOnce(
  { door, engine: { isolate } }: Realm,
  { stepMs }: ResolvedLimits,
): { news: GuestNews; texts: Texts } | undefined {
  if (isolate.isDisposed) return undefined;
  try {
    const packed = door.applySync(undefined, [poll], { timeout: stepMs });
    const told = packed.startsWith(comeAgain) ? packed.slice(comeAgain.length) : packed;
    if (!told || told === ranOut) return undefined;
    const { header, texts } = unpack<GuestNews>(told);
    return { news: header, texts };
  } catch {
    return undefined;
  }
}

/** Whether the time went by in making room: whoever fills a heap mostly runs out of time before the last of it is taken. */
function isFull(isolate: ivm.Isolate, memoryMb: number): boolean {
  return isolate.getHeapStatisticsSync().used_heap_size > fullShare * memoryMb * 2 ** 20;
}
