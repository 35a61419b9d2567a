import { join } from 'node:path';
import { createEntryReader } from '../src/completion/json-entries.ts';
import type { Reading } from '../src/contract/reading.ts';
import { ReadingCollector } from '../src/readings/reading-collector.ts';
import { readScripts } from '../src/scripted-model/script.ts';
import type { Subject } from '../src/verification/subject.ts';

/** As many derived cases as half of the recorded readings have. */
const size = 28;
const folder = join(import.meta.dirname, '../fixtures/completions/demo');

/**
 * What a reader answers about the product agreement, one object a line. It is the demo's answer, its derived cases
 * repeated with other values until there are as many as a reading has. The sound handlers of `fixtures/completions`
 * keep all of them.
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

/** The valid part of an answer of a reader. */
export function readingOf(answer: string, subject: Subject): Reading {
  const collector = new ReadingCollector(subject);
  const reader = createEntryReader((entry) => collector.add(entry));
  reader.push(answer);
  reader.end();
  return collector.reading({ kind: 'recorded', name: 'scripted' });
}
