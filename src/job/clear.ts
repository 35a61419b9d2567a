import { decide } from '../analysis/decide.ts';
import type { Rule } from '../analysis/rule.ts';
import { preflight } from '../analysis/rules.ts';
import type { Analyzed } from '../contract/agreement.ts';
import { EarlyEnd } from './conclusion.ts';
import type { Cleared } from './requirements.ts';

/**
 * Runs the preflight, or the given rules, and applies the amendments that resolve its findings. Throws `EarlyEnd` with
 * `disputed` or `error` if the agreement is at fault.
 */
export function clear(analyzed: Analyzed, rules?: readonly Rule[]): Cleared {
  const decision = decide(analyzed, preflight(analyzed, rules));
  if (decision.kind !== 'cleared') {
    const { kind: verdict, findings, proposals } = decision;
    throw new EarlyEnd({ verdict, language: analyzed.agreement.language, findings, proposals });
  }
  const { agreement, amendments, warnings } = decision;
  return { ...analyzed, agreement, amendments, warnings };
}
