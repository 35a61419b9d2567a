import type { Finding } from '../../contract/finding.ts';
import type { Json } from '../../kernel/json.ts';

/** A message of an exchange. */
export type Side = 'request' | 'response';

/** A request and its response as they were sent, at an index of the job's list. */
export interface Exchange {
  index: number;
  /** The case that the exchange claims to answer. */
  testCase?: number;
  request: Json;
  response: Json;
}

/** Where every finding about an exchange belongs. */
export function exchangeOf({ testCase }: Exchange): Pick<Finding, 'in' | 'testCase'> {
  return { in: 'exchange', ...(testCase === undefined ? {} : { testCase }) };
}

/** The pointer of a place in a message of an exchange, from the start of the job's list. */
export function pointerTo({ index }: Exchange, side: Side, pointer: string): string {
  return `/${index}/${side}${pointer}`;
}

/** The finding as a warning: it is about our own side, which the peer need not answer for. */
export function aboutUs(finding: Finding): Finding {
  return { ...finding, severity: 'warning', message: `${finding.message} (this side is ours)` };
}

/** The finding as a warning: words change the schema, and no case shows how. */
export function changedInWords(finding: Finding): Finding {
  const message = `${finding.message} (of the base protocol, which the document changes in words)`;
  return { ...finding, severity: 'warning', message };
}

/** The finding as a warning: the exchange claims no case, so another answer may be right. */
export function withoutClaim(finding: Finding): Finding {
  return { ...finding, severity: 'warning', message: `${finding.message} (the exchange claims no case)` };
}
