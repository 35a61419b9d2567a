import type { Case } from '../contract/agreement.ts';
import { pointersOf } from '../documents/located-json.ts';
import { isObject, type Json, type JsonObject, valueAt } from '../kernel/json.ts';
import { SAYS_NO } from '../lexicon/refusing.ts';
import { memberNames } from '../schemas/member-names.ts';
import { isAgreedFailure, isSuccessWord, reportsSuccess } from './agreed-failure.ts';

type Exchange = Pick<Case, 'request' | 'response'>;

/** A number that says how it went, by the name of its member. */
const TELLING_NAME =
  /(?:code|status|state|result|outcome|verdict|c[oó]digo|codice|estado|estatus|statut|stato|код|статус|コード|状態|代码|状态|状态码)$/iu;

/** When something was said: of its own in every answer. */
const MOMENT_NAME = /(?:[/_-](?:time|timestamp|ts|at)|Time|Timestamp|At|时间|时间戳)$/;

/** Values of a message that are looked at, and the longest word, in UTF-16 units. */
const [MAX_VALUES, MAX_WORD] = [40, 60];

/** Sound requests whose answers are compared with. */
const MAX_SOUND = 30;

/**
 * Tells which answers turn a request down that breaks its schema, by the answers alone: sentences of the document have
 * no say.
 */
export class Refusals {
  readonly #codes: ReadonlySet<string>;
  readonly #loose: ReadonlySet<string>;
  readonly #refusing = new Map<Json, boolean>();

  /**
   * `codes` are those of failures that the document lists; `loose` are pointers into answers, to values that tell
   * nothing.
   */
  constructor(codes: ReadonlySet<string>, loose: ReadonlySet<string> = new Set()) {
    this.#codes = codes;
    this.#loose = loose;
  }

  /**
   * Says whether the answer to a request that breaks its schema turns it down. It does where it reports a failure, has
   * a word of refusal, or withholds what sound requests are answered with. It does not where it reports success, or has
   * data as the answers to sound requests have. In doubt it does: then a request that is broken by mistake passes, and
   * no peer is blamed for one that is broken on purpose.
   */
  turnsDown(answered: Exchange, answeredSound: readonly Exchange[]): boolean {
    const { response } = answered;
    if (isAgreedFailure(response, this.#codes)) return true;
    if (reportsSuccess(response, this.#codes)) return false;
    if (hasWordOfRefusal(response)) return true;
    const sound = ofItsKind(answered, answeredSound).slice(0, MAX_SOUND);
    // What a text says, and whether it is data, nobody sees here.
    if (typeof response === 'string' || response === null) return sound.every((one) => one.response !== response);
    const own = ownValues(answered, sound).filter(
      ({ pointer }) => !this.#loose.has(pointer) && !MOMENT_NAME.test(pointer),
    );
    return this.#withholds(answered, own, sound) || this.#isAlsoSaid(answered, sound);
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
   * Whether an answer has no data of its own, and nothing where sound requests are answered with data; or says nothing
   * but how it went.
   */
  #withholds({ request, response }: Exchange, own: readonly Leaf[], sound: readonly Exchange[]): boolean {
    if (typeof response !== 'object') return false;
    // What a failure says is no data that an answer could withhold.
    const isMissing = sound.some((one) => {
      if (this.#saysNo(one)) return false;
      const echoes = echoesIn(one.request);
      return leavesOf(one.response).some(
        ({ pointer, value }) => !isNothing(value) && !echoes.has(value) && isNothing(valueAt(response, pointer)),
      );
    });
    const said = own.filter(({ value }) => value !== 0);
    if (said.length > 0) return said.every((leaf) => tellsOutcome(leaf, sound) || (isMissing && isNoData(leaf, sound)));
    const echoes = echoesIn(request);
    const isSilent = leavesOf(response).every(
      ({ pointer, value }) => isNothing(value) || echoes.has(value) || own.some((leaf) => leaf.pointer === pointer),
    );
    return isMissing && isSilent;
  }

  /** Whether an answer is a failure, or has a member or a word that says no. */
  #saysNo({ response }: Exchange): boolean {
    const known = this.#refusing.get(response);
    if (known !== undefined) return known;
    const saysNo = isAgreedFailure(response, this.#codes) || hasWordOfRefusal(response);
    this.#refusing.set(response, saysNo);
    return saysNo;
  }
}

/** Whether an answer has a member or a value that is a word of refusal. */
function hasWordOfRefusal(response: Json): boolean {
  return leavesOf(response).some(
    ({ pointer, value }) =>
      !isNothing(value) &&
      value !== false &&
      value !== 0 &&
      (SAYS_NO.test(nameAt(pointer)) ||
        (typeof value === 'string' && value.length <= MAX_WORD && SAYS_NO.test(wordsOf(value)))),
  );
}

/**
 * Whether a value that no sound answer has says how it went: by the name of its member, or as a number below zero where
 * all others are above.
 */
function tellsOutcome({ pointer, value }: Leaf, sound: readonly Exchange[]): boolean {
  if (isSuccessWord(value) || typeof value === 'boolean') return false;
  if (TELLING_NAME.test(pointer)) return true;
  const others = sound.map(({ response }) => valueAt(response, pointer));
  return Number(value) < 0 && others.some((other) => Number(other) > 0) && !others.some((other) => Number(other) < 0);
}

/**
 * Whether a value is none of the data that sound answers have: a truth value that says no, a word, or what stands where
 * they have nothing.
 */
function isNoData({ pointer, value }: Leaf, sound: readonly Exchange[]): boolean {
  if (typeof value === 'boolean') return !value || isRefusingName(pointer);
  if (isSuccessWord(value)) return false;
  return (
    typeof value === 'string' ||
    sound.every((one) => isNothing(valueAt(one.response, pointer)) && !isListed(one.response, pointer))
  );
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

/** Whether a member of that name says no by being true. */
function isRefusingName(pointer: string): boolean {
  const name = nameAt(pointer);
  return SAYS_NO.test(name) || /\b(?:not|no|un\w+|missing)\b/i.test(name);
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
