import { documentedCodesIn } from '../analysis/document-facts.ts';
import { reportsFailure } from '../analysis/failure.ts';
import type { Analyzed, Case } from '../contract/agreement.ts';
import type { Finding } from '../contract/finding.ts';
import type { Loose } from '../contract/job.ts';
import { violationWords } from '../families/violation-words.ts';
import { escapeToken, isObject, type Json, valueAt } from '../kernel/json.ts';
import { validatorOf } from '../schemas/validator-of.ts';
import { summaryOf } from '../schemas/violation-summary.ts';
import type { Violation } from '../schemas/violations.ts';
import { looseDifferences, substitute } from './loose-places.ts';
import { leavesOf } from './scalar-kinds.ts';

/** An exchange as it was seen on the wire. */
interface Exchange {
  testCase?: number;
  request: Json;
  response: Json;
}

/** A scalar of the request that comes back in the response. */
interface Echo {
  request: string;
  response: string;
}

/**
 * Holds what a peer really sent against the agreement: the agreed schema of its side, ids that must come back, the case that an exchange answers, and
 * the failures that the document lists. Findings are `in` the exchanges, their pointers start at the list. What is wrong with our own side of an
 * exchange is a warning.
 */
export function observeExchanges({ job, agreement }: Analyzed): Finding[] {
  const exchanges = job.exchanges ?? [];
  const request = violationsBy(agreement.requestSchema?.schema);
  const response = violationsBy(agreement.responseSchema?.schema);
  const echoes = echoesOf(agreement.cases, agreement.requestSchema?.schema, agreement.responseSchema?.schema);
  const codes = new Set(documentedCodesIn(agreement.text).map(({ code }) => code));
  const peerSide = job.role === 'provider' ? 'request' : 'response';
  return exchanges.flatMap((exchange, index) => {
    const base = {
      in: 'exchange',
      ...(exchange.testCase === undefined ? {} : { testCase: exchange.testCase }),
    } as const;
    const sides = [
      ['request', request(exchange.request)],
      ['response', response(exchange.response)],
    ] as const;
    const violations = sides.flatMap(([side, issues]) => {
      // A request that breaks its schema on purpose was agreed as a case.
      if (side === 'request' && agreement.cases.some((one) => one.negative && answers(one, exchange, []))) return [];
      const places = Map.groupBy(issues, ({ pointer }) => pointer);
      return [...places.values()].map((together) => violation(base, index, side, together, side === peerSide));
    });
    if (peerSide === 'request') return violations;
    const told = new Set(violations.map(({ pointer }) => pointer));
    return [
      ...violations,
      ...echoFindings(base, index, exchange, echoes),
      ...caseFindings(base, index, exchange, agreement.cases, job.loose, echoes).filter(
        ({ pointer }) => !told.has(pointer),
      ),
      ...failureFindings(base, index, exchange, codes, agreement.cases, agreement.text),
    ];
  });
}

type Base = Pick<Finding, 'in' | 'testCase'>;

function violationsBy(schema: Json | undefined): (value: Json) => Violation[] {
  const validator = schema === undefined ? undefined : validatorOf(schema);
  return validator?.ok ? validator.validate : () => [];
}

function violation(
  base: Base,
  index: number,
  side: 'request' | 'response',
  violations: readonly Violation[],
  isPeers: boolean,
): Finding {
  const { expected, actual } = summaryOf(violations);
  return {
    ...base,
    code: 'DOCUMENT_EXCHANGE_VIOLATES_SCHEMA',
    severity: isPeers ? 'error' : 'warning',
    pointer: `/${index}/${side}${violations[0]?.pointer ?? ''}`,
    message: `Cannot accept ${side} of exchange ${index + 1}: ${violationWords(expected, actual, 'en')}${isPeers ? '' : ' (this side is ours)'}`,
    expected,
    ...(actual === undefined ? {} : { actual }),
  };
}

const correlationName = /^(?:message|msg|request|req|correlation|transaction|txn|trace|conversation)[_-]?id$/i;

/** Names of what ties a response to its request; an id of a thing is data, and may come back in another form. */
const echoName =
  /^(?:.*(?:message|msg|request|req|correlation|transaction|txn|trace|conversation)[_-]?id|id|nonce|token|seq(?:uence)?[_-]?(?:id|no|number)?)$/i;

