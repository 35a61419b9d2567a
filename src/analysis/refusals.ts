import type { Case } from '../contract/agreement.ts';
import { pointersOf } from '../documents/located-json.ts';
import { isObject, type Json, type JsonObject, valueAt } from '../kernel/json.ts';
import { SAYS_NO } from '../lexicon/refusing.ts';
import { memberNames } from '../schemas/member-names.ts';
import { isAgreedFailure, isSuccessWord, reportsSuccess } from './agreed-failure.ts';

type Exchange = Pick<Case, 'request' | 'response'>;

/** Names of members whose numbers report a result. */
const TELLING_NAME =
  /(?:code|status|state|result|outcome|verdict|c[oó]digo|codice|estado|estatus|statut|stato|код|статус|コード|状態|代码|状态|状态码)$/iu;

/** Timestamps differ in every answer. */
const MOMENT_NAME = /(?:[/_-](?:time|timestamp|ts|at)|Time|Timestamp|At|时间|时间戳)$/;

/** Most values of a message that are examined, and the longest word, in UTF-16 units. */
const [MAX_VALUES, MAX_WORD] = [40, 60];

/** Most valid requests whose answers are compared. */
const MAX_VALID = 30;

/**
 * Decides whether an answer refuses an invalid request, from the answers alone; sentences of the document do not count.
 */
export class Refusals {
  readonly #codes: ReadonlySet<string>;
  readonly #loose: ReadonlySet<string>;
  readonly #results = new Map<Json, boolean>();

  /**
   * `codes` are the error codes that the document lists; `loose` are pointers to values in answers that mean nothing.
   */
  constructor(codes: ReadonlySet<string>, loose: ReadonlySet<string> = new Set()) {
    this.#codes = codes;
    this.#loose = loose;
  }

