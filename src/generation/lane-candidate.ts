import type { DeclineKind } from '../completion/extract-candidate.ts';
import type { CheckReport } from '../contract/check-report.ts';
import type { AttemptReport, CaseReport } from '../contract/outcome.ts';
import type { DerivedCase } from '../contract/reading.ts';
import type { ObservedCall } from '../contract/trial.ts';
import type { Code } from '../kernel/errors.ts';
import type { Json } from '../kernel/json.ts';
import { escapedLine } from '../kernel/quote.ts';
import type { RepairFacts } from '../prompting/render-repair.ts';
import type { CheckFact } from '../verification/checks.ts';
import { ruleOf } from '../verification/rules.ts';

/** A candidate and the results of running it. */
export interface Tested {
  source: string;
  bundle: string;
  model: string;
  /** Sorted names of the tools it called in any run. */
  tools: string[];
  cases: CaseReport[];
  checks: CheckReport[];
  /** Whether the whole reading was run on it, and a second reader answered for all that it broke. */
  isWholeReading: boolean;
}

/** A refused candidate and the reason, which is always its own fault. */
export interface Failed {
  kind: 'failed';
  result: AttemptReport['result'];
  code: Code;
  message: string;
  /** The facts for a repair; `null` if there is nothing to repair. */
  facts: RepairFacts | null;
  source: string | null;
  /** `null` if it never ran. */
  tested: Tested | null;
  /** Its valid answers in the cases that it failed, with the tool calls; by case number. */
  objections: ReadonlyMap<number, Objection>;
  /** The findings of the checks that refused it. */
  findings: readonly CheckFact[];
  /** The derived cases it was refused for. */
  derived: readonly DerivedCase[];
  /** Whether it was refused as a table of the examples. */
  memorised: boolean;
  /**
   * Whether the job had tried the same module before: it was not run again, and does not count as another independent
   * candidate.
   */
  isRepeat: boolean;
  /** The attempt that wrote it; absent for a stored handler. */
  attempt?: number;
}

/** An answer that is valid but differs from the case. */
export interface Objection {
  answer: Json;
  calls: ObservedCall[];
}

/** A reasoned refusal whose quote occurs in the document. */
export interface Declined {
  kind: 'declined';
  decline: DeclineKind;
  reason: string;
  quote: string;
}

/** The result of one completion. */
export type Attempted = ({ kind: 'verified' } & Tested) | Failed | Declined;

/** A refused candidate without further results. */
export function failed(
  result: AttemptReport['result'],
  code: Code,
  message: string,
  facts: RepairFacts | null,
  source: string | null = null,
): Failed {
  return {
    kind: 'failed',
    result,
    code,
    message: escapedLine(message.slice(0, 1_000)),
    facts,
    source,
    tested: null,
    objections: new Map(),
    findings: [],
    derived: [],
    memorised: false,
    isRepeat: false,
  };
}

/** Most findings that a judge can decide at once. */
const maxFindings = 12;

/**
 * Whether a candidate was refused only by rules that may be appealed: the words of the agreement may allow what it did.
 */
export function mayAppeal({ findings, memorised }: Pick<Failed, 'findings' | 'memorised'>): boolean {
  const isFew = findings.length > 0 && findings.length <= maxFindings;
  return isFew && !memorised && findings.every(({ rule }) => rule !== undefined && ruleOf(rule).mayBeAppealed === true);
}
