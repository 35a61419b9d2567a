import type { Rule } from '../analysis/rule.ts';
import { preflight } from '../analysis/rules.ts';
import { settle } from '../analysis/settle.ts';
import type { Analyzed } from '../contract/agreement.ts';
import { Leave } from './leave.ts';
import type { Cleared } from './measure.ts';

/** Runs the preflight, or the rules given, and settles what was found. Leaves with `disputed` or `error` where the agreement is at fault. */
export function clear(analyzed: Analyzed, rules?: readonly Rule[]): Cleared {
  const settlement = settle(analyzed, preflight(analyzed, rules));
  if (settlement.kind !== 'cleared') {
    const { kind: verdict, findings, proposals } = settlement;
    throw new Leave({ verdict, language: analyzed.agreement.language, findings, proposals });
  }
  const { agreement, amendments, warnings } = settlement;
  return { ...analyzed, agreement, amendments, warnings };
}
