import type { Case } from '../contract/agreement.ts';
import type { Job } from '../contract/job.ts';
import { pointersOf } from '../documents/located-json.ts';
import type { PlacedFinding } from '../families/family.ts';
import { canonicalJson } from '../kernel/digest.ts';
import { escapeToken, isObject, type Json, type JsonObject, pointerTokens, valueAt } from '../kernel/json.ts';
import { differencesOf } from '../schemas/differences.ts';
import { equalJson } from '../schemas/equal-json.ts';
import { memberNames } from '../schemas/member-names.ts';
import { CORRELATION, type DocumentedEchoes, REQUEST_ID } from './documented-echoes.ts';
import { type Rule, reportable } from './rule.ts';
import { tagOf, untagged } from './text-tags.ts';

/**
 * Equal requests, except for echoed ids, have equal answers. Only a warning if a tool has side effects, so that the
 * answer may depend on earlier calls, and for a requester, which cannot know the peer's state.
 */
export const ruleCasesContradict: Rule = {
  name: 'cases-contradict',
  check({ job, agreement }, { echoes, cases: ownCases }) {
    const found: PlacedFinding[] = [];
    const loose = job.role === 'provider' ? job.loose.map(({ pointer }) => pointer) : [];
    const stateful =
      job.role === 'requester' || job.tools.some(({ annotations }) => annotations?.readOnlyHint !== true);
    const inputs = toolInputs(job);
    const asked = new AskedCases();
    const kinds = new NameKinds();
    for (const each of agreement.cases) {
      const later = askedCase({ each, inputs, echoes, kinds });
      const earlier = asked.sameAs(later);
      // If only one of the requests breaks its schema, they differ in the id.
      if (earlier === undefined || earlier.each.negative !== each.negative) continue;
      const [difference] = differencesOf(plainAnswer(earlier), plainAnswer(later), loose).filter(
        ({ path }) => !isTimestamp(path),
      );
      if (difference === undefined) continue;
      // A sentence alone does not tell whether such an id names the message or the requested thing.
      const unsure = earlier.mayAsk || later.mayAsk;
      const reason = stateful
        ? job.role === 'requester'
          ? 'the peer may keep state'
          : 'a tool has side effects'
        : unsure
          ? 'an id may be the subject of the request'
          : null;
      // Cases from an earlier verification have numbers here that the peer does not know.
      const isOwn = ownCases.some(({ testCase }) => testCase === earlier.each.testCase);
      const cases = isOwn
        ? `cases ${earlier.each.testCase} and ${each.testCase}`
        : `case ${each.testCase} and one agreed earlier`;
      found.push(placed(cases, earlier.each, each, difference.path, reason));
    }
    return found;
  },
};

/** A case and what it asks: the request, and the ids that only name the exchange. */
interface AskedCase {
  each: Case;
  /** A hash that is equal for equal requests. */
  hash: number;
  /** The request, without those ids inside other members. */
  request: Json;
  /**
   * The names of those ids at the top level of the request. They are not removed, because copying a wide request is
   * expensive.
   */
  ignored: ReadonlySet<string>;
  /** The member name of each of those ids. */
  echoed: ReadonlyMap<Json, string>;
  /** Whether only the document identifies one of those ids. */
  mayAsk: boolean;
  /** The answer without echoed ids; computed once. */
  answer?: Json;
}

/**
 * The first case for each distinct request. Only requests with equal hashes are compared, and only those that differ
 * are put in canonical form.
 */
class AskedCases {
  readonly #byHash = new Map<number, { first: AskedCase; others: Map<string, AskedCase> }>();

  /** The earlier case with the same request; `undefined` if there is none. */
  sameAs(asked: AskedCase): AskedCase | undefined {
    const alike = this.#byHash.get(asked.hash);
    if (alike === undefined) {
      this.#byHash.set(asked.hash, { first: asked, others: new Map() });
      return undefined;
    }
    if (isSameRequest(alike.first, asked)) return alike.first;
    const sorted = canonicalJson(requestOf(asked));
    const other = alike.others.get(sorted);
    if (other === undefined) alike.others.set(sorted, asked);
    return other;
  }
}

function isSameRequest(one: AskedCase, other: AskedCase): boolean {
  const [left, right] = [one.request, other.request];
  if (!isObject(left) || !isObject(right)) return equalJson(requestOf(one), requestOf(other));
  const names = memberNames(left);
  if (names.length - one.ignored.size !== memberNames(right).length - other.ignored.size) return false;
  return names.every(
    (name) =>
      one.ignored.has(name) ||
      (Object.hasOwn(right, name) && !other.ignored.has(name) && equalJson(left[name] as Json, right[name] as Json)),
  );
}

