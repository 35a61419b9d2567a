import { isAgreedFailure, reportsSuccess } from '../analysis/agreed-failure.ts';
import { CORRELATION, DocumentedEchoes, REQUEST_ID } from '../analysis/documented-echoes.ts';
import { replyPlaces } from '../analysis/reply-places.ts';
import { areTagged, hasOtherTag, tagOf, untagged } from '../analysis/text-tags.ts';
import type { Analyzed, Case, LocatedSchema } from '../contract/agreement.ts';
import type { Finding } from '../contract/finding.ts';
import type { Loose } from '../contract/job.ts';
import type { Difference } from '../contract/outcome.ts';
import { CaseValidation } from '../documents/case-validation.ts';
import { documentedCodesIn } from '../documents/document-facts.ts';
import { interactionSchemas, replyViolations } from '../documents/interaction-schemas.ts';
import { escapeToken, isObject, type Json, pointerTokens, valueAt } from '../kernel/json.ts';
import { summaryOf } from '../schemas/violation-summary.ts';
import { violationMessage } from '../schemas/violation-words.ts';
import type { Violation } from '../schemas/violations.ts';
import { CasesByRequest } from './cases-by-request.ts';
import { looseDifferences, substitute } from './loose-places.ts';
import { leavesOf } from './scalar-kinds.ts';

/** How much more may be spent on exchanges than on the cases of an agreement: enough for as many as a job may have of the usual kind. */
const validationShare = 10;

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
  /** Whether the document and all cases have it so: then a response without it lacks it. */
  isOwed?: boolean;
}

/**
 * Holds what a peer really sent against the agreement: the agreed schema of its side, ids that must come back, the case that an exchange answers, and
 * the failures that the document lists. Findings are `in` the exchanges, their pointers start at the list. What is wrong with our own side of an
 * exchange is a warning, and so is another answer than that of a case which the exchange does not claim to answer: what a peer tells may have changed
 * since. A run of `ourHandler`, under the tools of the cases, is held to them all, and its side is the one that loose places are of.
 */
export function observeExchanges({ job, agreement }: Analyzed, ourHandler?: 'request' | 'response'): Finding[] {
  const looseSide = ourHandler ?? (job.role === 'provider' ? 'response' : 'request');
  const exchanges = job.exchanges ?? [];
  const validation = new CaseValidation(undefined, validationShare);
  const unsaid = agreement.payload === 'text' ? { type: 'string' } : undefined;
  const request = violationsBy(agreement.requestSchema?.schema ?? unsaid, validation);
  const response = violationsBy(agreement.responseSchema?.schema ?? unsaid, validation);
  const interactions = interactionSchemas(agreement);
  const answer = (exchange: { request: Json; response: Json }) => {
    const broken = response(exchange.response);
    return broken.length > 0 ? broken : replyViolations(interactions, exchange.request, exchange.response, validation);
  };
  const echoes = echoesOf(agreement, new DocumentedEchoes(agreement.text, job.tools, agreement.responseSchema?.schema));
  const ignored = [
    ...(looseSide === 'request' ? job.loose : []),
    ...echoes.map(({ request }): Loose => ({ pointer: request, as: 'id' })),
    ...momentsIn(agreement.cases.map((one) => one.request)),
  ];
  const tagged = areTagged(agreement.cases, agreement.text);
  const asked = (value: Json) => (tagged ? untagged(value) : value);
  const cases = new CasesByRequest(
    tagged
      ? agreement.cases.map((one) => ({ ...one, request: asked(one.request), response: asked(one.response) }))
      : agreement.cases,
    ignored,
  );
  const negative = new CasesByRequest(
    agreement.cases.filter((one) => one.negative),
    ignored,
  );
  const listed = new Set(documentedCodesIn(agreement.text).map(({ code }) => code));
  const isLikeCase = likenessTo(agreement.cases, listed);
  const codes = codesOf(agreement, listed);
  const peerSide = job.role === 'provider' ? 'request' : 'response';
  const found = exchanges.flatMap((exchange, index) => {
    const base = {
      in: 'exchange',
      ...(exchange.testCase === undefined ? {} : { testCase: exchange.testCase }),
    } as const;
    const sides = [
      ['request', request(exchange.request)],
      ['response', answer(exchange)],
    ] as const;
    const violations = sides.flatMap(([side, issues]) => {
      // A request that breaks its schema on purpose was agreed as a case.
      if (side === 'request' && issues.length > 0 && isAgreedBreach(issues, negative.of(exchange.request), request))
        return [];
      const places = Map.groupBy(issues, ({ pointer }) => pointer);
      return [...places.values()].map((together) => violation(base, index, side, together, side === peerSide));
    });
    const told = new Set(
      sides.flatMap(([side, issues]) =>
        issues.flatMap(({ pointer, keyword, property = '' }) => [
          `/${index}/${side}${pointer}`,
          ...(keyword === 'required' ? [`/${index}/${side}${pointer}/${escapeToken(property)}`] : []),
        ]),
      ),
    );
    const seen = { ...exchange, request: asked(exchange.request), response: asked(exchange.response) };
    const answered = [
      ...echoFindings(base, index, exchange, echoes, isLikeCase),
      ...(tagged ? tagFindings(base, index, exchange, agreement.text) : []),
      // What our tools answered with may have changed since.
      ...(peerSide === 'request' && job.tools.length > 0
        ? []
        : caseFindings(base, index, seen, cases, ignored, echoes, looseSide === 'response' ? job.loose : []).map(
            (finding) => (exchange.testCase === undefined && ourHandler === undefined ? unclaimed(finding) : finding),
          )),
      ...failureFindings(base, index, exchange, codes),
    ].filter(({ pointer }) => !told.has(pointer ?? ''));
    const claims = claimFindings(base, index, seen, cases, ignored).filter(({ pointer }) => !told.has(pointer ?? ''));
    return [...violations, ...claims, ...(peerSide === 'request' ? answered.map(ofOurs) : answered)];
  });
  return [...found, ...leftOut(validation)];
}

