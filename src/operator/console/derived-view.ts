import type { Confirmation, DerivedCase, Reading } from '../../contract/reading.ts';
import { type Html, html, type Part } from './html.ts';
import { section, table } from './layout.ts';

/** What a page knows of a reading. */
interface ShownReading {
  reading: Reading;
  units?: number | undefined;
  covered?: number | undefined;
  /** How the reading ended, as in the history. */
  result: string;
  /** What a second reader said of a case; `null` without an answer, `undefined` if none was asked. */
  confirmationOf(one: DerivedCase): Confirmation | null | undefined;
  /** Whether the page shows the agreement: the cases then lead to its units. */
  besideAgreement: boolean;
}

/** The derived cases of a reading, each with the words that demand it and what a second reader said. */
export function derivedSection(shown: ShownReading): Html {
  const { reading, covered = 0, result, besideAgreement } = shown;
  const units = (of: readonly number[] = []): Part[] =>
    besideAgreement ? [of.map((unit) => html`<a href="#unit-${unit}">${unit}</a> `)] : [];
  const rows = reading.derived.map((one, index) => [
    html`<span id="derived-${index + 1}">${index + 1}</span>`,
    html`<q>${one.quote}</q>`,
    one.claim,
    ...units(one.of),
    said(shown.confirmationOf(one)),
  ]);
  return section(
    'derived',
    'Derived cases',
    html`<p>${reading.reader.name}${shown.units !== undefined && ` read ${covered} of ${shown.units} sentences`} (${result}).</p>
${table(['', 'the document says', 'so', ...(besideAgreement ? ['units'] : []), 'second reader'], rows, 'No derived cases.')}`,
  );
}

function said(confirmation: Confirmation | null | undefined): Part {
  if (confirmation === undefined) return 'not asked';
  if (confirmation === null) return 'gave no answer';
  return html`<code>${JSON.stringify(confirmation.answers)}</code>`;
}
