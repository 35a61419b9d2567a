import { NEVER_LOGGED, OF_THE_ONE_BEFORE } from '../../lexicon/acting.ts';
import type { Subject } from '../subject.ts';
import { descriptionsOf, isConditional, isNamedIn } from './denied-members.ts';
import { allSentencesOf, memberNamesOf } from './documented-answers.ts';

/** A sentence by which something is never logged, its part that says so, and what stands before that, the nearest first. */
interface LogDenial {
  sentence: string;
  clause: string;
  before: readonly string[];
}

/** Sentences before one in which what it calls "it" may stand. */
const maxBefore = 3;

const read = new WeakMap<Subject, LogDenial[]>();

/**
 * The sentence by which what a member holds is never logged: it names the member, or speaks of "it" and one of the sentences before names the
 * member and none of the others; or what a schema says of the member. `undefined` where there is none.
 */
export function keptFromLogs(subject: Subject, name: string, told: readonly string[]): string | undefined {
  const others = [...told, ...toldByTools(subject)];
  const said = denialsOf(subject).find(({ sentence, clause, before }) => {
    if (isNamedIn(clause, name)) return true;
    if (!OF_THE_ONE_BEFORE.test(sentence.trim()) && !SPEAKS_OF_IT.test(clause)) return false;
    const meant = before.find((one) => [name, ...others].some((other) => isNamedIn(one, other)));
    if (meant === undefined || !isNamedIn(meant, name)) return false;
    return SEVERAL.test(sentence) || others.every((other) => other === name || !isNamedIn(meant, other));
  });
  if (said !== undefined) return said.sentence;
  const schemas = [
    subject.requestSchema,
    subject.responseSchema,
    ...subject.tools.map((tool) => tool.outputSchema ?? null),
  ];
  return schemas.flatMap((schema) => descriptionsOf(schema, name, 0)).find((text) => NEVER_LOGGED.test(text));
}

const toolNames = new WeakMap<Subject, string[]>();

/** The members that tools tell, whether or not they did in a run: "it" may mean one that a failing tool kept to itself. */
function toldByTools(subject: Subject): string[] {
  const known =
    toolNames.get(subject) ?? subject.tools.flatMap(({ outputSchema = null }) => memberNamesOf(outputSchema, 0));
  toolNames.set(subject, known);
  return known;
}

function denialsOf(subject: Subject): LogDenial[] {
  const known = read.get(subject);
  if (known !== undefined) return known;
  const sentences = allSentencesOf(subject);
  const denials = sentences.flatMap((sentence, index) => {
    const at = NEVER_LOGGED.exec(sentence);
    if (at === null) return [];
    // What stands before a colon may have a condition of its own.
    const head = sentence.slice(0, at.index).search(/[:：][^:：]*$/) + 1;
    const clause = sentence.slice(head);
    if (isConditional(clause)) return [];
    const before = sentences.slice(Math.max(0, index - maxBefore), index).reverse();
    // In the paragraph before, something else is spoken of.
    const end = before.findIndex((one) => one.trim() === '');
    const near = end < 0 ? before : before.slice(0, end);
    return [{ sentence, clause, before: head > 0 ? [sentence.slice(0, head), ...near] : near }];
  });
  read.set(subject, denials);
  return denials;
}

/** How a sentence speaks of what another one names, be it by the word for its kind. */
const SPEAKS_OF_IT =
  /\b(?:it|they|these|those|neither|none of (?:it|them|these|this)) (?:must|may|shall|should|can|will|do(?:es)?|is|are|never|appears?|stays?|goes?|belongs?)\b|\bno (?:names?|numbers?|codes?|address(?:es)?) (?:goes?|is|are|may|must)\b/i;

/** Words that mean more than one thing. */
const SEVERAL =
  /\b(?:they|them|these|those|both|neither(?= (?:may|must|shall|should|can|will|does|is|goes|appears|of)\b)|all)\b|(?<!\p{L})(?:sie|diese|ils|elles|estos|estas|这些)(?!\p{L})/iu;
