import { isObject, type Json, type JsonObject } from '../kernel/json.ts';
import { FAILURE_WORD } from '../lexicon/refusing.ts';

const CODE_NAME =
  /^(?:code|status|status_?code|error_?code|err_?code|ret_?code|result_?code|http_?status|状态码|错误码|返回码|结果码)$/i;

/** Members whose words report a result; a number there may mean something else. */
const STATUS_NAME = /^(?:result|type|estado|resultado|statut|résultat|stato|risultato|ergebnis|статус|状态|结果)$/i;
const SUCCESS_NAMES = [
  ...['success', 'ok', 'succeeded', 'accepted', 'erfolg', 'erfolgreich', 'éxito', 'exito', 'sucesso', 'succès'],
  ...['successo', 'успех', '成功', '是否成功'],
];
const ERROR_NAMES = [
  ...['error', 'errors', 'errorCode', 'errorMessage', 'error_code', 'exception', 'fault', 'fehler', 'erreur', 'erro'],
  ...['errore', 'ошибка', '错误', '错误信息', '错误消息'],
];
const SUCCESS_WORD = /^(?:ok|okay|success|successful|succeeded|done|accepted|created|true|成功|正常)$/i;
const FAILURE_STATUS =
  /^(?:error|err|fail|failed|failure|rejected|refused|denied|invalid|not[ _-]?found|ko|nok|fehler|fehlgeschlagen|abgelehnt|ungültig|erreur|échec|échoué|refusé|rechazad[oa]|fallid[oa]|fallo|erro|falha|falhou|recusad[oa]|rejeitad[oa]|errore|fallito|rifiutat[oa]|ошибка|отказано|отклонено|(?:已|被)?(?:失败|错误|拒绝)|无效|未找到)$/i;

/**
 * Whether an answer is a failure by its agreement: an HTTP code from 400, an error code listed in the document,
 * `success: false`, an `error` member, or a status word; for text, by its start. An answer that does not say so is not
 * a failure, even if the case's expected result in words says otherwise. In contrast, `reportsFailure` in
 * src/verification/failure-answer.ts knows no agreement: it judges the form of any answer, suspects more, and may be
 * undecided.
 */
export function isAgreedFailure(response: Json, documentedCodes: ReadonlySet<string>): boolean {
  if (typeof response === 'string')
    return /^\W*(?:err(?:or)?|fail(?:ed|ure)?|invalid|nak|-\d|[45]\d\d\b|错误|失败)/i.test(response);
  return signalOf(response, documentedCodes, 0) === true;
}

/** Whether a value is a word for success, such as `OK`. */
export function isSuccessWord(value: Json): boolean {
  return typeof value === 'string' && SUCCESS_WORD.test(value);
}

/**
 * Whether an answer itself reports success: `ok: true`, a code member with 0 or 200 to 399, or a status word; for text,
 * by its start.
 */
export function reportsSuccess(response: Json, documentedCodes: ReadonlySet<string>): boolean {
  if (typeof response === 'string') return /^\W*(?:ok|ack|success|2\d\d)\b/i.test(response);
  return signalOf(response, documentedCodes, 0) === false;
}

/** `true` = failure, `false` = success, `undefined` = the answer does not say. */
function signalOf(value: Json, documentedCodes: ReadonlySet<string>, depth: number): boolean | undefined {
  if (!isObject(value) || depth > 2) return undefined;
  const direct = directSignal(value, documentedCodes);
  if (direct !== undefined) return direct;
  for (const name of ['status', 'result', 'header', 'head', 'meta', 'response', 'outcome']) {
    const inner = Object.hasOwn(value, name) ? signalOf(value[name] as Json, documentedCodes, depth + 1) : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function directSignal(value: JsonObject, documentedCodes: ReadonlySet<string>): boolean | undefined {
  for (const name of SUCCESS_NAMES) {
    if (Object.hasOwn(value, name) && typeof value[name] === 'boolean') return !value[name];
  }
  for (const name of ERROR_NAMES) {
    const member = Object.hasOwn(value, name) ? value[name] : undefined;
    if (typeof member === 'boolean') return member;
    if (
      typeof member === 'string'
        ? member !== '' && !SUCCESS_WORD.test(member)
        : Array.isArray(member)
          ? member.length > 0
          : isObject(member)
    ) {
      return true;
    }
  }
  for (const name of codeNamesOf(value)) {
    const signal = codeSignal(name, value[name] as Json, documentedCodes);
    if (signal !== undefined) return signal;
  }
  const words = ['message', 'msg', 'reason', '消息', '原因'].map((name) =>
    Object.hasOwn(value, name) ? value[name] : '',
  );
  return words.some((text) => typeof text === 'string' && FAILURE_WORD.test(text.slice(0, 500))) ? true : undefined;
}

/** Cached per answer, because each is checked many times and may have hundreds of members. */
const codeNames = new WeakMap<JsonObject, readonly string[]>();

/** The names of members that may report a result by a code or a word. */
function codeNamesOf(value: JsonObject): readonly string[] {
  let names = codeNames.get(value);
  if (names === undefined) {
    names = Object.keys(value).filter((name) => CODE_NAME.test(name) || STATUS_NAME.test(name));
    codeNames.set(value, names);
  }
  return names;
}

/** A name such as `INVALID_REQUEST` or `PRODUCT_NOT_FOUND`. */
function isFailureName(name: string): boolean {
  return /^[A-Z][A-Z0-9_]{2,60}$/.test(name) && FAILURE_WORD.test(name.replaceAll('_', ' '));
}

function codeSignal(name: string, member: Json, documentedCodes: ReadonlySet<string>): boolean | undefined {
  if (typeof member !== 'number' && typeof member !== 'string') return undefined;
  if (documentedCodes.has(String(member))) return true;
  if (typeof member === 'string' && (FAILURE_STATUS.test(member) || isFailureName(member))) return true;
  if (typeof member === 'string' && SUCCESS_WORD.test(member)) return false;
  const number = Number(member);
  if (STATUS_NAME.test(name) || String(member).trim() === '' || !Number.isFinite(number)) return undefined;
  if (number < 0 || (number >= 400 && number < 600)) return true;
  if (number === 0 || (number >= 200 && number < 400)) return false;
  return undefined;
}
