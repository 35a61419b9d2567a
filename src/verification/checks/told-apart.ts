import type { Observation, Scenario } from '../../contract/trial.ts';
import { type Json, valueAt } from '../../kernel/json.ts';
import type { CheckFact, CheckFacts } from '../check.ts';
import { type AlikeRule, alikeRulesOf, isAbout, mayComeBefore, speaksOfHolder } from '../prose/answered-alike.ts';
import { excerpt, sentencesOf } from '../prose/documented-answers.ts';
import { hasWord, leavesOf } from '../scalar-kinds.ts';
import { type ForeignRecord, foreignRecordsOf } from '../worlds/foreign-records.ts';

/**
 * Looks for answers by which somebody can tell a record that is another's from one that nobody knows, where the document has them answered
 * alike. Which member says whose a record is, the candidate says itself: asked by somebody else, it answers as if there were none. What it
 * then answers otherwise, as who holds the record is answered, it looked at before that member.
 */
export function* toldApart(facts: CheckFacts): Generator<Scenario[], Omit<CheckFact, 'check'>[], Observation[]> {
  const { subject } = facts;
  const rules = alikeRulesOf(subject);
  const records = subject.role === 'provider' && rules.length > 0 ? foreignRecordsOf(facts) : [];
  if (records.length === 0) return [];
  const names = new Set(records.flatMap(({ holding }) => holding.names));
  const seen = yield records.flatMap(({ unknown, foreign, changed }) => [
    unknown,
    foreign,
    ...changed.map((change) => change.foreign),
  ]);
  const answers = records.map(({ changed }, index) => {
    const before = records.slice(0, index).reduce((sum, one) => sum + 2 + one.changed.length, 0);
    return seen.slice(before, before + 2 + changed.length);
  });
  const texts = new Set(subject.loose.flatMap(({ pointer, as }) => (as === 'text' ? [pointer] : [])));
  const found: Omit<CheckFact, 'check'>[] = [];
  const open: { record: ForeignRecord; rule: AlikeRule; nth: number; answer: Json; usual: Json }[] = [];
  for (const [index, record] of records.entries()) {
    const [unknown, foreign, ...changed] = (answers[index] ?? []).map(answerOf);
    if (unknown === undefined || foreign === undefined) continue;
    const outcomes = verdictOf(unknown, texts).map(({ value }) => value);
    const others = [...names].filter((name) => !record.holding.names.includes(name));
    const about = rules.filter((rule) => isAbout(rule, record.holding.names, others, outcomes));
    const [rule] = about;
    if (rule === undefined) continue;
    const isAlike = sameVerdict(foreign, unknown, texts);
    if (!isAlike) {
      const exact = about.find(
        (one) => one.isAsIfUnknown && isCertainlyOwed(facts, one, record, unknown, foreign, texts),
      );
      if (exact) open.push({ record, rule: exact, nth: -1, answer: foreign, usual: unknown });
      continue;
    }
    const told = [foreign, ...changed].find(
      (answer) =>
        answer !== undefined &&
        sameVerdict(answer, foreign, texts) &&
        JSON.stringify(answer) !== JSON.stringify(unknown),
    );
    if (told !== undefined && rule.isStrict) {
      found.push(factOf(record, rule, 'for a record of somebody else it says another text than for none', told));
      continue;
    }
    for (const [nth, answer] of changed.entries())
      if (answer !== undefined && !sameVerdict(answer, foreign, texts))
        open.push({ record, rule, nth, answer, usual: foreign });
  }
  if (open.length === 0) return found;
  const owned = yield open.flatMap(({ record, nth }) => [record.own, record.changed[nth]?.own ?? record.own]);
  for (const [index, { record, rule, nth, answer, usual }] of open.entries()) {
    const [own, changed] = owned.slice(2 * index, 2 * index + 2).map(answerOf);
    if (own === undefined || changed === undefined) continue;
    const asStranger = (value: Json) => exchanged(value, record);
    // What its holder gets of it anyhow is not what was changed in it: who else may have it is a rule of its own.
    if (sameVerdict(answer, asStranger(own), texts)) continue;
    if (nth >= 0 && !sameVerdict(answer, asStranger(changed), texts)) continue;
    const other = valuesIn(answer, usual, texts);
    const name = record.changed[nth]?.name ?? '';
    const isNamed = rule.isStrict && name !== '' && speaksOfHolder(rule.sentence, name);
    if (
      !isNamed &&
      mayComeBefore(subject, rule, record.holding.names, { other, usual: valuesIn(usual, answer, texts) })
    )
      continue;
    const what =
      name === ''
        ? 'a record of somebody else is answered otherwise than none'
        : `a record of somebody else is answered by its "${name}"`;
    found.push(factOf(record, rule, what, answer));
  }
  return [...new Map(found.reverse().map((one) => [one.message.replace(/^case \d+/, ''), one])).values()].reverse();
}

