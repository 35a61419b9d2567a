import type { Case } from '../contract/agreement.ts';
import { isObject, type Json, type JsonObject, valueAt } from '../kernel/json.ts';
import { NOTHING } from '../lexicon/quantifying.ts';
import { BREAKS_A_REQUEST, BREAKS_RULES, SAYS_NO } from '../lexicon/refusing.ts';
import { equalJson } from '../schemas/equal-json.ts';
import { memberNames } from '../schemas/member-names.ts';
import { isAgreedFailure, isSuccessWord, reportsSuccess } from './agreed-failure.ts';
import { pointersOf } from './located-json.ts';

type Exchange = Pick<Case, 'request' | 'response'>;

/** A number that says how it went, by the name of its member. */
const TELLING_NAME =
  /(?:code|status|state|result|outcome|verdict|c[oó]digo|codice|estado|estatus|statut|stato|код|статус|コード|状態|代码|状态|状态码)$/iu;

/** When something was said: of its own in every answer. */
const MOMENT_NAME = /(?:[/_-](?:time|timestamp|ts|at)|Time|Timestamp|At|时间|时间戳)$/;

/** Lines and clauses of a document that are looked through, and the longest, in UTF-16 units. */
const [MAX_CLAUSES, MAX_CLAUSE] = [5_000, 300];

/** The longest line that is looked through for an answer, in UTF-16 units. */
const MAX_LINE = 1_000;

/** Values of a message that are looked at, and the longest word that a document is searched for, in UTF-16 units. */
const [MAX_VALUES, MAX_WORD] = [40, 60];

/** Sound requests whose answers are compared with. */
const MAX_SOUND = 30;

/** Words that a document is searched for. */
const MAX_SEARCHES = 100;

/** What a document says of the answers to requests that break their schema. */
export class Refusals {
  readonly #codes: ReadonlySet<string>;
  readonly #prose: string;
  readonly #loose: ReadonlySet<string>;
  readonly #found = new Map<string, boolean>();
  readonly #refusing = new Map<Json, boolean>();
  #clauses: string | undefined;
  #saysNothing: boolean | undefined;
  readonly #text: string;
  #written: readonly Json[] | undefined;

  /** `loose` are pointers into answers, to values that tell nothing; `text` is the document with what its prose leaves out. */
  constructor(codes: ReadonlySet<string>, prose: string, loose: ReadonlySet<string> = new Set(), text = '') {
    this.#codes = codes;
    this.#prose = prose;
    this.#loose = loose;
    this.#text = text;
  }

