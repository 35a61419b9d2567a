import { forgetUnmet, hasRunOut } from './buffers.ts';
import { replaceClock, setClock } from './clock.ts';
import { freezeRealm } from './freeze.ts';
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
import { replaceRandom } from './random.ts';
import { removeBuiltIns } from './removals.ts';
import { bind, type Factory, giveDue, isAnyDue, resumeRun, startRun } from './runs.ts';
import { holdBackCalls, takeOutput } from './step-outbox.ts';

type Header = GuestMessage & { lengths: number[] };

let tables: readonly GuestAnswers[] = bareList();
/** The output of a step that the host did not hear, because what followed in the step failed. */
let unheard = '';
let isShared = true;

/**
 * Installs the guest's side in the realm in which it is evaluated: hardens the realm and gives the door to it. A realm
 * that runs are to share is frozen too.
 */
export function installGuest(shared: boolean): GuestDoor {
  isShared = shared;
  removeBuiltIns(shared);
  replaceClock();
  replaceRandom();
  if (shared) freezeRealm();
  // Runs go on in microtasks after the door has returned. The host enters once more before it believes them, and sees
  // then if memory was refused in between.
  return (message, factory) => {
    if (message !== undefined && message !== poll) forgetUnmet();
    const output = hasRunOut() ? ranOut : door(message, factory);
    return hasRunOut() ? ranOut : output;
  };
}

const door: GuestDoor = (message, factory) => {
  if (message === undefined) return goOn();
  if (message === poll) return outputOnPoll();
  unheard = '';
  const end = indexOf(message, '\n');
  const header = parse(slice(message, 0, end)) as Header;
  if (header.op === 'bind') {
    bind({ factory: factory as Factory, limits: header.limits, chance: header.chance, shared: isShared });
    return '';
  }
  if (header.op === 'tables') {
    tables = header.tables;
    return '';
  }
  setClock(header.nowMs);
  return header.op === 'resume' ? resume(header, message, end + 1) : start(header, message, end + 1);
};

function goOn(): string {
  if (isAnyDue() && holdBackCalls()) {
    unheard = '';
    giveDue();
    return comeAgain;
  }
  unheard = takeOutput();
  if (!isAnyDue()) return unheard;
  giveDue();
  return comeAgain + unheard;
}

function outputOnPoll(): string {
  const missed = unheard;
  unheard = '';
  if (missed !== '') return comeAgain + missed;
  return isAnyDue() ? comeAgain + takeOutput() : takeOutput();
}

function resume({ answers, lengths }: Extract<Header, { op: 'resume' }>, message: string, begin: number): string {
  giveDue();
  let at = begin;
  for (let index = 0; index < answers.length; index += 1) {
    const row = answers[index] as (typeof answers)[number];
    const text = slice(message, at, at + (lengths[index] as number));
    at += text.length;
    resumeRun(row[0], row[1], row[2], text);
  }
  return '';
}

function start(header: Extract<Header, { op: 'start' }>, message: string, begin: number): string {
  let at = begin;
  let waits = false;
  let index = 0;
  for (let nth = 0; nth < header.kinds.length; nth += 1) {
    const kind = header.kinds[nth] as GuestKind;
    const answers = kind[2] < 0 ? undefined : tables[kind[2]];
    for (const next = index + kind[3]; index < next; index += 1) {
      const input = slice(message, at, at + (header.lengths[index] as number));
      at += input.length;
      const setting = { send: kind[0], tools: kind[1], answers, input };
      if (startRun(header.first + index, header.seeds[index] as string, setting)) waits = true;
    }
  }
  // The host enters once more after the runs that wait have gone on; when all have ended, that would be for nothing.
  if (!isAnyDue() && waits) return '';
  unheard = takeOutput();
  return isAnyDue() ? comeAgain + unheard : unheard;
}
