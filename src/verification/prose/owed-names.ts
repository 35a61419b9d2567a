import type { Json } from '../../kernel/json.ts';
import {
  ANY_OF_SEVERAL,
  ANY_SYSTEM,
  DONE_WITHOUT,
  FAILS,
  FAILURE,
  LEAVES_OPEN,
  LOOK_UP,
  MADE_UP_FOR,
  NEVER_REPEATED,
  NO_MATTER,
  SEVERAL_FAIL,
  WHICHEVER_FAILS,
  WHICHEVER_SYSTEM,
} from '../../lexicon/failing.ts';
import { EXCEPTING, QUALIFIED, UNAVAILABLE } from '../../lexicon/qualifying.ts';
import type { CheckFacts } from '../check.ts';
import { reportsFailure } from '../failure-answer.ts';
import { hasWord, leavesOf } from '../scalar-kinds.ts';
import { documentedAnswersOf, holdsConstant, sentencesOf, spaced, stemsOf } from './documented-answers.ts';
import { OWN_FAILURES } from './failure-rules.ts';

/** What a sentence says to fail. */
const WHAT_FAILS =
  /\b(?:when|if|where|unless|in case|whenever|once)\b([^.\n]{0,80}?)\b(?:fail|unavailable|down|unreachable|can ?not|can't|could not|is not|are not|do(?:es)? not|times? out)/i;

/**
 * Whether an answer to one failing tool must have a name that the document gives to failures: not where the sentences speak of something
 * else than this tool, where a case shows the name in a success or although nothing had failed, or where the answer has the name of all other failures.
 */
export function isOwedName({ subject, cases }: CheckFacts, tool: string, answer: Json): boolean {
  const { ownFailures, ownFailureSentences, otherFailures } = documentedAnswersOf(subject);
  if (holdsConstant(answer, otherFailures) || isMadeUpFor(subject, tool)) return false;
  // What a broken request is answered with may be what failures are answered with.
  const shown = cases.filter(
    ({ one, seen }) =>
      reportsFailure(one.output) === false ||
      (seen.calls.every(({ error }) => error === undefined) &&
        (seen.calls.length > 0 || subject.surface.requestIssues(one.input).length === 0)),
  );
  return ownFailureSentences.some(
    ({ sentence, constants }, _, { length }) =>
      constants.some(
        (constant) => ownFailures.includes(constant) && !shown.some(({ one }) => holdsConstant(one.output, [constant])),
      ) &&
      (concerns(subject, withoutNames(sentence, constants), tool) ||
        (length === 1 && isOfNoToolAlone(subject, withoutNames(sentence, constants)))),
  );
}

/** Whether a sentence has a system fail that all tools may be of, since what it is called is told of none of them. */
function isOfNoToolAlone(subject: CheckFacts['subject'], sentence: string): boolean {
  const what = WHAT_FAILS.exec(sentence)?.[1] ?? '';
  return ANY_SYSTEM.test(what) && !subject.tools.some(({ name }) => concerns(subject, sentence, name));
}

/**
 * The names that the document has for failures, without those that stand beside another of their sentence and are an answer's to other
 * things as well, as the verdict is beside its reason.
 */
export function tellingNames({ subject, cases }: CheckFacts): string[] {
  const { ownFailures, ownFailureSentences } = documentedAnswersOf(subject);
  const isShown = (constant: string): boolean =>
    cases.some(
      ({ one, seen }) => seen.calls.every(({ error }) => error === undefined) && holdsConstant(one.output, [constant]),
    );
  return ownFailures.filter((constant) =>
    ownFailureSentences.every(
      ({ sentence, constants }) =>
        !constants.includes(constant) ||
        ANY_OF_SEVERAL.test(sentence) ||
        !isShown(constant) ||
        constants.every((other) => !ownFailures.includes(other) || isShown(other)),
    ),
  );
}

/** Whether the document names the failure of this very tool, and an answer has neither that name nor that of another failure. */
export function lacksOwnName(facts: CheckFacts, tool: string, answer: Json): boolean {
  const { ownFailures, ownFailureSentences } = documentedAnswersOf(facts.subject);
  if (holdsConstant(answer, ownFailures) || !isOwedName(facts, tool, answer)) return false;
  return ownFailureSentences.some(
    ({ sentence, constants }) =>
      !holdsConstant(answer, constants) &&
      !SEVERAL.test(sentence) &&
      !MADE_UP_FOR.test(sentence) &&
      saysThatToolFails(facts.subject.tools, sentence, tool),
  );
}

/**
 * What the document calls the failure of whichever tool it is, by the one sentence that speaks of failing tools, where an answer has not
 * that name. Empty where a case shows it though nothing failed, or where another sentence may have something else for this tool's failure.
 */
export function missingNamesOfAny({ subject, cases }: CheckFacts, tool: string, answer: Json): readonly string[] {
  const failing = sentencesOf(subject.agreement).filter(
    (sentence) =>
      (WHICHEVER_FAILS.test(sentence) || FAILS.test(sentence) || FAILURE.test(sentence)) && !HEADING.test(sentence),
  );
  const [sentence, ...rivals] = failing.length === 1 ? failing : failing.filter((one) => WHICHEVER_FAILS.test(one));
  if (sentence === undefined || rivals.length > 0) return [];
  const { ownFailureSentences } = documentedAnswersOf(subject);
  const namesIn = (text: string) => ownFailureSentences.find((own) => own.sentence.endsWith(text))?.constants ?? [];
  const constants = namesIn(sentence);
  const saysElse = (other: string) => {
    const own = namesIn(other);
    if (own.length > 0 && own.every((name) => constants.includes(name))) return false;
    return (
      !(own.length === 0 && NEVER_REPEATED.test(other)) &&
      !(!QUALIFIED.test(other) && failsElsewhere(subject, other, tool))
    );
  };
  if (failing.some((other) => other !== sentence && saysElse(other))) return [];
  // A name may say that one should try again, or be a word for what fails; but "a tool fails" says so whatever the name is.
  const rest = constants.reduce((text, constant) => text.replaceAll(asNamed(constant), ' '), sentence);
  if (!isOfAll(subject, rest) || QUALIFIED.test(rest) || NO_MATTER.test(rest) || SEVERAL_FAIL.test(rest)) return [];
  const shown = cases.filter(({ seen }) => seen.calls.every(({ error }) => error === undefined));
  const names = constants.filter(
    (constant) => !/: /.test(constant) && !shown.some(({ one }) => holdsConstant(one.output, [constant])),
  );
  // One of several names may be that of other answers as well.
  if (names.length < constants.length && ANY_OF_SEVERAL.test(betweenNames(sentence, constants))) return [];
  return holdsConstant(answer, names) ? [] : names;
}

/** Finds a name where it stands as one: in quotes, or wherever it is no word of the language. */
function asNamed(name: string): RegExp {
  const escaped = RegExp.escape(name);
  return new RegExp(/^\p{Ll}+$/u.test(name) ? `["'“„「『«\`]${escaped}["'”“」』»\`]` : escaped, 'gu');
}

/** What of a sentence stands between the first and the last of some names. */
function betweenNames(sentence: string, names: readonly string[]): string {
  const places = names.map((name) => sentence.indexOf(name)).filter((at) => at >= 0);
  return sentence.slice(Math.min(...places), Math.max(...places));
}

/** Whether a sentence has other tools fail than this one, by their names or what they are described as. */
export function failsElsewhere({ tools }: CheckFacts['subject'], sentence: string, name: string): boolean {
  const clause = sentence.split(/[,，、]/).find((one) => FAILS.test(one) || FAILURE.test(one)) ?? sentence;
  const isAct = tools.some((tool) => tool.name === name && tool.annotations?.readOnlyHint !== true);
  if (isAct && LOOK_UP.test(clause) && tools.some((tool) => tool.annotations?.readOnlyHint === true)) return true;
  const stems = stemsOf(clause);
  const meant = tools.filter((tool) =>
    [...stemsOf(`${spaced(tool.name)} ${tool.description ?? ''}`)].some((stem) => stems.has(stem)),
  );
  return meant.length > 0 && meant.every((tool) => tool.name !== name);
}

/** What only says what comes next: a heading, or a word or two such as `Failure.` in front of a paragraph. */
const HEADING = /^\s*#|[:：]\**\s*$|^[\s*]*\p{L}+(?: \p{L}+)?[.\s*]*$/u;

/** Whether a sentence has whichever tool it is fail, or names what every one of them is named after. */
function isOfAll({ tools }: CheckFacts['subject'], sentence: string): boolean {
  if (WHICHEVER_FAILS.test(sentence)) return true;
  const clause = sentence.split(/[,，、]/).find((one) => FAILS.test(one)) ?? '';
  if (UNAVAILABLE.test(clause)) return false;
  // "查询失败或打开失败" names as many failures as there are tools.
  if (tools.length === 2 && /\p{Script=Han}{2,6}失败(?:或者?|、)\p{Script=Han}{2,6}失败/u.test(clause)) return true;
  const stems = stemsOf(clause);
  const shared = tools.map(({ name, description }) =>
    [...stemsOf(`${spaced(name)} ${description ?? ''}`)].filter((stem) => stems.has(stem)),
  );
  // Of what all of them are about, "cannot be read" says that of one.
  const own = shared.map((all) => all.filter((stem) => !shared.every((other) => other.includes(stem))));
  return (own.some((all) => all.length > 0) ? own : shared).every((all) => all.length > 0);
}

/** Whether it is this tool that a sentence has fail: it may name others that are called then. */
function saysThatToolFails(tools: CheckFacts['subject']['tools'], sentence: string, name: string): boolean {
  const called = `[\`"“]?${name}(?:\\([^)\n]*\\))?[\`"”]?`;
  const fails = String.raw`(?:fails?|is (?:down|unavailable|unreachable)|does not (?:answer|respond|work)|(?:cannot|can not) be (?:asked|reached|called)|did not (?:answer|respond|work)|times? out)\b`;
  if (new RegExp(`${called}\\s+${fails}|\\bfail(?:ing|ures? of|ures? in) ${called}`, 'iu').test(sentence)) return true;
  const act = new RegExp(
    String.raw`\b(?:if|when|where|whenever|once) (?:the |our |this )?(\p{L}+ing)(?: \p{L}+){0,3}? ${fails}`,
    'iu',
  ).exec(sentence)?.[1];
  if (act !== undefined && tools.filter((tool) => isActOf(act, tool.name)).every((tool) => tool.name === name))
    return isActOf(act, name);
  const named = tools.filter((tool) => hasWord(sentence, tool.name));
  return named.length === 1 && named[0]?.name === name && /\bif (?:that|this|it) fails\b/i.test(sentence);
}

/** Whether a word such as "recording" or "payment" is that of the verb which a tool's name begins with. */
export function isActOf(act: string, name: string): boolean {
  const verb = /^\p{Ll}{3,}(?=\p{Lu}|_|$)/u.exec(name)?.[0];
  return (
    verb !== undefined && new RegExp(`^${verb.replace(/e$/, '')}\\p{L}?(?:ing|ment|ation|tion|al)$`, 'iu').test(act)
  );
}

/** A sentence about more than one failure, or about what is done before there is one. */
const SEVERAL = /\b(?:both|all|neither|as well|too|again|second|third|still|every)\b/i;

/**
 * What an answer to a failing tool says in place of the name that the document has for whatever fails: a word that a case shows at that
 * place where nothing had failed.
 */
export function nameOfAnother({ subject, cases }: CheckFacts, before: Json, answer: Json): string | undefined {
  const failing = sentencesOf(subject.agreement).filter((sentence) => FAILING.test(sentence));
  if (failing.some((sentence) => MADE_UP_FOR.test(sentence))) return undefined;
  const was = new Set(leavesOf(before).map(({ value }) => value));
  return leavesOf(answer)
    .flatMap(({ pointer, value }) =>
      typeof value === 'string' &&
      value.length > 1 &&
      !was.has(value) &&
      !failing.some((sentence) => hasWord(sentence, value)) &&
      cases.some(
        ({ one, seen }) =>
          seen.calls.length > 0 &&
          seen.calls.every(({ error }) => error === undefined) &&
          leavesOf(one.output).some((leaf) => leaf.value === value && placeOf(leaf.pointer) === placeOf(pointer)) &&
          !leavesOf(one.input).some((leaf) => leaf.value === value),
      )
        ? [value]
        : [],
    )
    .at(0);
}

const FAILING =
  /\b(?:fail\w*|unavailable|unreachable|down|cannot|can not|out of order|not (?:answer|respond|reach\w*))\b/i;

/** Whether a sentence has another tool asked where this one fails, goes on without it, or has something else for it than a name: then the failure is another matter. */
function isMadeUpFor(subject: CheckFacts['subject'], name: string): boolean {
  const { ownFailureSentences } = documentedAnswersOf(subject);
  return sentencesOf(subject.agreement).some((sentence) => {
    if (!saysThatToolFails([], sentence, name)) return false;
    const hasOther =
      subject.tools.some((other) => other.name !== name && hasWord(sentence, other.name)) &&
      /\b(?:ask|use|call|quer(?:y|ies)|tr(?:y|ies)|takes?|falls?)/i.test(sentence);
    const isNamed = ownFailureSentences.some((own) => own.sentence.includes(sentence));
    return hasOther || (!isNamed && (DONE_WITHOUT.test(sentence) || !LEAVES_OPEN.test(sentence)));
  });
}

/** A place whatever the positions of the items on the way to it. */
function placeOf(pointer: string): string {
  return pointer.replace(/\/\d+(?=\/|$)/g, '/-');
}

/** A sentence without the names of its answers, where the rest still has something fail: `SYSTEM ERROR` says nothing of which system did. */
function withoutNames(sentence: string, names: readonly string[]): string {
  const rest = names.reduce((text, name) => text.replaceAll(name, ' '), sentence);
  return FAILS.test(rest) ? rest : sentence;
}

/** What a condition begins with, what goes on with one, and what stands between the things that a list names. */
const [CONDITION, ALTERNATIVE, BETWEEN_ITEMS] = [
  /(?<!\p{L})(?:if|when|whenever|where|once|should|wenn|falls|si|cuando|quand|lorsque|se|quando)(?!\p{L})|如果|若|当/iu,
  /^\s*(?:(?:or|oder|o|ou)(?!\p{L})|或|以及|及)/iu,
  /[,，、]|(?<!\p{L})(?:or|and|oder|und|o|y|ou|et|e)(?!\p{L})|或者?|和|及/iu,
];

/** Clauses of a list in front of the word that its things fail. */
const maxListed = 4;

/** The part of a sentence that has something fail: its clause, with those that the list of what fails goes through; `undefined` where none does. */
function failingPartOf(sentence: string): string | undefined {
  const clauses = sentence.split(/[,，]/);
  const at = clauses.findIndex((clause) => FAILS.test(clause));
  if (at < 0) return undefined;
  const head = clauses.slice(0, at + 1).findLastIndex((clause) => CONDITION.test(clause));
  const last = clauses[at] ?? '';
  const isList = BETWEEN_ITEMS.test(last.slice(0, FAILS.exec(last)?.index));
  const from = isList && head >= 0 && at - head <= maxListed ? head : at;
  const more = clauses.slice(at + 1).findIndex((clause) => !(ALTERNATIVE.test(clause) && FAILS.test(clause)));
  return clauses.slice(from, more < 0 ? undefined : at + 1 + more).join(',');
}

/**
 * Whether what fails is a list of as many things as there are tools, one of which is what a tool is called or described as: those left out, of
 * whose failing another sentence speaks.
 */
function listsAll({ tools, agreement }: CheckFacts['subject'], part: string): boolean {
  const items = part
    .slice(0, FAILS.exec(part)?.index)
    .split(BETWEEN_ITEMS)
    .filter((item) => stemsOf(item).size > 0);
  const told = tools.map(({ name, description }) => stemsOf(`${spaced(name)} ${description ?? ''}`));
  const elsewhere = sentencesOf(agreement).filter((one) => !one.includes(part) && FAILS.test(one));
  const left = tools.filter(
    ({ name }) =>
      !items.some((item) => shareStems(item, spaced(name))) && elsewhere.some((one) => shareStems(one, spaced(name))),
  );
  return (
    items.length > 1 &&
    (items.length === tools.length || items.length === tools.length - left.length) &&
    !UNAVAILABLE.test(part) &&
    items.some((item) => [...stemsOf(item)].some((stem) => told.some((stems) => stems.has(stem))))
  );
}

/** Whether two texts have a word with the same stem. */
function shareStems(one: string, other: string): boolean {
  const stems = stemsOf(other);
  return [...stemsOf(one)].some((stem) => stems.has(stem));
}

/** Whether a sentence about failures speaks of a tool, or of any. */
function concerns(subject: CheckFacts['subject'], sentence: string, name: string): boolean {
  const { tools } = subject;
  const exception = EXCEPTING.exec(sentence);
  if (exception && hasWord(sentence.slice(exception.index), name)) return false;
  if (tools.length < 2 || WHICHEVER_SYSTEM.test(sentence)) return true;
  const tool = tools.find((one) => one.name === name);
  const known = stemsOf(`${spaced(name)} ${tool?.description ?? ''}`);
  const part = failingPartOf(sentence);
  if (part !== undefined && listsAll(subject, part)) return true;
  // Beside the clause that has something fail, one may have the code alone.
  const clause = part ?? sentence.split(/[,，、]/).find((one) => OWN_FAILURES.test(one)) ?? sentence;
  const what = WHAT_FAILS.exec(clause)?.[1] ?? clause;
  // Of that which the sentence before speaks of, the whole says what it is.
  const said = stemsOf(
    /^\s*(?:that|this|it|they|(?:one|any|either|some)(?: of (?:them|these|those))?)\s*$/i.test(what) ? sentence : what,
  );
  const named = (one: string) => stemsOf(spaced(one));
  const own = said.intersection(known);
  const items = what.split(BETWEEN_ITEMS).map(stemsOf);
  // Where another tool is named after all that is said of this one and more, this one is not meant.
  const rival = tools.some((one) => {
    const theirs = named(one.name);
    const isNamed = theirs.size > own.size && theirs.size > 1 && items.some((item) => theirs.isSubsetOf(item));
    return one.name !== name && isNamed && own.isSubsetOf(theirs);
  });
  return !rival && own.size > 0;
}
