import type { DeclineKind } from '../completion/extract-candidate.ts';
import type { CheckReport } from '../contract/check-report.ts';
import type { AttemptReport, CaseReport } from '../contract/outcome.ts';
import type { DerivedCase } from '../contract/reading.ts';
import type { ObservedCall } from '../contract/trial.ts';
import type { Code } from '../kernel/errors.ts';
import type { Json } from '../kernel/json.ts';
import { visibleText } from '../kernel/quote.ts';
import type { RepairFacts } from '../prompting/render-repair.ts';
import type { CheckFact } from '../verification/checks.ts';
import { ruleOf } from '../verification/rules.ts';

/** A candidate with what was seen of it. */
export interface Tested {
  source: string;
  bundle: string;
  model: string;
  /** Sorted names of the tools it called in any run. */
  tools: string[];
  cases: CaseReport[];
  checks: CheckReport[];
  /** Whether the whole reading was run on it, and all that it broke was put to a second reader. */
  isWholeReading: boolean;
}

/** A candidate that is not good enough, and why: its own fault in every case. */
export interface Failed {
  kind: 'failed';
  result: AttemptReport['result'];
  code: Code;
  message: string;
  /** What a repair starts from; `null` where there is nothing to repair. */
  facts: RepairFacts | null;
  source: string | null;
  /** `null` where it never came to run. */
  tested: Tested | null;
  /** What it answered in each case that it failed with an answer that the schema allows, and what its tools said; by case. */
  objections: ReadonlyMap<number, Objection>;
  /** What the checks beyond the cases refused it for. */
  findings: readonly CheckFact[];
  /** The derived cases among these. */
  derived: readonly DerivedCase[];
  /** Whether it was refused for knowing the examples by heart. */
  memorised: boolean;
  /** Whether the job had tried the very same module before: it was not run again, and is no further voice. */
  isRepeat: boolean;
}

/** A valid answer that is not the case's. */
export interface Objection {
  answer: Json;
  calls: ObservedCall[];
}

/** A reasoned refusal whose quote stands in the document. */
export interface Declined {
  kind: 'declined';
  decline: DeclineKind;
  reason: string;
  quote: string;
}

/** What one completion came to. */
export type Attempted = ({ kind: 'verified' } & Tested) | Failed | Declined;

/** A candidate that failed, of which nothing more is known. */
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
    message: visibleText(message.slice(0, 1_000)),
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

/** More than a judge can weigh at once. */
const mostFindings = 12;

/** Whether a candidate was refused for nothing but what the agreement may have in words as the candidate has it. */
export function mayAppeal({ findings, memorised }: Pick<Failed, 'findings' | 'memorised'>): boolean {
  const isShort = findings.length > 0 && findings.length <= mostFindings;
  return (
    isShort && !memorised && findings.every(({ rule }) => rule !== undefined && ruleOf(rule).mayBeAppealed === true)
  );
}
