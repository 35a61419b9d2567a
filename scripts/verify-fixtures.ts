import { readdir, readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { readJob } from '../queues/index.ts';
import { bundleHandler, createSandbox, type Sandbox } from '../sandbox/index.ts';
import { analyze } from '../src/analysis/analyze.ts';
import type { CaseReport } from '../src/contract/outcome.ts';
import { sourceLocator } from '../src/hosting/source-position.ts';
import { createTrier } from '../src/hosting/trier.ts';
import { isObject, type Json } from '../src/kernel/json.ts';
import { clear } from '../src/pipeline/clear.ts';
import { type Measure, measure } from '../src/pipeline/measure.ts';
import { caseScenarios, judgeCases } from '../src/verification/case-scenarios.ts';
import type { Check } from '../src/verification/check.ts';
import { type CheckPolicy, checks, defaultCheckPolicy, type Verification, verify } from '../src/verification/checks.ts';
import type { Subject } from '../src/verification/subject.ts';

import { type MutantTrial, reportMutants, tryMutants } from './verify-fixtures-mutants.ts';

/** Where the agreements with their candidates lie. */
export const candidatesFolder = new URL('../fixtures/candidates/', import.meta.url);

/** What became of a candidate: how it did on the cases, and on the checks if it passed them. */
export interface Trial {
  cases: CaseReport[];
  verification?: Verification;
  /** Why it was refused; empty for a verified candidate. */
  refusedFor: string[];
}

/** Reads an agreement's job and everything a candidate of it is held to. */
export async function openFixture(folder: URL): Promise<Measure> {
  const text = await readFile(new URL('job.json', folder), 'utf8');
  return measureOf(JSON.parse(text));
}

/** Everything that a candidate of a `generate` job is held to; throws where the job does not get as far as a candidate. */
export function measureOf(data: unknown): Measure {
  const reading = readJob('generate', data, JSON.stringify(data).length);
  if (!reading.ok) throw new Error(`Cannot read job: ${JSON.stringify(reading.faults)}, wanted a valid one`);
  return measure(clear(analyze(reading.job)));
}

/** Puts a candidate through bundling, cases and checks as the pipeline does. */
export async function tryCandidate(
  order: Measure,
  source: string,
  sandbox: Sandbox,
  list: readonly Check[] = checks,
  signal: AbortSignal = new AbortController().signal,
  policy: CheckPolicy = defaultCheckPolicy,
): Promise<Trial> {
  const bundled = await bundleHandler(source, order.exportName);
  if (!bundled.ok) return { cases: [], refusedFor: bundled.faults.map(({ message }) => `bundle: ${message}`) };
  const handler = await sandbox.load(bundled.bundle, order.exportName);
  try {
    const trier = createTrier(handler, order.surface, sourceLocator(source, bundled.map));
    const observations = await trier.try(caseScenarios(order.subject), signal);
    const cases = judgeCases(order.subject, observations);
    const failed = cases.filter(({ passed }) => !passed);
    if (failed.length > 0)
      return {
        cases,
        refusedFor: failed.map(
          ({ testCase, differences }) => `case ${testCase}: ${JSON.stringify(differences).slice(0, 300)}`,
        ),
      };
    const code = { source, bundle: bundled.bundle };
    const verification = await verify(order.subject, code, observations, trier, policy, signal, list);
    return {
      cases,
      verification,
      refusedFor: verification.failures.map(({ check, message }) => `${check}: ${message}`),
    };
  } finally {
    await handler.close();
  }
}

/** Ways to answer from the examples alone; none of them may pass. */
export function mechanicalTables(subject: Subject): { name: string; source: string }[] {
  if (subject.role === 'requester') return requesterTables(subject);
  const rows = subject.cases.map(({ request, response }) => [request, response] as const);
  const fallback = rows.at(-1)?.[1] ?? null;
  const calls = JSON.stringify(subject.tools.map((tool) => [tool.name, tool.examples?.[0]?.input ?? {}]));
  const echoed = rows.map(([request, response]) => withEcho(request, response));
  const key =
    "const key = (value) => JSON.stringify(value, value && typeof value === 'object' && !Array.isArray(value) ? Object.keys(value).sort() : undefined);";
  const exact = `${key}\nconst rows = ${JSON.stringify(rows)};\nexport async function handle(request, context) {\n  for (const [known, answer] of rows) if (key(known) === key(request)) return answer;\n  return ${JSON.stringify(fallback)};\n}\n`;
  const spied = `const calls = ${calls};\n${exact.replace('export async function handle(request, context) {', 'export async function handle(request, context) {\n  for (const [name, input] of calls) await context.call[name](input).catch(() => null);')}`;
  const hidden = `const rows = JSON.parse(String.fromCharCode(...[${[...JSON.stringify(echoed)].map((char) => (char.codePointAt(0) ?? 32) + 1).join(',')}].map((code) => code - 1)));\n${echoTable}`;
  return [
    { name: 'table-exact', source: exact },
    { name: 'table-echo', source: `const rows = ${JSON.stringify(echoed)};\n${echoTable}` },
    { name: 'table-hidden', source: hidden },
    {
      name: 'table-throwing',
      source: hidden.replace(/const last = [\s\S]*\n}\n$/, "throw new Error('unknown request');\n}\n"),
    },
    { name: 'table-first', source: hidden.replace('rows[rows.length - 1]', 'rows[0]') },
    ...(subject.tools.length > 0 ? [{ name: 'table-calling', source: spied }] : []),
  ];
}

