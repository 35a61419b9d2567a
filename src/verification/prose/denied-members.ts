import { isObject, type Json } from '../../kernel/json.ts';
import { ANSWERS_WITHOUT, NEVER_TOLD, OF_THE_ONE_BEFORE, PERSONAL } from '../../lexicon/acting.ts';
import { phrases } from '../../lexicon/phrases.ts';
import { hasWord, type Leaf } from '../scalar-kinds.ts';
import type { Subject } from '../subject.ts';
import { allSentencesOf, spaced } from './documented-answers.ts';

const ON_A_CONDITION = phrases({
  en: ['except|unless|only|but|if|when|until|no matter'],
  de: ['wenn|falls|außer|bevor|solange|nur (an|wenn|bei|in)'],
  fr: ['si|sauf|quand|seulement'],
  es: ['si|salvo|excepto|cuando|solo|sólo'],
  // A Spanish verb has the same word before it.
  pt: ['se (não|o|a|os|as|for|houver|um|uma)|salvo|exceto|quando|só'],
  zh: ['除非|只有|仅|如果|若|时(?![间候])'],
});

/** A sentence by which something is told to nobody, and about nothing else. */
export function isDenial(sentence: string, never: RegExp): boolean {
  return never.test(sentence) && !ON_A_CONDITION.test(sentence);
}

/** A sentence by which something is never told. */
export interface ToldDenial {
  sentence: string;
  /** The part of it, or of the one before, that names what is never told. */
  denied: string;
}

const read = new WeakMap<Subject, ToldDenial[]>();

/** The sentences by which something is never told: what comes first in them (`the pin is never part of an answer`), or behind `an answer has neither`. */
export function denialsOf(subject: Subject): ToldDenial[] {
  const known = read.get(subject);
  if (known !== undefined) return known;
  let before = '';
  const denials = allSentencesOf(subject).flatMap((sentence): ToldDenial[] => {
    const said = before;
    if (sentence.trim() !== '') before = sentence;
    const without = ANSWERS_WITHOUT.exec(sentence);
    if (without && isDenial(sentence, ANSWERS_WITHOUT))
      return [{ sentence, denied: saidIn(sentence.slice(without.index + without[0].length)) ?? sentence }];
    if (!isDenial(sentence, NEVER_TOLD)) return [];
    const at = NEVER_TOLD.exec(sentence)?.index ?? 0;
    const denied = AS_WELL.test(sentence.slice(at)) ? sentence : (saidIn(sentence.slice(0, at)) ?? sentence);
    return [{ sentence, denied: OF_THE_ONE_BEFORE.test(sentence.trim()) ? namesOrAll(said) : denied }];
  });
  read.set(subject, denials);
  return denials;
}

/** What "it" may stand for in a sentence: the names that it has as code, where it has any. */
function namesOrAll(sentence: string): string {
  return sentence.match(/`[\p{L}\p{N}_]+`/gu)?.join(' ') ?? sentence;
}

/** How a sentence goes on to something else that is not told. */
const AS_WELL = /,\s*(?:and )?(?:neither|nor)\b|，也(?:不|勿)/i;

/** A part of a sentence, where it says anything. */
function saidIn(part: string): string | undefined {
  return /\p{L}{2}/u.test(part) ? part : undefined;
}

/** How names write German letters that they cannot have. */
const UMLAUTS: Readonly<Record<string, string>> = { ae: 'ä', oe: 'ö', ue: 'ü' };

/** Whether a sentence speaks of what a member holds: by its name, or by the words that the name is made of. */
export function isNamedIn(sentence: string, name: string): boolean {
  if (name.length < 3) return false;
  const words = spaced(name).replaceAll('_', ' ');
  if (
    hasWord(sentence, name) ||
    // One word in German: "Steuernummer".
    (name.length >= 4 &&
      new RegExp(`(?<!\\p{L})${name.replace(/\W/g, '')}(?:nummer|adresse|daten)n?(?!\\p{L})`, 'iu').test(sentence)) ||
    hasWord(sentence, `${name}s`) ||
    hasWord(sentence, words) ||
    (/^(?:born|dob)$/i.test(name) && /\bbirth/i.test(sentence))
  )
    return true;
  const umlauts = name.replace(/[aou]e/g, (letters) => UMLAUTS[letters] ?? letters);
  if (umlauts !== name && (hasWord(sentence, umlauts) || hasWord(sentence, `${umlauts}s`))) return true;
  if (PERSONAL.some(([said, member]) => member.test(name) && said.test(sentence))) return true;
  // "The e-mail of the owner" is the owner's, and "the name of the guest" the guest's name.
  const parts = words.toLowerCase().split(/\s+/);
  const plain = sentence.replace(/\be-mail/gi, 'email');
  // "The owner's data" are all of them.
  if (
    parts.length > 1 &&
    new RegExp(`\\b${(parts[0] ?? '').replace(/\W/g, '')}['’]s (?:personal )?(?:data|details)\\b`, 'i').test(sentence)
  )
    return true;
  return parts.length > 1 && parts.every((part) => hasWord(plain, part) || hasWord(plain, `${part}s`));
}

/** Whether the document says of a member that nobody is told what it holds. */
export function isDenied(subject: Subject, { name }: Leaf): boolean {
  return denialsOf(subject).some(({ denied }) => isNamedIn(denied, name));
}

/** What a schema says of the members of a name. */
export function descriptionsOf(schema: Json, name: string, depth: number): string[] {
  if (depth > 20 || typeof schema !== 'object' || schema === null) return [];
  const own = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
  const found = Object.hasOwn(own, name) ? own[name] : undefined;
  return [
    ...(isObject(found) && typeof found.description === 'string' ? [found.description] : []),
    ...Object.values(schema).flatMap((child) => descriptionsOf(child, name, depth + 1)),
  ];
}
