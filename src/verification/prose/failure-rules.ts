import {
  FAILS,
  FAILURE,
  FAILURES_IN_GENERAL,
  MORE_THAN_ONCE,
  NEVER_REPEATED,
  ONE_TRY,
  OUR_SYSTEM_FAILS,
  RETRIES,
  TRIED_AGAIN,
} from '../../lexicon/failing.ts';
import { either } from '../../lexicon/phrases.ts';
import {
  BREAKS_A_REQUEST,
  INVALID_REQUESTS_ELSEWHERE,
  INVALID_REQUESTS_NAMED,
  WRONG_ELSEWHERE,
  WRONG_IN_GENERAL,
  WRONG_MEMBERS,
} from '../../lexicon/refusing.ts';
import { unwrapped } from './unwrapped.ts';
import { writtenOut } from './written-out.ts';

/** What a document says about failures. */
export interface FailureRules {
  /** How failures in general are answered. */
  failures: boolean;
  /** The same, told by more than a heading. */
  inWords: boolean;
  /** How a failing back end of ours is answered. */
  ownFailures: boolean;
  /** How requests that break the agreement are answered. */
  invalidRequests: boolean;
  /** The sentences by which something may be tried again. */
  retries: readonly string[];
}

let lastRead: { text: string; rules: FailureRules } | undefined;

/** Reads from a document what it says about failures; it looks for words only: in English and Chinese, of broken requests in other languages, too. */
export function failureRulesOf(text: string): FailureRules {
  // Asked for with every answer of every check, one candidate after the other.
  if (lastRead?.text !== text) lastRead = { text, rules: readFailureRules(text) };
  return lastRead.rules;
}

/** Whether a document says anything of requests that are not as agreed, be it of some alone: then no such request goes without an answer. */
export function answersBrokenRequests(text: string): boolean {
  return failureRulesOf(text).invalidRequests || BREAKS_A_REQUEST.test(text);
}

function readFailureRules(text: string): FailureRules {
  return {
    failures: FAILURES_IN_GENERAL.test(text),
    inWords: FAILURES_IN_GENERAL.test(text.replace(/exception handling|异常处理/gi, '')),
    ownFailures: OWN_FAILURES.test(text),
    invalidRequests: speakOfInvalidRequests(text),
    retries: writtenOut(text)
      .split(SENTENCE)
      .filter((one) => RETRIES.test(withoutDenials(one)) || hasFailureRepeated(one)),
  };
}

/** A sentence without what it says not to be tried again. */
function withoutDenials(sentence: string): string {
  return ONE_TRY.test(sentence) ? '' : sentence.replaceAll(NOT_RETRIED, ' ');
}

/** Whether a sentence has what failed done again, or something done more often than once, and nothing not done. */
export function hasFailureRepeated(sentence: string): boolean {
  return (
    (MORE_THAN_ONCE.test(sentence) ||
      (TRIED_AGAIN.test(sentence) && (FAILS.test(sentence) || FAILURE.test(sentence)))) &&
    !NEVER_REPEATED.test(sentence) &&
    sentence
      .split(/[,，、:：(（)）]/)
      .some((clause) => REPEATING.test(clause) && !NEGATION.test(clause.replace(FAILS, ' ').replace(IF_NOT, ' ')))
  );
}

