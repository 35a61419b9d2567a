import { bundleHandler, type Sandbox } from '../sandbox/index.ts';
import type { Reading } from '../src/contract/reading.ts';
import type { Observation, Scenario } from '../src/contract/trial.ts';
import { createTrier } from '../src/hosting/trier.ts';
import type { Requirements } from '../src/job/requirements.ts';
import type { Json } from '../src/kernel/json.ts';
import { caseScenarios } from '../src/verification/case-scenarios.ts';
import { generateInputs } from '../src/verification/worlds/generated-inputs.ts';
import { tryCandidate } from './try-candidate.ts';
import { tryReadings } from './try-reading.ts';

/** One small change to a sound handler, and its result. */
export interface MutantTrial {
  agreement: string;
  /** The sound handler that was changed. */
  candidate: string;
  /** Line of the sound handler, from 1. */
  line: number;
  mutator: string;
  from: string;
  to: string;
  /** `equivalent`: no run could tell it from the original handler. */
  fate: 'refused by the cases' | 'refused by the checks' | 'refused by derived cases' | 'equivalent' | 'survived';
}

interface Mutant {
  mutatorName: string;
  replacement: string;
  location: { start: { line: number; column: number }; end: { line: number; column: number } };
}

/**
 * Makes every mutant of a sound handler that StrykerJS supports, and runs each through cases, checks and derived cases.
 */
export async function tryMutants(
  agreement: string,
  requirements: Requirements,
  readings: readonly Reading[],
  candidate: { name: string; source: string },
  sandbox: Sandbox,
): Promise<MutantTrial[]> {
  const { name, source } = candidate;
  const lines = source.split('\n');
  const offset = ({ line, column }: { line: number; column: number }) =>
    lines.slice(0, line).reduce((sum, text) => sum + text.length + 1, 0) + column;
  const expected = await tracesOf(requirements, source, sandbox);
  const found: MutantTrial[] = [];
  for (const { mutatorName, replacement, location } of await mutantsOf(source)) {
    const [start, end] = [offset(location.start), offset(location.end)];
    const mutant = source.slice(0, start) + replacement + source.slice(end);
    const { refusedFor, verification } = await tryCandidate(requirements, mutant, sandbox);
    const isDerived = async () =>
      (await tryReadings(requirements, mutant, readings, null, sandbox)).confirmed.length > 0;
    const fate =
      refusedFor.length > 0
        ? verification
          ? 'refused by the checks'
          : 'refused by the cases'
        : (await isDerived())
          ? 'refused by derived cases'
          : (await tracesOf(requirements, mutant, sandbox)) === expected
            ? 'equivalent'
            : 'survived';
    found.push({
      agreement,
      candidate: name,
      line: location.start.line + 1,
      mutator: mutatorName,
      from: short(source.slice(start, end)),
      to: short(replacement),
      fate,
    });
  }
  return found;
}

function short(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 70 ? `${line.slice(0, 67)}...` : line;
}

/** A silent logger for StrykerJS. */
const silent = {
  isTraceEnabled: () => false,
  isDebugEnabled: () => false,
  isInfoEnabled: () => false,
  isWarnEnabled: () => false,
  isErrorEnabled: () => false,
  isFatalEnabled: () => false,
  trace() {},
  debug() {},
  info() {},
  warn() {},
  error() {},
  fatal() {},
};

async function mutantsOf(source: string): Promise<readonly Mutant[]> {
  const { Instrumenter } = await import('@stryker-mutator/instrumenter');
  const file = { name: 'handler.ts', content: source, mutate: true };
  const options = { plugins: null, excludedMutations: [], ignorers: [] };
  const { mutants } = await new Instrumenter(silent).instrument([file], options);
  return mutants;
}

/**
 * What a handler does on many inputs and with each tool failing, as one text. Handlers with the same text count as
 * equivalent.
 */
async function tracesOf(requirements: Requirements, source: string, sandbox: Sandbox): Promise<string> {
  const bundled = await bundleHandler(source, requirements.exportName);
  if (!bundled.ok) return '';
  const { subject } = requirements;
  const handler = await sandbox.load(bundled.bundle, requirements.exportName);
  try {
    const trier = createTrier(handler, requirements.surface, () => undefined, requirements.subject.trialSeed);
    const base = caseScenarios(subject);
    const isValid = (value: Json) =>
      subject.role === 'provider' ? subject.surface.requestIssues(value).length === 0 : true;
    const known = base.map(({ input }) => input);
    const inputs = generateInputs(
      subject.role === 'provider' ? subject.requestSchema : (subject.task?.inputSchema ?? null),
      known,
      isValid,
      'equivalence',
      { plausible: 60, sampled: 60, invalid: 60 },
    );
    const scenarios: Scenario[] = [
      ...base,
      ...base.flatMap((one) =>
        subject.tools.flatMap(({ name }) =>
          [1, 2].map((nth) => ({
            ...one,
            faults: [{ tool: name, nth, error: { code: 'FAILED' as const, message: 'out of order' } }],
          })),
        ),
      ),
      ...inputs.map(({ input }, index) => ({
        ...(base[index % base.length] as Scenario),
        input,
        seed: `equivalence-${index}`,
      })),
      ...base.map((one) => ({
        ...one,
        peer: () => ({ error: { code: 'FAILED' as const, message: 'out of order' } }),
      })),
    ];
    const seen = await trier.try(scenarios, new AbortController().signal);
    return JSON.stringify(seen.map(traceOf));
  } finally {
    await handler.close();
  }
}

function traceOf({ end, value, calls, sends }: Observation): Json {
  return [end, value ?? null, calls.map(({ tool, input }) => [tool, input]), sends.map(({ request }) => request)];
}

/** Prints the share of refused mutants, and the ones that survived. */
export function reportMutants(trials: readonly MutantTrial[]): void {
  const count = (fate: MutantTrial['fate']) => trials.filter((trial) => trial.fate === fate).length;
  const real = trials.length - count('equivalent');
  const survived = trials.filter(({ fate }) => fate === 'survived');
  const share = real === 0 ? 100 : (100 * (real - survived.length)) / real;
  console.log(
    `\n${trials.length} mutants: ${count('refused by the cases')} refused by the cases, ${count('refused by the checks')} by the checks, ${count('refused by derived cases')} by derived cases, ${count('equivalent')} equivalent, ${survived.length} survived: ${share.toFixed(1)} % of those that differ are refused`,
  );
  for (const { agreement, candidate, line, mutator, from, to } of survived)
    console.log(`  ${agreement}/${candidate}.ts:${line} ${mutator}: ${from} → ${to}`);
}