/** Whether a request breaks its schema where a case that is otherwise the same does: another id breaks nothing that the case does not. */
function isAgreedBreach(
  issues: readonly Violation[],
  cases: readonly Case[],
  violations: (request: Json) => readonly Violation[],
): boolean {
  return cases.some((one) => {
    const agreed = new Set(violations(one.request).map(({ pointer }) => pointer));
    return issues.every(({ pointer }) => agreed.has(pointer));
  });
}

/** What the exchanges were not held against, since that would have taken too long. */
function leftOut({ isUsedUp, matching }: CaseValidation): Finding[] {
  const findings: Finding[] = [];
  if (matching.leftOut !== undefined)
    findings.push({
      code: 'DOCUMENT_PATTERN_UNSUPPORTED',
      severity: 'warning',
      in: 'exchange',
      message:
        'Cannot match pattern with all texts of the exchanges: patterns and texts multiply to too much work, wanted fewer exchanges',
      actual: matching.leftOut.slice(0, 500),
    });
  if (isUsedUp)
    findings.push({
      code: 'JOB_TOO_LARGE',
      severity: 'error',
      in: 'job',
      pointer: '/exchanges',
      message:
        'Cannot accept job at /exchanges: they and the schemas multiply to too many steps, wanted fewer or smaller exchanges',
    });
  return findings;
}

/** A finding about our own side of an exchange. */
function ofOurs(finding: Finding): Finding {
  return { ...finding, severity: 'warning', message: `${finding.message} (this side is ours)` };
}

/** A finding about a case that the exchange does not claim to answer. */
function unclaimed(finding: Finding): Finding {
  return { ...finding, severity: 'warning', message: `${finding.message} (the exchange claims no case)` };
}

type Base = Pick<Finding, 'in' | 'testCase'>;

function violationsBy(schema: Json | undefined, validation: CaseValidation): (value: Json) => readonly Violation[] {
  if (schema === undefined) return () => [];
  return (value) => {
    const violations = validation.violations(schema, value);
    return validation.isUsedUp ? [] : violations;
  };
}

function violation(
  base: Base,
  index: number,
  side: 'request' | 'response',
  violations: readonly Violation[],
  isPeers: boolean,
): Finding {
  const { expected, actual } = summaryOf(violations);
  const finding: Finding = {
    ...base,
    code: 'DOCUMENT_EXCHANGE_VIOLATES_SCHEMA',
    severity: 'error',
    pointer: `/${index}/${side}${violations[0]?.pointer ?? ''}`,
    message: `Cannot accept ${side} of exchange ${index + 1}: ${violationMessage(expected, actual)}`,
    expected,
    ...(actual === undefined ? {} : { actual }),
  };
  return isPeers ? finding : ofOurs(finding);
}