  /**
   * Says whether the answer to a request that breaks its schema turns that request down: it reports a failure; or it is what the document writes
   * out for such requests; or it says what no answer to a
   * sound request says, be it a word of refusal (`state: "invalid"`), a value that the document explains by one (`2 bad query`), or what it says that
   * a member then holds (`band` 0); or it withholds
   * what sound requests are answered with. An answer that itself reports success is no refusal, unless the document has broken requests answered
   * with nothing.
   */
  turnsDown(answered: Exchange & { expected: string }, answeredSound: readonly Exchange[]): boolean {
    if (isAgreedFailure(answered.response, this.#codes, answered.expected)) return true;
    this.#written ??= answersToBroken(this.#text);
    if (this.#written.some((answer) => equalJson(answer, answered.response))) return true;
    const sound = ofItsKind(answered, answeredSound).slice(0, MAX_SOUND);
    const own = ownValues(answered, sound).filter(
      ({ pointer }) => !this.#loose.has(pointer) && !MOMENT_NAME.test(pointer),
    );
    if (own.some(({ value }) => typeof value === 'string' && value.length <= MAX_WORD && SAYS_NO.test(wordsOf(value))))
      return true;
    this.#clauses ??= refusingClauses(this.#prose);
    const clauses = this.#clauses;
    const isSuccess = reportsSuccess(answered.response, this.#codes);
    const isExplained = own.some(
      ({ pointer, value }) =>
        // A clause may have the word for a success beside that for a refusal.
        !isSuccessWord(value) &&
        !(isSuccess && value === 0 && !EXPLAINS_ZERO.test(clauses)) &&
        (typeof value === 'string' ||
          (typeof value === 'number' && (value < 0 || TELLING_NAME.test(pointer)) && !isSuccessCode(value))) &&
        this.#stands('clauses', clauses, value),
    );
    if (isExplained || own.some((leaf) => isSaidOf(clauses, leaf)) || this.#isBarren(answered, sound)) return true;
    return !isSuccess && (this.#withholds(answered, own, sound) || this.#isAlsoSaid(answered, sound));
  }

  /** Whether a sound request is answered in just the same way, and another one is told more. */
  #isAlsoSaid(answered: Exchange, sound: readonly Exchange[]): boolean {
    const told = this.#toldIn(answered);
    const others = sound.map((one) => this.#toldIn(one));
    return others.includes(told) && others.some((one) => one.length > told.length);
  }

  /** What an answer tells of its own, as text: nothing, echoes and loose places aside. */
  #toldIn({ request, response }: Exchange): string {
    const echoes = echoesIn(request);
    const told = leavesOf(response).filter(
      ({ pointer, value }) =>
        !isNothing(value) && value !== 0 && value !== false && !echoes.has(value) && !this.#loose.has(pointer),
    );
    return JSON.stringify(told.map(({ pointer, value }) => [pointer, value]));
  }

  /**
   * Whether an answer has nothing where sound requests are answered with data, and no data of its own: but for echoes and zeros it says nothing, or
   * what the document says, or what only answers without data have a place for.
   */
  #withholds({ request, response }: Exchange, own: readonly Leaf[], sound: readonly Exchange[]): boolean {
    if (!isObject(response)) return false;
    // What a failure says is no data that an answer could withhold.
    const missing = sound.flatMap((one) => {
      if (this.#saysNo(one)) return [];
      const echoes = echoesIn(one.request);
      return leavesOf(one.response).filter(
        ({ pointer, value }) => !isNothing(value) && !echoes.has(value) && isNothing(valueAt(response, pointer)),
      );
    });
    if (missing.length === 0) return false;
    const said = own.filter(({ value }) => value !== 0);
    if (said.length > 0) {
      return said.every(
        ({ pointer, value }) =>
          value === false ||
          (value === true
            ? isRefusingName(pointer)
            : !isSuccessWord(value) &&
              (sound.every((one) => isNothing(valueAt(one.response, pointer)) && !isListed(one.response, pointer)) ||
                // A small number may stand somewhere in any document.
                ((typeof value === 'string' ||
                  TELLING_NAME.test(pointer) ||
                  Number(value) < 0 ||
                  Number(value) >= 100) &&
                  this.#stands('prose', this.#prose, value as string | number)))),
      );
    }
    const echoes = echoesIn(request);
    const isSilent = leavesOf(response).every(
      (leaf) => isNothing(leaf.value) || echoes.has(leaf.value) || own.some(({ pointer }) => pointer === leaf.pointer),
    );
    // An empty list is what a search without results gives, too.
    return (
      isSilent &&
      missing.some(({ pointer }) => !Array.isArray(valueAt(response, pointer.replace(/\/\d+(?:\/.*)?$/, ''))))
    );
  }

  /** Whether an answer is a failure, or has a member or a word that says no. */
  #saysNo({ response }: Exchange): boolean {
    const known = this.#refusing.get(response);
    if (known !== undefined) return known;
    const saysNo = isAgreedFailure(response, this.#codes) || this.#hasWordOfRefusal(response);
    this.#refusing.set(response, saysNo);
    return saysNo;
  }

  #hasWordOfRefusal(response: Json): boolean {
    return leavesOf(response).some(
      ({ pointer, value }) =>
        !isNothing(value) &&
        value !== false &&
        value !== 0 &&
        (SAYS_NO.test(nameAt(pointer)) ||
          (typeof value === 'string' && value.length <= MAX_WORD && SAYS_NO.test(wordsOf(value)))),
    );
  }

  /** Whether an answer has no data at all, where the document has broken requests answered with nothing and a sound request is answered with more. */
  #isBarren({ request, response }: Exchange, sound: readonly Exchange[]): boolean {
    if (typeof response !== 'object' || response === null) return false;
    this.#saysNothing ??= sentencesOfNothing(this.#prose);
    if (!this.#saysNothing) return false;
    const echoes = echoesIn(request);
    const isBare = (value: Json): boolean => isNothing(value) || value === 0 || value === false;
    const size = (value: Json): number => leavesOf(value).filter((leaf) => !isBare(leaf.value)).length;
    return (
      leavesOf(response).every(({ value }) => isBare(value) || echoes.has(value)) &&
      sound.some((one) => size(one.response) > size(response))
    );
  }

  #stands(where: string, text: string, value: string | number): boolean {
    const key = `${where} ${value}`;
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    const word = String(value);
    if (this.#found.size >= MAX_SEARCHES || word.length > MAX_WORD) return false;
    const found = standsIn(text, word);
    this.#found.set(key, found);
    return found;
  }
}

/** Whether a word or number stands in a text, and not as a part of another. */
function standsIn(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const [before, after] = [
      text.slice(Math.max(0, at - 1), at + 1),
      text.slice(at + word.length - 1, at + word.length + 2),
    ];
    if (!/^[\p{Script=Latin}\p{N}_]{2}/u.test(before) && !/^[\p{Script=Latin}\p{N}_]{2}|^\d\.\d/u.test(after))
      return true;
  }
  return false;
}

/** What a clause says that a member holds, behind its name: "`band` is 0", `valid: false`. */
const SAID = /^[\s`'"*=:：]{0,8}(?:is\s)?[`'"*]{0,3}(-?\d+(?:\.\d+)?|true|false)(?![\p{L}\p{N}])/u;

/** A nought with what it stands for, as in a list of codes; elsewhere it may be any number. */
const EXPLAINS_ZERO = /(?<![\d.])0[`"'*\s:：=–-]{0,4}\p{L}/u;

/** Shorter names stand in too many words. */
const MIN_NAME = 3;

/** Whether a clause says of a member, by its name, that it holds that number or truth value. */
function isSaidOf(clauses: string, { pointer, value }: Leaf): boolean {
  const name = pointer.slice(pointer.lastIndexOf('/') + 1);
  if (typeof value !== 'number' && typeof value !== 'boolean') return false;
  if (name.length < MIN_NAME || name.length > MAX_WORD) return false;
  let at = clauses.indexOf(name);
  for (let looks = 0; at >= 0 && looks < MAX_SEARCHES; looks += 1) {
    const end = at + name.length;
    const isWhole = standsIn(clauses.slice(Math.max(0, at - 1), end + 1), name);
    if (isWhole && SAID.exec(clauses.slice(end, end + MAX_WORD))?.[1] === String(value)) return true;
    at = clauses.indexOf(name, end);
  }
  return false;
}

interface Leaf {
  pointer: string;
  value: Json;
}

/** By message: each case that breaks its schema is compared with all that keep theirs. */
const [knownLeaves, knownEchoes] = [new WeakMap<object, Leaf[]>(), new WeakMap<object, Set<Json>>()];

function leavesOf(value: Json): Leaf[] {
  const known = typeof value === 'object' && value !== null ? knownLeaves.get(value) : undefined;
  if (known !== undefined) return known;
  const leaves = pointersOf(value, MAX_VALUES).filter(({ value: each }) => typeof each !== 'object' || each === null);
  if (typeof value === 'object' && value !== null) knownLeaves.set(value, leaves);
  return leaves;
}

function echoesIn(request: Json): Set<Json> {
  const known = typeof request === 'object' && request !== null ? knownEchoes.get(request) : undefined;
  if (known !== undefined) return known;
  const echoes = new Set(leavesOf(request).map(({ value }) => value));
  if (typeof request === 'object' && request !== null) knownEchoes.set(request, echoes);
  return echoes;
}

/** By request: the name of the member that says what it asks for. */
const knownKinds = new WeakMap<JsonObject, string | undefined>();

/** The requests that ask for the same operation, where some do: answers to others have other data. */
function ofItsKind({ request }: Exchange, sound: readonly Exchange[]): readonly Exchange[] {
  if (!isObject(request)) return sound;
  if (!knownKinds.has(request)) {
    const named = memberNames(request).find((name) => typeof request[name] === 'string' && OPERATION_NAME.test(name));
    knownKinds.set(request, named);
  }
  const kind = knownKinds.get(request);
  if (kind === undefined) return sound;
  const alike = sound.filter((one) => isObject(one.request) && one.request[kind] === request[kind]);
  return alike.length > 0 ? alike : sound;
}

const OPERATION_NAME = /^(?:action|op|operation|method|command|cmd|verb|event|kind|type|操作|动作|方法)$/i;

function isSuccessCode(value: number): boolean {
  return value >= 200 && value < 400;
}

/** Whether a member of that name says no by being true. */
function isRefusingName(pointer: string): boolean {
  const name = nameAt(pointer);
  return SAYS_NO.test(name) || BREAKS_RULES.test(name) || /\b(?:not|no|un\w+|missing)\b/i.test(name);
}

/** The words of the last name of a pointer. */
function nameAt(pointer: string): string {
  return wordsOf(pointer.slice(pointer.lastIndexOf('/') + 1));
}

/** The words that a name is made of: `TicketError` and `BAD_TITLE` are two each. */
function wordsOf(name: string): string {
  return name.replace(/([a-z])([A-Z])|[_-]/g, '$1 $2');
}

function isNothing(value: Json | undefined): boolean {
  return value === undefined || value === null || value === '';
}

/** Whether a place lies in a list that another answer has as well, be it empty: what stands there is data. */
function isListed(response: Json, pointer: string): boolean {
  const [list] = /^.*?(?=\/\d+(?:\/|$))/.exec(pointer) ?? [];
  return list !== undefined && Array.isArray(valueAt(response, list));
}

/** What an answer says, other than echoes, that no sound request is answered with in the same place. */
function ownValues({ request, response }: Exchange, sound: readonly Exchange[]): Leaf[] {
  const echoes = echoesIn(request);
  return leavesOf(response).filter(
    ({ pointer, value }) =>
      !isNothing(value) && !echoes.has(value) && sound.every((one) => valueAt(one.response, pointer) !== value),
  );
}

/** The clauses and rows of a document that speak of a refusal, a line each. */
function refusingClauses(prose: string): string {
  return prose
    .split('\n', MAX_CLAUSES)
    .flatMap((line) => (line.includes('|') ? [line] : line.split(/[;,，；、。]|\.(?!\w)/)))
    .slice(0, MAX_CLAUSES)
    .map((clause) => clause.slice(0, MAX_CLAUSE))
    .filter((clause) => SAYS_NO.test(clause) || BREAKS_RULES.test(clause))
    .join('\n');
}

/** Whether a sentence of a document has requests that break its rules answered with nothing. */
function sentencesOfNothing(prose: string): boolean {
  return prose
    .split(/\n|[。；;]|\.(?!\w)/, MAX_CLAUSES)
    .map((sentence) => sentence.slice(0, MAX_CLAUSE))
    .some((sentence) => NOTHING.test(sentence) && BREAKS_A_REQUEST.test(sentence));
}

/** The objects that a document writes out, in one line, as the answers to requests that break its rules. */
function answersToBroken(text: string): Json[] {
  return text
    .split('\n', MAX_CLAUSES)
    .filter((line) => line.length <= MAX_LINE && line.includes('{') && BREAKS_A_REQUEST.test(line))
    .flatMap((line) =>
      [...line.matchAll(/\{(?:[^{}]|\{[^{}]*\})*\}/g)].flatMap(({ 0: object, index }) => {
        const clause = line
          .slice(0, index)
          .split(/[;；。]|\.(?!\w)/)
          .at(-1) as string;
        if (!BREAKS_A_REQUEST.test(clause)) return [];
        try {
          return [JSON.parse(object) as Json];
        } catch {
          return [];
        }
      }),
    );
}
