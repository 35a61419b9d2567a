/** Members whose values may be derived from, or checked against, others: a handler may rightly refuse a fresh value. */
export const DERIVED_NAME =
  /sig|hash|digest|hmac|mac$|check_?sum|crc|token|cursor|jwt|proof|otp|challenge|secret|passw/i;
