import type { Case } from '../contract/agreement.ts';
import type { Job } from '../contract/job.ts';
import { pointersOf } from '../documents/located-json.ts';
import type { PlacedFinding } from '../families/family.ts';
import { canonicalJson } from '../kernel/digest.ts';
import { escapeToken, isObject, type Json, type JsonObject, pointerTokens, valueAt } from '../kernel/json.ts';
import { differencesOf } from '../schemas/differences.ts';
import { equalJson } from '../schemas/equal-json.ts';
import { memberNames } from '../schemas/member-names.ts';
import { type Rule, reportable } from './rule.ts';
import { CORRELATION, REQUEST_ID, type SaidEchoes } from './said-echoes.ts';
import { tagOf, untagged } from './text-tags.ts';

/**
 * The same request, apart from ids that the answer only echoes, has the same answer. Only a warning where our own tools have
 * side effects, so that the answer may depend on what came before, and for a requester, who cannot know the peer's state.
 */
export const ruleCasesContradict: Rule = {
  name: 'cases-contradict',
  check({ job, agreement }, { said, cases: own }) {
    const found: PlacedFinding[] = [];
    const loose = job.role === 'provider' ? job.loose.map(({ pointer }) => pointer) : [];
    const stateful =
      job.role === 'requester' || job.tools.some(({ annotations }) => annotations?.readOnlyHint !== true);
    const inputs = toolInputs(job);
    const asked = new AskedCases();
    const kinds = new NameKinds();
    for (const each of agreement.cases) {
      const later = askedCase({ each, inputs, said, kinds });
      const earlier = asked.sameAs(later);
      // An id that breaks its schema is what the other case does not have.
      if (earlier === undefined || earlier.each.negative !== each.negative) continue;
      const [difference] = differencesOf(plainAnswer(earlier), plainAnswer(later), loose).filter(
        ({ path }) => !isOfTheMoment(path),
      );
      if (difference === undefined) continue;
      // A sentence alone does not tell whether such an id is of the message, or of what is asked about.
      const unsure = earlier.mayAsk || later.mayAsk;
      const reason = stateful
        ? job.role === 'requester'
          ? 'the peer may keep a state'
          : 'a tool has side effects'
        : unsure
          ? 'an id may be what is asked about'
          : null;
      // Those that a handler was verified with before have numbers here that nobody gave them.
      const isOwn = own.some(({ testCase }) => testCase === earlier.each.testCase);
      const cases = isOwn
        ? `cases ${earlier.each.testCase} and ${each.testCase}`
        : `case ${each.testCase} and one agreed before`;
      found.push(placed(cases, earlier.each, each, difference.path, reason));
    }
    return found;
  },
};

/** A case with what it asks: the request without the ids that name the exchange and nothing in it, and those ids. */
interface AskedCase {
  each: Case;
  /** The same for equal requests. */
  look: number;
  /** The request, without those ids that lie inside of other members. */
  request: Json;
  /** The names of those ids that are members of the request itself: a copy of a wide request costs more than all the rest. */
  left: ReadonlySet<string>;
  /** The name under which each of those ids was sent. */
  echoed: ReadonlyMap<Json, string>;
  /** Whether one of those ids is known as such by the document alone. */
  mayAsk: boolean;
  /** What it is answered with, the echoed ids taken out: found out once. */
  answer?: Json;
}

/** The first case that asks for something, by what is asked. Only what looks equal is compared, and put in canonical form where it differs. */
class AskedCases {
  readonly #byLook = new Map<number, { first: AskedCase; others: Map<string, AskedCase> }>();

