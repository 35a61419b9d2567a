import { forgetUnmet, hasRunOut } from './buffers.ts';
import { replaceRandom } from './chance.ts';
import { replaceClock, setClock } from './clock.ts';
import { freezeRealm } from './freeze.ts';
import { keepCalls, takeNews } from './news.ts';
import { bareList, indexOf, parse, slice } from './primordials.ts';
import {
  comeAgain,
  type GuestAnswers,
  type GuestDoor,
  type GuestKind,
  type GuestMessage,
  poll,
  ranOut,
} from './protocol.ts';
import { takeAway } from './removals.ts';
import { bind, type Factory, giveDue, isAnyDue, resumeRun, startRun } from './runs.ts';

let tables: readonly GuestAnswers[] = bareList();
/** News that were told at the end of a step, for a host that did not hear them because what followed in the step failed. */
let told = '';

/** Hardens the realm that this is evaluated in and gives the door; where runs are to share the realm, freezes it. */
export function installGlue(shared: boolean): GuestDoor {
  takeAway(shared);
  replaceClock();
  replaceRandom();
  if (shared) freezeRealm();

  const door: GuestDoor = (message, given) => {
    if (message === undefined) {
      if (isAnyDue() && keepCalls()) {
        told = '';
        giveDue();
        return comeAgain;
      }
      told = takeNews();
      if (!isAnyDue()) return told;
      giveDue();
      return comeAgain + told;
    }
    if (message === poll) {
      const missed = told;
      told = '';
      if (missed !== '') return comeAgain + missed;
      return isAnyDue() ? comeAgain + takeNews() : takeNews();
    }
    told = '';
    const end = indexOf(message, '\n');
    const header = parse(slice(message, 0, end)) as GuestMessage & { lengths: number[] };
    if (header.op === 'bind') {
      bind({ factory: given as Factory, limits: header.limits, chance: header.chance, shared });
      return '';
    }
    if (header.op === 'tables') {
      tables = header.tables;
      return '';
    }
    setClock(header.nowMs);
    let at = end + 1;
    const { lengths } = header;
    if (header.op === 'resume') {
      giveDue();
      for (let index = 0; index < header.answers.length; index += 1) {
        const row = header.answers[index] as (typeof header.answers)[number];
        const text = slice(message, at, at + (lengths[index] as number));
        at += text.length;
        resumeRun(row[0], row[1], row[2], text);
      }
      return '';
    }
    let waits = false;
    let index = 0;
    for (let nth = 0; nth < header.kinds.length; nth += 1) {
      const kind = header.kinds[nth] as GuestKind;
      const answers = kind[2] < 0 ? undefined : tables[kind[2]];
      for (const next = index + kind[3]; index < next; index += 1) {
        const input = slice(message, at, at + (lengths[index] as number));
        at += input.length;
        const setting = { send: kind[0], tools: kind[1], answers, input };
        if (startRun(header.first + index, header.seeds[index] as string, setting)) waits = true;
      }
    }
    // Where all have come to their end there is nothing to come back for.
    if (!isAnyDue() && waits) return '';
    told = takeNews();
    return isAnyDue() ? comeAgain + told : told;
  };
  // Whatever runs go on within a step, it is entered once more before they are believed.
  return (message, given) => {
    if (message !== undefined && message !== poll) forgetUnmet();
    const said = hasRunOut() ? ranOut : door(message, given);
    return hasRunOut() ? ranOut : said;
  };
}