/** Echoes the scalars at the top of a request that come back in its answer, and looks the rest up. */
const echoTable = `const strip = (request, echo) => request && typeof request === 'object' ? JSON.stringify(Object.entries(request).filter(([name]) => !echo.includes(name)).sort()) : JSON.stringify(request);
const fill = (value, request) => {
  if (typeof value === 'string' && value.startsWith('\\u0001')) return request[value.slice(1)];
  if (Array.isArray(value)) return value.map((item) => fill(item, request));
  if (value && typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, fill(item, request)]));
  return value;
};
export async function handle(request, context) {
  for (const [known, echo, answer] of rows) if (strip(known, echo) === strip(request, echo)) return fill(answer, request);
  const last = rows[rows.length - 1];
  return fill(last[2], request);
}
`;

function withEcho(request: Json, response: Json): [Json, string[], Json] {
  if (!isObject(request)) return [request, [], response];
  const ids = Object.entries(request).filter(
    ([name, value]) =>
      typeof value === 'string' && /(?:message|request|correlation|trace|msg)_?id|nonce|^id$|seq/i.test(name),
  );
  const put = (value: Json): Json => {
    const id = ids.find(([, known]) => known === value);
    if (id) return `\u0001${id[0]}`;
    if (Array.isArray(value)) return value.map(put);
    return isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, item]) => [name, put(item)])) : value;
  };
  return [request, ids.map(([name]) => name), put(response)];
}

function requesterTables(subject: Subject): { name: string; source: string }[] {
  const rows = (subject.task?.examples ?? []).flatMap(({ testCase, input, output }) => {
    const own = subject.cases.find((one) => one.testCase === testCase);
    return own ? [[input, own.request, output]] : [];
  });
  const loose = subject.loose.map(({ pointer, as }) => [pointer.split('/').slice(1), as]);
  const head =
    `const rows = ${JSON.stringify(rows)};\nconst loose = ${JSON.stringify(loose)};\nconst fresh = (request, context) => {\n  const copy = structuredClone(request);\n  for (const [path, as] of loose) {\n    let node = copy;\n    for (const token of path.slice(0, -1)) node = node?.[token];\n    const last = path[path.length - 1];\n    if (node && last in node) node[last] = as === 'time' ? (typeof node[last] === 'number' ? context.now() : new Date(context.now()).toISOString()) : context.newId();\n  }\n  return copy;\n};\n`.replaceAll(
      'structuredClone(request)',
      'JSON.parse(JSON.stringify(request))',
    );
  const body = (answer: string) =>
    `${head}export async function perform(task, context) {\n  const row = rows.find(([input]) => JSON.stringify(input) === JSON.stringify(task)) ?? rows[0];\n  ${answer}\n  return row[2];\n}\n`;
  return [
    { name: 'table-exact', source: body('await context.send(fresh(row[1], context));') },
    { name: 'table-deaf', source: body('try { await context.send(fresh(row[1], context)); } catch {}') },
  ];
}

