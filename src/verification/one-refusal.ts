import type { Observation } from '../contract/trial.ts';
import type { Json } from '../kernel/json.ts';
import { equalJson } from '../schemas/equal-json.ts';
import type { CheckFacts, SeenCase } from './check.ts';
import { reportsFailure } from './failure-answer.ts';
import { DERIVED_NAME } from './member-names.ts';
import { isIsoTime, type Leaf, leavesOf } from './scalar-kinds.ts';
import { isMeantFor } from './subject.ts';
import { looksLikeData } from './vocabulary.ts';
import { checksums } from './worlds/checked-values.ts';
import { isBase64 } from './worlds/variations.ts';

/** What a candidate was asked, and what came of it. */
interface Asked {
  input: Json;
  seen: Observation;
}

/**
 * Whether changed requests may all have been turned down with one and the same answer. A handler does so that holds a
 * request against the check it carries: a sum over its bytes, a check digit, a signature. Changed requests cannot keep
 * such a check, so one refusal of all of them shows nothing. It does show something where one request succeeds, where a
 * case has that very answer as data, where no request has anything that could be a check, or where a case succeeds
 * without the tool that was brought along for it. `keepsUsualChecks` says that the changed requests keep the usual
 * checks.
 */
export function mayBeOneRefusal(facts: CheckFacts, runs: readonly Asked[], keepsUsualChecks = false): boolean {
  const [first] = runs;
  if (first?.seen.end !== 'returned' || first.seen.value === undefined) return false;
  const said = saidIn(first);
  if (!runs.every((run) => run.seen.end === 'returned' && equalJson(saidIn(run), said))) return false;
  if (!isRefusal(facts, first)) return false;
  const good = facts.cases.filter(({ one }) => !one.case.negative && reportsFailure(one.output) !== true);
  return (
    good.some((one) => mayCarryCheck(facts, one, keepsUsualChecks)) && !good.some((one) => isToolLeftOut(facts, one))
  );
}

/** The values of an answer that do not stand in its request, with their places. */
function saidIn({ input, seen: { value = null } }: Asked): [pointer: string, value: Json][] {
  const asked = new Set(leavesOf(input).map((leaf) => leaf.value));
  return leavesOf(value).flatMap((leaf) => (asked.has(leaf.value) ? [] : [[leaf.pointer, leaf.value]]));
}

/**
 * Whether an answer is a failure by its form; or one that no case has where it succeeds, and others fail, by their
 * form; or, where no case does, one without data, or a text of a case, which may mean anything.
 */
function isRefusal({ cases, vocabulary }: CheckFacts, run: Asked): boolean {
  const isFailure = reportsFailure(run.seen.value ?? null);
  if (isFailure !== 'unknown') return isFailure;
  const said = saidIn(run);
  const failing = cases.filter(({ one }) => reportsFailure(one.output) === true);
  const isOfCase = cases.some(
    (own) => !failing.includes(own) && equalJson(saidIn({ input: own.one.input, seen: own.seen }), said),
  );
  if (isOfCase && (failing.length > 0 || typeof run.seen.value === 'string')) return failing.length === 0;
  return said.every(([, value]) =>
    typeof value === 'number'
      ? vocabulary.hasNumber(value)
      : typeof value !== 'string' || !looksLikeData(value) || vocabulary.hasText(value),
  );
}

/** Whether a case succeeds without a tool, though an example of one asks for nothing but what its request has. */
function isToolLeftOut({ subject }: CheckFacts, { one, seen }: SeenCase): boolean {
  return seen.calls.length === 0 && subject.tools.some(({ examples = [] }) => isMeantFor(examples, one.input));
}

/** Whether some part of a request could be worked out from the rest of it, or some of its digits from the others. */
function mayCarryCheck(
  { cases, vocabulary }: CheckFacts,
  { one: { input, output } }: SeenCase,
  keepsUsualChecks: boolean,
): boolean {
  const echoed = JSON.stringify(output);
  const isEcho = (text: string) => echoed.includes(JSON.stringify(text).slice(1, -1));
  const isCheck = ({ name, value }: Pick<Leaf, 'name' | 'value'>): boolean => {
    const text = String(value);
    if (value === null || typeof value === 'boolean' || isIsoTime(text)) return false;
    if (keepsUsualChecks && checksums(text).includes(true)) return false;
    if (DERIVED_NAME.test(name) || CHECK_NAME.test(name)) return true;
    if ((text.match(/\d/g) ?? []).length >= leastDigits && !(isEcho(text) && name !== '' && !/\d{5}/.test(text)))
      return true;
    return typeof value === 'string' && !isEcho(text) && (isBase64(text) || IS_HEX.test(text));
  };
  if (typeof input !== 'string') {
    const leaves = leavesOf(input);
    // Numbers alone are amounts: there is nothing that they could be the check of.
    const isOfTexts = leaves.some(({ value }) => typeof value === 'string' && !isEcho(value));
    return leaves.some((leaf) => isCheck(leaf) && (isOfTexts || typeof leaf.value === 'string'));
  }
  if (isBase64(input)) return true;
  const words = wordsOf(input);
  const last = words.at(-1) ?? '';
  // A short one at the end, as other cases have another: their messages would hardly come to the same.
  const isShort = /^[0-9a-f]{1,3}$/i.test(last) && /\d/.test(last) && !isEcho(last) && !vocabulary.hasText(last);
  const others = cases.filter(({ one }) => one.input !== input && wordsOf(String(one.input)).at(-1) === last);
  return (isShort && others.length === 0) || words.some((value) => isCheck({ name: '', value }));
}

function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}+/=.-]+/gu) ?? [];
}

/** What else a member is called that holds a check. */
const CHECK_NAME = /check|parity|lrc|bcc|prüf|pruef|control|校验/i;

/** Fewer digits than this hold none that is worked out from the others. */
const leastDigits = 5;

/** Four digits of a hexadecimal number or more, not by chance. */
const IS_HEX = /^(?=.*\d)(?=.*[a-f])[0-9a-f]{4,}$/i;
