import { isObject, type Json } from '../kernel/json.ts';
import { REQUEST, RESPONSE } from '../lexicon/exchanging.ts';

/** The side of an exchange that a schema describes, as its surroundings state. */
export type Side = 'request' | 'response';

const REQUESTER =
  '(?:requester|requestor|client|consumer|caller|anfragende[rn]?|solicitante|demandeur|richiedente|requerente|请求方|客户端|调用方)';
const PROVIDER =
  '(?:provider|server|responder|callee|anbieter|proveedor|fournisseur|fornitore|fornecedor|提供方|服务方|服务端|服务器|响应方)';

/** Matches a direction of a message: from one role to the other, or sent by a role. */
const directionFrom = (from: string, to: string): RegExp =>
  new RegExp(
    `${from}[\\s\\])）]{0,3}(?:→|⟶|➔|[-=]{1,2}>|\\bto(?: the)?\\b|至|到|向)[\\s([（]{0,3}${to}|(?:sent|issued|emitted) by (?:the )?${from}|(?:gesendet|gesandt) vom ${from}|由${from}(?:发送|发出)`,
    'iu',
  );
const TO_PROVIDER = directionFrom(REQUESTER, PROVIDER);
const TO_REQUESTER = directionFrom(PROVIDER, REQUESTER);

/**
 * The side that a text names, directly or by a direction such as "client → server". `null` if it names none or both.
 */
export function sideNamedIn(text: string): Side | null {
  const [asks, answers] = [TO_PROVIDER.test(text), TO_REQUESTER.test(text)];
  if (asks !== answers) return asks ? 'request' : 'response';
  const request = REQUEST.test(text);
  const response = RESPONSE.test(text);
  if (request === response) return null;
  return request ? 'request' : 'response';
}

/** Whether a heading or a line announces a schema. */
export function announcesSchema(text: string): boolean {
  return /schema|esquema|schéma|схем|模式|スキーマ|스키마/i.test(text);
}

/** The text around a schema, nearest first. */
export interface SchemaSurroundings {
  schema: Json;
  /** The member that holds the schema in a larger object; empty if it is not in one. */
  member: string;
  /** The line of text directly above the schema. */
  introduction: string;
  heading: string;
}

/**
 * The side that a schema's surroundings name. Checks, in this order: the member that holds it, its title and id, the
 * line above, the heading. The first that names a side decides.
 */
export function claimOf({ schema, member, introduction, heading }: SchemaSurroundings): Side | null {
  const names = isObject(schema)
    ? [schema.title, schema.$id, schema.id].filter((text) => typeof text === 'string')
    : [];
  for (const text of [member, ...names, introduction, heading]) {
    const side = sideNamedIn(text);
    if (side !== null) return side;
  }
  return null;
}
