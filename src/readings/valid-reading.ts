import type { DerivedCase, Reading } from '../contract/reading.ts';
import type { Json } from '../kernel/json.ts';
import { asRead } from '../verification/hidden-words.ts';
import type { Subject } from '../verification/subject.ts';
import { type Dropped, loadReading } from './load-reading.ts';
import { unitsOfSubject } from './units.ts';
import { dropReasonOf } from './validity.ts';

/** A reading with the entries that are valid for a subject, and those that were dropped. */
export interface ValidReading {
  reading: Reading;
  dropped: Dropped[];
}

/** Loads a stored reading and drops what is not valid for this agreement, each with its reason. */
export function validReading(value: Json, whole: Subject): ValidReading {
  const subject = asRead(whole);
  const units = unitsOfSubject(subject);
  const { reading, dropped } = loadReading(value, units);
  const ids = new Set<string | number>(reading.derived.flatMap(({ id }) => id ?? []));
  for (const { testCase } of subject.cases) ids.add(testCase);
  const text = collapsed([subject.agreement.text, subject.task?.description ?? ''].join('\n'));
  const derived = reading.derived.flatMap((entry, index) => {
    const visible = { ...entry, quote: visibleQuote(entry.quote, text) };
    const reason = reasonOf(visible, subject, ids);
    if (reason !== undefined) dropped.push({ entry: index, reason });
    return reason === undefined ? [visible] : [];
  });
  return { reading: { ...reading, derived }, dropped };
}

/** The parts of a quote that occur in the visible text: hidden passages demand nothing. */
function visibleQuote(quote: string, text: string): string {
  const pieces = quote.split(' … ').map(collapsed);
  return pieces.filter((words) => words !== '' && text.includes(words)).join(' … ');
}

function reasonOf(
  entry: DerivedCase,
  subject: Subject,
  ids: ReadonlySet<string | number>,
): Dropped['reason'] | undefined {
  if (entry.quote === '') return 'quote';
  const { alike } = entry.expect;
  return alike !== undefined && !ids.has(alike.to) ? 'alike' : dropReasonOf(entry, subject);
}

function collapsed(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
