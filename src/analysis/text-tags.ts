import type { Case } from '../contract/agreement.ts';
import type { Json } from '../kernel/json.ts';
import { OF_REQUEST, REPEATS } from '../lexicon/repeating.ts';

/** What a text begins with, up to a space or mark. */
const TAG = /^[^\s|,;]+/;

/** Fewer cases than this show no rule. */
const LEAST_TAGGED = 3;

/** What a text begins with, where it may say which request is answered. */
export function tagOf(message: Json): string | undefined {
  return typeof message === 'string' ? TAG.exec(message)?.[0] : undefined;
}

/** A text without its tag. */
export function untagged(message: Json): Json {
  return typeof message === 'string' ? message.replace(TAG, '') : message;
}

/**
 * Whether messages are texts that begin with what tells which request is answered: in every case, but for `slips` of them, both begin with the same,
 * no two cases with the same, and the document has something of the request repeated.
 */
export function areTagged(cases: readonly Pick<Case, 'request' | 'response'>[], text: string, slips = 0): boolean {
  const tags = cases.map(({ request }) => tagOf(request));
  const kept = cases.filter(({ request, response }) => tagOf(request) === tagOf(response));
  return (
    kept.length >= Math.max(LEAST_TAGGED, cases.length - slips) &&
    tags.every((tag) => tag !== undefined && /\d/.test(tag)) &&
    new Set(tags).size === tags.length &&
    (REPEATS.test(text) || OF_REQUEST.test(text))
  );
}

/** Whether an answer begins with another tag of the same form than its request, but for one that the document itself writes, as for requests that have none. */
export function hasOtherTag({ request, response }: Pick<Case, 'request' | 'response'>, text: string): boolean {
  const [sent, back] = [tagOf(request), tagOf(response)];
  if (sent === undefined || back === undefined || sent === back || !/\d/.test(sent)) return false;
  return formOf(sent) === formOf(back) && !text.includes(back);
}

function formOf(tag: string): string {
  return tag
    .replace(/\d+/g, '0')
    .replace(/\p{Lu}+/gu, 'A')
    .replace(/\p{Ll}+/gu, 'a');
}
