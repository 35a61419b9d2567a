import { diffLines } from 'diff';
import type { HistoryEntry } from '../../contract/history.ts';
import { type Html, html, type Part } from './html.ts';
import { badge, section, table, toneOf } from './layout.ts';
import { sourceView } from './source-view.ts';

type Of<Type extends HistoryEntry['type']> = Extract<HistoryEntry, { type: Type }>;

/** Entries that tell what became of the answer to one question. */
type OfAttempt = 'tried' | 'checked' | 'derived' | 'prompted' | 'attempted';

/** All that is recorded of one candidate. */
export interface Candidate {
  /** The number of the question that it answers. */
  attempt: number;
  source: string | null;
  /** The attempt whose candidate it repairs; `null` if it is a first answer. */
  repairs: number | null;
  made: Of<'candidate'>;
  tried: Of<'tried'> | null;
  checked: Of<'checked'> | null;
  derived: Of<'derived'> | null;
  result: string | null;
}

/** The entries of one type. */
export function ofType<Type extends HistoryEntry['type']>(entries: readonly HistoryEntry[], type: Type): Of<Type>[] {
  return entries.filter((entry): entry is Of<Type> => entry.type === type);
}

/** The last reading whose derived cases are kept. */
export function readingIn(entries: readonly HistoryEntry[]): Of<'reading'> | undefined {
  return ofType(entries, 'reading').findLast(({ detail }) => detail?.reading !== undefined);
}

/** The candidates of the last delivery that has any, in the order in which they were made. */
export function candidatesIn(all: readonly HistoryEntry[]): Candidate[] {
  const last = Math.max(...ofType(all, 'candidate').map(({ delivery }) => delivery));
  const entries = all.filter(({ delivery }) => delivery === last);
  const of = <Type extends OfAttempt>(type: Type, attempt: number) =>
    ofType(entries, type).findLast((entry) => 'attempt' in entry && entry.attempt === attempt) ?? null;
  return ofType(entries, 'candidate').map((made) => ({
    attempt: made.attempt,
    source: made.detail?.source ?? null,
    repairs: of('prompted', made.attempt)?.repairs ?? null,
    made,
    tried: of('tried', made.attempt),
    checked: of('checked', made.attempt),
    derived: of('derived', made.attempt),
    result: of('attempted', made.attempt)?.result ?? null,
  }));
}

/** What each case, derived case and check found, by candidate. */
export function matrix(entries: readonly HistoryEntry[], candidates: readonly Candidate[]): Html {
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
          tried === null ? null : tried.passed.includes(number) ? 'passed' : tried.failed.includes(number) && 'failed',
        ),
      ),
    ]),
    ...derived.map((one, index) => [
      html`<a href="#derived-${index + 1}">${one.claim}</a>`,
      ...candidates.map(({ derived: run }) => mark(run === null ? null : resultOf(run, one.id, one.claim))),
    ]),
    ...checks.map((name) => [
      `check ${name}`,
      ...candidates.map(({ checked }) =>
        mark(
          checked === null
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
  const head = ['', ...candidates.map(({ attempt }) => `candidate ${attempt}`)];
  return html`<div class="matrix">${table(head, rows, 'No candidate was run.')}</div>`;
}

function resultOf(run: Of<'derived'>, id: string | undefined, claim: string): string {
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
export function candidateSections(candidates: readonly Candidate[]): Html {
  return html`${candidates.map((one) => {
    const { attempt, result, source, repairs, made } = one;
    const before = candidates.find((other) => other.attempt === repairs)?.source ?? null;
    const id = `candidate-${attempt}`;
    return section(
      id,
      `Candidate ${attempt}`,
      html`<p>${badge(result ?? 'not judged', toneOf(result ?? ''))}${repairs !== null && html`, repairs <a href="#candidate-${repairs}">candidate ${repairs}</a>`}, bundle <code>${made.bundleDigest?.slice(0, 12) ?? 'none'}</code></p>
${faultsOf(one)}
${source === null ? html`<p class="quiet">Its source is not kept.</p>` : html`<details id="${id}-source" open><summary>Source</summary>${sourceView(source, failingLines(one))}</details>`}
${source !== null && before !== null && html`<details id="${id}-diff"><summary>What the repair changed</summary>${difference(before, source)}</details>`}`,
    );
  })}`;
}

/** The faults of a candidate, each with its line. */
function faultsOf({ made, tried, checked, derived }: Candidate): Html {
  const rows: Part[][] = [
    ...(made.detail?.faults ?? []).map(({ line, message }) => ['types, bundle', line ?? '', message]),
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

function failingLines({ made, tried, derived }: Candidate): ReadonlySet<number> {
  const lines = [
    ...(made.detail?.faults ?? []).map(({ line }) => line),
    ...(tried?.detail?.cases ?? []).filter(({ passed }) => !passed).map(({ line }) => line),
    ...(derived?.detail?.broken ?? []).map(({ line }) => line),
  ];
  return new Set(lines.filter((line) => line !== undefined));
}

/** What changed between two sources, line by line. Far apart sources are not compared to the end. */
function difference(before: string, after: string): Html {
  const changes = diffLines(before, after, { timeout: 200 });
  if (changes === undefined) return html`<p class="quiet">The two have too little in common.</p>`;
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
