import { isObject, type Json } from '../../kernel/json.ts';
import { IN_ANY_ANSWER, LEFT_OUT, NOT_GIVEN, NOTHING_ELSE, SUCH_AS, WORD_FOR_WORD } from '../../lexicon/closing.ts';
import { EMPTY_SOMETIMES } from '../../lexicon/reserving.ts';
import { hasWord, type Leaf, leavesOf } from '../scalar-kinds.ts';
import type { Subject } from '../subject.ts';
import { excerpt, sentencesOf } from './documented-answers.ts';

/** A value of a member by which answers are told apart. */
interface Outcome {
  member: string;
  value: string;
}

/** An outcome that comes with the members that its sentence names, and with nothing else. */
interface ClosedOutcome extends Outcome {
  /** Members that answers with it may have. */
  allowed: ReadonlySet<string>;
  sentence: string;
}

/** What a member says with an outcome, word for word: one of these. */
interface FixedText extends Outcome {
  textMember: string;
  texts: readonly string[];
  sentence: string;
}

/** A member that answers with an outcome do not have. */
interface LackingMember extends Outcome {
  lacking: string;
  sentence: string;
}

interface ClosedAnswers {
  outcomes: readonly ClosedOutcome[];
  lacking: readonly LackingMember[];
  texts: readonly FixedText[];
}

const read = new WeakMap<Subject, ClosedAnswers>();

/** Rules of each kind, values of a schema and members that are looked for: a document may have any number. */
const [maxRules, maxValues, maxMembers] = [64, 256, 64];

/**
 * What the document has answers with an outcome hold, and nothing else, or say word for word: `outcome GONE, nothing else besides ref`, `code 409 with
 * the note "Please ask the desk."`. No case has it otherwise.
 */
function closedAnswersOf(subject: Subject): ClosedAnswers {
  const known = read.get(subject);
  if (known !== undefined) return known;
  const isProvider = subject.role === 'provider' && isObject(subject.responseSchema);
  const outcomesIn = outcomeReader(subject);
  const answers = {
    outcomes: isProvider ? readOutcomes(subject, outcomesIn).slice(0, maxRules) : [],
    lacking: isProvider ? readLacking(subject, outcomesIn).slice(0, maxRules) : [],
    texts: isProvider ? readTexts(subject, outcomesIn).slice(0, maxRules) : [],
  };
  read.set(subject, answers);
  return answers;
}

/** What an answer has, or says, that does not come with its outcome, and the sentence by which it does not; `undefined` where it keeps to all of them. */
export function notAsClosed(subject: Subject, answer: Json): string | undefined {
  const { outcomes, lacking, texts } = closedAnswersOf(subject);
  if (outcomes.length + lacking.length + texts.length === 0) return undefined;
  const leaves = leavesOf(answer);
  for (const one of outcomes) {
    const member = notComingWith(one, answer, leaves);
    if (member !== undefined) return `the answer has "${member}", though "${one.sentence}"`;
  }
  const extra = lacking.find((one) => hasLacking(one, answer, leaves));
  if (extra) return `the answer has "${extra.lacking}", though "${extra.sentence}"`;
  const fixed = texts.find((one) => saysElse(one, leaves));
  return fixed && `the answer says something else in "${fixed.textMember}", though "${fixed.sentence}"`;
}

/** The first member of an answer that has the outcome, and does not come with it. */
function notComingWith(one: ClosedOutcome, answer: Json, leaves: readonly Leaf[]): string | undefined {
  const holder = leaves.find((leaf) => isOutcome(one, leaf))?.pointer.split('/')[1];
  if (holder === undefined || !isObject(answer)) return undefined;
  return Object.keys(answer).find((name) => name !== holder && !one.allowed.has(name) && saysSomething(answer[name]));
}

/** Whether an answer with the outcome has the member all the same. */
function hasLacking(one: LackingMember, answer: Json, leaves: readonly Leaf[]): boolean {
  return isObject(answer) && saysSomething(answer[one.lacking]) && leaves.some((leaf) => isOutcome(one, leaf));
}

