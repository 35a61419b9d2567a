import { isAgreedFailure } from '../../analysis/agreed-failure.ts';
import { CORRELATION, type DocumentedEchoes, REQUEST_ID } from '../../analysis/documented-echoes.ts';
import { replyPlaces } from '../../analysis/reply-places.ts';
import { hasOtherTag, tagOf } from '../../analysis/text-tags.ts';
import type { Analyzed, Case, LocatedSchema } from '../../contract/agreement.ts';
import type { Finding } from '../../contract/finding.ts';
import { escapeToken, isObject, type Json, pointerTokens, valueAt } from '../../kernel/json.ts';
import { leavesOf } from '../scalar-kinds.ts';
import { type Exchange, exchangeOf, pointerTo } from './exchange.ts';

/** A place of the response that repeats a place of the request. */
export interface Echo {
  request: string;
  response: string;
  /** Whether the document and all cases demand it: a response without it is then at fault. */
  isRequired?: boolean;
}

const CORRELATION_NAME = /^(?:message|msg|request|req|correlation|transaction|txn|trace|conversation)[_-]?id$/i;

/** Names of ids that tie a response to its request. Ids of things are data and may come back in another form. */
const ECHO_NAME =
  /^(?:.*(?:message|msg|request|req|correlation|transaction|txn|trace|conversation)[_-]?id|id|nonce|token|seq(?:uence)?[_-]?(?:id|no|number)?)$/i;

/** Most member names of one message that are examined. */
const MAX_NAMES = 1_000;

/** Most places that are examined: an exchange has one or two echoes. */
const MAX_ECHOES = 50;

/** The echoes that all cases show, or that both schemas name and the document asks for. */
export function echoesOf(
  { cases, requestSchema, responseSchema }: Analyzed['agreement'],
  documented: DocumentedEchoes,
): Echo[] {
  const responseNames = new Set(propertyNames(responseSchema));
  const named = propertyNames(requestSchema)
    .filter((name) => responseNames.has(name) && (CORRELATION_NAME.test(name) || documented.isIdRepeated(name)))
    .map((name): Echo => ({ request: `/${escapeToken(name)}`, response: `/${escapeToken(name)}` }))
    .filter((echo) =>
      CORRELATION_NAME.test(echo.request.slice(1)) ? mayBeEcho(cases, echo) : cases.every((one) => isEchoed(one, echo)),
    );
  const shown = echoesIn(cases[0], documented).filter((echo) => cases.every((one) => isEchoed(one, echo)));
  const replies = replyPlaces(cases, documented).filter(
    (place) =>
      cases.every((one) => isEchoed(one, place)) &&
      (place.isDocumented || new Set(cases.map((one) => valueAt(one.request, place.request))).size > 1),
  );
  const all = new Map([...named, ...shown, ...replies].map((echo) => [`${echo.request} ${echo.response}`, echo]));
  return [...all.values()].slice(0, MAX_ECHOES).map(({ request, response }) => {
    const isShown = cases.every(
      (one) => valueAt(one.request, request) === undefined || valueAt(one.response, response) !== undefined,
    );
    return {
      request,
      response,
      isRequired: isShown && documented.isAlwaysReturned(pointerTokens(response).at(-1) ?? ''),
    };
  });
}

/** A finding for each echo that is missing or holds another value than the request. */
export function echoFindings(
  exchange: Exchange,
  echoes: readonly Echo[],
  isLikeCase: (response: Json) => boolean,
): Finding[] {
  const { request, response } = exchange;
  return echoes.flatMap((echo): Finding[] => {
    const sent = valueAt(request, echo.request);
    const back = valueAt(response, echo.response);
    if (sent === undefined || sent === back) return [];
    if (back === undefined && (sent === null || !echo.isRequired || !isLikeCase(response))) return [];
    return [notEchoed(exchange, echo.response, sent, back)];
  });
}

/** A finding if the response has another tag, of the same form, than the request. */
export function tagFindings(exchange: Exchange, text: string): Finding[] {
  const { request, response } = exchange;
  if (!hasOtherTag({ request, response }, text)) return [];
  return [notEchoed(exchange, '', tagOf(request) ?? null, tagOf(response) ?? null)];
}

/**
 * Tells whether a response succeeds or fails as some case does and has no members beyond that case's. Only then must it
 * carry the ids of that case.
 */
export function likenessTo(cases: readonly Case[], listed: ReadonlySet<string>): (response: Json) => boolean {
  const alike = Map.groupBy(cases, ({ response }) => isAgreedFailure(response, listed));
  return (response) =>
    isObject(response) &&
    (alike.get(isAgreedFailure(response, listed)) ?? []).some(
      (one) =>
        isObject(one.response) && Object.keys(response).every((name) => Object.hasOwn(one.response as object, name)),
    );
}

/** The echoes of one case: ids of its request that come back under the same name. */
function echoesIn(one: Case | undefined, documented: DocumentedEchoes): Echo[] {
  if (!one) return [];
  const keyOf = ({ name, value }: { name: string; value: Json }) => JSON.stringify([name, value]);
  const responseLeaves = Map.groupBy(leavesOf(one.response), keyOf);
  const echoes: Echo[] = [];
  for (const leaf of leavesOf(one.request)) {
    if (echoes.length >= MAX_ECHOES) break;
    if (typeof leaf.value !== 'string' && typeof leaf.value !== 'number') continue;
    const isId = ECHO_NAME.test(leaf.name) || CORRELATION.test(leaf.name) || REQUEST_ID.test(leaf.name);
    if (!isId && !documented.isIdRepeated(leaf.name)) continue;
    for (const { pointer } of (responseLeaves.get(keyOf(leaf)) ?? []).slice(0, MAX_ECHOES))
      echoes.push({ request: leaf.pointer, response: pointer });
  }
  return echoes;
}

/** If all cases differ between request and response, the response has an id of its own. */
function mayBeEcho(cases: readonly Case[], echo: Echo): boolean {
  return cases.length === 0 || cases.some((one) => isEchoed(one, echo));
}

function isEchoed({ request, response }: Case, echo: Echo): boolean {
  const sent = valueAt(request, echo.request);
  const back = valueAt(response, echo.response);
  return sent === undefined || back === undefined || sent === back;
}

function propertyNames(located: LocatedSchema | null): string[] {
  const schemas = located === null ? [] : (located.parts?.map(({ schema }) => schema) ?? [located.schema]);
  const names = schemas.flatMap((schema) =>
    isObject(schema) && isObject(schema.properties) ? Object.keys(schema.properties) : [],
  );
  return [...new Set(names)].slice(0, MAX_NAMES);
}

function notEchoed(exchange: Exchange, pointer: string, sent: Json, back: Json | undefined): Finding {
  return {
    ...exchangeOf(exchange),
    code: 'DOCUMENT_EXCHANGE_ID_NOT_ECHOED',
    severity: 'error',
    pointer: pointerTo(exchange, 'response', pointer),
    message: `Cannot match response of exchange ${exchange.index + 1} to its request: ${back === undefined ? 'no id' : JSON.stringify(back)}, wanted the value sent, ${JSON.stringify(sent)}`,
    expected: sent,
    ...(back === undefined ? {} : { actual: back }),
  };
}