/** Where a response must repeat the request: as every case has it, or by the name that both schemas give to a correlation id. */
function echoesOf(cases: readonly Case[], requestSchema: Json | undefined, responseSchema: Json | undefined): Echo[] {
  const named = propertyNames(requestSchema)
    .filter((name) => correlationName.test(name) && propertyNames(responseSchema).includes(name))
    .map((name): Echo => ({ request: `/${escapeToken(name)}`, response: `/${escapeToken(name)}` }));
  const [first] = cases;
  const shown = !first
    ? []
    : leavesOf(first.request).flatMap(({ pointer, name, value }) => {
        if ((typeof value !== 'string' && typeof value !== 'number') || !echoName.test(name)) return [];
        const back = leavesOf(first.response).filter((leaf) => leaf.value === value && leaf.name === name);
        return back
          .filter(({ pointer: there }) => cases.every((one) => isEchoed(one, pointer, there)))
          .map(({ pointer: there }): Echo => ({ request: pointer, response: there }));
      });
  return [...new Map([...named, ...shown].map((echo) => [`${echo.request} ${echo.response}`, echo])).values()];
}

function isEchoed({ request, response }: Case, from: string, to: string): boolean {
  const sent = valueAt(request, from);
  const back = valueAt(response, to);
  return sent === undefined || back === undefined || sent === back;
}

function propertyNames(schema: Json | undefined): string[] {
  const properties = isObject(schema) ? schema.properties : undefined;
  return isObject(properties) ? Object.keys(properties) : [];
}

function echoFindings(base: Base, index: number, { request, response }: Exchange, echoes: readonly Echo[]): Finding[] {
  return echoes.flatMap((echo): Finding[] => {
    const sent = valueAt(request, echo.request);
    const back = valueAt(response, echo.response);
    if (sent === undefined || back === undefined || sent === back) return [];
    return [
      {
        ...base,
        code: 'DOCUMENT_EXCHANGE_ID_NOT_ECHOED',
        severity: 'error',
        pointer: `/${index}/response${echo.response}`,
        message: `Cannot match response of exchange ${index + 1} to its request: ${JSON.stringify(back)}, wanted the value sent, ${JSON.stringify(sent)}`,
        expected: sent,
        actual: back,
      },
    ];
  });
}

/** Whether an exchange asks what a case asks, apart from ids and loose places. */
function answers(one: Case, { request }: Pick<Exchange, 'request'>, ignored: readonly Loose[]): boolean {
  return looseDifferences(one.request, request, ignored).length === 0;
}

function caseFindings(
  base: Base,
  index: number,
  exchange: Exchange,
  cases: readonly Case[],
  loose: readonly Loose[],
  echoes: readonly Echo[],
): Finding[] {
  const ignored: Loose[] = [...loose, ...echoes.map(({ request }): Loose => ({ pointer: request, as: 'id' }))];
  const matching = cases.filter((one) => answers(one, exchange, ignored));
  const one =
    matching.find(({ testCase }) => testCase === exchange.testCase) ??
    (exchange.testCase === undefined ? matching[0] : undefined);
  if (!one) return [];
  const replacements = ignored.flatMap(({ pointer }) => {
    const from = valueAt(one.request, pointer);
    const to = valueAt(exchange.request, pointer);
    return from === undefined || to === undefined ? [] : [{ from, to }];
  });
  // A wrong id is told of once, as an id that did not come back.
  const echoed: Loose[] = echoes.map(({ response }) => ({ pointer: response, as: 'id' }));
  return looseDifferences(substitute(one.response, replacements), exchange.response, echoed).map(
    ({ path, expected, got }): Finding => ({
      ...base,
      code: 'DOCUMENT_EXCHANGE_CONTRADICTS_CASE',
      severity: 'error',
      testCase: one.testCase,
      pointer: `/${index}/response${path}`,
      message: `Cannot reconcile response of exchange ${index + 1} with case ${one.testCase}: ${shown(got)}, wanted ${shown(expected)}`,
      ...(expected === undefined ? {} : { expected }),
      ...(got === undefined ? {} : { actual: got }),
    }),
  );
}

const codeName = /^(?:code|status_?code|error_?code|err_?code)$/i;

/** A failure whose code the document does not list, where it lists codes and leaves no room for others. */
function failureFindings(
  base: Base,
  index: number,
  { response }: Exchange,
  codes: ReadonlySet<string>,
  cases: readonly Case[],
  text: string,
): Finding[] {
  if (codes.size === 0 || /\bhttp\b/i.test(text) || !reportsFailure(response, codes)) return [];
  const known = new Set([
    ...codes,
    ...cases.flatMap((one) =>
      leavesOf(one.response).flatMap(({ name, value }) => (codeName.test(name) ? [String(value)] : [])),
    ),
  ]);
  return leavesOf(response)
    .filter(({ name, value }) => codeName.test(name) && value !== null && !known.has(String(value)))
    .map(
      ({ pointer, value }): Finding => ({
        ...base,
        code: 'DOCUMENT_EXCHANGE_FAILURE_UNDOCUMENTED',
        severity: 'error',
        pointer: `/${index}/response${pointer}`,
        message: `Cannot understand failure of exchange ${index + 1}: code ${JSON.stringify(value)}, wanted one that the document lists`,
        expected: [...codes],
        actual: value,
      }),
    );
}

function shown(value: Json | undefined): string {
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 200);
}
