import type { Finding } from '../../contract/finding.ts';
import type { Loose } from '../../contract/job.ts';
import type { Difference } from '../../contract/outcome.ts';
import { type Json, valueAt } from '../../kernel/json.ts';
import type { CasesByRequest } from '../cases-by-request.ts';
import { looseDifferences, substitute } from '../loose-places.ts';
import type { Echo } from './echoes.ts';
import { type Exchange, exchangeOf, pointerTo, type Side } from './exchange.ts';
import { messageTimePlaces, responseIdPlaces } from './fresh-places.ts';

/**
 * A warning with the first difference if the request is not the one of the claimed case. The response cannot be
 * compared with that case then.
 */
export function claimFindings(exchange: Exchange, cases: CasesByRequest, ignored: readonly Loose[]): Finding[] {
  const { testCase, request } = exchange;
  const claimed = testCase === undefined ? undefined : cases.numbered(testCase);
  if (claimed === undefined || cases.of(request).includes(claimed)) return [];
  const [first] = looseDifferences(claimed.request, request, ignored);
  return first === undefined
    ? []
    : [{ ...contradiction(exchange, 'request', claimed.testCase, first), severity: 'warning' }];
}

/** The differences between the response and the one of the case with the same request. */
export function caseFindings(
  exchange: Exchange,
  cases: CasesByRequest,
  ignored: readonly Loose[],
  echoes: readonly Echo[],
  loose: readonly Loose[],
): Finding[] {
  const matching = cases.of(exchange.request);
  const one =
    matching.find(({ testCase }) => testCase === exchange.testCase) ??
    (exchange.testCase === undefined ? matching[0] : undefined);
  if (!one) return [];
  const replacements = ignored.flatMap(({ pointer }) => {
    const from = valueAt(one.request, pointer);
    const to = valueAt(exchange.request, pointer);
    return from === undefined || to === undefined ? [] : [{ from, to }];
  });
  // echoFindings reports a wrong id already.
  const echoed: Loose[] = echoes.map(({ response }) => ({ pointer: response, as: 'id' }));
  const free = [...loose, ...echoed, ...messageTimePlaces([one.response]), ...responseIdPlaces(one)];
  return looseDifferences(substitute(one.response, replacements), exchange.response, free).map((difference) =>
    contradiction(exchange, 'response', one.testCase, difference),
  );
}

function contradiction(exchange: Exchange, side: Side, testCase: number, { path, expected, got }: Difference): Finding {
  return {
    ...exchangeOf(exchange),
    code: 'DOCUMENT_EXCHANGE_CONTRADICTS_CASE',
    severity: 'error',
    testCase,
    pointer: pointerTo(exchange, side, path),
    message: `Cannot reconcile ${side} of exchange ${exchange.index + 1} with case ${testCase}: ${quoted(got)}, wanted ${quoted(expected)}`,
    ...(expected === undefined ? {} : { expected }),
    ...(got === undefined ? {} : { actual: got }),
  };
}

function quoted(value: Json | undefined): string {
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 200);
}