const correlationName = /^(?:message|msg|request|req|correlation|transaction|txn|trace|conversation)[_-]?id$/i;

/** Names of what ties a response to its request; an id of a thing is data, and may come back in another form. */
const echoName =
  /^(?:.*(?:message|msg|request|req|correlation|transaction|txn|trace|conversation)[_-]?id|id|nonce|token|seq(?:uence)?[_-]?(?:id|no|number)?)$/i;

/** Most members of a message whose names are looked at. */
const maxNames = 1_000;

/** Most places that are looked for: an exchange has one or two. */
const maxEchoes = 50;

/** Where a response must repeat the request: as every case has it, or by the name that both schemas give to an id that the document has repeated. */
function echoesOf({ cases, requestSchema, responseSchema }: Analyzed['agreement'], said: DocumentedEchoes): Echo[] {
  const answered = new Set(propertyNames(responseSchema));
  const named = propertyNames(requestSchema)
    .filter((name) => answered.has(name) && (correlationName.test(name) || said.isIdRepeated(name)))
    .map((name): Echo => ({ request: `/${escapeToken(name)}`, response: `/${escapeToken(name)}` }))
    .filter((echo) =>
      correlationName.test(echo.request.slice(1)) ? mayBeEcho(cases, echo) : cases.every((one) => isEchoed(one, echo)),
    );
  const shown = shownEchoes(cases[0], said).filter((echo) => cases.every((one) => isEchoed(one, echo)));
  const replies = replyPlaces(cases, said).filter(
    (place) =>
      cases.every((one) => isEchoed(one, place)) &&
      (place.isDocumented || new Set(cases.map((one) => valueAt(one.request, place.request))).size > 1),
  );
  const all = new Map([...named, ...shown, ...replies].map((echo) => [`${echo.request} ${echo.response}`, echo]));
  return [...all.values()].slice(0, maxEchoes).map(({ request, response }) => {
    const isShown = cases.every(
      (one) => valueAt(one.request, request) === undefined || valueAt(one.response, response) !== undefined,
    );
    return { request, response, isOwed: isShown && said.isAlwaysReturned(pointerTokens(response).at(-1) ?? '') };
  });
}

/** Where a case's response repeats something of its request that is named as an id is. */
function shownEchoes(one: Case | undefined, said: DocumentedEchoes): Echo[] {
  if (!one) return [];
  const keyOf = ({ name, value }: { name: string; value: Json }) => JSON.stringify([name, value]);
  const back = Map.groupBy(leavesOf(one.response), keyOf);
  const echoes: Echo[] = [];
  for (const leaf of leavesOf(one.request)) {
    if (echoes.length >= maxEchoes) break;
    if (typeof leaf.value !== 'string' && typeof leaf.value !== 'number') continue;
    const isId = echoName.test(leaf.name) || CORRELATION.test(leaf.name) || REQUEST_ID.test(leaf.name);
    if (!isId && !said.isIdRepeated(leaf.name)) continue;
    for (const { pointer } of (back.get(keyOf(leaf)) ?? []).slice(0, maxEchoes))
      echoes.push({ request: leaf.pointer, response: pointer });
  }
  return echoes;
}

/** Whether not all cases have another value in the answer than in the request: then the answer has an id of its own. */
function mayBeEcho(cases: readonly Case[], echo: Echo): boolean {
  return cases.length === 0 || cases.some((one) => isEchoed(one, echo));
}

function isEchoed({ request, response }: Case, echo: Echo): boolean {
  const sent = valueAt(request, echo.request);
  const back = valueAt(response, echo.response);
  return sent === undefined || back === undefined || sent === back;
}

/** Another tag of the same form than the request has. */
function tagFindings(base: Base, index: number, { request, response }: Exchange, text: string): Finding[] {
  if (!hasOtherTag({ request, response }, text)) return [];
  return [notEchoed(base, index, '', tagOf(request) ?? null, tagOf(response) ?? null)];
}

/** Names of the moment at which a message was made; a time that is asked for, or told of, is named after what it is of. */
const momentName =
  /^(?:time_?stamp|ts|(?:sent|requested|responded|answered|generated)_?at|(?:request|response|message|send|sent|server|current)_?time(?:_?stamp)?|时间戳)$/i;