  /**
   * Whether the answer to an invalid request refuses it. Yes if it reports a failure, has a word of refusal, or omits
   * data that valid requests are answered with. No if it reports success, or has data like the answers to valid
   * requests. If undecided, yes: then a request that is invalid by mistake passes, but no peer is blamed for one that
   * is invalid on purpose.
   */
  refuses(answered: Exchange, answeredValid: readonly Exchange[]): boolean {
    const { response } = answered;
    if (isAgreedFailure(response, this.#codes)) return true;
    if (reportsSuccess(response, this.#codes)) return false;
    if (hasWordOfRefusal(response)) return true;
    const valid = sameOperation(answered, answeredValid).slice(0, MAX_VALID);
    // Whether a text contains data cannot be determined here.
    if (typeof response === 'string' || response === null) return valid.every((one) => one.response !== response);
    const distinct = distinctValues(answered, valid).filter(
      ({ pointer }) => !this.#loose.has(pointer) && !MOMENT_NAME.test(pointer),
    );
    return this.#withholds(answered, distinct, valid) || this.#isAlsoGivenToValid(answered, valid);
  }

  /** Whether a valid request has exactly the same answer, and another valid request a longer one. */
  #isAlsoGivenToValid(answered: Exchange, valid: readonly Exchange[]): boolean {
    const content = this.#contentOf(answered);
    const others = valid.map((one) => this.#contentOf(one));
    return others.includes(content) && others.some((one) => one.length > content.length);
  }

  /** An answer's own content as text, without empty values, echoes and loose places. */
  #contentOf({ request, response }: Exchange): string {
    const echoes = echoesIn(request);
    const content = leavesOf(response).filter(
      ({ pointer, value }) =>
        !isNothing(value) && value !== 0 && value !== false && !echoes.has(value) && !this.#loose.has(pointer),
    );
    return JSON.stringify(content.map(({ pointer, value }) => [pointer, value]));
  }

  /**
   * Whether an answer has no data of its own and lacks data that valid requests are answered with, or reports only a
   * result.
   */
  #withholds({ request, response }: Exchange, distinct: readonly Leaf[], valid: readonly Exchange[]): boolean {
    if (typeof response !== 'object') return false;
    // The content of a failure is not data that an answer could omit.
    const isMissing = valid.some((one) => {
      if (this.#isRefusal(one)) return false;
      const echoes = echoesIn(one.request);
      return leavesOf(one.response).some(
        ({ pointer, value }) => !isNothing(value) && !echoes.has(value) && isNothing(valueAt(response, pointer)),
      );
    });
    const nonZero = distinct.filter(({ value }) => value !== 0);
    if (nonZero.length > 0)
      return nonZero.every((leaf) => tellsOutcome(leaf, valid) || (isMissing && isNoData(leaf, valid)));
    const echoes = echoesIn(request);
    const isSilent = leavesOf(response).every(
      ({ pointer, value }) =>
        isNothing(value) || echoes.has(value) || distinct.some((leaf) => leaf.pointer === pointer),
    );
    return isMissing && isSilent;
  }

  /** Whether an answer is a failure or has a word of refusal. */
  #isRefusal({ response }: Exchange): boolean {
    const known = this.#results.get(response);
    if (known !== undefined) return known;
    const isRefusal = isAgreedFailure(response, this.#codes) || hasWordOfRefusal(response);
    this.#results.set(response, isRefusal);
    return isRefusal;
  }
}

/** Whether a member name or value of an answer is a word of refusal. */
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
 * Whether a value that no valid answer has reports a result: by its member's name, or as a negative number where all
 * others are positive.
 */
function tellsOutcome({ pointer, value }: Leaf, valid: readonly Exchange[]): boolean {
  if (isSuccessWord(value) || typeof value === 'boolean') return false;
  if (TELLING_NAME.test(pointer)) return true;
  const others = valid.map(({ response }) => valueAt(response, pointer));
  return Number(value) < 0 && others.some((other) => Number(other) > 0) && !others.some((other) => Number(other) < 0);
}

/**
 * Whether a value is not data like that of valid answers: a refusing boolean, a word, or a value where they have none.
 */
function isNoData({ pointer, value }: Leaf, valid: readonly Exchange[]): boolean {
  if (typeof value === 'boolean') return !value || isRefusingName(pointer);
  if (isSuccessWord(value)) return false;
  return (
    typeof value === 'string' ||
    valid.every((one) => isNothing(valueAt(one.response, pointer)) && !isListed(one.response, pointer))
  );
}

interface Leaf {
  pointer: string;
  value: Json;
}

/** Cached per message, because each invalid case is compared with all valid ones. */
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

/** By request: the name of the member that names the operation. */
const knownKinds = new WeakMap<JsonObject, string | undefined>();

/** The requests for the same operation, if there are any; answers to other operations have other data. */
function sameOperation({ request }: Exchange, valid: readonly Exchange[]): readonly Exchange[] {
  if (!isObject(request)) return valid;
  if (!knownKinds.has(request)) {
    const named = memberNames(request).find((name) => typeof request[name] === 'string' && OPERATION_NAME.test(name));
    knownKinds.set(request, named);
  }
  const kind = knownKinds.get(request);
  if (kind === undefined) return valid;
  const alike = valid.filter((one) => isObject(one.request) && one.request[kind] === request[kind]);
  return alike.length > 0 ? alike : valid;
}

const OPERATION_NAME = /^(?:action|op|operation|method|command|cmd|verb|event|kind|type|操作|动作|方法)$/i;

/** Whether a member of this name refuses if it is true. */
function isRefusingName(pointer: string): boolean {
  const name = nameAt(pointer);
  return SAYS_NO.test(name) || /\b(?:not|no|un\w+|missing)\b/i.test(name);
}

/** The words of a pointer's last token. */
function nameAt(pointer: string): string {
  return wordsOf(pointer.slice(pointer.lastIndexOf('/') + 1));
}

/** The words in a name: `TicketError` and `BAD_TITLE` have two each. */
function wordsOf(name: string): string {
  return name.replace(/([a-z])([A-Z])|[_-]/g, '$1 $2');
}

function isNothing(value: Json | undefined): boolean {
  return value === undefined || value === null || value === '';
}

/** Whether a place is in a list that another answer has too, even if empty; such a value is data. */
function isListed(response: Json, pointer: string): boolean {
  const [list] = /^.*?(?=\/\d+(?:\/|$))/.exec(pointer) ?? [];
  return list !== undefined && Array.isArray(valueAt(response, list));
}

/** The values of an answer that are not echoes and that no valid request's answer has at the same place. */
function distinctValues({ request, response }: Exchange, valid: readonly Exchange[]): Leaf[] {
  const echoes = echoesIn(request);
  return leavesOf(response).filter(
    ({ pointer, value }) =>
      !isNothing(value) && !echoes.has(value) && valid.every((one) => valueAt(one.response, pointer) !== value),
  );
}
