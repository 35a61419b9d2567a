import { readdir, readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { createSandbox, type Sandbox } from '../sandbox/index.ts';
import type { Reading } from '../src/contract/reading.ts';
import { derivedMessage } from '../src/deriving/judge-derived.ts';
import type { Requirements } from '../src/job/requirements.ts';
import { rules } from '../src/verification/rules.ts';
import { mechanicalTables } from './mechanical-tables.ts';
import { candidatesFolder, openFixture, type Trial, tryCandidate, unreadFolder } from './try-candidate.ts';
import { openReadings, tryReadings } from './try-reading.ts';
import { type MutantTrial, reportMutants, tryMutants } from './verify-fixtures-mutants.ts';

const usage = `npm run verify-fixtures -- [options] [agreement …]

Runs the handlers next to each job.json on its cases, the checks and the derived cases of its readings. Sound handlers (sound-*.ts) must pass,
tables made of the cases must fail, and faulty ones (faulty-*.ts, table*.ts) are counted. Exit code 1 otherwise. The last line is JSON.

  --root <folder>      a folder of folders with job.json, sound-*.ts, faulty-*.ts and reading*.json; default: fixtures/candidates
  --unread             the agreements in fixtures/unread
  --readings <folder>  readings by the name of the agreement, <name>.json, instead of those next to the handlers
  --confirm <folder>   a second set of readings, <name>.json or <name>/reading*.json: breaches that it does not confirm are only warnings
  --mutants            runs mutants of the sound handlers instead of the handlers
  --alone              what each rule refuses, and what only it refuses
  --seed <text>        random seed of the trials; default: fixtures
  --verbose            why each handler is refused, and which entries are dropped
`;

const { values: options, positionals: only } = parseArgs({
  allowPositionals: true,
  options: {
    root: { type: 'string' },
    unread: { type: 'boolean', default: false },
    readings: { type: 'string' },
    confirm: { type: 'string' },
    mutants: { type: 'boolean', default: false },
    alone: { type: 'boolean', default: false },
    seed: { type: 'string' },
    verbose: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

type Kind = 'sound' | 'table' | 'faulty';

/** The result of one handler. */
interface Line {
  agreement: string;
  candidate: string;
  kind: Kind;
  /** Why it was refused; empty if it was accepted. */
  refusedFor: string[];
  /** Its warnings. */
  warnings: string[];
  /** The rules that refuse it, and those that only warn. */
  rules: { refuse: string[]; warn: string[] };
  /** Why no check can find its fault, as its first line says. */
  unseen?: string;
}

/** An agreement and its readings. */
interface Agreement {
  name: string;
  folder: URL;
  requirements: Requirements;
  readings: Reading[];
  second: Reading[] | null;
}

const counts = { all: 0, dropped: 0 };

async function main(): Promise<void> {
  if (options.help) return console.log(usage);
  const root =
    options.root === undefined ? (options.unread ? unreadFolder : candidatesFolder) : folderUrl(options.root);
  const sandbox = await createSandbox({ cells: Math.min(2, availableParallelism()) });
  const lines: Line[] = [];
  const mutants: MutantTrial[] = [];
  try {
    for (const name of await agreementsIn(root)) {
      const folder = new URL(`${encodeURIComponent(name)}/`, root);
      const agreement = await openAgreement(name, folder).catch((error: unknown) => {
        lines.push(...unreadable(name, error));
        return null;
      });
      if (agreement === null) continue;
      if (options.mutants) mutants.push(...(await mutantsOf(agreement, sandbox)));
      else
        for (const candidate of await candidatesOf(agreement)) lines.push(await judge(agreement, candidate, sandbox));
    }
  } finally {
    await sandbox.close();
  }
  if (options.mutants) return reportMutants(mutants);
  process.exitCode = report(lines, options.unread || options.root !== undefined) ? 0 : 1;
}

function folderUrl(path: string): URL {
  return pathToFileURL(`${resolve(path)}/`);
}

async function agreementsIn(root: URL): Promise<string[]> {
  const entries = await readdir(root, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return names.filter((name) => only.length === 0 || only.includes(name)).sort();
}

async function openAgreement(name: string, folder: URL): Promise<Agreement> {
  const requirements = await openFixture(folder, options.seed);
  const { readings, all, dropped } =
    options.readings === undefined
      ? await openReadings(requirements, folder)
      : await openReadings(requirements, folderUrl(options.readings), name);
  counts.all += all;
  counts.dropped += dropped.length;
  if (options.verbose)
    for (const { file, entry, reason } of dropped) console.log(`${name}/${file}: entry ${entry} is dropped: ${reason}`);
  const second =
    options.confirm === undefined
      ? null
      : (await openReadings(requirements, folderUrl(options.confirm), name)).readings;
  return { name, folder, requirements, readings, second };
}

/** A line for a job that ends before a candidate is written: none of its handlers can be verified. */
function unreadable(agreement: string, error: unknown): Line[] {
  const why = error instanceof Error ? `${error.message} ${JSON.stringify(error).slice(0, 500)}` : 'an unknown fault';
  return [
    {
      agreement,
      candidate: 'job.json',
      kind: 'sound',
      refusedFor: [`the job ends before a candidate: ${why}`],
      warnings: [],
      rules: { refuse: [], warn: [] },
    },
  ];
}

interface Candidate {
  name: string;
  source: string;
}

async function writtenCandidates(folder: URL): Promise<Candidate[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.ts')).sort();
  return Promise.all(
    files.map(async (file) => ({ name: file.slice(0, -3), source: await readFile(new URL(file, folder), 'utf8') })),
  );
}

async function candidatesOf({ folder, requirements }: Agreement): Promise<Candidate[]> {
  return [...(await writtenCandidates(folder)), ...mechanicalTables(requirements.subject)];
}

async function mutantsOf(
  { name, folder, requirements, readings }: Agreement,
  sandbox: Sandbox,
): Promise<MutantTrial[]> {
  const mutants: MutantTrial[] = [];
  for (const candidate of await writtenCandidates(folder))
    if (candidate.name.startsWith('sound'))
      mutants.push(...(await tryMutants(name, requirements, readings, candidate, sandbox)));
  return mutants;
}

async function judge(agreement: Agreement, { name, source }: Candidate, sandbox: Sandbox): Promise<Line> {
  const { requirements, readings, second } = agreement;
  const trial: Trial = await tryCandidate(requirements, source, sandbox);
  const failsCases = trial.verification === undefined;
  const { confirmed, contested } = failsCases
    ? { confirmed: [], contested: [] }
    : await tryReadings(requirements, source, readings, second, sandbox);
  const unseen = /^\/\/ No check can see it: (.+)/.exec(source)?.[1];
  const line: Line = {
    agreement: agreement.name,
    candidate: name,
    kind: name.startsWith('sound') ? 'sound' : name.startsWith('table') ? 'table' : 'faulty',
    refusedFor: [...trial.refusedFor, ...confirmed.map((one) => `derived: ${derivedMessage(one)}`)],
    warnings: [
      ...(trial.verification?.warnings.map(({ check, message }) => `${check}: ${message}`) ?? []),
      ...contested.map((one) => `derived: ${derivedMessage(one)}`),
    ],
    rules: rulesIn(trial, confirmed.length > 0, contested.length > 0),
    ...(unseen === undefined ? {} : { unseen }),
  };
  if (options.verbose) console.log(describe(line));
  return line;
}

function isRefused({ refusedFor }: Line): boolean {
  return refusedFor.length > 0;
}

function describe(line: Line): string {
  const why = [...line.refusedFor, ...line.warnings.map((one) => `warns ${one}`)];
  return `${line.agreement}/${line.candidate}: ${isRefused(line) ? 'refused' : 'accepted'}${why.map((one) => `\n      ${one}`).join('')}`;
}

/** Prints the matrix, or a summary of many agreements. Returns whether every result is as expected. */
function report(lines: readonly Line[], isShort: boolean): boolean {
  const agreements = [...new Set(lines.map(({ agreement }) => agreement))];
  if (!isShort) printMatrix(agreements, lines);
  const of = (kind: Kind) => lines.filter((line) => line.kind === kind);
  const soundRefused = of('sound').filter(isRefused);
  const tablesAccepted = of('table').filter((line) => !isRefused(line));
  const faultyAccepted = of('faulty').filter((line) => !isRefused(line));
  console.log(
    `\n${agreements.length} agreements: sound refused ${soundRefused.length} (must be 0), tables accepted ${tablesAccepted.length} (must be 0), faulty accepted ${faultyAccepted.length}`,
  );
  for (const line of soundRefused) console.log(`  sound but refused: ${describe(line)}`);
  for (const line of tablesAccepted) console.log(`  table but accepted: ${describe(line)}`);
  for (const line of isShort ? [] : faultyAccepted)
    console.log(`  faulty but accepted: ${describe(line)}\n      why: ${line.unseen ?? 'no reason is given'}`);
  if (options.alone) reportRules(lines);
  console.log(JSON.stringify(summary(agreements.length, of)));
  return soundRefused.length === 0 && tablesAccepted.length === 0;
}

/** The rules that a handler breaks. */
function rulesIn({ cases, verification }: Trial, isConfirmed: boolean, isContested: boolean): Line['rules'] {
  const named = (list: readonly { rule?: string }[] = []) => list.flatMap(({ rule }) => rule ?? []);
  const derived = 'derived-cases/broken';
  const failsCases = cases.some(({ passed }) => !passed);
  return {
    refuse: [...(failsCases ? ['a case'] : []), ...named(verification?.failures), ...(isConfirmed ? [derived] : [])],
    warn: [...named(verification?.warnings), ...(isContested ? [derived] : [])],
  };
}

/** Prints, for each rule, what it refuses, what only it refuses, and which sound handlers it warns about. */
function reportRules(lines: readonly Line[]): void {
  console.log('\nrule, severity, refused, tables alone, faulty alone, sound warned of, for instance');
  for (const { id, severity } of rules) {
    const refused = lines.filter((line) => line.rules.refuse.includes(id));
    const alone = refused.filter((line) => line.rules.refuse.every((one) => one === id));
    const warned = lines.filter((line) => line.kind === 'sound' && line.rules.warn.includes(id));
    const count = (kind: Kind) => alone.filter((line) => line.kind === kind).length;
    const examples = alone.slice(0, 3).map(({ agreement, candidate }) => `${agreement}/${candidate}`);
    console.log(
      [id, severity, refused.length, count('table'), count('faulty'), warned.length, examples.join(' ')].join('\t'),
    );
  }
}

function printMatrix(agreements: readonly string[], lines: readonly Line[]): void {
  const width = Math.max(9, ...agreements.map((name) => name.length));
  const cell = (agreement: string, kind: Kind): string => {
    const matching = lines.filter((line) => line.agreement === agreement && line.kind === kind);
    return `${matching.filter(isRefused).length}/${matching.length}`;
  };
  console.log(`${'refused of'.padEnd(width)}  sound  tables  faulty`);
  for (const agreement of agreements)
    console.log(
      `${agreement.padEnd(width)}  ${cell(agreement, 'sound').padEnd(5)}  ${cell(agreement, 'table').padEnd(6)}  ${cell(agreement, 'faulty')}`,
    );
}

function summary(agreements: number, of: (kind: Kind) => Line[]): object {
  const countOf = (list: readonly Line[]) => ({ all: list.length, refused: list.filter(isRefused).length });
  const tables = countOf(of('table'));
  const kinds = Map.groupBy(of('faulty'), ({ candidate }) => kindOf(candidate));
  return {
    agreements,
    sound: countOf(of('sound')),
    faulty: {
      ...countOf(of('faulty')),
      byKind: Object.fromEntries([...kinds].sort().map(([kind, matching]) => [kind, countOf(matching)])),
    },
    tables: { all: tables.all, accepted: tables.all - tables.refused },
    derived: counts,
  };
}

/** The kind of fault of a handler, by the letter in its name. */
function kindOf(candidate: string): string {
  const kinds: Record<string, string> = {
    a: 'acts',
    b: 'failures',
    c: 'leaks',
    d: 'hidden instructions',
    z: 'tables in disguise',
  };
  return kinds[candidate.split('-')[1] ?? ''] ?? 'others';
}

await main();
