import type { GuestMessage } from '../guest/protocol.ts';
import type { ResolvedLimits } from '../policy.ts';
import { answersToRows, type GivenAnswer, pack, Texts } from '../wire.ts';
import type { Batch } from './batch.ts';
import { type Crossing, enter, type LostIsolate } from './crossing.ts';
import type { Realm } from './engine.ts';

/** Starts a batch of runs in a realm, which gets the prepared answers first unless it has them. */
export function enterToStart(realm: Realm, batch: Batch, limits: ResolvedLimits): Crossing | LostIsolate {
  const { tables } = batch;
  if (tables.length > 0 && realm.tables !== tables) {
    realm.tables = tables;
    const crossed = enter(realm, pack({ op: 'tables', tables } satisfies GuestMessage, Texts.of([])), limits);
    if ('lost' in crossed) return crossed;
  }
  return enter(realm, batch.startText(), limits);
}

/** The message that gives answers to runs, and the time of that step. */
export function resumeText(nowMs: number, answers: readonly GivenAnswer[]): string {
  const { rows, texts } = answersToRows(answers);
  return pack({ op: 'resume', nowMs, answers: rows } satisfies GuestMessage, texts);
}