/** On what condition something is done: that another thing is not so. */
const IF_NOT =
  /\b(?:if|when|where|should) (?:[\w'’]{1,20} ){1,3}?(?:(?:does|do|did|is|are|was|were) not|can ?not) \w+/gi;

const REPEATING = either(MORE_THAN_ONCE, TRIED_AGAIN);

const SENTENCE = /\n|(?<=[.;!?])\s|[。；]/u;

/** Words by which something is not so. */
const NEGATION =
  /(?<![\p{L}\p{N}])(?:not|never|no|none|nor|neither|without|cannot|nicht|nie|niemals|kein\p{L}*|ohne|ne|sans|jamais|aucune?|nunca|sin|ningún|ninguna|não|sem|nenhuma?|non|senza|не|без)(?![\p{L}\p{N}])|n['’](?:est|en|insiste)|[不勿未无]|ない|せず/iu;

/** Whether a text says how requests are answered that break the agreement: by words for those, or by their code, but for one that a single rule has. */
function speakOfInvalidRequests(text: string): boolean {
  return unwrapped(text)
    .split('\n')
    .flatMap((line) =>
      JSON_LINE.test(line) ? [...line.matchAll(DESCRIPTION)].map(([, words]) => words ?? '') : [line],
    )
    .flatMap((line) => line.split(/(?<=[.;])\s|[。；]/u))
    .map(inOwnWords)
    .some(
      (sentence) =>
        INVALID_REQUESTS_NAMED.test(sentence) ||
        INVALID_REQUESTS_ELSEWHERE.test(sentence) ||
        speaksOfBroken(sentence) ||
        (CODE_400.test(sentence) && (WRONG_IN_GENERAL.test(sentence) || WRONG_ELSEWHERE.test(sentence))),
    );
}

/** A line of a schema or of sample data, of which descriptions alone are words about requests. */
const JSON_LINE = /^\s*(?:[{}]|[[\]]\s*(?:["{[\]},]|$)|"[^"\n]*"\s*[:,]|"[^"\n]*"$)/;

const DESCRIPTION = /"description"\s*:\s*"([^"\n]*)"/g;

/**
 * A sentence without the names that it quotes, where it says in words of its own when they are given: that the answer to a number out of
 * bounds is called `malformed`, or “参数错误”, makes no rule for all requests of it.
 */
export function inOwnWords(sentence: string): string {
  const rest = sentence.replace(QUOTED_NAME, ' ');
  const words = rest.replace(SAID_OF_ANSWERS, ' ').match(/\p{Script=Han}{2}|[^\P{L}\p{Script=Han}]{2,}/gu) ?? [];
  return words.length >= leastOwnWords ? rest : sentence;
}

/** Fewer words than this beside a name are no condition. */
const leastOwnWords = 3;

/** Whether a sentence speaks of requests that are not as agreed, but for the names that it gives to answers: those may say so of one rule alone. */
export function speaksOfBroken(sentence: string): boolean {
  const said = sentence.replace(QUOTED_NAME, ' ').replace(/\b[A-Z][A-Z0-9_]{2,}\b/g, ' ');
  return BREAKS_A_REQUEST.test(said) || WRONG_MEMBERS.test(said);
}

const QUOTED_NAME = /`[^`\n]{0,60}`|"[^"\n]{0,60}"|“[^”\n]{0,60}”|「[^」\n]{0,60}」|«[^»\n]{0,60}»/g;

/** What goes with the name of an answer, whenever that is given. */
const SAID_OF_ANSWERS =
  /\b(?:status|codes?|http|messages?|errors?|responses?|answer(?:s|ed)?|repl(?:y|ies)|returns?|respond(?:s|ed)?|with|is|are|the|an?|and|in|of|to|as|by|for|it|then)\b|返回|响应|状态|错误|信息|消息|代码/gi;

/** That something is not tried again, in one breath and without an exception. */
const NOT_RETRIED = new RegExp(
  String.raw`(?:\b(?:not|never|no|without|nicht|kein\w*)(?: (?:be|been|to|ever|any|the|an?|automatically))* ?|(?:不|勿|无需|禁止)(?:得|会|能|可|要|应|再|自动|进行){0,3})(?:${RETRIES.source})(?![^.;\n]{0,60}\b(?:more|unless|until|before|except|but|longer|only)\b)`,
  'giu',
);

/** A status code of three digits as documents write it: told to be one, at the head of an item or cell, or with its name behind it. */
function statusCode(digits: string, names: string): RegExp {
  const code = String.raw`${digits}(?![\d%]|[.,]\d)`;
  return new RegExp(
    [
      String.raw`(?:(?:status|codes?|http|返回|码)[^.\n\d]{0,20}|\berrors?[^\p{L}.\n\d]{0,6})(?<![\d.,])${code}`,
      String.raw`^[ \t>]*(?:[-*•|]|\d+[.)])[ \t|*${'`'}"]*${code}`,
      String.raw`(?<![\d.,])${code}[^.\n\d]{0,12}\b(?:${names})`,
    ].join('|'),
    'imu',
  );
}

/** What a sentence about a failing system of our own looks like. */
export const OWN_FAILURES = either(
  OUR_SYSTEM_FAILS,
  statusCode('50[0-4]', 'internal|server|error|bad gateway|unavailable|gateway|failure'),
);

/** The code that HTTP has for requests that break the agreement. */
const CODE_400 = statusCode('400', 'bad|invalid|malformed|error');

/** What a sentence about requests that break the agreement looks like. */
export const INVALID_REQUESTS = either(INVALID_REQUESTS_NAMED, CODE_400);
