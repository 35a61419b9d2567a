import { join } from 'node:path';
import { createEntryReader } from '../src/completion/json-entries.ts';
import type { Reading } from '../src/contract/reading.ts';
import { ReadingCollector } from '../src/readings/reading-collector.ts';
import { readScripts } from '../src/scripted-model/script.ts';
import type { Subject } from '../src/verification/subject.ts';

/** The number of derived cases that half of the recorded readings reach. */
const size = 28;
const folder = join(import.meta.dirname, '../fixtures/completions/demo');

/**
 * A reader's answer about the product agreement, one object a line. It is the demo's answer with its derived cases
 * repeated for other values, until there are as many as in a typical reading. The sound handlers of
 * `fixtures/completions` satisfy all of them.
 */
export function cannedReading(): string {
  const script = readScripts(folder).find(({ to }) => to === 'read');
  if (script === undefined) throw new Error('Cannot make reading: found no script to a reader, wanted one of the demo');
  const lines = script.reply.split('\n');
  const entries = lines.filter((line) => line.startsWith('{"of"'));
  const more = Array.from({ length: size - entries.length }, (_, index) =>
    (entries[index % entries.length] as string).replaceAll(/\b(C400|m-|Copper |Tin )/g, `$1${index}`),
  );
  return [...lines, ...more].join('\n');
}

/** The valid part of a reader's answer. */
export function readingOf(answer: string, subject: Subject): Reading {
  const collector = new ReadingCollector(subject);
  const reader = createEntryReader((entry) => collector.add(entry));
  reader.push(answer);
  reader.end();
  return collector.reading({ kind: 'recorded', name: 'scripted' });
}
