import { isObject, type Json } from '../../kernel/json.ts';
import {
  ANSWERS_WITHOUT,
  FOR_OUR_OWN_USE,
  NEVER_SENT,
  NEVER_TOLD,
  OF_THE_ONE_BEFORE,
  PERSONAL,
  SAME_OF,
  TEXTS_WITHOUT,
} from '../../lexicon/acting.ts';
import { phrases } from '../../lexicon/phrases.ts';
import { hasWord, type Leaf } from '../scalar-kinds.ts';
import type { Subject } from '../subject.ts';
import { allSentencesOf, spaced } from './documented-answers.ts';

const ON_A_CONDITION = phrases({
  en: ['except|unless|only|but|if|when|while|as long as|until|no matter|other than|apart from|save for|besides'],
  de: ['wenn|falls|außer|ausgenommen|neben|bevor|solange|nur (an|wenn|bei|in)'],
  fr: ['si|sauf|quand|seulement|hormis|autres? que'],
  es: ['si|salvo|excepto|cuando|solo|sólo'],
  // A Spanish verb has the same word before it.
  pt: ['se (não|o|a|os|as|for|houver|um|uma)|salvo|exceto|quando|só'],
  zh: ['除非|只有|仅|如果|若|时(?![间候])'],
});

/** Whether what a sentence says holds on a condition, or for some alone. */
export function isConditional(sentence: string): boolean {
  return ON_A_CONDITION.test(sentence);
}

/** A sentence by which something is told to nobody, and about nothing else. */
export function isDenial(sentence: string, never: RegExp): boolean {
  // That something is for some house alone makes no exception for anybody who asks.
  return never.test(sentence) && !isConditional(sentence.replace(FOR_SOME_ALONE, ' '));
}

/** Whose something is, in a sentence that goes on to say what nobody else is told. */
const FOR_SOME_ALONE = /\b(?:is|are) (?:there )?for (?:the |our )?(?:own )?\p{L}+ only(?= and )/iu;

/** A sentence by which something is never told. */
export interface ToldDenial {
  sentence: string;
  /** The part of it, or of the one before, that names what is never told. */
  denied: string;
  /** Whether it speaks of texts for people alone. */
  isOfTexts: boolean;
}

const read = new WeakMap<Subject, ToldDenial[]>();

/** The sentences by which something is never told: what comes first in them (`the pin is never part of an answer`), or behind `an answer has neither`. */
export function denialsOf(subject: Subject): ToldDenial[] {
  const known = read.get(subject);
  if (known !== undefined) return known;
  let before = '';
  let wasDenial = false;
  const ofRequests = subject.role === 'requester';
  const denials = allSentencesOf(subject).flatMap((whole): ToldDenial[] => {
    const said = before;
    if (whole.trim() !== '') before = whole;
    const ofTexts = TEXTS.test(said) ? whole.replace(/^([\s*-]*)(?:they|it)\b/i, '$1messages') : whole;
    const also = wasDenial ? SAME_OF.exec(whole) : null;
    if (also !== null && !isConditional(whole)) {
      const denied = whole.slice(also.index + also[0].length);
      return [{ sentence: `${said} ${whole}`, denied, isOfTexts: false }];
    }
    const own = denialIn(whole) ?? (ofRequests ? denialOfSending(whole) : undefined);
    const found = own ?? denialIn(ofTexts);
    if (whole.trim() !== '') wasDenial = found !== undefined;
    if (found === undefined) return [];
    const isOfBefore = OF_THE_ONE_BEFORE.test((own === undefined ? ofTexts : whole).trim());
    const denied = isOfBefore ? namesOrAll(subject, said, whole) : found.denied;
    return [{ sentence: whole, denied, isOfTexts: found.isOfTexts }];
  });
  read.set(subject, denials);
  return denials;
}

/** What "it" may stand for in a sentence: the names that it has as code, but for those of tools, where it has any; "they" are not one alone. */
function namesOrAll({ tools }: Subject, sentence: string, next: string): string {
  const names = (sentence.match(/`[\p{L}\p{N}_]+`/gu) ?? []).filter(
    (name) => !tools.some((tool) => name === `\`${tool.name}\``),
  );
  return names.length > (SEVERAL.test(next) ? 1 : 0) ? names.join(' ') : sentence;
}

