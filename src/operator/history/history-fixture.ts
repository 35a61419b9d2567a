import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { History } from '../../contract/history.ts';
import type { Reading } from '../../contract/reading.ts';
import { candidatesOf } from '../../telemetry/read-history.ts';
import { UnreadableInput } from '../shell/read-input.ts';

/**
 * Writes a job with its candidates and its reading as a folder that `npm run verify-fixtures` runs: `job.json`,
 * `sound-<attempt>.ts` for verified candidates, `faulty-<attempt>-<code>.ts` for refused ones, `reading.json`. The
 * folder must not exist. Resolves to the names of the files. Throws `UnreadableInput` if the job is not kept, or the
 * folder cannot be written.
 */
export async function writeFixture(history: History, folder: string): Promise<string[]> {
  const files = fixtureFiles(history);
  try {
    await mkdir(folder);
    for (const [name, text] of files) await writeFile(join(folder, name), text);
  } catch (error) {
    const { code = 'an unknown error' } = Object(error) as NodeJS.ErrnoException;
    throw new UnreadableInput(`Cannot write fixture "${folder}": ${code}, wanted a folder that does not exist yet`);
  }
  return files.map(([name]) => name);
}

/** The files of such a folder. Throws `UnreadableInput` if the job is not kept. */
export function fixtureFiles(history: History): [name: string, text: string][] {
  const { jobId, submitted } = history;
  if (submitted === null)
    throw new UnreadableInput(`Cannot write fixture of job ${jobId}: the job itself is not kept, wanted its data`);
  const reading = readingOf(history);
  const isRedelivered = new Set(history.entries.map(({ delivery }) => delivery).filter(Boolean)).size > 1;
  const candidates = candidatesOf(history).flatMap(({ attempt, delivery, written, attempted }): [string, string][] => {
    const source = written.detail?.source;
    if (source === undefined || attempted === undefined || attempted.result === 'aborted') return [];
    const number = isRedelivered ? `${delivery}-${attempt}` : String(attempt);
    // A code may be written by hand: a file name takes only what codes consist of.
    const code = (attempted.code ?? attempted.result).toLowerCase().replaceAll(/[^a-z]+/g, '-');
    return [
      [attempted.result === 'verified' ? `sound-${number}.ts` : `faulty-${number}-${code.slice(0, 60)}.ts`, source],
    ];
  });
  return [
    ['job.json', `${submitted.text}\n`],
    ...candidates,
    ...(reading === null ? [] : ([['reading.json', `${JSON.stringify(reading, null, 2)}\n`]] as [string, string][])),
  ];
}

/** The last reading of a job, without the derived cases that no second reader confirmed: they refused no candidate. */
function readingOf({ entries }: History): Reading | null {
  const reading = entries.findLast((entry) => entry.type === 'reading' && entry.detail?.reading !== undefined);
  if (reading?.type !== 'reading' || reading.detail?.reading === undefined) return null;
  const broken = entries.flatMap((entry) => (entry.type === 'derived' ? (entry.detail?.broken ?? []) : []));
  const isContested = ({ claim, quote }: { claim: string; quote: string }) =>
    broken.some((one) => one.claim === claim && one.quote === quote && !one.confirmed);
  const { derived, ...rest } = reading.detail.reading;
  return { ...rest, derived: derived.filter((entry) => !isContested(entry)) };
}
