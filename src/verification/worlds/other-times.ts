import { drawn, drawnOf } from '../../kernel/drawn.ts';
import type { Json } from '../../kernel/json.ts';
import { isEpoch, leavesOf } from '../scalar-kinds.ts';
import { defaultTrialNowMs, type Subject } from '../subject.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** How far other times are from the trial's: hours, weeks or years. */
const reachesMs = [dayMs, 30 * dayMs, 3 * 365 * dayMs];

/** A time of day in a text. */
const timeInText = /(?<!\d)\d{1,2}:\d\d(?!\d)|\dT\d{4}/;
const dayInText =
  /(?<!\d)(?:19|20)\d\d(?:[-/.年]\d|[01]\d[0-3]\d(?!\d))|(?<!\d)\d{1,2}[-/.]\d{1,2}[-/.](?:19|20)?\d\d(?!\d)/;
const yearInText = /(?<!\d)(?:19|20)\d\d(?!\d)/;

/**
 * Another time for a trial, drawn from a name; `undefined` if data name a time of day. If data name years or days,
 * which a handler may compare with the clock, the time stays in the same one.
 */
export function otherTimeMs(subject: Subject, name: string): number | undefined {
  const usualMs = subject.nowMs ?? defaultTrialNowMs;
  const { trialSeed } = subject;
  const share = drawn(trialSeed, `time ${name}`);
  const between = (fromMs: number, toMs: number) => fromMs + Math.floor(share * (toMs - fromMs));
  switch (namedIn(subject)) {
    case 'times':
      return undefined;
    case 'days':
      return between(usualMs - (usualMs % dayMs), usualMs - (usualMs % dayMs) + dayMs - hourMs);
    case 'years':
      return between(usualMs + hourMs, Date.UTC(new Date(usualMs).getUTCFullYear() + 1, 0) - hourMs);
    default:
      return between(usualMs + hourMs, usualMs + hourMs + drawnOf(reachesMs, trialSeed, `reach ${name}`));
  }
}

type Named = 'nothing' | 'years' | 'days' | 'times';

const known = new WeakMap<Subject, Named>();

function namedIn(subject: Subject): Named {
  const named = known.get(subject) ?? namedBy(dataOf(subject));
  known.set(subject, named);
  return named;
}

function namedBy(data: readonly (string | number)[]): Named {
  const names = (inText: RegExp, asNumber: (value: number) => boolean) =>
    data.some((value) => (typeof value === 'number' ? asNumber(value) : inText.test(value)));
  if (names(timeInText, isEpoch)) return 'times';
  if (names(dayInText, () => false)) return 'days';
  return names(yearInText, (value) => Number.isInteger(value) && value >= 1900 && value < 2100) ? 'years' : 'nothing';
}

/** The texts and numbers of all data, without loose places: nobody can compare these with the clock. */
function dataOf({ role, cases, tools, task, loose }: Subject): (string | number)[] {
  const isLoose = new Set(loose.map(({ pointer }) => pointer));
  const strict = (value: Json, isHeld: boolean) =>
    leavesOf(value).flatMap(({ pointer, value: leaf }) =>
      (typeof leaf === 'string' || typeof leaf === 'number') && (isHeld || !isLoose.has(pointer)) ? [leaf] : [],
    );
  return [
    ...cases.flatMap(({ request, response }) => [
      ...strict(request, role === 'provider'),
      ...strict(response, role === 'requester'),
    ]),
    ...tools.flatMap(({ examples, otherwise }) => strict([examples ?? [], otherwise ?? null] as Json, true)),
    ...strict(
      (task?.examples ?? []).map(({ input, output }) => [input, output]),
      true,
    ),
  ];
}
