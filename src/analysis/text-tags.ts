import type { Case } from '../contract/agreement.ts';
import type { Json } from '../kernel/json.ts';
import { OF_REQUEST, REPEATS } from '../lexicon/repeating.ts';

/** The start of a text, up to a blank or separator. */
const TAG = /^[^\s|,;]+/;

/** Fewest cases that show a rule. */
const LEAST_TAGGED = 3;

/** The tag at the start of a text, which may identify the answered request. */
export function tagOf(message: Json): string | undefined {
  return typeof message === 'string' ? TAG.exec(message)?.[0] : undefined;
}

/** A text without its tag. */
export function untagged(message: Json): Json {
  return typeof message === 'string' ? message.replace(TAG, '') : message;
}

/**
 * Whether text messages start with tags that identify the request. In every case, except for `slips` of them, request
 * and response have the same tag; all tags differ; and the document says that something of the request is repeated.
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

/**
 * Whether an answer has a different tag of the same form as its request. A tag written in the document does not count;
 * it may be the one for requests without a tag.
 */
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
