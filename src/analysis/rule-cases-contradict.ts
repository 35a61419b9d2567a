import type { Case } from '../contract/agreement.ts';
import type { Job } from '../contract/job.ts';
import { isObject, type Json, type JsonObject, pointerTokens, valueAt } from '../kernel/json.ts';
import { differencesOf } from '../schemas/differences.ts';
import { equalJson } from '../schemas/equal-json.ts';
import { pointersOf } from './located-json.ts';
import type { PlacedFinding, Rule } from './rule.ts';

/**
 * The same request, apart from ids that the answer only echoes, has the same answer. Only a warning where our own tools have
 * side effects, so that the answer may depend on what came before, and for a requester, who cannot know the peer's state.
 */
export const ruleCasesContradict: Rule = {
  name: 'cases-contradict',
  check({ job, agreement }) {
    const found: PlacedFinding[] = [];
    const loose = job.role === 'provider' ? job.loose.map(({ pointer }) => pointer) : [];
    const stateful =
      job.role === 'requester' || job.tools.some(({ annotations }) => annotations?.readOnlyHint !== true);
    const seen = new Map<string, { each: Case; plain: PlainCase }[]>();
    for (const each of agreement.cases) {
      const plain = withoutEchoes(each);
      const key = fingerprint(plain.request);
      const alike = seen.get(key) ?? [];
      const earlier = alike.find((other) => equalJson(other.plain.request, plain.request));
      if (earlier === undefined) {
        seen.set(key, [...alike, { each, plain }]);
        continue;
      }
      const [difference] = differencesOf(earlier.plain.response, plain.response, loose).filter(
        ({ path }) => !isOfTheMoment(path),
      );
      if (difference === undefined) continue;
      found.push(placed(job, earlier.each, each, difference.path, stateful));
    }
    return found;
  },
};

interface PlainCase {
  request: Json;
  response: Json;
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
      ...(expected === undefined ? {} : { expected }),
      ...(actual === undefined ? {} : { actual }),
    },
    text: 'cases',
    at: later.responseSpan?.start ?? later.testCase,
  };
}

/** Order does not matter to equality, so neither may it to the key. */
function fingerprint(request: Json): string {
  return typeof request === 'string' ? request : pointersOf(request).length.toString();
}

const CORRELATION =
  /^(?:(?:message|msg|request|req|correlation|trace|span|transaction|txn|call|reply[_-]?to|conversation|exchange|packet|nonce)[_-]?(?:id|no|number|uuid|key)?|in[_-]?reply[_-]?to|nonce|seq|sequence(?:[_-]?(?:id|no|number))?|uuid|消息(?:id|编号|标识)|请求(?:id|编号|标识)|流水号)$/i;

const MOMENT = /(?:^|[_-])(?:time|timestamp|ts|date|at)$|(?:Time|Timestamp|At|Date)$|时间|时间戳/;

function isOfTheMoment(pointer: string): boolean {
  return MOMENT.test(pointerTokens(pointer).at(-1) ?? '');
}

/** Request and response with the ids taken out that name the exchange and nothing in it, and the times of the request. */
function withoutEchoes({ request, response }: Case): PlainCase {
  if (!isObject(request)) return { request, response };
  const echoed = new Set<Json>();
  const plain = Object.fromEntries(
    Object.entries(request).filter(([name, value]) => {
      if (typeof value !== 'string' && typeof value !== 'number') return true;
      const isId = CORRELATION.test(name) || (name === 'id' && request.jsonrpc !== undefined);
      if (isId) echoed.add(value);
      return !isId && !MOMENT.test(name);
    }),
  );
  return { request: plain, response: replaced(response, echoed) };
}

function replaced(value: Json, echoed: ReadonlySet<Json>): Json {
  if (Array.isArray(value)) return value.map((item) => replaced(item, echoed));
  if (!isObject(value)) return value;
  const entries = Object.entries(value as JsonObject).map(([name, member]): [string, Json] => {
    const isEcho = echoed.has(member) && (CORRELATION.test(name) || name === 'id');
    return [name, isEcho ? '(echoed)' : replaced(member, echoed)];
  });
  return Object.fromEntries(entries);
}