/** The request without its ids; `null` if it has only ids. */
function requestOf({ request, ignored }: AskedCase): Json {
  if (ignored.size === 0 || !isObject(request)) return request;
  const kept = Object.entries(request).filter(([name]) => !ignored.has(name));
  return kept.length === 0 ? null : Object.fromEntries(kept);
}

/** A hash that is equal for equal values in any member order; skips the members in `ignored`. */
function hashOf(value: Json, ignored: ReadonlySet<string>): number {
  if (!isObject(value)) return hashOfMember(value);
  let hash = 0;
  for (const name of memberNames(value)) {
    if (ignored.has(name)) continue;
    const member = value[name] as Json;
    let named = 1;
    for (let at = 0; at < name.length; at += 1) named = Math.imul(named, 31) + name.charCodeAt(at);
    hash = (hash + Math.imul(named, hashOfMember(member) + 1)) | 0;
  }
  return hash;
}

function hashOfMember(member: Json): number {
  if (typeof member === 'string') return sumOf(member);
  return typeof member === 'number' ? member | 0 : sumOf(JSON.stringify(member));
}

/** Equal for texts of the same characters in any order. */
function sumOf(text: string): number {
  let sum = 0;
  for (let at = 0; at < text.length; at += 1) sum += text.charCodeAt(at);
  return sum;
}

/** `cases` names both; `reason` says why it is only a warning. */
function placed(cases: string, earlier: Case, later: Case, pointer: string, reason: string | null): PlacedFinding {
  const expected = valueAt(earlier.response, pointer);
  const actual = valueAt(later.response, pointer);
  return {
    finding: {
      code: 'DOCUMENT_CASES_CONTRADICT',
      severity: reason === null ? 'error' : 'warning',
      in: 'response',
      testCase: later.testCase,
      pointer,
      message: `Cannot satisfy ${cases}: the same request has different answers, wanted one${reason === null ? '' : ` (${reason})`}`,
      ...reportable({ ...(expected === undefined ? {} : { expected }), ...(actual === undefined ? {} : { actual }) }),
    },
    text: 'cases',
    at: later.responseSpan?.start ?? later.testCase,
  };
}

/** Members that name the kind of a message. */
const KIND = /^(?:type|action|method|version|protocol|jsonrpc|timestamp|sent_?at)$/i;

/** Members that describe a message and ask for nothing. */
const ENVELOPE =
  /^(?:(?:message|msg|request|req)?[_-]?(?:headers?|head|meta|metadata|envelope)|kopf(?:daten)?|en-?t[eê]te|encabezado|cabecera|cabeçalho|intestazione|заголовок|(?:消息|报文|请求)?头部?|元数据|ヘッダー?)$/i;

const MOMENT = /(?:^|[_-])(?:time|timestamp|ts|date|at)$|(?:Time|Timestamp|At|Date)$|时间|时间戳/;

function isTimestamp(pointer: string): boolean {
  return MOMENT.test(pointerTokens(pointer).at(-1) ?? '');
}

/** What a member's name alone says about it. */
interface NameKind {
  isKind: boolean;
  isCorrelation: boolean;
  isRequestId: boolean;
  isEnvelope: boolean;
}

/** Cached per name, because the cases of an agreement use the same names. */
class NameKinds {
  readonly #known = new Map<string, NameKind>();

  of(name: string): NameKind {
    let known = this.#known.get(name);
    if (known === undefined) {
      known = {
        isKind: KIND.test(name),
        isCorrelation: CORRELATION.test(name),
        isRequestId: REQUEST_ID.test(name),
        isEnvelope: ENVELOPE.test(name),
      };
      this.#known.set(name, known);
    }
    return known;
  }
}

interface Exchanges {
  each: Case;
  inputs: ReadonlySet<Json>;
  echoes: DocumentedEchoes;
  kinds: NameKinds;
}

