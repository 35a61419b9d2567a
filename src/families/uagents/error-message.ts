import type { Json, JsonObject } from '../../kernel/json.ts';

/** A message without its envelope, as in the `messages` of an outcome. */
export interface BareMessage {
  schema_digest: string;
  protocol_digest?: string;
  payload: Json;
}

/** The model with which every agent may answer every request, even if no manifest lists it. */
export const errorMessageSchema: JsonObject = {
  title: 'ErrorMessage',
  description: 'Error message model',
  type: 'object',
  properties: { error: { title: 'Error', type: 'string' } },
  required: ['error'],
};

/** The digest of that model, the same for all agents. */
export const ERROR_MESSAGE_DIGEST = 'model:94cb082f79871c5e80a20637f935d233f0ce11a135d5a3a3c6071e81102a84d5';

/** The message that tells a peer what went wrong; it may answer every request. */
export function errorMessage(error: string): BareMessage & JsonObject {
  return { schema_digest: ERROR_MESSAGE_DIGEST, payload: { error } };
}
