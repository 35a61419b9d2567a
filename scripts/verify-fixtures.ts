import { readdir, readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { createSandbox } from '../sandbox/index.ts';
import { rules } from '../src/verification/rules.ts';
import { mechanicalTables } from './mechanical-tables.ts';
import { candidatesFolder, openFixture, type Trial, tryCandidate, unreadFolder } from './try-candidate.ts';
import { type MutantTrial, reportMutants, tryMutants } from './verify-fixtures-mutants.ts';

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
  const isUnread = process.argv.includes('--unread');
  const root = isUnread ? unreadFolder : candidatesFolder;
  const mutants: MutantTrial[] = [];
  const sandbox = await createSandbox({ cells: Math.min(2, availableParallelism()) });
  const lines: Line[] = [];
  try {
    const names = (await readdir(root, { withFileTypes: true }))
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
    for (const agreement of names.sort()) {
      if (only.length > 0 && !only.includes(agreement)) continue;
      const folder = new URL(`${agreement}/`, root);
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
  else {
    process.exitCode = report(lines, isUnread) ? 0 : 1;
    if (process.argv.includes('--alone')) reportRules(lines);
  }
}

function describe({ agreement, candidate, trial }: Line): string {
  const warned =
    trial.verification?.warnings.map(({ check, message }) => `\n      warns ${check}: ${message}`).join('') ?? '';
  return `${agreement}/${candidate}: ${trial.refusedFor.length === 0 ? 'accepted' : 'refused'}${trial.refusedFor.map((why) => `\n      ${why}`).join('')}${warned}`;
}

/** Tables that turn down all but the cases, beside messages with a check: who works the check out answers changed messages so as well. */
const seenByNobody = [
  'binary-frames/table-hidden',
  'buoy-frames/table-first',
  'buoy-frames/table-hidden',
  'card-number-text/table-first',
  'card-number-text/table-hidden',
  'check-digits/table-hidden',
];

/** Prints the matrix, or of many agreements what they come to; says whether it is as it must be. */
function report(lines: readonly Line[], isShort: boolean): boolean {
  const accepted = (line: Line) => line.trial.refusedFor.length === 0;
  const agreements = [...new Set(lines.map(({ agreement }) => agreement))];
  const cell = (agreement: string, kind: Line['kind']): string => {
    const own = lines.filter((line) => line.agreement === agreement && line.kind === kind);
    return `${own.filter((line) => !accepted(line)).length}/${own.length}`;
  };
  const width = Math.max(9, ...agreements.map((name) => name.length));
  if (!isShort) console.log(`${'refused of'.padEnd(width)}  sound  tables  faulty`);
  for (const agreement of isShort ? [] : agreements) {
    console.log(
      `${agreement.padEnd(width)}  ${cell(agreement, 'sound').padEnd(5)}  ${cell(agreement, 'table').padEnd(6)}  ${cell(agreement, 'faulty')}`,
    );
  }
  const soundRefused = lines.filter((line) => line.kind === 'sound' && !accepted(line));
  const isSeen = ({ agreement, candidate }: Line) => !seenByNobody.includes(`${agreement}/${candidate}`);
  const tablesAccepted = lines.filter((line) => line.kind === 'table' && accepted(line) && isSeen(line));
  const faultyAccepted = lines.filter((line) => line.kind === 'faulty' && accepted(line));
  console.log(
    `\n${agreements.length} agreements: sound refused ${soundRefused.length} (must be 0), tables accepted ${tablesAccepted.length} (must be 0), faulty accepted ${faultyAccepted.length}`,
  );
  for (const line of soundRefused) console.log(`  sound but refused: ${describe(line)}`);
  for (const line of tablesAccepted) console.log(`  table but accepted: ${describe(line)}`);
  for (const [kind, own] of Map.groupBy(isShort ? lines.filter((line) => line.kind === 'faulty') : [], kindOf))
    console.log(`  faulty, ${kind}: ${own.filter((line) => !accepted(line)).length} of ${own.length} refused`);
  for (const line of isShort ? [] : faultyAccepted)
    console.log(`  faulty but accepted: ${describe(line)}\n      why: ${line.unseen ?? 'no reason is given'}`);
  return soundRefused.length === 0 && tablesAccepted.length === 0;
}

/** Prints for each rule what it refuses, what of that no other rule and no case refuses, and what it warns of in sound handlers. */
function reportRules(lines: readonly Line[]): void {
  const rows = rules.map(({ id, severity }) => {
    const refused = lines.filter(({ trial }) => trial.verification?.failures.some(({ rule }) => rule === id));
    const alone = refused.filter(({ trial }) => trial.verification?.failures.every(({ rule }) => rule === id));
    const warned = lines.filter(
      ({ kind, trial }) => kind === 'sound' && trial.verification?.warnings.some(({ rule }) => rule === id),
    );
    const count = (kind: Line['kind']) => alone.filter((line) => line.kind === kind).length;
    const examples = alone.slice(0, 3).map(({ agreement, candidate }) => `${agreement}/${candidate}`);
    return [id, severity, refused.length, count('table'), count('faulty'), warned.length, examples.join(' ')] as const;
  });
  console.log('\nrule, severity, refused, tables alone, faulty alone, sound warned of, for instance');
  for (const row of rows) console.log(row.join('\t'));
}

/** What is wrong with the faulty handlers of people who had not read the checks, by the letter in their names. */
function kindOf({ candidate }: Line): string {
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
