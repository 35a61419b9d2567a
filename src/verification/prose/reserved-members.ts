import { isObject, type Json } from '../../kernel/json.ts';
import { EMPTY_SOMETIMES, IN_ALL_FAILURES, ONLY_WITH, SAID_OF_OUTCOMES } from '../../lexicon/reserving.ts';
import { reportsFailure } from '../failure-answer.ts';
import { hasWord, leavesOf } from '../scalar-kinds.ts';
import type { Subject } from '../subject.ts';
import { excerpt, sentencesOf } from './documented-answers.ts';

/** A member that answers have with some of their outcomes alone. */
export interface ReservedMember {
  member: string;
  /** The outcomes that it comes with. */
  names: readonly string[];
  sentence: string;
}

const read = new WeakMap<Subject, ReservedMember[]>();

/**
 * The members of which the document, or a description in its schema, says that answers have them only with outcomes that it names, and
 * nothing else: `ticket is present only with BOOKED`. The cases must show it: some have the member with such an outcome, some have not.
 */
export function reservedMembersOf(subject: Subject): ReservedMember[] {
  const known = read.get(subject) ?? readReserved(subject);
  read.set(subject, known);
  return known;
}

/** Whether an answer has a reserved member, and none of the outcomes that it comes with. */
export function breaksReserve({ member, names }: ReservedMember, answer: Json): boolean {
  return hasMember(answer, member) && !leavesOf(answer).some(({ value }) => names.includes(String(value)));
}

/** A member that is null with one outcome, or with whatever is a failure. */
export interface EmptyMember {
  member: string;
  /** `undefined` for whatever is a failure. */
  outcome: string | undefined;
  /** Where answers have that outcome; a number elsewhere may be as great by chance. */
  places: readonly string[];
  sentence: string;
}

const emptied = new WeakMap<Subject, EmptyMember[]>();

/**
 * The members of which a sentence says that they are null with the one outcome that it names, or in all failures, and nothing else; no
 * case has it otherwise, and some case has the member.
 */
export function emptyMembersOf(subject: Subject): EmptyMember[] {
  const known = emptied.get(subject) ?? readEmpty(subject);
  emptied.set(subject, known);
  return known;
}

/** Whether an answer with such an outcome has the member other than null. */
export function breaksEmptiness({ member, outcome, places }: EmptyMember, answer: Json): boolean {
  if (!isObject(answer) || (answer[member] ?? null) === null) return false;
  return outcome === undefined
    ? reportsFailure(answer) === true
    : leavesOf(answer).some(
        ({ pointer, name, value }) => name !== member && String(value) === outcome && places.includes(pointer),
      );
}

function readEmpty(subject: Subject): EmptyMember[] {
  const { responseSchema, agreement } = subject;
  const answers = subject.cases.map(({ response }) => response);
  const properties = isObject(responseSchema) && isObject(responseSchema.properties) ? responseSchema.properties : {};
  const outcomes = [...outcomesOf(answers, properties)].filter((outcome) => /[\p{L}\d]{3}/u.test(outcome));
  const members = new Set(Object.keys(properties));
  const placesOf = (outcome: string) => [
    ...answers.flatMap((answer) =>
      leavesOf(answer).flatMap(({ pointer, value }) => (String(value) === outcome ? [pointer] : [])),
    ),
    ...Object.entries(properties).flatMap(([name, own]) =>
      isObject(own) && Array.isArray(own.enum) && own.enum.map(String).includes(outcome) ? [`/${name}`] : [],
    ),
  ];
  const isKept = (rule: EmptyMember) =>
    answers.some((answer) => isObject(answer) && (answer[rule.member] ?? null) !== null) &&
    !answers.some((answer) => breaksEmptiness(rule, answer));
  return sentencesOf(agreement).flatMap((sentence) => {
    const { head, tail } = HAS_NONE.exec(sentence)?.groups ?? {};
    if (head !== undefined && tail !== undefined) {
      const lacking = [...members].filter((member) => hasWord(tail, member));
      const isPlain = (tail.match(/[\p{L}\p{N}_-]+/gu) ?? []).every((word) => members.has(word) || PLAIN.test(word));
      return (isPlain ? namesAlone(head, new Set(outcomes), members) : [])
        .flatMap((outcome) =>
          lacking.map((member) => ({ member, outcome, places: placesOf(outcome), sentence: excerpt(sentence) })),
        )
        .filter(isKept);
    }
    const named = outcomes.filter((outcome) => !/^(?:null|true|false)$/.test(outcome) && hasWord(sentence, outcome));
    const ofAll = named.length === 0 && IN_ALL_FAILURES.test(sentence);
    if (named.length !== 1 && !ofAll) return [];
    return [...sentence.matchAll(IS_NULL)].flatMap(({ 0: said, 1: listed = '', index }) => {
      const after = /^[^,，;；.。|)]*/u.exec(sentence.slice(index + said.length))?.[0] ?? '';
      if (EMPTY_SOMETIMES.test(after)) return [];
      return [...members]
        .filter((member) => hasWord(listed, member) && !named.includes(member))
        .map((member) => ({ member, outcome: named[0], places: placesOf(named[0] ?? ''), sentence: excerpt(sentence) }))
        .filter((rule) => isKept(rule) && (!ofAll || answers.some((answer) => reportsFailure(answer) === true)));
    });
  });
}

