import { isObject, type Json } from '../kernel/json.ts';
import { reportsFailure } from './failure.ts';

/** A number that says how it went, by the name of its member. */
const TELLING_NAME = /(?:code|status|state|result|outcome|verdict)$/i;

const REFUSAL =
  /\b(?:bad|malformed|illegal|wrong|incorrect|broken|invalid|unreadable|unpars(?:e)?able|not (?:a )?(?:valid|allowed|understood)|cannot be (?:read|parsed|understood)|errors?|fail(?:s|ed|ure)?|reject(?:s|ed)?|refuse[sd]?|denied)\b|无效|错误|非法|不合法|不正确|有误|拒绝|失败|异常/i;

/** Clauses of a document that are looked through, and the longest, in UTF-16 units. */
const [MAX_CLAUSES, MAX_CLAUSE] = [5_000, 300];

/**
 * Says whether the answer to a request that breaks its schema turns that request down: it reports a failure, or it says what no answer to a sound
 * request says, be it a word of refusal (`state: "invalid"`) or a number that the document explains by one (`2 bad query`).
 */
export function turnsDown(
  answered: { response: Json; expected: string },
  sound: readonly Json[],
  document: { codes: ReadonlySet<string>; prose: string },
): boolean {
  if (reportsFailure(answered.response, document.codes, answered.expected)) return true;
  const usual = new Set(sound.flatMap(tellingValues));
  const own = tellingValues(answered.response).filter((value) => !usual.has(value));
  if (own.some((value) => typeof value === 'string')) return true;
  if (own.length === 0) return false;
  return document.prose
    .split(/[\n.;,|。；，、]/, MAX_CLAUSES)
    .map((clause) => clause.slice(0, MAX_CLAUSE))
    .some(
      (clause) => REFUSAL.test(clause) && own.some((value) => new Set<string>(clause.match(/\d+/g)).has(String(value))),
    );
}

/** The words of refusal in an answer, and its numbers that say how it went. */
function tellingValues(answer: Json, depth = 0): (string | number)[] {
  if (!isObject(answer) || depth > 2) return [];
  return Object.entries(answer)
    .slice(0, 50)
    .flatMap(([name, member]) => {
      if (typeof member === 'string') return member.length <= 40 && REFUSAL.test(member) ? [member] : [];
      if (typeof member === 'number') return TELLING_NAME.test(name) ? [member] : [];
      return tellingValues(member, depth + 1);
    });
}
