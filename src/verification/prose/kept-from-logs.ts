import { NEVER_LOGGED, OF_THE_ONE_BEFORE, ONLY_LOGGED } from '../../lexicon/acting.ts';
import { phrases } from '../../lexicon/phrases.ts';
import { hasWord } from '../scalar-kinds.ts';
import type { Subject } from '../subject.ts';
import { descriptionsOf, isConditional, isNamedIn } from './denied-members.ts';
import { allSentencesOf, memberNamesOf, spaced } from './documented-answers.ts';

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
 * The sentence by which what a member of the request or of a tool's answer holds is never logged: it names the member, or speaks of "it" and one of
 * the sentences before names the member and none of the others, or no member but the tool; or what a schema says of the member. `undefined` where
 * there is none.
 */
export function keptFromLogs(
  subject: Subject,
  { name, tool }: { name: string; tool?: string },
  told: readonly string[],
): string | undefined {
  const all = [...new Set([name, ...told, ...toldByTools(subject)])];
  const said = denialsOf(subject).find(({ sentence, clause, before }) => {
    if (isNamedIn(clause, name)) return true;
    if (!OF_THE_ONE_BEFORE.test(sentence.trim()) && !SPEAKS_OF_IT.test(clause)) return false;
    for (const one of before) {
      const named = all.filter((other) => isNamedIn(one, other));
      // What the other two are is said where two are named.
      if (named.length === 1 && THE_OTHERS.test(clause)) continue;
      if (named.length > 0) return named.includes(name) && (named.length === 1 || SEVERAL.test(sentence));
      const tools = subject.tools.filter((other) => isToldOf(one, other.name));
      if (tools.length > 0) return tools.length === 1 && tools[0]?.name === tool;
    }
    return false;
  });
  if (said !== undefined) return said.sentence;
  const schemas = [
    subject.requestSchema,
    subject.responseSchema,
    ...subject.tools.map((tool) => tool.outputSchema ?? null),
  ];
  return schemas.flatMap((schema) => descriptionsOf(schema, name, 0)).find((text) => NEVER_LOGGED.test(text));
}

/** The sentence by which some things alone are logged, and what a member holds is none of them. */
export function leftOutOfLogs(subject: Subject, name: string): string | undefined {
  const lists =
    logged.get(subject) ??
    // "Nothing else" may be a sentence of its own.
    allSentencesOf(subject)
      .map((sentence, at, all) =>
        NOTHING_ELSE.test(all[at + 1] ?? '') ? `${sentence.replace(/[.!]\s*$/, ';')} ${all[at + 1]}` : sentence,
      )
      .filter((sentence) => ONLY_LOGGED.test(sentence) && !isConditional(sentence.replace(/\bonly\b|\bnur\b/gi, ' ')));
  logged.set(subject, lists);
  return lists.length === 1 && !isNamedIn(lists[0] ?? '', name) ? lists[0] : undefined;
}

const logged = new WeakMap<Subject, string[]>();

const NOTHING_ELSE = /^\W*(?:nothing|none|no) (?:else|more|further)\b/i;

/** Whether a sentence speaks of what a tool tells, by the words behind the first of its name: `the threshold` of `getThreshold`. */
function isToldOf(sentence: string, tool: string): boolean {
  const noun = spaced(tool).replaceAll('_', ' ').split(/\s+/).slice(1).join(' ');
  return noun.length >= 4 && (hasWord(sentence, noun) || hasWord(sentence, `${noun}s`));
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
    const end = Math.max(
      sentence.slice(0, at.index + at[0].length).search(/[:：;；][^:：;；]*$/) + 1,
      // "The id may be logged, but never the text."
      BUT_NEVER.exec(sentence)?.index ?? 0,
    );
    const isOfHead = WITHOUT_SUBJECT.test(sentence.slice(end)) && !isConditional(sentence.slice(0, end));
    const head = isOfHead ? 0 : end;
    // Where a name stands there as code, the words around it are about it.
    const names = isOfHead ? (sentence.slice(0, end).match(/`[\p{L}\p{N}_]+`/gu) ?? []) : [];
    const clause = names.length > 0 ? `${names.join(' ')}${sentence.slice(end)}` : sentence.slice(head);
    if (isConditional(clause)) return [];
    const before = sentences.slice(Math.max(0, index - maxBefore), index).reverse();
    // In the paragraph before, something else is spoken of.
    const gap = before.findIndex((one) => one.trim() === '');
    const near = gap < 0 ? before : before.slice(0, gap);
    return [{ sentence, clause, before: head > 0 ? [sentence.slice(0, head), ...near] : near }];
  });
  read.set(subject, denials);
  return denials;
}

/** How a sentence that has something logged goes on to what is not. */
const BUT_NEVER = /(?<=\bbut )(?:never|not|neither|no)\b/i;

/** How a part of a sentence goes on about what the part before it names. */
const WITHOUT_SUBJECT = /^\W*(?:not|never|neither|nor|no|weder|nicht|nie|ni|pas|jamais|né|nem|não)\b/iu;

/** How a sentence speaks of what another one names, be it by the word for its kind. */
const SPEAKS_OF_IT = phrases({
  en: [
    '(it|they|these|those|neither|none of (it|them|these|this)|the other (two|three|ones?)|(its|their) \\p{L}{1,30}) (must|may|shall|should|can|will|do(es)?|is|are|never|appears?|stays?|goes?|belongs?)',
    'no (names?|numbers?|codes?|address(es)?) (goes?|is|are|may|must)',
    '(log|write|writes|store|stores|put|puts|enter|enters|record|records|keep|keeps|copy|copies) (it|them)',
  ],
  de: ['es|sie|er|diese[rs]?|beide[s]?'],
  fr: ['il|elle|ils|elles'],
});

/** How a sentence speaks of some of those that another one names. */
const THE_OTHERS = /\bthe other (?:two|three|ones)\b/i;

/** Words that mean more than one thing. */
const SEVERAL =
  /\b(?:they|them|these|those|both|the other (?:two|three|ones)|neither(?= (?:may|must|shall|should|can|will|does|is|goes|appears|of)\b)|all)\b|(?<!\p{L})(?:sie|diese|ils|elles|estos|estas|这些)(?!\p{L})/iu;