const SEVERAL = /^[\s*-]*(?:they|these|those|both|neither|none)\b/i;

/** What texts for people are called. */
const TEXTS = /\b(?:messages?|texts?|notes?)\b/i;

/** The part of a sentence by which something is never sent that says what it is. */
function denialOfSending(sentence: string): Omit<ToldDenial, 'sentence'> | undefined {
  if (!isDenial(sentence, NEVER_SENT)) return undefined;
  const denied = sentence.slice(0, NEVER_SENT.exec(sentence)?.index);
  return { denied: saidIn(denied) ?? sentence, isOfTexts: false };
}

/** The part of a sentence by which something is never told that says what it is. */
function denialIn(sentence: string): Omit<ToldDenial, 'sentence'> | undefined {
  for (const never of [ANSWERS_WITHOUT, TEXTS_WITHOUT]) {
    const [found] = isDenial(sentence, never) ? (never.exec(sentence) ?? []) : [];
    if (found === undefined) continue;
    const denied = saidIn(sentence.slice(sentence.indexOf(found) + found.length)) ?? sentence;
    if (TOO_MUCH.test(denied)) continue;
    return { denied, isOfTexts: never === TEXTS_WITHOUT && !OF_ANSWERS.test(found) };
  }
  const isNever = isDenial(sentence, NEVER_TOLD);
  const never = isNever ? NEVER_TOLD : FOR_OUR_OWN_USE;
  const at = never.exec(sentence)?.index;
  // That only we use it is no condition.
  if (at === undefined || (!isNever && isConditional(sentence.replace(never, ' ')))) return undefined;
  const denied = AS_WELL.test(sentence.slice(at)) ? sentence : (saidIn(sentence.slice(0, at)) ?? sentence);
  return { denied, isOfTexts: false };
}

/** How it begins what is not in an answer for there being too much of it. */
const TOO_MUCH =
  /^\W*(?:an?y )?(?:more|fewer|less|other|further|additional|duplicates?|the same|empty|null|mehr|weniger|andere|weitere|doppelte|plus|más|mais|più)\b|^\W*(?:超过|多于|其他|其它|重复|空)/i;

/** What answers are called, as wholes. */
const OF_ANSWERS =
  /\b(?:answers?|responses?|repl(?:y|ies)|antwort\w*|respuestas?|respostas?|rispost[ae])\b|réponses?|响应|回复|应答/i;

/** How a sentence goes on to something else that is not told. */
const AS_WELL = /,\s*(?:and )?(?:neither|nor)\b|，也(?:不|勿)/i;

/** A part of a sentence, where it says anything. */
function saidIn(part: string): string | undefined {
  return /\p{L}{2}/u.test(part) ? part : undefined;
}

/** How names write German letters that they cannot have. */
const UMLAUTS: Readonly<Record<string, string>> = { ae: 'ä', oe: 'ö', ue: 'ü' };

/** In what a number is counted, at the end of a member's name. */
const UNIT =
  /^(?:cents?|micros?|millis?|tenths?|hundredths?|percent|pct|pence|minor|fen|eur|euro|usd|dollars?|yuan|ms|seconds?|minutes?|hours?|days?|kg|grams?|km|kwh)$/;

