import type { Case } from '../contract/agreement.ts';
import { pointersOf } from '../documents/located-json.ts';
import { type Json, pointerTokens, valueAt } from '../kernel/json.ts';
import { CORRELATION, type DocumentedEchoes, REQUEST_ID } from './documented-echoes.ts';

/** Where a response repeats the id of its request under another name, such as `inReplyTo` for `messageId`. */
export interface ReplyPlace {
  request: string;
  response: string;
  /** Whether the document says so. */
  isDocumented: boolean;
  /** Whether the response schema describes it so. */
  isDescribed: boolean;
  /** Whether its name has no other meaning, such as `inReplyTo`. */
  isNamed: boolean;
}

/** Names of members that identify the answered message. */
const ANSWERS =
  /^(?:(?:in|is)?[_-]?(?:reply|response|re|answer)[_-]?to(?:[_-]?(?:id|message[_-]?id))?|(?:correlation|corr|request|req|original|orig|acked|ack|ref)(?:[_-]?(?:id|message(?:[_-]?id)?|msg(?:[_-]?id)?|request(?:[_-]?id)?|seq|no|number))?|ref(?:erence)?|antwort[_-]?auf|bezug|引用编号|确认号)$/i;

/** Those of these names that have no other meaning. */
const REPLY =
  /(?:reply|response|answer|re)[_-]?to|^(?:corr|orig)|^(?:request|req)[_-]?(?:id|seq|no|number)$|antwort[_-]?auf/i;

/** Names of members that identify a message. */
const NAMES_MESSAGE = /^(?:id|uuid|[mr]id|seq(?:uence)?(?:[_-]?(?:id|no|nr|number))?|nonce|编号|序号)$/i;

/** Most values of a message whose names are examined, and most pairs of places. */
const [MAX_PLACES, MAX_PAIRS] = [100, 10];

/**
 * The places in cases that may hold an id and its repetition under another name: their names fit, and the values are
 * equal in at least one case.
 */
export function replyPlaces(cases: readonly Case[], echoes: DocumentedEchoes): ReplyPlace[] {
  const [first] = cases;
  if (first === undefined) return [];
  const ids = placesOf(first.request).filter(
    ({ name }) => NAMES_MESSAGE.test(name) || CORRELATION.test(name) || REQUEST_ID.test(name),
  );
  const answers = placesOf(first.response).filter(({ name }) => ANSWERS.test(name));
  const places = answers.slice(0, MAX_PAIRS).flatMap((answer) =>
    ids
      .slice(0, MAX_PAIRS)
      // Equal names are handled as an echo.
      .filter((id) => id.pointer !== answer.pointer && id.name !== answer.name)
      .map((id) => ({
        request: id.pointer,
        response: answer.pointer,
        isDocumented: echoes.areEqual(id.name, answer.name),
        isDescribed: echoes.isDescribedBy(answer.name, id.name),
        isNamed: REPLY.test(answer.name),
        times: cases.filter((each) => isSame(each, id.pointer, answer.pointer)).length,
      }))
      .filter(({ times }) => times > 0),
  );
  // A response answers one request.
  return [...Map.groupBy(places, ({ response }) => response).values()].flatMap((sameResponse) =>
    sameResponse.sort((a, b) => Number(b.isDocumented) - Number(a.isDocumented) || b.times - a.times).slice(0, 1),
  );
}

/**
 * Whether a response has a member whose name may identify the answered message and that the request does not have. Its
 * other ids may then be its own.
 */
export function mayReplyElsewhere({ request, response }: Pick<Case, 'request' | 'response'>): boolean {
  return placesOf(response).some(({ pointer, name }) => ANSWERS.test(name) && valueAt(request, pointer) === undefined);
}

function placesOf(message: Json): { pointer: string; name: string }[] {
  return pointersOf(message, MAX_PLACES).flatMap(({ pointer, value }) =>
    typeof value === 'string' || typeof value === 'number'
      ? [{ pointer, name: pointerTokens(pointer).at(-1) ?? '' }]
      : [],
  );
}

function isSame({ request, response }: Case, sent: string, answered: string): boolean {
  const value = valueAt(request, sent);
  return value !== undefined && value === valueAt(response, answered);
}
