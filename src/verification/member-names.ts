/** Members whose values may be made or checked out of others: a fresh value may rightly be refused. */
export const DERIVED_NAME =
  /sig|hash|digest|hmac|mac$|check_?sum|crc|token|cursor|jwt|proof|otp|challenge|secret|passw/i;

/** Members that hold an id by which a request is told from others. */
export const CORRELATION_NAME =
  /^(?:message_?id|request_?id|correlation_?id|trace_?id|msg_?id|transaction_?id|conversation_?id|nonce|id|ref|reference|seq(?:uence)?)$/i;