/** Whether a sentence speaks of what a member holds: by its name, or by the words that the name is made of. */
export function isNamedIn(sentence: string, name: string): boolean {
  if (name.length < (/^\p{Script=Han}+$/u.test(name) ? 2 : 3)) return false;
  const words = spaced(name).replaceAll('_', ' ');
  if (
    hasWord(sentence, name) ||
    // One word in German: "Steuernummer".
    (name.length >= 4 &&
      new RegExp(`(?<!\\p{L})${name.replace(/\W/g, '')}(?:nummer|adresse|daten)n?(?!\\p{L})`, 'iu').test(sentence)) ||
    hasWord(sentence, `${name}s`) ||
    // As German has them in the plural.
    (name.length >= 4 && ['n', 'e', 'en', 'er'].some((ending) => hasWord(sentence, `${name}${ending}`))) ||
    hasWord(sentence, words) ||
    (/^(?:born|dob)$/i.test(name) && /\bbirth/i.test(sentence))
  )
    return true;
  const umlauts = name.replace(/[aou]e/g, (letters) => UMLAUTS[letters] ?? letters);
  if (umlauts !== name && (hasWord(sentence, umlauts) || hasWord(sentence, `${umlauts}s`))) return true;
  // Who keeps bees is a beekeeper.
  if (name.length >= 6 && /^\p{L}+$/u.test(name) && new RegExp(`\\p{L}{3,5}${name}(?!\\p{L})`, 'iu').test(sentence))
    return true;
  if (PERSONAL.some(([said, member]) => member.test(name) && said.test(sentence))) return true;
  // "The e-mail of the owner" is the owner's, and "the name of the guest" the guest's name; in what a balance is counted need not be said.
  const parts = words.toLowerCase().split(/\s+/);
  if (parts.length > 1 && UNIT.test(parts.at(-1) ?? '')) return isNamedIn(sentence, parts.slice(0, -1).join('_'));
  const plain = sentence.replace(/\be-mail/gi, 'email');
  // "The owner's data" are all of them.
  if (
    parts.length > 1 &&
    new RegExp(`\\b${(parts[0] ?? '').replace(/\W/g, '')}['’]s (?:personal )?(?:data|details)\\b`, 'i').test(sentence)
  )
    return true;
  // Who has an `authId` may call it an authorisation number.
  const [first = '', last = ''] = parts;
  if (
    parts.length === 2 &&
    /^(?:id|no|nr)$/.test(last) &&
    new RegExp(`\\b${RegExp.escape(first)}\\p{L}* (?:numbers?|ids?)\\b`, 'iu').test(plain)
  )
    return true;
  return parts.length > 1 && parts.every((part) => hasWord(plain, part) || hasWord(plain, `${part}s`));
}

/** Whether the document says of a member that nobody is told what it holds. */
export function isDenied(subject: Subject, { name }: Leaf): boolean {
  return denialOf(subject, name) !== undefined;
}

/** The sentence by which nobody is told what members of a name hold, in texts for people or in any place. */
export function denialOf(subject: Subject, name: string, isMeant = (_: ToldDenial) => true): ToldDenial | undefined {
  const denials = denialsOf(subject);
  if (denials.length === 0) return undefined;
  const known = descriptions.get(subject) ?? new Map<string, string[]>();
  descriptions.set(subject, known);
  const said =
    known.get(name) ??
    subject.tools
      .flatMap(({ outputSchema = null }) => descriptionsOf(outputSchema, name, 0))
      .map((text) => (/^[^,;:.(（，；：。]+/.exec(text)?.[0] ?? '').trim())
      .filter((text) => text.length <= maxNoun && text.length >= (/\p{Script=Han}/u.test(text) ? 3 : 8));
  known.set(name, said);
  return denials.find(
    (one) =>
      isMeant(one) &&
      (isNamedIn(one.denied, name) ||
        said.some((noun) => hasWord(one.denied, noun)) ||
        (one.isOfTexts && isNamedByItsNoun(one.denied, name))),
  );
}

const descriptions = new WeakMap<Subject, Map<string, string[]>>();

/** A description that is longer says more than what something is called, in UTF-16 units. */
const maxNoun = 40;

/** Whether a sentence has the noun of a name, `limit` for `dailyLimit`, where that says what it is. */
function isNamedByItsNoun(sentence: string, name: string): boolean {
  const noun = spaced(name).replaceAll('_', ' ').toLowerCase().split(/\s+/).at(-1) ?? '';
  return noun.length >= 5 && !/^(?:number|status|value|amount|total|count|title|state|reason|message)$/.test(noun)
    ? hasWord(sentence, noun) || hasWord(sentence, `${noun}s`)
    : false;
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
