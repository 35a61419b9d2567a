import type { Observation, Scenario } from '../contract/trial.ts';
import type { Code } from '../kernel/errors.ts';
import type { Json } from '../kernel/json.ts';
import type { HiddenWords } from './hidden-words.ts';
import type { RuleId } from './rules.ts';
import type { RunnableCase } from './runnable-cases.ts';
import type { LiteralIndex } from './source/literal-index.ts';
import type { CandidateCode, Subject } from './subject.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A case with the candidate's run of it. */
export interface SeenCase {
  one: RunnableCase;
  scenario: Scenario;
  seen: Observation;
}

/** The facts that every check gets: the candidate has passed all of these cases. */
export interface CheckFacts {
  subject: Subject;
  candidate: CandidateCode;
  cases: readonly SeenCase[];
  /**
   * The cases at another time, if the candidate fails some of them then; empty if it passes, since all else then runs
   * at that time.
   */
  elsewhere: readonly SeenCase[];
  /** What a handler may know from this agreement. */
  vocabulary: Vocabulary;
  /** The words of the document's hidden passages; the subject's text is without these passages. */
  hidden: HiddenWords;
  /** The constants of the candidate. */
  literals: LiteralIndex;
  /** Runs of letters and digits that fresh values must avoid. */
  taken: ReadonlySet<string>;
}

/** One breach of a rule, as observed facts for a repair: input, expected and actual output. */
export interface Finding {
  rule: RuleId;
  /** One sentence about the breach. */
  message: string;
  testCase?: number;
  /** The candidate's input: a request or a task's input. */
  input?: Json;
  expected?: Json;
  got?: Json;
}

/** A finding with the check that made it and the error code of its rule. */
export interface CheckFact extends Omit<Finding, 'rule'> {
  check: string;
  code: Code;
  /** The broken rule, if it is in rules.ts. */
  rule?: RuleId;
}

/** What a check found. `skipped` says why it did not run. */
export interface CheckFindings {
  findings: Finding[];
  skipped?: string;
  /** A note for readers of the report; not a fault. */
  note?: string;
}

/** One verification beyond the negotiated cases; rules.ts lists its rules under its name. */
export interface Check {
  readonly name: string;
  /** Why the check exists. */
  readonly reason: string;
  /** Yields scenarios to run, receives their observations in the same order, and returns its findings. */
  run(facts: CheckFacts): Generator<Scenario[], CheckFindings, Observation[]>;
  /** Judges all runs made so far, by any check; asks for none. Rare paths may show up in any run. */
  review?(facts: CheckFacts, runs: readonly Run[]): Finding[];
}

/** A run: what the candidate was asked, and what it did. */
export interface Run {
  scenario: Scenario;
  seen: Observation;
}

/** An answer value of a case that neither the request, the tools, the schema nor the document yields. */
export interface Underived {
  testCase: number;
  /** JSON pointer into the response; for a requester into its request or output. */
  pointer: string;
  value: Json;
}
