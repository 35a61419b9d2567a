import { isChangedInWords } from '../analysis/base-in-words.ts';
import { DocumentedEchoes } from '../analysis/documented-echoes.ts';
import { readingOf } from '../analysis/reading.ts';
import { areTagged, untagged } from '../analysis/text-tags.ts';
import type { Analyzed } from '../contract/agreement.ts';
import type { Finding } from '../contract/finding.ts';
import type { OpenFrames } from '../contract/frames.ts';
import type { Loose } from '../contract/job.ts';
import { CaseValidation } from '../documents/case-validation.ts';
import { documentedCodesIn } from '../documents/document-facts.ts';
import { interactionSchemas, replyViolations } from '../documents/interaction-schemas.ts';
import type { Json } from '../kernel/json.ts';
import type { Violation } from '../schemas/violations.ts';
import { CasesByRequest } from './cases-by-request.ts';
import { caseFindings, claimFindings } from './exchanges/case-findings.ts';
import { type Echo, echoesOf, echoFindings, likenessTo, tagFindings } from './exchanges/echoes.ts';
import { aboutUs, type Exchange, type Side, withoutClaim } from './exchanges/exchange.ts';
import { type FailureCodes, failureCodesOf, failureFindings } from './exchanges/failure-codes.ts';
import { openedExchanges } from './exchanges/framed.ts';
import { messageTimePlaces } from './exchanges/fresh-places.ts';
import {
  isAgreedBreach,
  schemaFindings,
  skippedChecks,
  validatorOf,
  violatedPointers,
} from './exchanges/schema-findings.ts';

/**
 * Validation budget of exchanges, as a multiple of that of an agreement's cases: a job may have more exchanges than
 * cases.
 */
const VALIDATION_SHARE = 10;

/** What the agreement demands of every exchange. */
interface Expectations {
  peerSide: Side;
  /** Whether the schema of a side is a base protocol's that words change. */
  isChanged: Record<Side, boolean>;
  requestViolations: (request: Json) => readonly Violation[];
  responseViolations: (exchange: Exchange) => readonly Violation[];
  cases: CasesByRequest;
  negativeCases: CasesByRequest;
  echoes: readonly Echo[];
  isLikeCase: (response: Json) => boolean;
  codes: FailureCodes | null;
  /** Places of a request whose value may differ from the case's. */
  ignored: readonly Loose[];
  /** Loose places of the response. */
  loose: readonly Loose[];
  /** The document, if it has every text tagged. */
  taggedBy: string | undefined;
  /** Whether the response may depend on our tools, whose data may have changed since. */
  dependsOnTools: boolean;
  isOurHandler: boolean;
}

/**
 * Compares the exchanges of a job with the agreement: schemas, ids that must come back, the case with the same request,
 * and the failure codes that the document lists. Findings are `in` the exchanges; their pointers start at the list.
 *
 * A finding about our own side is a warning. So is an answer that differs from a case which the exchange does not
 * claim: the peer's data may have changed. With `ourHandler`, the exchanges are runs of our handler on that side, under
 * the tools of the cases: all cases apply, and loose places belong to that side. `openFrames` opens those of frames.
 */
export function observeExchanges(analyzed: Analyzed, ourHandler?: Side, openFrames?: OpenFrames): Finding[] {
  const validation = new CaseValidation(undefined, VALIDATION_SHARE);
  const expectations = expectationsOf(analyzed, ourHandler, validation);
  const { job, agreement } = analyzed;
  const opened = openedExchanges(job, agreement.payload, expectations.peerSide, openFrames);
  const findings = opened.exchanges.flatMap((exchange) => exchangeFindings(exchange, expectations));
  return [...opened.findings, ...findings, ...skippedChecks(validation)];
}