/** Whether an answer with the outcome says another text. */
function saysElse(one: FixedText, leaves: readonly Leaf[]): boolean {
  const own = leaves.find((leaf) => isOutcome(one, leaf));
  if (own === undefined) return false;
  const beside = own.pointer.slice(0, own.pointer.lastIndexOf('/'));
  const said = leaves.find(
    ({ pointer }) => pointer === `${beside}/${one.textMember}` || pointer === `/${one.textMember}`,
  )?.value;
  return typeof said === 'string' && !one.texts.some((text) => plain(text) === plain(said));
}

function isOutcome({ member, value }: Outcome, leaf: Leaf): boolean {
  return leaf.name === member && String(leaf.value) === value && !/\/\d+\//.test(leaf.pointer);
}

function saysSomething(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === '') return false;
  return !(Array.isArray(value) && value.length === 0);
}

/** A text without the mark at its end, and with single spaces. */
function plain(text: string): string {
  return text
    .trim()
    .replace(/[.。!！]$/u, '')
    .replaceAll(/\s+/g, ' ');
}

/** Characters between an outcome and the words that there is nothing else. */
const farthest = 160;

function readOutcomes(subject: Subject, outcomesIn: OutcomesIn): ClosedOutcome[] {
  const sentences = sentencesOf(subject.agreement);
  const { properties, required } = membersOf(subject.responseSchema);
  const asked = membersOf(subject.requestSchema).properties;
  const answers = subject.cases.map(({ response }) => response);
  const isNullable = (name: string) => JSON.stringify(properties[name] ?? null).includes('"null"');
  const isFree = (name: string) =>
    Object.hasOwn(asked, name) ||
    (required.has(name) && !isNullable(name)) ||
    answers.every((answer) => isObject(answer) && saysSomething(answer[name])) ||
    sentences.some((one) => hasWord(one, name) && IN_ANY_ANSWER.test(one) && !NOTHING_ELSE.test(one));
  return sentences.flatMap((sentence) => {
    const said = NOTHING_ELSE.exec(sentence);
    if (said === null) return [];
    const own = outcomesIn(sentence.slice(0, said.index)).at(-1);
    if (own === undefined || said.index - own.index > farthest) return [];
    const shown = answers.filter((answer) => leavesOf(answer).some((leaf) => isOutcome(own, leaf)));
    const allowed = new Set(
      [...Object.keys(properties), ...shown.flatMap((answer) => Object.keys(answer as object))].filter(
        (name) =>
          hasWord(sentence, name) ||
          isFree(name) ||
          shown.some((answer) => isObject(answer) && saysSomething(answer[name])),
      ),
    );
    return [{ member: own.member, value: own.value, allowed, sentence: excerpt(sentence) }];
  });
}

function readLacking(subject: Subject, outcomesIn: OutcomesIn): LackingMember[] {
  const asked = membersOf(subject.requestSchema).properties;
  const members = Object.keys(membersOf(subject.responseSchema).properties)
    .filter((name) => !Object.hasOwn(asked, name))
    .slice(0, maxMembers)
    .map((name) => ({ name, place: wordAs(name, '') }));
  const answers = subject.cases.map(({ response }) => response);
  return sentencesOf(subject.agreement).flatMap((sentence) => {
    if (!NOT_GIVEN.test(sentence) && !LEFT_OUT.test(sentence)) return [];
    const bare = sentence.replace(QUOTED, ' ');
    const [own, ...others] = new Map(
      outcomesIn(bare).map((one) => [`${one.member} ${one.value}`, one] as const),
    ).values();
    if (own === undefined || others.length > 0) return [];
    return members
      .filter(({ name, place }) => name !== own.member && isLeftOut(bare, place))
      .map(({ name }) => ({ member: own.member, value: own.value, lacking: name, sentence: excerpt(sentence) }))
      .filter(
        (rule) =>
          answers.some((answer) => isObject(answer) && saysSomething(answer[rule.lacking])) &&
          !answers.some((answer) => hasLacking(rule, answer, leavesOf(answer))),
      );
  });
}

