import type { Case } from '../contract/agreement.ts';
import type { Job } from '../contract/job.ts';
import { canonicalJson } from '../kernel/digest.ts';
import { escapeToken, isObject, type Json, type JsonObject, pointerTokens, valueAt } from '../kernel/json.ts';
import { differencesOf } from '../schemas/differences.ts';
import { equalJson } from '../schemas/equal-json.ts';
import { pointersOf } from './located-json.ts';
import { type PlacedFinding, type Rule, reportable } from './rule.ts';
import { CORRELATION, REQUEST_ID, SaidEchoes } from './said-echoes.ts';

/**
 * The same request, apart from ids that the answer only echoes, has the same answer. Only a warning where our own tools have
 * side effects, so that the answer may depend on what came before, and for a requester, who cannot know the peer's state.
 */
export const ruleCasesContradict: Rule = {
  name: 'cases-contradict',
  check({ job, agreement }, { parts }) {
    const found: PlacedFinding[] = [];
    const loose = job.role === 'provider' ? job.loose.map(({ pointer }) => pointer) : [];
    const stateful =
      job.role === 'requester' || job.tools.some(({ annotations }) => annotations?.readOnlyHint !== true);
    const inputs = toolInputs(job);
    const said = new SaidEchoes(parts.own.prose, job.tools);
    const seen = new Map<string, AskedCase>();
    const texts = new EqualTexts();
    for (const each of agreement.cases) {
      const asked = withoutEchoes({ each, inputs, said });
      const key = texts.keyOf(asked.request);
      const earlier = seen.get(key);
      if (earlier === undefined) {
        seen.set(key, asked);
        continue;
      }
      const [difference] = differencesOf(plainAnswer(earlier), plainAnswer(asked), loose).filter(
        ({ path }) => !isOfTheMoment(path),
      );
      if (difference === undefined) continue;
      found.push(placed(job, earlier.each, each, difference.path, stateful));
    }
    return found;
  },
};

/** A case with what it asks: the request without the ids that name the exchange and nothing in it, and those ids. */
interface AskedCase {
  each: Case;
  request: Json;
  /** The name under which each of those ids was sent. */
  echoed: ReadonlyMap<Json, string>;
  /** What it is answered with, the echoed ids taken out: found out once. */
  answer?: Json;
}

/** Keys of values: equal values have the same one. Only values that look equal are compared, and put in canonical form where they differ. */
class EqualTexts {
  readonly #byLook = new Map<number, { value: Json; text: string; known?: Map<string, string> }>();

  keyOf(value: Json): string {
    const text = JSON.stringify(value);
    const look = isObject(value) ? lookOf(value) : sumOf(text);
    const before = this.#byLook.get(look);
    if (before === undefined) {
      this.#byLook.set(look, { value, text });
      return text;
    }
    if (before.text === text || equalJson(before.value, value)) return before.text;
    before.known ??= new Map();
    const sorted = canonicalJson(value);
    const key = before.known.get(sorted) ?? text;
    before.known.set(sorted, key);
    return key;
  }
}

/** The same for equal objects, whatever the order of their members. */
function lookOf(value: JsonObject): number {
  let look = 0;
  for (const name of Object.keys(value)) {
    let named = 1;
    for (let at = 0; at < name.length; at += 1) named = Math.imul(named, 31) + name.charCodeAt(at);
    look = (look + Math.imul(named, lookOfMember(value[name] as Json) + 1)) | 0;
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

function placed(job: Job, earlier: Case, later: Case, pointer: string, stateful: boolean): PlacedFinding {
  const expected = valueAt(earlier.response, pointer);
  const actual = valueAt(later.response, pointer);
  const reason = job.role === 'requester' ? 'the peer may keep a state' : 'a tool has side effects';
  return {
    finding: {
      code: 'DOCUMENT_CASES_CONTRADICT',
      severity: stateful ? 'warning' : 'error',
      in: 'response',
      testCase: later.testCase,
      pointer,
      message: `Cannot satisfy cases ${earlier.testCase} and ${later.testCase}: the same request has different answers, wanted one${stateful ? ` (${reason})` : ''}`,
      ...reportable({ ...(expected === undefined ? {} : { expected }), ...(actual === undefined ? {} : { actual }) }),
    },
    text: 'cases',
    at: later.responseSpan?.start ?? later.testCase,
  };
}

/** Members that name the kind of a message. */
const KIND = /^(?:type|action|method|version|protocol|jsonrpc|timestamp|sent_?at)$/i;

const MOMENT = /(?:^|[_-])(?:time|timestamp|ts|date|at)$|(?:Time|Timestamp|At|Date)$|时间|时间戳/;

function isOfTheMoment(pointer: string): boolean {
  return MOMENT.test(pointerTokens(pointer).at(-1) ?? '');
}

function withoutEchoes({ each, inputs, said }: { each: Case; inputs: ReadonlySet<Json>; said: SaidEchoes }): AskedCase {
  const { request } = each;
  const echoed = new Map<Json, string>();
  if (!isObject(request)) return { each, request, echoed };
  const asksMore = Object.keys(request).some(
    (name) => !KIND.test(name) && !CORRELATION.test(name) && !REQUEST_ID.test(name),
  );
  const isEcho = (within: string, name: string, value: Json) => {
    if (typeof value !== 'string' && typeof value !== 'number') return false;
    const isId =
      (within === '' &&
        (CORRELATION.test(name) ||
          (asksMore && REQUEST_ID.test(name)) ||
          (name === 'id' && request.jsonrpc !== undefined))) ||
      (asksMore && said.isEcho(name) && valueAt(each.response, `${within}/${escapeToken(name)}`) === value);
    // What a tool is asked for is data, whatever its name.
    return isId && !inputs.has(value);
  };
  const hasEcho = (value: Json, within: string, depth: number): boolean =>
    isObject(value) &&
    depth <= 2 &&
    Object.keys(value).some((name) => {
      const member = value[name] as Json;
      return isObject(member)
        ? hasEcho(member, `${within}/${escapeToken(name)}`, depth + 1)
        : isEcho(within, name, member);
    });
  // A copy of a wide request costs more than all the rest.
  if (!hasEcho(request, '', 0)) return { each, request, echoed };
  const without = (value: Json, within: string, depth: number): Json => {
    if (!isObject(value) || depth > 2) return value;
    const kept: JsonObject = { ...value };
    for (const name of Object.keys(value)) {
      const member = value[name] as Json;
      if (isEcho(within, name, member)) {
        echoed.set(member, name);
        delete kept[name];
      } else if (isObject(member)) kept[name] = without(member, `${within}/${escapeToken(name)}`, depth + 1);
    }
    return Object.keys(kept).length === 0 ? null : kept;
  };
  return { each, request: without(request, '', 0), echoed };
}

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
  if (Array.isArray(value)) return value.map((item) => replaced(item, echoed));
  if (!isObject(value)) return value;
  const entries = Object.entries(value as JsonObject).map(([name, member]): [string, Json] => {
    // A small number stands for much else than the id it equals.
    const mayEcho =
      typeof member === 'string' ||
      name === 'id' ||
      name === echoed.get(member) ||
      CORRELATION.test(name) ||
      REQUEST_ID.test(name);
    return [name, mayEcho && echoed.has(member) ? '(echoed)' : replaced(member, echoed)];
  });
  return Object.fromEntries(entries);
}