/** Where messages tell when they were made: at their top, or in a header. No two have the same there. */
function momentsIn(messages: readonly Json[]): Loose[] {
  const pointers = messages.flatMap((message) =>
    leavesOf(message).flatMap(({ pointer, name }) =>
      momentName.test(name) && /^(?:\/[^/\d][^/]*){1,2}$/.test(pointer) ? [pointer] : [],
    ),
  );
  return [...new Set(pointers)].slice(0, maxEchoes).map((pointer) => ({ pointer, as: 'time' }));
}

/** Where a response says which message it is itself: by the name of such an id, and since the request has no such value. */
function ownIdsIn({ request, response }: Case): Loose[] {
  const sent = new Set(leavesOf(request).map(({ value }) => value));
  return leavesOf(response)
    .filter(
      ({ name, value }) => (CORRELATION.test(name) || REQUEST_ID.test(name)) && value !== null && !sent.has(value),
    )
    .slice(0, maxEchoes)
    .map(({ pointer }) => ({ pointer, as: 'id' }));
}

function propertyNames(located: LocatedSchema | null): string[] {
  const schemas = located === null ? [] : (located.parts?.map(({ schema }) => schema) ?? [located.schema]);
  const names = schemas.flatMap((schema) =>
    isObject(schema) && isObject(schema.properties) ? Object.keys(schema.properties) : [],
  );
  return [...new Set(names)].slice(0, maxNames);
}

function echoFindings(
  base: Base,
  index: number,
  { request, response }: Exchange,
  echoes: readonly Echo[],
  isLikeCase: (response: Json) => boolean,
): Finding[] {
  return echoes.flatMap((echo): Finding[] => {
    const sent = valueAt(request, echo.request);
    const back = valueAt(response, echo.response);
    if (sent === undefined || sent === back) return [];
    if (back === undefined && (sent === null || !echo.isOwed || !isLikeCase(response))) return [];
    return [notEchoed(base, index, echo.response, sent, back)];
  });
}

/** Tells whether an answer ends as that of some case does and has no members but its: then it has also the ids that this one has. */
function likenessTo(cases: readonly Case[], listed: ReadonlySet<string>): (response: Json) => boolean {
  const alike = Map.groupBy(cases, ({ response }) => isAgreedFailure(response, listed));
  return (response) =>
    isObject(response) &&
    (alike.get(isAgreedFailure(response, listed)) ?? []).some(
      (one) =>
        isObject(one.response) && Object.keys(response).every((name) => Object.hasOwn(one.response as object, name)),
    );
}

function notEchoed(base: Base, index: number, pointer: string, sent: Json, back: Json | undefined): Finding {
  return {
    ...base,
    code: 'DOCUMENT_EXCHANGE_ID_NOT_ECHOED',
    severity: 'error',
    pointer: `/${index}/response${pointer}`,
    message: `Cannot match response of exchange ${index + 1} to its request: ${back === undefined ? 'no id' : JSON.stringify(back)}, wanted the value sent, ${JSON.stringify(sent)}`,
    expected: sent,
    ...(back === undefined ? {} : { actual: back }),
  };
}

/** Where a request is not that of the case which its exchange claims, the first difference: with that case the answer cannot be compared. */
function claimFindings(
  base: Base,
  index: number,
  { testCase, request }: Exchange,
  cases: CasesByRequest,
  ignored: readonly Loose[],
): Finding[] {
  const claimed = testCase === undefined ? undefined : cases.numbered(testCase);
  if (claimed === undefined || cases.of(request).includes(claimed)) return [];
  const [first] = looseDifferences(claimed.request, request, ignored);
  return first === undefined
    ? []
    : [{ ...contradiction(base, index, 'request', claimed.testCase, first), severity: 'warning' }];
}

function caseFindings(
  base: Base,
  index: number,
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
  // A wrong id is told of once, as an id that did not come back.
  const echoed: Loose[] = echoes.map(({ response }) => ({ pointer: response, as: 'id' }));
  const free = [...loose, ...echoed, ...momentsIn([one.response]), ...ownIdsIn(one)];
  return looseDifferences(substitute(one.response, replacements), exchange.response, free).map((difference) =>
    contradiction(base, index, 'response', one.testCase, difference),
  );
}