/** Outcomes that have none of some members. */
const HAS_NONE =
  /^[\s*•-]*(?<head>[^.]{3,200}?)\s(?:has|have|contains?|includes?|carr(?:y|ies)) (?<tail>(?:neither|no|none of) [^.]{3,120})/iu;

/** Words beside the names of members that say nothing of them. */
const PLAIN = /^(?:neither|nor|no|none|of|or|and|an?|the)$/i;

/** Members, each by its name alone, that are null. */
const IS_NULL =
  /((?:[`"“]?[\p{L}\d_]{1,40}[`"”]?(?:\s*[,、]\s*|\s+(?:and|und|et|y|e)\s+|\s*[和与及]\s*)){0,4}[`"“]?[\p{L}\d_]{1,40}[`"”]?)\s*(?:\s(?:is|are|ist|sind|est|sont|es|son)\s+(?:both |then |always )?|均?都?[为是]\s*|\s?[=:]\s?|(?<=[`"”])\s)[`"]?null(?![\p{L}\d_])/giu;

function readReserved(subject: Subject): ReservedMember[] {
  const { responseSchema, agreement } = subject;
  const answers = subject.cases.map(({ response }) => response);
  const properties = isObject(responseSchema) && isObject(responseSchema.properties) ? responseSchema.properties : {};
  const members = new Set([
    ...Object.keys(properties),
    ...answers.flatMap((answer) => (isObject(answer) ? Object.keys(answer) : [])),
  ]);
  const outcomes = outcomesOf(answers, properties);
  const said = [
    ...sentencesOf(agreement).map((sentence) => ({ sentence, about: [...members] })),
    ...Object.entries(properties).flatMap(([member, schema]) =>
      isObject(schema) && typeof schema.description === 'string'
        ? schema.description
            .split(/[.;。；，,]/u)
            .map((sentence) => ({ sentence: `${member}: ${sentence}`, about: [member] }))
        : [],
    ),
  ];
  return said.flatMap(({ sentence, about }) => {
    const only = ONLY_WITH.exec(sentence);
    if (only === null) return [];
    const names = namesAlone(sentence.slice(only.index + only[0].length), outcomes, members);
    // The head of a row is what it is about.
    const head = /^\s*\|[^|]*\|/.exec(sentence)?.[0] ?? sentence.slice(0, only.index);
    return about
      .filter((member) => hasWord(head, member))
      .map((member) => ({ member, names, sentence: excerpt(sentence) }))
      .filter((rule) => names.length > 0 && isShown(rule, answers) && !isToldElsewhere(rule));
  });

  /** Whether another sentence has the member come with another outcome. */
  function isToldElsewhere({ member, names }: ReservedMember): boolean {
    const others = [...outcomes].filter((outcome) => outcome.length > 1 && !names.includes(outcome));
    return said.some(
      ({ sentence }) => hasWord(sentence, member) && others.some((outcome) => hasWord(sentence, outcome)),
    );
  }
}

/** Whether the cases have a member with its outcomes and without it, and none otherwise. */
function isShown(rule: ReservedMember, answers: readonly Json[]): boolean {
  const having = answers.filter((answer) => hasMember(answer, rule.member));
  return having.length > 0 && having.length < answers.length && !having.some((answer) => breaksReserve(rule, answer));
}

function hasMember(answer: Json, member: string): boolean {
  if (!isObject(answer) || !Object.hasOwn(answer, member)) return false;
  const value = answer[member];
  return value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);
}

/** What answers have at a place where several cases differ, or the schema lists it. */
function outcomesOf(answers: readonly Json[], properties: Record<string, Json>): Set<string> {
  const listed = Object.values(properties).flatMap((schema) =>
    isObject(schema) && Array.isArray(schema.enum) ? schema.enum : [],
  );
  const told = answers.flatMap((answer) => (isObject(answer) ? Object.values(answer) : []));
  return new Set([...listed, ...told].flatMap((value) => (typeof value === 'object' ? [] : [String(value)])));
}

/** The outcomes that a text names, where it says nothing else. */
function namesAlone(text: string, outcomes: ReadonlySet<string>, members: ReadonlySet<string>): string[] {
  const words = text.match(/[\p{L}\p{N}_-]+/gu) ?? [];
  const names: string[] = [];
  for (const word of words.flatMap((one) => one.split(HAN))) {
    if (outcomes.has(word)) names.push(word);
    else if (word !== '' && !members.has(word) && !SAID_OF_OUTCOMES.test(word)) return [];
  }
  return names;
}

/** Between words of a script without spaces and others. */
const HAN = /(?<=\p{Script=Han})(?=[^\p{Script=Han}])|(?<=[^\p{Script=Han}])(?=\p{Script=Han})/u;