interface Line {
  agreement: string;
  candidate: string;
  kind: 'sound' | 'table' | 'faulty';
  trial: Trial;
  /** Why no check can see its fault, as its first line says. */
  unseen?: string;
}

async function main(): Promise<void> {
  const only = process.argv.slice(2).filter((word) => !word.startsWith('--'));
  const verbose = process.argv.includes('--verbose');
  const withMutants = process.argv.includes('--mutants');
  const mutants: MutantTrial[] = [];
  const sandbox = await createSandbox({ cells: Math.min(2, availableParallelism()) });
  const lines: Line[] = [];
  try {
    const names = (await readdir(candidatesFolder, { withFileTypes: true }))
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
    for (const agreement of names.sort()) {
      if (only.length > 0 && !only.includes(agreement)) continue;
      const folder = new URL(`${agreement}/`, candidatesFolder);
      const order = await openFixture(folder);
      const files = (await readdir(folder)).filter((name) => name.endsWith('.ts')).sort();
      const written = await Promise.all(
        files.map(async (file) => ({ name: file.slice(0, -3), source: await readFile(new URL(file, folder), 'utf8') })),
      );
      if (withMutants) {
        const sound = written.filter(({ name }) => name.startsWith('sound'));
        for (const candidate of sound) mutants.push(...(await tryMutants(agreement, order, candidate, sandbox)));
        continue;
      }
      for (const { name, source } of [...written, ...mechanicalTables(order.subject)]) {
        const kind = name.startsWith('sound') ? 'sound' : name.startsWith('table') ? 'table' : 'faulty';
        const trial = await tryCandidate(order, source, sandbox);
        const unseen = /^\/\/ No check can see it: (.+)/.exec(source)?.[1];
        lines.push({ agreement, candidate: name, kind, trial, ...(unseen === undefined ? {} : { unseen }) });
        if (verbose) console.log(describe({ agreement, candidate: name, kind, trial }));
      }
    }
  } finally {
    await sandbox.close();
  }
  if (withMutants) reportMutants(mutants);
  else process.exitCode = report(lines) ? 0 : 1;
}

function describe({ agreement, candidate, trial }: Line): string {
  const warned =
    trial.verification?.warnings.map(({ check, message }) => `\n      warns ${check}: ${message}`).join('') ?? '';
  return `${agreement}/${candidate}: ${trial.refusedFor.length === 0 ? 'accepted' : 'refused'}${trial.refusedFor.map((why) => `\n      ${why}`).join('')}${warned}`;
}

/** Prints the matrix; says whether it is as it must be. */
function report(lines: readonly Line[]): boolean {
  const accepted = (line: Line) => line.trial.refusedFor.length === 0;
  const agreements = [...new Set(lines.map(({ agreement }) => agreement))];
  const cell = (agreement: string, kind: Line['kind']): string => {
    const own = lines.filter((line) => line.agreement === agreement && line.kind === kind);
    return `${own.filter((line) => !accepted(line)).length}/${own.length}`;
  };
  const width = Math.max(9, ...agreements.map((name) => name.length));
  console.log(`${'refused of'.padEnd(width)}  sound  tables  faulty`);
  for (const agreement of agreements) {
    console.log(
      `${agreement.padEnd(width)}  ${cell(agreement, 'sound').padEnd(5)}  ${cell(agreement, 'table').padEnd(6)}  ${cell(agreement, 'faulty')}`,
    );
  }
  const soundRefused = lines.filter((line) => line.kind === 'sound' && !accepted(line));
  const tablesAccepted = lines.filter((line) => line.kind === 'table' && accepted(line));
  const faultyAccepted = lines.filter((line) => line.kind === 'faulty' && accepted(line));
  console.log(
    `\n${agreements.length} agreements: sound refused ${soundRefused.length} (must be 0), tables accepted ${tablesAccepted.length} (must be 0), faulty accepted ${faultyAccepted.length}`,
  );
  for (const line of soundRefused) console.log(`  sound but refused: ${describe(line)}`);
  for (const line of tablesAccepted) console.log(`  table but accepted: ${describe(line)}`);
  for (const line of faultyAccepted)
    console.log(`  faulty but accepted: ${describe(line)}\n      why: ${line.unseen ?? 'no reason is given'}`);
  return soundRefused.length === 0 && tablesAccepted.length === 0;
}

if (import.meta.main) await main();