function contradiction(
  base: Base,
  index: number,
  side: 'request' | 'response',
  testCase: number,
  { path, expected, got }: Difference,
): Finding {
  return {
    ...base,
    code: 'DOCUMENT_EXCHANGE_CONTRADICTS_CASE',
    severity: 'error',
    testCase,
    pointer: `/${index}/${side}${path}`,
    message: `Cannot reconcile ${side} of exchange ${index + 1} with case ${testCase}: ${shown(got)}, wanted ${shown(expected)}`,
    ...(expected === undefined ? {} : { expected }),
    ...(got === undefined ? {} : { actual: got }),
  };
}

const codeName = /^(?:code|status_?code|error_?code|err_?code)$/i;

/** The codes that failures may have: those that the document lists, and those of the cases. */
interface Codes {
  listed: ReadonlySet<string>;
  known: ReadonlySet<string>;
  /** Whether a code can be nothing but one of those that are listed, by how it begins and how long it is, and the document has it nowhere. */
  isOfList(code: string): boolean;
}

/** `null` where the document lists none, or leaves room for others. */
function codesOf({ text, cases }: Analyzed['agreement'], listed: ReadonlySet<string>): Codes | null {
  if (listed.size === 0 || /\bhttp\b/i.test(text)) return null;
  const shown = cases.flatMap(({ response }) =>
    leavesOf(response).flatMap(({ name, value }) => (codeName.test(name) ? [String(value)] : [])),
  );
  const others = new Set(shown.filter((code) => !listed.has(code)).map(formOf));
  const forms = new Set(OTHER_CODES.test(text) ? [] : [...listed].map(formOf).filter((form) => !others.has(form)));
  const written = new Set(forms.size === 0 ? [] : text.match(CODE));
  const isOfList = (code: string) => formOf(code) !== undefined && forms.has(formOf(code)) && !written.has(code);
  return { listed, known: new Set([...listed, ...shown]), isOfList };
}

/** What may be a code anywhere in a document. */
const CODE = /(?<![\p{L}\p{N}_])[A-Za-z_-]{0,20}\d{2,9}(?![\p{L}\p{N}_])/gu;

/** What leaves room for codes that are not listed: a range, a form with places for any digit, or words. */
const OTHER_CODES =
  /\d{3,9}\s?(?:[-–—~～]|\.{2,3}|to|bis|至|到)\s?\d{3,9}|\b[A-Za-z]?\dx{2,8}\b|(?<!\bno )\b(?:other|further|additional|unlisted) (?:(?:error|status|failure) )?codes?\b|其他(?:错误|状态)?码/i;

/** How a number that is a code begins, by its letters or its first digit, and how long it is; a round one is the first of its kind, or stands for success. */
function formOf(code: string): string | undefined {
  const [, start, rest = ''] = /^([A-Za-z_-]{1,20}|\d)(\d{2,8})$/.exec(code) ?? [];
  return start === undefined || /^0+$/.test(rest) ? undefined : `${start} ${rest.length}`;
}

/** A failure with a code that it may not have. */
function failureFindings(base: Base, index: number, { response }: Exchange, codes: Codes | null): Finding[] {
  if (codes === null) return [];
  const unknown = leavesOf(response).filter(
    ({ name, value }) => codeName.test(name) && value !== null && !codes.known.has(String(value)),
  );
  const ofList = unknown.filter(({ value }) => codes.isOfList(String(value)));
  const isFailure = isAgreedFailure(response, codes.listed);
  if (!isFailure) {
    const values = new Set([...codes.listed, ...ofList.map(({ value }) => String(value))]);
    if (reportsSuccess(response, codes.listed) || !isAgreedFailure(response, values)) return [];
  }
  return (isFailure ? unknown : ofList).map(
    ({ pointer, value }): Finding => ({
      ...base,
      code: 'DOCUMENT_EXCHANGE_FAILURE_UNDOCUMENTED',
      severity: 'error',
      pointer: `/${index}/response${pointer}`,
      message: `Cannot understand failure of exchange ${index + 1}: code ${JSON.stringify(value)}, wanted one that the document lists`,
      expected: [...codes.listed],
      actual: value,
    }),
  );
}

function shown(value: Json | undefined): string {
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 200);
}
