import { type Analyzed, type Case, MAX_CASES } from '../contract/agreement.ts';
import type { Finding } from '../contract/finding.ts';
import type { StructuredCase } from '../contract/job.ts';
import { familyOf } from '../families/families.ts';
import type { WrittenCase } from '../families/family.ts';
import { canonicalJson } from '../kernel/digest.ts';
import { analyzeOpened } from './analyze.ts';
import { readAgain } from './reading.ts';
import { preflight } from './rules.ts';

/** The agreed cases and further ones, as one text. */
export interface FurtherCases {
  text: string;
  /** The further cases in it, numbered after the agreed ones. */
  added: WrittenCase[];
}

/** A case that is not agreed yet. */
export type FurtherCase = Required<StructuredCase>;

/**
 * Writes further cases after the agreed ones. The agreed text stays unchanged if cases can be appended to it. The new
 * text is read again: the agreed cases must be the same, and only those further cases are kept that read back unchanged
 * and cause no finding. `null` if none is left.
 */
export function withFurther(analyzed: Analyzed, further: readonly FurtherCase[]): FurtherCases | null {
  const { job, agreement } = analyzed;
  const { caseText, cases } = agreement;
  const { writeCases } = familyOf(job);
  if (writeCases === undefined) return null;
  const agreed = cases.map(({ testCase, request, response, expected }) => ({ testCase, request, response, expected }));
  const writers = [
    ...(caseText === null || caseText.trim() === ''
      ? []
      : [(added: readonly WrittenCase[]) => writeCases(added, agreement, caseText)]),
    (added: readonly WrittenCase[]) => writeCases([...agreed, ...added], agreement),
  ];
  const known = placesOf(preflight(analyzeOpened(analyzed)));
  for (const write of writers) {
    const added = readable(further, cases, (some) => readsAs(analyzed, write(some), [...cases, ...some], known));
    if (added.length > 0) return { text: write(added), added };
  }
  return null;
}

/** The further cases that are sound together, numbered after the agreed ones. */
function readable(
  further: readonly FurtherCase[],
  agreed: readonly Case[],
  isSound: (added: readonly WrittenCase[]) => boolean,
): WrittenCase[] {
  const last = Math.max(0, ...agreed.map(({ testCase }) => testCase));
  const numbered = (some: readonly FurtherCase[]) => some.map((one, index) => ({ ...one, testCase: last + 1 + index }));
  const candidates = further.slice(0, MAX_CASES - agreed.length);
  if (isSound(numbered(candidates))) return numbered(candidates);
  let kept: FurtherCase[] = [];
  for (const one of candidates) if (isSound(numbered([...kept, one]))) kept = [...kept, one];
  return numbered(kept);
}

/** Whether a text reads as these cases of the same agreement, without new findings. */
function readsAs(
  before: Analyzed,
  text: string,
  wanted: readonly (WrittenCase & Partial<Case>)[],
  known: ReadonlySet<string>,
): boolean {
  const { agreement } = before;
  const analyzed = analyzeOpened(readAgain(before, { cases: text }));
  const read = analyzed.agreement;
  const isSame =
    read.payload === agreement.payload &&
    read.requestSchema?.start === agreement.requestSchema?.start &&
    read.responseSchema?.start === agreement.responseSchema?.start &&
    read.cases.length === wanted.length &&
    wanted.every((one, index) => isSameCase(one, read.cases[index]));
  return isSame && [...placesOf(preflight(analyzed))].every((place) => known.has(place));
}

function isSameCase(wanted: WrittenCase & Partial<Case>, read: Case | undefined): boolean {
  if (read === undefined || (wanted.negative !== undefined && wanted.negative !== read.negative)) return false;
  const contentOf = ({ testCase, request, response, expected }: WrittenCase) =>
    canonicalJson([testCase, request, response, expected.trim()]);
  return contentOf(wanted) === contentOf(read);
}

function placesOf(findings: readonly Finding[]): Set<string> {
  return new Set(
    findings.map(({ code, in: root, testCase, pointer }) =>
      JSON.stringify([code, root, testCase ?? null, pointer ?? null]),
    ),
  );
}