  /** The earlier case that asks for the same; `undefined` where this one is the first. */
  sameAs(asked: AskedCase): AskedCase | undefined {
    const alike = this.#byLook.get(asked.look);
    if (alike === undefined) {
      this.#byLook.set(asked.look, { first: asked, others: new Map() });
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
  if (names.length - one.left.size !== memberNames(right).length - other.left.size) return false;
  return names.every(
    (name) =>
      one.left.has(name) ||
      (Object.hasOwn(right, name) && !other.left.has(name) && equalJson(left[name] as Json, right[name] as Json)),
  );
}

/** What is asked for; nothing where there are only ids that name the exchange. */
function requestOf({ request, left }: AskedCase): Json {
  if (left.size === 0 || !isObject(request)) return request;
  const kept = Object.entries(request).filter(([name]) => !left.has(name));
  return kept.length === 0 ? null : Object.fromEntries(kept);
}

/** The same for equal values, whatever the order of their members; of an object without those of some names. */
function lookOf(value: Json, left: ReadonlySet<string>): number {
  if (!isObject(value)) return lookOfMember(value);
  let look = 0;
  for (const name of memberNames(value)) {
    if (left.has(name)) continue;
    const member = value[name] as Json;
    let named = 1;
    for (let at = 0; at < name.length; at += 1) named = Math.imul(named, 31) + name.charCodeAt(at);
    look = (look + Math.imul(named, lookOfMember(member) + 1)) | 0;
  }
  return look;
}

function lookOfMember(member: Json): number {
  if (typeof member === 'string') return sumOf(member);
  return typeof member === 'number' ? member | 0 : sumOf(JSON.stringify(member));
}

/** The same for texts of the same characters, in whatever order. */
function sumOf(text: string): number {
  let sum = 0;
  for (let at = 0; at < text.length; at += 1) sum += text.charCodeAt(at);
  return sum;
}

/** `cases` names both; `reason` says why it is only warned of. */
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

/** Members that hold what is said of a message, and nothing that it asks. */
const ENVELOPE =
  /^(?:(?:message|msg|request|req)?[_-]?(?:headers?|head|meta|metadata|envelope)|kopf(?:daten)?|en-?t[eê]te|encabezado|cabecera|cabeçalho|intestazione|заголовок|(?:消息|报文|请求)?头部?|元数据|ヘッダー?)$/i;

const MOMENT = /(?:^|[_-])(?:time|timestamp|ts|date|at)$|(?:Time|Timestamp|At|Date)$|时间|时间戳/;

function isOfTheMoment(pointer: string): boolean {
  return MOMENT.test(pointerTokens(pointer).at(-1) ?? '');
}

/** What the name of a member says of it, as far as that depends on nothing else. */
interface NameKind {
  isKind: boolean;
  isCorrelation: boolean;
  isRequestId: boolean;
  isEnvelope: boolean;
}

/** By name: the cases of an agreement have the same ones. */
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
  said: SaidEchoes;
  kinds: NameKinds;
}

function askedCase({ each, inputs, said, kinds }: Exchanges): AskedCase {
  const { request } = each;
  const echoed = new Map<Json, string>();
  const left = new Set<string>();
  let mayAsk = false;
  if (!isObject(request)) {
    const isTagged = said.isTagRepeated() && hasOwnTag(each, inputs);
    const asked = isTagged ? untagged(request) : request;
    const answer = isTagged ? untagged(each.response) : each.response;
    return { each, look: lookOf(asked, left), request: asked, left, echoed, mayAsk: isTagged, answer };
  }
  const asksMoreIn = (value: JsonObject, depth: number): boolean =>
    memberNames(value).some((name) => {
      const { isKind, isCorrelation, isRequestId, isEnvelope } = kinds.of(name);
      if (isKind || isCorrelation || isRequestId) return false;
      const member = value[name] as Json;
      return !isEnvelope || depth >= MAX_DEPTH || !isObject(member) || asksMoreIn(member, depth + 1);
    });
  const asksMore = asksMoreIn(request, 0);
  const isEcho = (within: string, name: string, value: Json) => {
    if (typeof value !== 'string' && typeof value !== 'number') return false;
    const isOfMessage =
      within === '' &&
      (kinds.of(name).isCorrelation ||
        (asksMore && kinds.of(name).isRequestId) ||
        (name === 'id' && request.jsonrpc !== undefined));
    const isId =
      isOfMessage ||
      ((asksMore || kinds.of(name).isCorrelation) &&
        said.isEcho(name) &&
        valueAt(each.response, `${within}/${escapeToken(name)}`) === value);
    // What a tool is asked for is data, whatever its name.
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
        if (depth === 0) left.add(name);
        else isLeftInside = true;
      }
    }
  };
  collect(request, '', 0);
  if (isLeftInside) {
    const copy = withoutEchoes(request, isEcho);
    return { each, look: lookOf(copy, NONE), request: copy, left: NONE, echoed, mayAsk };
  }
  const asked: AskedCase = { each, look: 0, request, left, echoed, mayAsk };
  asked.look = lookOf(left.size < memberNames(request).length ? request : requestOf(asked), left);
  return asked;
}

/** Whether a text asks for more than by the tag that its answer repeats; what a tool is asked for is data. */
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

/** How deep in a request ids are looked for. */
const MAX_DEPTH = 2;

function plainAnswer(asked: AskedCase): Json {
  const { each, echoed } = asked;
  asked.answer ??= echoed.size === 0 ? each.response : replaced(each.response, echoed);
  return asked.answer;
}

/** The values that the job's tools are asked for. */
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
  // Members that are assigned keep their place.
  return changed.length === 0 ? value : { ...value, ...Object.fromEntries(changed) };
}

function mayEcho(name: string, member: Json, echoed: AskedCase['echoed']): boolean {
  // A small number stands for much else than the id it equals.
  return (
    typeof member === 'string' ||
    name === 'id' ||
    name === echoed.get(member) ||
    CORRELATION.test(name) ||
    REQUEST_ID.test(name)
  );
}