/** Whether a clause says of the member at a place, and of nothing else, that it is not there. */
function isLeftOut(sentence: string, place: RegExp): boolean {
  return sentence.split(/[,，:：(（]/).some((clause) => {
    const at = place.exec(clause);
    if (at === null || EMPTY_SOMETIMES.test(clause.replace(NOT_GIVEN, ' ').replace(LEFT_OUT, ' '))) return false;
    const after = clause.slice(at.index + at[0].length);
    const isLast = ENDS_WITH_LEFT_OUT.test(clause.slice(0, at.index)) && /^[\s`".;]*$/.test(after);
    return isLast || BEGINS_WITH_NOT_GIVEN.test(after);
  });
}

const [ENDS_WITH_LEFT_OUT, BEGINS_WITH_NOT_GIVEN] = [
  new RegExp(`(?:${LEFT_OUT.source})[\\s\`"]*$`, 'iu'),
  new RegExp(`^[\\s\`"]*(?:${NOT_GIVEN.source})`, 'iu'),
];

/** Finds a name as a word of its own, with what must stand behind it. */
function wordAs(name: string, behind: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}_])${RegExp.escape(name)}(?![\\p{L}\\p{N}_])${behind}`, 'u');
}

const QUOTED = /["“„«「『]([^"”“„«»「」『』\n]{3,200})["”“»」』]/gu;

/** Texts with a place for something else: `Please ask the desk at SITE.` */
const HAS_PLACES = /[<>{}[\]$%…]|\.\.\.|\b[A-Z][A-Z_]{2,}\b|(?<!\p{L})[XN](?!\p{L})/u;

function readTexts(subject: Subject, outcomesIn: OutcomesIn): FixedText[] {
  const members = textMembersOf(subject.responseSchema)
    .slice(0, maxMembers)
    .map((name) => ({ name, place: wordAs(name, '[^.;。；]{0,30}$') }));
  const loose = new Set(subject.loose.map(({ pointer }) => pointer.slice(pointer.lastIndexOf('/') + 1)));
  const found = new Map<string, FixedText & { texts: string[] }>();
  const open = new Set<string>();
  for (const sentence of sentencesOf(subject.agreement)) {
    const quotes = [...sentence.matchAll(QUOTED)];
    const bare = quotes.reduce((text, [whole]) => text.replace(whole, ' '), sentence);
    const outcomes = outcomesIn(bare);
    const [own, ...others] = new Map(outcomes.map((one) => [`${one.member} ${one.value}`, one])).values();
    const texts = quotes.flatMap(({ 0: whole, 1: text = '', index }) => {
      const before = sentence.slice(Math.max(0, index - 60), index);
      const member = members.find(
        ({ name, place }) => (!loose.has(name) || WORD_FOR_WORD.test(bare)) && place.test(before),
      )?.name;
      const behind = /^[^:;.(]{0,60}/.exec(sentence.slice(index + whole.length))?.[0] ?? '';
      return member === undefined || !isText(text) ? [] : [{ member, text, around: `${before} ${behind}` }];
    });
    const [fixed, ...more] = texts;
    if (own === undefined) continue;
    if (
      fixed === undefined ||
      more.length > 0 ||
      others.length > 0 ||
      HAS_PLACES.test(fixed.text) ||
      SUCH_AS.test(fixed.around)
    ) {
      for (const { member, value } of outcomes) open.add(`${member} ${value}`);
      continue;
    }
    const key = JSON.stringify([own.member, own.value, fixed.member]);
    const rule = found.get(key) ?? {
      member: own.member,
      value: own.value,
      textMember: fixed.member,
      texts: [],
      sentence: excerpt(sentence),
    };
    rule.texts.push(fixed.text);
    found.set(key, rule);
  }
  return [...found.values()].filter(
    (rule) =>
      !open.has(`${rule.member} ${rule.value}`) &&
      !subject.cases.some(({ response }) => saysElse(rule, leavesOf(response))),
  );
}

/** Whether something in quotes is said to somebody, and is no name of a value. */
function isText(text: string): boolean {
  return /\p{L}\s+\p{L}/u.test(text) || (text.match(/\p{Script=Han}/gu)?.length ?? 0) >= 3;
}

type OutcomesIn = (text: string) => (Outcome & { index: number })[];

/** Tells the outcomes that a text names, with their places: words that the schema lists for a member, and codes that stand behind a member's name. */
function outcomeReader({ responseSchema, cases }: Subject): OutcomesIn {
  const answers = cases.map(({ response }) => response);
  const listed = listedIn(responseSchema, 0)
    .filter(({ value }) => /[\p{L}\p{N}]{3}/u.test(value) || /\p{Script=Han}{2}/u.test(value))
    .slice(0, maxValues);
  const coded = openMembersOf(responseSchema, answers)
    .slice(0, maxMembers)
    .map((member) => ({ member, code: new RegExp(wordAs(member, IS_CODE).source, 'gu') }));
  return (text) => {
    const named = listed.flatMap((one) =>
      hasWord(text, one.value) ? [{ ...one, index: text.toLowerCase().lastIndexOf(one.value.toLowerCase()) }] : [],
    );
    const codes = coded.flatMap(({ member, code }) =>
      [...text.matchAll(code)].map(({ 1: value = '', index }) => ({ member, value, index })),
    );
    return [...named, ...codes].sort((one, other) => one.index - other.index);
  };
}

/** A code behind the name of its member. */
const IS_CODE = '[`"]?\\s*(?:is|=|:|：|为|ist|es|est|é)?\\s*[`"]?(\\d{2,5}|[A-Z][A-Z0-9_]{2,})(?![\\p{L}\\p{N}_.])';

/** Every value that a schema lists for a member, but truth values. */
function listedIn(schema: Json, depth: number): Outcome[] {
  if (depth > 8 || typeof schema !== 'object' || schema === null) return [];
  const own = isObject(schema) && isObject(schema.properties) ? Object.entries(schema.properties) : [];
  return [
    ...own.flatMap(([member, one]) =>
      (isObject(one) ? [...(Array.isArray(one.enum) ? one.enum : []), one.const ?? null] : []).flatMap((value) =>
        typeof value === 'string' || typeof value === 'number' ? [{ member, value: String(value) }] : [],
      ),
    ),
    ...Object.values(schema).flatMap((child) => listedIn(child, depth + 1)),
  ];
}

/** Members of answers with a word or number for which the schema lists nothing. */
function openMembersOf(schema: Json, answers: readonly Json[]): string[] {
  const listed = new Set(listedIn(schema, 0).map(({ member }) => member));
  const shown = answers
    .flatMap(leavesOf)
    .filter(({ value }) => typeof value === 'number' || /^[A-Z_\d]{2,}$/.test(String(value)));
  return [...new Set(shown.map(({ name }) => name))].filter((name) => name !== '' && !listed.has(name));
}

/** The members that are texts, and of which the schema lists no values. */
function textMembersOf(schema: Json, depth = 0): string[] {
  if (depth > 8 || typeof schema !== 'object' || schema === null) return [];
  const own = isObject(schema) && isObject(schema.properties) ? Object.entries(schema.properties) : [];
  const texts = own.filter(
    ([, one]) => isObject(one) && JSON.stringify(one.type ?? '').includes('"string"') && one.enum === undefined,
  );
  return [
    ...new Set([
      ...texts.map(([name]) => name),
      ...Object.values(schema).flatMap((child) => textMembersOf(child, depth + 1)),
    ]),
  ];
}

function membersOf(schema: Json): { properties: Record<string, Json>; required: ReadonlySet<string> } {
  const own = isObject(schema) ? schema : {};
  return {
    properties: isObject(own.properties) ? own.properties : {},
    required: new Set(Array.isArray(own.required) ? own.required.filter((one) => typeof one === 'string') : []),
  };
}
