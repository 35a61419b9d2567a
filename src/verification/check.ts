import type { Observation, Scenario } from '../contract/trial.ts';
import type { Code } from '../kernel/errors.ts';
import type { Json } from '../kernel/json.ts';
import type { HiddenWords } from './hidden-words.ts';
import type { RuleId } from './rules.ts';
import type { RunnableCase } from './runnable-cases.ts';
import type { LiteralIndex } from './source/literal-index.ts';
import type { CandidateCode, Subject } from './subject.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A case with what the candidate was seen to do on it. */
export interface SeenCase {
  one: RunnableCase;
  scenario: Scenario;
  seen: Observation;
}

/** What every check can start from: the candidate has passed all of these cases. */
export interface CheckFacts {
  subject: Subject;
  candidate: CandidateCode;
  cases: readonly SeenCase[];
  /** The cases at another time, where the candidate fails some of them then; empty where it passes, and all else is run then. */
  elsewhere: readonly SeenCase[];
  /** What is public property in this agreement. */
  vocabulary: Vocabulary;
  /** What only hidden passages of the document have; the subject has its text without them. */
  hidden: HiddenWords;
  /** The constants of the candidate. */
  literals: LiteralIndex;
  /** Runs of letters and digits that fresh values must keep clear of. */
  taken: ReadonlySet<string>;
}

/** One breach of a rule, as executed facts for a repair: what was put in, what came out, what should have. */
export interface Finding {
  rule: RuleId;
  /** One sentence that says what is wrong. */
  message: string;
  testCase?: number;
  /** What the candidate was given (request or task input). */
  input?: Json;
  expected?: Json;
  got?: Json;
}

/** A finding with the check that made it and the error code of its rule. */
export interface CheckFact extends Omit<Finding, 'rule'> {
  check: string;
  code: Code;
  /** The rule that is broken, where it is one of rules.ts. */
  rule?: RuleId;
}

/** What a check found. `skipped` says why there was nothing to find. */
export interface CheckFindings {
  findings: Finding[];
  skipped?: string;
  /** What a reader of the report should know although nothing is wrong. */
  note?: string;
}

/** One verification beyond the negotiated cases; its rules stand in the table of rules.ts under its name. */
export interface Check {
  readonly name: string;
  /** Why it is there. */
  readonly reason: string;
  /** Yields the scenarios it wants to see, is given the observations in the same order, and returns what it found. */
  run(facts: CheckFacts): Generator<Scenario[], CheckFindings, Observation[]>;
  /** What is certain of whatever run of whichever check, without another one: rare paths come to light anywhere. */
  review?(facts: CheckFacts, runs: readonly Run[]): Finding[];
}

/** What a candidate was asked, and what it did. */
export interface Run {
  scenario: Scenario;
  seen: Observation;
}

/** An answer value of a case that can be had from neither request, tools, schema nor document. */
export interface Underived {
  testCase: number;
  /** JSON pointer into the response; for a requester into its request or output. */
  pointer: string;
  value: Json;
}