function askedCase({ each, inputs, echoes, kinds }: Exchanges): AskedCase {
  const { request } = each;
  const echoed = new Map<Json, string>();
  const ignored = new Set<string>();
  let mayAsk = false;
  if (!isObject(request)) {
    const isTagged = echoes.isTagRepeated() && hasOwnTag(each, inputs);
    const asked = isTagged ? untagged(request) : request;
    const answer = isTagged ? untagged(each.response) : each.response;
    return { each, hash: hashOf(asked, ignored), request: asked, ignored, echoed, mayAsk: isTagged, answer };
  }
  const asksForDataIn = (value: JsonObject, depth: number): boolean =>
    memberNames(value).some((name) => {
      const { isKind, isCorrelation, isRequestId, isEnvelope } = kinds.of(name);
      if (isKind || isCorrelation || isRequestId) return false;
      const member = value[name] as Json;
      return !isEnvelope || depth >= MAX_DEPTH || !isObject(member) || asksForDataIn(member, depth + 1);
    });
  const asksForData = asksForDataIn(request, 0);
  const isEcho = (within: string, name: string, value: Json) => {
    if (typeof value !== 'string' && typeof value !== 'number') return false;
    const isOfMessage =
      within === '' &&
      (kinds.of(name).isCorrelation ||
        (asksForData && kinds.of(name).isRequestId) ||
        (name === 'id' && request.jsonrpc !== undefined));
    const isId =
      isOfMessage ||
      ((asksForData || kinds.of(name).isCorrelation) &&
        echoes.isEcho(name) &&
        valueAt(each.response, `${within}/${escapeToken(name)}`) === value);
    // An input of a tool is data, whatever its name.
    if (!isId || inputs.has(value)) return false;
    if (!isOfMessage) mayAsk = true;
    return true;
  };
  let isLeftInside = false;
  const collect = (value: JsonObject, within: string, depth: number): void => {
    for (const name of memberNames(value)) {
      const member = value[name] as Json;
      if (isObject(member)) {
        if (depth < MAX_DEPTH) collect(member, `${within}/${escapeToken(name)}`, depth + 1);
      } else if (isEcho(within, name, member)) {
        echoed.set(member, name);
        if (depth === 0) ignored.add(name);
        else isLeftInside = true;
      }
    }
  };
  collect(request, '', 0);
  if (isLeftInside) {
    const copy = withoutEchoes(request, isEcho);
    return { each, hash: hashOf(copy, NONE), request: copy, ignored: NONE, echoed, mayAsk };
  }
  const asked: AskedCase = { each, hash: 0, request, ignored, echoed, mayAsk };
  asked.hash = hashOf(ignored.size < memberNames(request).length ? request : requestOf(asked), ignored);
  return asked;
}

/** Whether a text asks for more than its tag, which the answer repeats; an input of a tool is data. */
function hasOwnTag({ request, response }: Case, inputs: ReadonlySet<Json>): boolean {
  const tag = tagOf(request);
  if (tag === undefined || !/\d/.test(tag) || tag !== tagOf(response)) return false;
  const bare = tag.replace(/[^\p{L}\p{N}]/gu, '');
  return /[\p{L}\p{N}]/u.test(String(untagged(request))) && ![tag, bare, Number(bare)].some((one) => inputs.has(one));
}

const NONE: ReadonlySet<string> = new Set();

function withoutEchoes(
  value: JsonObject,
  isEcho: (within: string, name: string, member: Json) => boolean,
  within = '',
  depth = 0,
): Json {
  const kept: JsonObject = { ...value };
  for (const name of memberNames(value)) {
    const member = value[name] as Json;
    if (isEcho(within, name, member)) delete kept[name];
    else if (isObject(member) && depth < MAX_DEPTH)
      kept[name] = withoutEchoes(member, isEcho, `${within}/${escapeToken(name)}`, depth + 1);
  }
  return Object.keys(kept).length === 0 ? null : kept;
}

/** How deep a request is searched for ids. */
const MAX_DEPTH = 2;

function plainAnswer(asked: AskedCase): Json {
  const { each, echoed } = asked;
  asked.answer ??= echoed.size === 0 ? each.response : replaced(each.response, echoed);
  return asked.answer;
}

/** The inputs of the job's tools. */
function toolInputs(job: Job): Set<Json> {
  return new Set(
    job.tools.flatMap(({ examples = [] }) =>
      examples.flatMap(({ input }) => pointersOf(input, 200).map(({ value }) => value)),
    ),
  );
}

function replaced(value: Json, echoed: AskedCase['echoed']): Json {
  if (Array.isArray(value)) {
    const items = value.map((item) => replaced(item, echoed));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isObject(value)) return value;
  const changed: [string, Json][] = [];
  for (const name of memberNames(value)) {
    const member = value[name] as Json;
    const now = echoed.has(member) && mayEcho(name, member, echoed) ? '(echoed)' : replaced(member, echoed);
    if (now !== member) changed.push([name, now]);
  }
  // Assigned members keep their position.
  return changed.length === 0 ? value : { ...value, ...Object.fromEntries(changed) };
}

function mayEcho(name: string, member: Json, echoed: AskedCase['echoed']): boolean {
  // A small number often equals an id by chance.
  return (
    typeof member === 'string' ||
    name === 'id' ||
    name === echoed.get(member) ||
    CORRELATION.test(name) ||
    REQUEST_ID.test(name)
  );
}
