import { isObject, type Json } from '../kernel/json.ts';
import { REQUEST, RESPONSE } from '../lexicon/exchanging.ts';

/** The side of an exchange that a schema says it describes. */
export type Side = 'request' | 'response';

const REQUESTER =
  '(?:requester|requestor|client|consumer|caller|anfragende[rn]?|solicitante|demandeur|richiedente|requerente|请求方|客户端|调用方)';
const PROVIDER =
  '(?:provider|server|responder|callee|anbieter|proveedor|fournisseur|fornitore|fornecedor|提供方|服务方|服务端|服务器|响应方)';

/** How a text says which way a message goes: from one role to the other, or by whom it is sent. */
const waysFrom = (from: string, to: string): RegExp =>
  new RegExp(
    `${from}[\\s\\])）]{0,3}(?:→|⟶|➔|[-=]{1,2}>|\\bto(?: the)?\\b|至|到|向)[\\s([（]{0,3}${to}|(?:sent|issued|emitted) by (?:the )?${from}|(?:gesendet|gesandt) vom ${from}|由${from}(?:发送|发出)`,
    'iu',
  );
const TO_PROVIDER = waysFrom(REQUESTER, PROVIDER);
const TO_REQUESTER = waysFrom(PROVIDER, REQUESTER);

/** The side that a text names, or the way that it says a message goes; `null` where it names none or both. */
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

/** What is known about where a schema stands, nearest first. */
export interface SchemaSurroundings {
  schema: Json;
  /** The member that holds it in a larger object; empty where it stands alone. */
  member: string;
  /** The line of text right above it. */
  introduction: string;
  heading: string;
}

/** The side that a schema claims: by the member that holds it, its title or id, the line above, the heading; the first that tells decides. */
export function claimOf({ schema, member, introduction, heading }: SchemaSurroundings): Side | null {
  const own = isObject(schema) ? [schema.title, schema.$id, schema.id].filter((text) => typeof text === 'string') : [];
  for (const text of [member, ...own, introduction, heading]) {
    const side = sideNamedIn(text);
    if (side !== null) return side;
  }
  return null;
}
