import { readFile } from 'node:fs/promises';
import { bundleHandler, type Sandbox } from '../sandbox/index.ts';
import { analyze } from '../src/analysis/analyze.ts';
import type { CaseReport } from '../src/contract/outcome.ts';
import { sourceLocator } from '../src/hosting/source-position.ts';
import { createTrier } from '../src/hosting/trier.ts';
import { readJob } from '../src/intake/read-job.ts';
import { clear } from '../src/job/clear.ts';
import { type Requirements, requirementsOf } from '../src/job/requirements.ts';
import { caseScenarios } from '../src/verification/case-scenarios.ts';
import type { Check } from '../src/verification/check.ts';
import { type CheckPolicy, checks, defaultCheckPolicy, type Verification, verify } from '../src/verification/checks.ts';
import { judgeCases } from '../src/verification/judge-cases.ts';

/** The folder of agreements with their candidates. */
export const candidatesFolder = new URL('../fixtures/candidates/', import.meta.url);

/** The folder of agreements with candidates whose authors had not read the checks. */
export const unreadFolder = new URL('../fixtures/unread/', import.meta.url);

/** The result of a candidate on the cases, and on the checks if it passed them. */
export interface Trial {
  cases: CaseReport[];
  verification?: Verification;
  /** Why it was refused; empty for a verified candidate. */
  refusedFor: string[];
}

/** Reads the job of an agreement and returns its requirements. */
export async function openFixture(folder: URL, trialSeed = 'fixtures'): Promise<Requirements> {
  const text = await readFile(new URL('job.json', folder), 'utf8');
  return measureOf(JSON.parse(text), trialSeed);
}

/** The requirements of a `generate` job. Throws if the job ends before a candidate is written. */
export function measureOf(data: unknown, trialSeed = 'fixtures'): Requirements {
  const reading = readJob('generate', data, JSON.stringify(data).length);
  if (!reading.ok) throw new Error(`Cannot read job: ${JSON.stringify(reading.faults)}, wanted a valid one`);
  return requirementsOf(clear(analyze(reading.job)), trialSeed);
}

/** Runs a candidate through bundling, cases and checks as the pipeline does. */
export async function tryCandidate(
  requirements: Requirements,
  source: string,
  sandbox: Sandbox,
  list: readonly Check[] = checks,
  signal: AbortSignal = new AbortController().signal,
  policy: CheckPolicy = defaultCheckPolicy,
): Promise<Trial> {
  const bundled = await bundleHandler(source, requirements.exportName);
  if (!bundled.ok) return { cases: [], refusedFor: bundled.faults.map(({ message }) => `bundle: ${message}`) };
  const handler = await sandbox.load(bundled.bundle, requirements.exportName);
  try {
    const trier = createTrier(
      handler,
      requirements.surface,
      sourceLocator(source, bundled.map),
      requirements.subject.trialSeed,
    );
    const observations = await trier.try(caseScenarios(requirements.subject), signal);
    const cases = judgeCases(requirements.subject, observations);
    const failed = cases.filter(({ passed }) => !passed);
    if (failed.length > 0)
      return {
        cases,
        refusedFor: failed.map(
          ({ testCase, differences }) => `case ${testCase}: ${JSON.stringify(differences).slice(0, 300)}`,
        ),
      };
    const code = { source, bundle: bundled.bundle };
    const verification = await verify(requirements.subject, code, observations, trier, policy, signal, list);
    return {
      cases,
      verification,
      refusedFor: verification.failures.map(({ check, rule, message }) => `${rule ?? check}: ${message}`),
    };
  } finally {
    await handler.close();
  }
}
