/** Members whose values may be made or checked out of others: a fresh value may rightly be refused. */
export const DERIVED_NAME =
  /sig|hash|digest|hmac|mac$|check_?sum|crc|token|cursor|jwt|proof|otp|challenge|secret|passw/i;
