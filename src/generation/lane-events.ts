import type { SourceLine, TriedCase } from '../contract/history.ts';
import type { CaseReport } from '../contract/outcome.ts';
import type { Observation } from '../contract/trial.ts';
import type { DerivedJudgement } from '../deriving/judge-derived.ts';
import type { Ledger } from '../job/ledger.ts';
import { shortenedCases } from '../job/shortened-cases.ts';
import { cut } from '../prompting/cut.ts';
import type { SourceFault } from '../prompting/render-repair.ts';
import type { Verification } from '../verification/checks.ts';
import type { Assignment } from './assignment.ts';
import { factText, observationOf } from './lane-facts.ts';

/** Most characters of a candidate's source in an event: a longer one is not repaired either. */
const maxSourceCharacters = 65_536;

/** Most faults or facts in one event, and most characters of each. */
const [maxFacts, maxCharacters] = [50, 1_000];

/** Reports a candidate that was type-checked and bundled; `digest` is `null` if it cannot be bundled. */
export function tellCandidate(
  ledger: Ledger,
  attempt: number,
  source: string,
  { digest, bundle }: { digest: string | null; bundle: string },
  found: readonly SourceFault[],
): void {
  const faults = found.slice(0, maxFacts).map(({ message, line }): SourceLine => {
    return { message: cut(message, maxCharacters), ...(line === undefined ? {} : { line }) };
  });
  ledger.tell({
    type: 'candidate',
    attempt,
    bundleDigest: digest,
    bundleBytes: Buffer.byteLength(bundle),
    sourceBytes: Buffer.byteLength(source),
    faults: found.length,
    detail: { source: cut(source, maxSourceCharacters), faults },
  });
}

/** Reports how a candidate did on the negotiated cases. */
export function tellTried(
  ledger: Ledger,
  attempt: number,
  { subject }: Pick<Assignment, 'subject'>,
  cases: readonly CaseReport[],
  observations: readonly Observation[],
): void {
  const numbers = (wanted: boolean) => cases.filter(({ passed }) => passed === wanted).map(({ testCase }) => testCase);
  const tried = shortenedCases(cases).map((one): TriedCase => {
    const { end = 'unknown', message, position } = observationOf({ subject }, observations, one.testCase) ?? {};
    return {
      ...one,
      end,
      ...(message === undefined ? {} : { message: cut(message, maxCharacters) }),
      ...(position === undefined ? {} : { line: position.line, column: position.column }),
    };
  });
  ledger.tell({
    type: 'tried',
    attempt,
    passed: numbers(true),
    failed: numbers(false),
    durationMs: Math.round(observations.reduce((sum, { durationMs }) => sum + durationMs, 0)),
    cpuMs: Math.round(observations.reduce((sum, { cpuMs }) => sum + cpuMs, 0)),
    detail: { cases: tried },
  });
}

/** Reports what the checks beyond the cases found. */
export function tellChecked(
  ledger: Ledger,
  attempt: number,
  { reports, failures, warnings }: Verification,
  durationMs: number,
): void {
  const named = (result: Verification['reports'][number]['result']) =>
    reports.filter((one) => one.result === result).map(({ name }) => name);
  const facts = [...failures, ...warnings].slice(0, maxFacts).map((fact) => {
    const { check, code, rule } = fact;
    const message = cut(factText(fact), maxCharacters);
    return { check, code, ...(rule === undefined ? {} : { rule }), message, refuses: failures.includes(fact) };
  });
  ledger.tell({
    type: 'checked',
    attempt,
    passed: named('passed'),
    failed: named('failed'),
    warned: named('warned'),
    durationMs: Math.round(durationMs),
    detail: { reports, facts },
  });
}

/** Reports how a candidate did on the derived cases. */
export function tellDerived(ledger: Ledger, attempt: number, judged: DerivedJudgement, durationMs: number): void {
  const { confirmed, contested, runs, isWhole } = judged;
  const broken = [...confirmed, ...contested].slice(0, maxFacts).map((one) => {
    const { entry, breaches, seen } = one;
    const { id, of, quote, claim } = entry;
    return {
      ...(id === undefined ? {} : { id }),
      ...(of === undefined ? {} : { of }),
      quote: cut(quote, maxCharacters),
      claim: cut(claim, maxCharacters),
      breaches: breaches.slice(0, maxFacts).map(({ message }) => cut(message, maxCharacters)),
      confirmed: confirmed.includes(one),
      ...(seen.position === undefined ? {} : { line: seen.position.line }),
    };
  });
  ledger.tell({
    type: 'derived',
    attempt,
    runs,
    confirmed: confirmed.length,
    contested: contested.length,
    isWhole,
    durationMs: Math.round(durationMs),
    detail: { broken },
  });
}
