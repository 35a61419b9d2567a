import { diffLines } from 'diff';

import type { HistoryEntry } from '../../contract/history.ts';
import { type CandidateHistory, type EntryOf, failingLines } from '../../telemetry/read-history.ts';
import { type Html, html, type Part } from './html.ts';
import { badge, section, table, toneOf } from './layout.ts';
import { sourceView } from './source-view.ts';

/** The entries of one type. */
export function ofType<Type extends HistoryEntry['type']>(
  entries: readonly HistoryEntry[],
  type: Type,
): EntryOf<Type>[] {
  return entries.filter((entry): entry is EntryOf<Type> => entry.type === type);
}

/** What a candidate is called. Each delivery counts its attempts from 1, so several deliveries must be named. */
function nameOf({ attempt, delivery }: CandidateHistory, isRedelivered: boolean): string {
  return isRedelivered ? `candidate ${attempt} of delivery ${delivery}` : `candidate ${attempt}`;
}

/** The last reading whose derived cases are kept. */
export function readingIn(entries: readonly HistoryEntry[]): EntryOf<'reading'> | undefined {
  return ofType(entries, 'reading').findLast(({ detail }) => detail?.reading !== undefined);
}

/** A table of the result of each case, derived case and check for each candidate. */
export function matrix(entries: readonly HistoryEntry[], candidates: readonly CandidateHistory[]): Html {
  const cases = numbers(candidates.flatMap(({ tried }) => [...(tried?.passed ?? []), ...(tried?.failed ?? [])]));
  const checks = [
    ...new Set(
      candidates.flatMap(({ checked }) => [
        ...(checked?.passed ?? []),
        ...(checked?.failed ?? []),
        ...(checked?.warned ?? []),
      ]),
    ),
  ];
  const derived = readingIn(entries)?.detail?.reading?.derived ?? [];
  const rows: Part[][] = [
    ...cases.map((number) => [
      html`<a href="#case-${number}">case ${number}</a>`,
      ...candidates.map(({ tried }) =>
        mark(
          tried === undefined
            ? null
            : tried.passed.includes(number)
              ? 'passed'
              : tried.failed.includes(number) && 'failed',
        ),
      ),
    ]),
    ...derived.map((one, index) => [
      html`<a href="#derived-${index + 1}">${one.claim}</a>`,
      ...candidates.map(({ derived: run }) => mark(run === undefined ? null : resultOf(run, one.id, one.claim))),
    ]),
    ...checks.map((name) => [
      `check ${name}`,
      ...candidates.map(({ checked }) =>
        mark(
          checked === undefined
            ? null
            : checked.passed.includes(name)
              ? 'passed'
              : checked.failed.includes(name)
                ? 'failed'
                : checked.warned.includes(name) && 'warned',
        ),
      ),
    ]),
  ];
  const isRedelivered = new Set(candidates.map(({ delivery }) => delivery)).size > 1;
  const head = ['', ...candidates.map((one) => nameOf(one, isRedelivered))];
  return html`<div class="matrix">${table(head, rows, 'No candidate was run.')}</div>`;
}

function resultOf(run: EntryOf<'derived'>, id: string | undefined, claim: string): string {
  const broken = run.detail?.broken.find((one) => (id === undefined ? one.claim === claim : one.id === id));
  if (broken === undefined) return run.isWhole || run.detail !== undefined ? 'passed' : '';
  return broken.confirmed ? 'broken' : 'contested';
}

function mark(result: string | false | null): Html {
  if (result === null || result === false || result === '') return html`<span class="quiet">–</span>`;
  return badge(result, toneOf(result));
}

function numbers(values: readonly number[]): number[] {
  return [...new Set(values)].sort((one, other) => one - other);
}

/** Each candidate's source with the lines that failed, and what it changed of the one that it repairs. */
export function candidateSections(candidates: readonly CandidateHistory[]): Html {
  const isRedelivered = new Set(candidates.map(({ delivery }) => delivery)).size > 1;
  return html`${candidates.map((one) => {
    const { attempt, delivery, repairs, written, attempted } = one;
    const source = written.detail?.source;
    const repaired = candidates.find((other) => other.delivery === delivery && other.attempt === repairs);
    const before = repaired?.written.detail?.source;
    const result = attempted?.result ?? 'not judged yet';
    const id = `candidate-${delivery}-${attempt}`;
    return section(
      id,
      nameOf(one, isRedelivered),
      html`<p>${badge(result, toneOf(result))}${repairs !== undefined && `, repairs candidate ${repairs}`}, bundle <code>${written.bundleDigest?.slice(0, 12) ?? 'none'}</code></p>
${faultsOf(one)}
${
  source === undefined
    ? html`<p class="quiet">Its source is not kept.</p>`
    : html`<details id="${id}-source" open><summary>Source</summary>${sourceView(source, new Set(failingLines(one).keys()))}</details>`
}
${source !== undefined && before !== undefined && html`<details id="${id}-diff"><summary>What the repair changed</summary>${difference(before, source)}</details>`}`,
    );
  })}`;
}

/** The faults of a candidate, each with its line. */
function faultsOf({ written, tried, checked, derived }: CandidateHistory): Html {
  const rows: Part[][] = [
    ...(written.detail?.faults ?? []).map(({ line, message }) => ['types, bundle', line ?? '', message]),
    ...(tried?.detail?.cases ?? [])
      .filter(({ passed }) => !passed)
      .map(({ testCase, end, message, line, differences }) => [
        `case ${testCase}`,
        line ?? '',
        [
          end !== 'returned' && `${end}: ${message ?? ''} `,
          differences.map(
            (one) =>
              html`<div>${one.in ?? 'response'} <code>${one.path || '/'}</code>: ${one.message ?? html`found <code>${JSON.stringify(one.got) ?? 'nothing'}</code>, wanted <code>${JSON.stringify(one.expected) ?? 'nothing'}</code>`}</div>`,
          ),
        ],
      ]),
    ...(derived?.detail?.broken ?? []).map(({ claim, quote, breaches, confirmed, line }) => [
      confirmed ? 'derived case' : 'derived case, contested',
      line ?? '',
      html`${claim}<div><q>${quote}</q></div>${breaches.map((one) => html`<div>${one}</div>`)}`,
    ]),
    ...(checked?.detail?.facts ?? []).map(({ check, message, refuses }) => [
      `check ${check}${refuses ? '' : ' (warns)'}`,
      '',
      message,
    ]),
  ];
  return table(['where', 'line', 'found'], rows, 'No fault was found.');
}

/** What changed between two sources, line by line. The comparison of very different sources is given up. */
function difference(before: string, after: string): Html {
  const changes = diffLines(before, after, { timeout: 200 });
  if (changes === undefined) return html`<p class="quiet">The two sources differ too much to be compared.</p>`;
  return html`<pre class="code">${changes.map(({ value, added, removed }) =>
    added
      ? html`<ins>${signed('+', value)}</ins>`
      : removed
        ? html`<del>${signed('-', value)}</del>`
        : signed(' ', value),
  )}</pre>`;
}

function signed(sign: string, value: string): string {
  const lines = value.endsWith('\n') ? value.slice(0, -1).split('\n') : value.split('\n');
  return `${lines.map((line) => `${sign} ${line}`).join('\n')}\n`;
}
