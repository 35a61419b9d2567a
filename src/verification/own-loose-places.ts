import type { Case } from '../contract/agreement.ts';
import { type Json, valueAt } from '../kernel/json.ts';
import type { LoosePlace } from './loose-places.ts';
import { DERIVED_NAME } from './member-names.ts';
import { hasWord, isEpoch, isIsoTime, leavesOf, tokensOf } from './scalar-kinds.ts';
import type { Subject } from './subject.ts';

/**
 * Places in a requester's requests that are loose without a declaration: ids and times that neither the task example,
 * the tools, the document nor the peer's answer to another request yields. A value that all cases share is a constant
 * of the protocol.
 */
export function ownLoosePlaces(subject: Subject): (LoosePlace & { testCase: number })[] {
  if (subject.role !== 'requester') return [];
  const known = subject.agreement.text;
  const outputs = JSON.stringify(subject.tools.map((tool) => [tool.examples ?? [], tool.otherwise ?? null]));
  const responseValues = new Set(subject.cases.flatMap(toldIn));
  return subject.cases.flatMap((one) => {
    const example = subject.task?.examples?.find(({ testCase }) => testCase === one.testCase);
    if (!example) return [];
    const input = JSON.stringify(example.input);
    // Computed once per case, however many values its request has.
    const given = (input + outputs).replace(/[^\p{L}\p{N}]/gu, '');
    const back = new Set<Json>(
      typeof one.response === 'string' ? tokensOf(one.response) : leavesOf(one.response).map(({ value }) => value),
    );
    const isEchoed = (value: string) => back.has(value) && isOwnId(value, given);
    if (typeof one.request === 'string') {
      const isShared = (word: string) =>
        subject.cases.length > 1 && subject.cases.every(({ request }) => hasWord(String(request), word));
      return tokensOf(one.request).flatMap((text, word) =>
        isEchoed(text) && !responseValues.has(text) && !isShared(text) && !hasWord(known, text)
          ? [{ testCase: one.testCase, pointer: '', as: 'id' as const, word }]
          : [],
      );
    }
    return leavesOf(one.request).flatMap(({ pointer, name, value }) => {
      if (typeof value !== 'string' && typeof value !== 'number') return [];
      const isId = typeof value === 'string' && !DERIVED_NAME.test(name) && isEchoed(value);
      const as = looseKind(name, value) ?? (isId ? 'id' : undefined);
      const text = String(value);
      if (!as || responseValues.has(value) || hasWord(known, text) || hasWord(input, text) || hasWord(outputs, text))
        return [];
      const shared =
        subject.cases.length > 1 && subject.cases.every((other) => valueAt(other.request, pointer) === value);
      return shared || subject.loose.some((given) => given.pointer === pointer)
        ? []
        : [{ testCase: one.testCase, pointer, as }];
    });
  });
}

/** Whether the requester made this id: letters and digits, with a number that its input (without separators) lacks. */
function isOwnId(text: string, given: string): boolean {
  if (text.length < 4 || !/^[\w.@+-]+$/.test(text) || !/[a-z]/i.test(text) || IS_AMOUNT.test(text)) return false;
  // A text that is composed of the input, or reformats it, is derived.
  return !isIsoTime(text) && (text.match(/\d+/g) ?? []).some((number) => !given.includes(number));
}

/** A number with its unit. */
const IS_AMOUNT = /^\d+(?:[.,]\d+)?[a-z]{1,3}$/i;

/** The values of the peer's response that its request lacks: a requester may send them back later. */
function toldIn({ request, response }: Case): Json[] {
  const sent = new Set(leavesOf(request).map(({ value }): Json => value));
  if (typeof request === 'string' && typeof response === 'string') {
    const asked = new Set(tokensOf(request));
    return tokensOf(response).filter((word) => !asked.has(word));
  }
  return leavesOf(response).flatMap(({ value }) => (sent.has(value) ? [] : [value]));
}

function looseKind(name: string, value: string | number): 'time' | 'id' | undefined {
  if (typeof value === 'number') return isEpoch(value) ? 'time' : undefined;
  if (isIsoTime(value)) return 'time';
  return /\d/.test(value) && !/\s/.test(value) && (NAMES_AN_ID.test(name) || ENDS_IN_NUMBER.test(name))
    ? 'id'
    : undefined;
}

const NAMES_AN_ID =
  /id$|uuid|guid|nonce|correlation|trace|key$|ref|token|session|n(?:um(?:mer|ber|ero|éro)|úmero)$|kennung$|标识|编号|序号|流水|单号/i;

/** As in `orderNo` and `auftrags_nr`, but not in `piano`. */
const ENDS_IN_NUMBER = /(?:\p{Ll}N|_n)(?:o|r)$/u;
