import type { Case } from '../contract/agreement.ts';
import { isObject, type Json } from '../kernel/json.ts';
import { BAD_WORD } from '../lexicon/refusing.ts';

const GOOD_WORD =
  /^(?:ok|success(?:ful(?:ly)?)?|succeeded|accepted|approved|confirmed|completed?|created|done|found|valid|ack|placed|paid|booked|成功.*|已.*)$/i;

/** Names of members that hold a status code. Not just `code`: areas have codes too. */
const STATUS_NAME =
  /^(?:http_?)?(?:status|code)$|^(?:status|response|result|return|ret|error|err|biz|business|r)_?code$|^c[oó]digo$/i;

/** A count of failures in a text: it does not report a failure of the request. */
const COUNT =
  /\b(?:errors|failed|rejected|refused|denied|declined|invalid|missing|unknown|expired)["']?\s*[>=:]\s*["']?\d+\b/gi;

/**
 * Whether the form of an answer reports a failure; `unknown` if the form does not say. `isAgreedFailure` in
 * src/analysis/agreed-failure.ts also uses the agreement's codes and cases.
 */
export function reportsFailure(answer: Json): boolean | 'unknown' {
  const votes: boolean[] = [];
  collect(answer, '', votes, 0);
  if (votes.includes(true)) return true;
  return votes.length > 0 ? false : 'unknown';
}

/**
 * Whether a case answers a request that breaks the agreement: then others that do must get an answer. What the document
 * says about such requests in words is for readers of the document.
 */
export function answersBrokenRequests({ cases }: { cases: readonly Case[] }): boolean {
  return cases.some(({ negative }) => negative);
}

/** The rows of a text table, without the first, which may be a header: some of them may have failed. */
function rowsOf(text: string): string[] | undefined {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const [first = ''] = lines;
  const mark = /[;,|\t]/.exec(first)?.[0];
  return mark !== undefined && lines.length > 2 && lines.every((line) => line.includes(mark))
    ? lines.slice(1)
    : undefined;
}

function saysBad(text: string): boolean {
  return BAD_WORD.test(text.replaceAll(/<\/[^<>]*>?/g, ' ').replace(COUNT, ' '));
}

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one table of the ways to report a failure.
function collect(value: Json, name: string, votes: boolean[], depth: number): void {
  if (depth > 3) return;
  if (depth === 0 && typeof value === 'string') {
    if ((rowsOf(value) ?? [value.trimStart().slice(0, 200)]).every(saysBad)) votes.push(true);
    return;
  }
  if (Array.isArray(value)) return;
  if (isObject(value)) {
    for (const [member, item] of Object.entries(value)) {
      if (/^(?:errors?|error_?(?:code|message|description)|fault|failure)$|错误|异常/i.test(member))
        votes.push(
          !(item === null || item === '' || item === false || item === 0 || (Array.isArray(item) && item.length === 0)),
        );
      else collect(item, member, votes, depth + 1);
    }
    return;
  }
  if (
    /^(?:ok|success|successful|succeeded|accepted|approved|valid|confirmed|angenommen|erfolgreich|genehmigt|acceptée?|aceptad[oa]|aceito|是否成功|成功)$/i.test(
      name,
    ) &&
    typeof value === 'boolean'
  )
    votes.push(!value);
  if (STATUS_NAME.test(name)) {
    const code =
      typeof value === 'number' ? value : typeof value === 'string' && /^\d{3,5}$/.test(value) ? Number(value) : -1;
    // Five-digit codes start with an HTTP code; a leading zero means success.
    if ((code >= 400 && code < 600) || (code >= 40_000 && code < 60_000)) votes.push(true);
    else if ((code >= 200 && code < 300) || (value === 0 && /code$/i.test(name))) votes.push(false);
  }
  if (
    typeof value === 'string' &&
    (STATUS_NAME.test(name) ||
      /^(?:state|result|outcome|decision|verdict|type|kind|reason|message|msg|description)$/i.test(name) ||
      /^(?:ergebnis|entscheidung|grund|meldung|résultat|décision|motif|statut|estado|resultado|motivo|mensaje)$/i.test(
        name,
      ))
  ) {
    if (GOOD_WORD.test(value.trim())) votes.push(false);
    else if (BAD_WORD.test(value.replaceAll('_', ' ').slice(0, 200))) votes.push(true);
  }
}
