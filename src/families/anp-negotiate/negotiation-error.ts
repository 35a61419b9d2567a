import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';

/** The errors of `anp.negotiate` (ANP-06 section 11), with the message that each has by default. */
export const NEGOTIATION_ERRORS = [
  { code: 1600, anpCode: 'meta.negotiation_rejected', message: 'Negotiation rejected' },
  { code: 1601, anpCode: 'meta.no_matching_interface', message: 'No matching interface' },
  { code: 1602, anpCode: 'meta.unsupported_negotiation_mode', message: 'Unsupported negotiation mode' },
  { code: 1603, anpCode: 'meta.unsupported_candidate_profile', message: 'Unsupported candidate profile' },
  { code: 1604, anpCode: 'meta.unsupported_security_profile', message: 'Unsupported security profile' },
  { code: 1605, anpCode: 'meta.unsupported_content_type', message: 'Unsupported content type' },
  { code: 1606, anpCode: 'meta.more_information_required', message: 'More information required' },
  { code: 1607, anpCode: 'meta.authorization_required', message: 'Authorization required' },
  { code: 1608, anpCode: 'meta.negotiation_expired', message: 'Negotiation expired' },
] as const;

/** The names of the errors. */
export type AnpCode = (typeof NEGOTIATION_ERRORS)[number]['anpCode'];

/** An error of `anp.negotiate`. */
export interface NegotiationError {
  code: (typeof NEGOTIATION_ERRORS)[number]['code'];
  anpCode: AnpCode;
  message: string;
  retryable: boolean;
  details?: JsonObject;
}

/** The `error` member of a JSON-RPC response. */
export type JsonRpcError = { code: number; message: string; data: JsonObject };

/** Builds the `error` member of a response. */
export function negotiationError(
  anpCode: AnpCode,
  { message, retryable = false, details }: Partial<Pick<NegotiationError, 'message' | 'retryable' | 'details'>> = {},
): JsonRpcError {
  const row = NEGOTIATION_ERRORS.find((one) => one.anpCode === anpCode) ?? NEGOTIATION_ERRORS[0];
  const data = { anp_code: row.anpCode, retryable, ...(details === undefined ? {} : { details }) };
  return { code: row.code, message: message || row.message, data };
}

/**
 * Reads the `error` member of a response. Its code decides; a message or data that are missing or of another form
 * count as not given.
 */
export function readNegotiationError(
  given: Json,
): { ok: true; error: NegotiationError } | { ok: false; fault: 'no object' | 'other code' } {
  if (!isObject(given)) return { ok: false, fault: 'no object' };
  const row = NEGOTIATION_ERRORS.find(({ code }) => code === given.code);
  if (row === undefined) return { ok: false, fault: 'other code' };
  const data = isObject(given.data) ? given.data : {};
  const message = typeof given.message === 'string' && given.message !== '' ? given.message : row.message;
  const details = isObject(data.details) ? { details: data.details } : {};
  return { ok: true, error: { ...row, message, retryable: data.retryable === true, ...details } };
}