function factOf(
  { seenCase, foreign }: ForeignRecord,
  { sentence }: AlikeRule,
  what: string,
  got: Json,
): Omit<CheckFact, 'check'> {
  const { testCase } = seenCase.one;
  return {
    code: 'CANDIDATE_LEAK',
    message: `case ${testCase}, asked by somebody else: ${what}, though "${excerpt(sentence)}"`.slice(0, 500),
    testCase,
    input: foreign.input,
    got,
  };
}

function answerOf({ value, issues }: Observation): Json | undefined {
  return value === undefined || issues.length > 0 ? undefined : value;
}

interface Part {
  pointer: string;
  value: string;
}

/** What an answer says, but for texts for people. */
function verdictOf(answer: Json, texts: ReadonlySet<string>): Part[] {
  return leavesOf(answer).flatMap(({ pointer, value }) =>
    texts.has(pointer) || (typeof value === 'string' && /\s/.test(value)) ? [] : [{ pointer, value: String(value) }],
  );
}

function sameVerdict(one: Json, other: Json, texts: ReadonlySet<string>): boolean {
  return JSON.stringify(verdictOf(one, texts)) === JSON.stringify(verdictOf(other, texts));
}

/** The outcomes, as words, texts and numbers, that one answer has and another has not. */
function valuesIn(answer: Json, other: Json, texts: ReadonlySet<string>): string[] {
  const had = new Set(leavesOf(other).map(({ pointer, value }) => `${pointer} ${value}`));
  return leavesOf(answer).flatMap(({ pointer, value }) =>
    texts.has(pointer) || value === null || typeof value === 'boolean' || had.has(`${pointer} ${value}`)
      ? []
      : [String(value)],
  );
}

/** What who holds a record is answered, as if somebody else had asked. */
function exchanged(answer: Json, { holder, stranger }: ForeignRecord): Json {
  return JSON.parse(JSON.stringify(answer, (_, value: Json) => (value === holder ? stranger : value))) as Json;
}

/** Whether the rule names the outcome of what is unknown, and no sentence has the other one for who is not the holder. */
function isCertainlyOwed(
  { subject, cases }: CheckFacts,
  rule: AlikeRule,
  { holding }: ForeignRecord,
  unknown: Json,
  foreign: Json,
  texts: ReadonlySet<string>,
): boolean {
  const owed = valuesIn(unknown, foreign, texts);
  const given = valuesIn(foreign, unknown, texts);
  const isGiven = (text: string) => given.some((outcome) => hasWord(text, outcome));
  const isShown = cases.some(
    ({ one, seen }) =>
      isGiven(JSON.stringify(one.output)) &&
      seen.calls.some(
        ({ tool, output = null }) =>
          tool === holding.tool &&
          output !== null &&
          !leavesOf(output).some(({ value }) => value === valueAt(one.input, holding.asked)),
      ),
  );
  return (
    given.length > 0 &&
    owed.some((outcome) => hasWord(rule.sentence, outcome)) &&
    !isShown &&
    !sentencesOf(subject.agreement).some(
      (sentence) => isGiven(sentence) && holding.names.some((name) => speaksOfHolder(sentence, name)),
    )
  );
}
