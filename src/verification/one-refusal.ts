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

/** What a candidate was asked, and how it answered. */
interface Asked {
  input: Json;
  seen: Observation;
}

/**
 * Whether all changed requests may have been refused with one answer. A handler does so if it verifies a check within
 * the request: a checksum, a check digit, a signature. Changed requests break such a check, so that one refusal of them
 * all proves nothing.
 *
 * It proves something if one request succeeds, if a case has that very answer as data, if no request has anything that
 * could be a check, or if a case succeeds without the tool meant for it. `keepsUsualChecks` tells that the changed
 * requests keep the usual checks.
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

/** The values of an answer that its request lacks, with their places. */
function saidIn({ input, seen: { value = null } }: Asked): [pointer: string, value: Json][] {
  const asked = new Set(leavesOf(input).map((leaf) => leaf.value));
  return leavesOf(value).flatMap((leaf) => (asked.has(leaf.value) ? [] : [[leaf.pointer, leaf.value]]));
}

/**
 * Whether an answer is a refusal: a failure by its form; or, if cases show failures, an answer that no successful case
 * has; or, if no case does, one without data or a text of a case, which may mean anything.
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

/** Whether a case succeeds without a tool although an example of the tool asks only for what the request has. */
function isToolLeftOut({ subject }: CheckFacts, { one, seen }: SeenCase): boolean {
  return seen.calls.length === 0 && subject.tools.some(({ examples = [] }) => isMeantFor(examples, one.input));
}

/** Whether part of a request may be computed from the rest of it, or some of its digits from the others. */
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
    if ((text.match(/\d/g) ?? []).length >= minDigits && !(isEcho(text) && name !== '' && !/\d{5}/.test(text)))
      return true;
    return typeof value === 'string' && !isEcho(text) && (isBase64(text) || IS_HEX.test(text));
  };
  if (typeof input !== 'string') {
    const leaves = leavesOf(input);
    // Numbers without texts are amounts: there is nothing to check.
    const isOfTexts = leaves.some(({ value }) => typeof value === 'string' && !isEcho(value));
    return leaves.some((leaf) => isCheck(leaf) && (isOfTexts || typeof leaf.value === 'string'));
  }
  if (isBase64(input)) return true;
  const words = wordsOf(input);
  const last = words.at(-1) ?? '';
  // A short one at the end, if other cases have another: two messages would hardly have the same.
  const isShort = /^[0-9a-f]{1,3}$/i.test(last) && /\d/.test(last) && !isEcho(last) && !vocabulary.hasText(last);
  const others = cases.filter(({ one }) => one.input !== input && wordsOf(String(one.input)).at(-1) === last);
  return (isShort && others.length === 0) || words.some((value) => isCheck({ name: '', value }));
}

function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}+/=.-]+/gu) ?? [];
}

/** Other names of members that hold a check. */
const CHECK_NAME = /check|parity|lrc|bcc|prüf|pruef|control|校验/i;

/** Fewest digits that can include a check digit. */
const minDigits = 5;

/** A hexadecimal number of four or more digits, not by chance. */
const IS_HEX = /^(?=.*\d)(?=.*[a-f])[0-9a-f]{4,}$/i;