function expectationsOf(analyzed: Analyzed, ourHandler: Side | undefined, validation: CaseValidation): Expectations {
  const { job, agreement } = analyzed;
  const { cases, text, requestSchema, responseSchema } = agreement;
  const defaultSchema = agreement.payload === 'text' ? { type: 'string' } : undefined;
  const validateResponse = validatorOf(responseSchema?.schema ?? defaultSchema, validation);
  const interactions = interactionSchemas(agreement);
  const looseSide = ourHandler ?? (job.role === 'provider' ? 'response' : 'request');
  const echoes = echoesOf(agreement, new DocumentedEchoes(text, job.tools, responseSchema?.schema));
  const ignored = [
    ...(looseSide === 'request' ? job.loose : []),
    ...echoes.map(({ request }): Loose => ({ pointer: request, as: 'id' })),
    ...messageTimePlaces(cases.map((one) => one.request)),
  ];
  const reading = readingOf(analyzed);
  const isTagged = areTagged(cases, text);
  const listed = new Set(documentedCodesIn(text).map(({ code }) => code));
  return {
    peerSide: job.role === 'provider' ? 'request' : 'response',
    isChanged: {
      request: requestSchema !== null && isChangedInWords(requestSchema, reading),
      response: responseSchema !== null && isChangedInWords(responseSchema, reading),
    },
    requestViolations: validatorOf(requestSchema?.schema ?? defaultSchema, validation),
    responseViolations: ({ request, response }) => {
      const violations = validateResponse(response);
      return violations.length > 0 ? violations : replyViolations(interactions, request, response, validation);
    },
    cases: new CasesByRequest(isTagged ? cases.map(withoutTags) : cases, ignored),
    negativeCases: new CasesByRequest(
      cases.filter((one) => one.negative),
      ignored,
    ),
    echoes,
    isLikeCase: likenessTo(cases, listed),
    codes: failureCodesOf(agreement, listed),
    ignored,
    loose: looseSide === 'response' ? job.loose : [],
    taggedBy: isTagged ? text : undefined,
    dependsOnTools: job.role === 'provider' && job.tools.length > 0,
    isOurHandler: ourHandler !== undefined,
  };
}

function exchangeFindings(exchange: Exchange, expectations: Expectations): Finding[] {
  const { peerSide, requestViolations, responseViolations, negativeCases } = expectations;
  const request = requestViolations(exchange.request);
  const response = responseViolations(exchange);
  // Agreed: a negative case has such a request.
  const isAgreed = request.length > 0 && isAgreedBreach(request, negativeCases.of(exchange.request), requestViolations);
  const violations = [
    ...(isAgreed ? [] : schemaFindings(exchange, 'request', request, expectations)),
    ...schemaFindings(exchange, 'response', response, expectations),
  ];
  const violated = new Set([
    ...violatedPointers(exchange, 'request', request),
    ...violatedPointers(exchange, 'response', response),
  ]);
  const isNew = ({ pointer }: Finding) => !violated.has(pointer ?? '');
  const untaggedExchange = expectations.taggedBy === undefined ? exchange : withoutTags(exchange);
  const claims = claimFindings(untaggedExchange, expectations.cases, expectations.ignored).filter(isNew);
  const answered = answerFindings(exchange, untaggedExchange, expectations).filter(isNew);
  return [...violations, ...claims, ...(peerSide === 'request' ? answered.map(aboutUs) : answered)];
}

/** Findings about the response beyond its schema. */
function answerFindings(exchange: Exchange, untaggedExchange: Exchange, expectations: Expectations): Finding[] {
  const { cases, ignored, echoes, loose, taggedBy, dependsOnTools, isOurHandler } = expectations;
  const differences = dependsOnTools ? [] : caseFindings(untaggedExchange, cases, ignored, echoes, loose);
  const isUnclaimed = exchange.testCase === undefined && !isOurHandler;
  return [
    ...echoFindings(exchange, echoes, expectations.isLikeCase),
    ...(taggedBy === undefined ? [] : tagFindings(exchange, taggedBy)),
    ...(isUnclaimed ? differences.map(withoutClaim) : differences),
    ...failureFindings(exchange, expectations.codes),
  ];
}

function withoutTags<Messages extends { request: Json; response: Json }>(messages: Messages): Messages {
  return { ...messages, request: untagged(messages.request), response: untagged(messages.response) };
}
