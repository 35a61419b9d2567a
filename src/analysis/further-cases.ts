import { type Analyzed, type Case, MAX_CASES } from '../contract/agreement.ts';
import type { Finding } from '../contract/finding.ts';
import type { StructuredCase } from '../contract/job.ts';
import { familyOf } from '../families/families.ts';
import type { WrittenCase } from '../families/family.ts';
import { canonicalJson } from '../kernel/digest.ts';
import { analyzeOpened } from './analyze.ts';
import { readAgain } from './reading.ts';
import { preflight } from './rules.ts';

/** The agreed cases with further ones, as one text. */
export interface FurtherCases {
  text: string;
  /** The further ones that stand in it, numbered on. */
  added: WrittenCase[];
}

/** A case that is agreed on by nobody yet. */
export type FurtherCase = Required<StructuredCase>;

/**
 * Writes further cases below the agreed ones. The agreed text stays as it is where more can be added to it. The new
 * text is read again: the agreed cases come back unchanged, and only further cases are kept that come back as they are
 * and raise no finding. `null` where there are none.
 */
export function withFurther(analyzed: Analyzed, further: readonly FurtherCase[]): FurtherCases | null {
  const { job, agreement } = analyzed;
  const { caseText, cases } = agreement;
  const { writeCases } = familyOf(job);
  if (writeCases === undefined) return null;
  const agreed = cases.map(({ testCase, request, response, expected }) => ({ testCase, request, response, expected }));
  const layouts = [
    ...(caseText === null || caseText.trim() === ''
      ? []
      : [(added: readonly WrittenCase[]) => writeCases(added, agreement, caseText)]),
    (added: readonly WrittenCase[]) => writeCases([...agreed, ...added], agreement),
  ];
  const known = placesOf(preflight(analyzeOpened(analyzed)));
  for (const write of layouts) {
    const added = readable(further, cases, (some) => holds(analyzed, write(some), [...cases, ...some], known));
    if (added.length > 0) return { text: write(added), added };
  }
  return null;
}

/** Those of some further cases that can stand together, numbered on. */
function readable(
  further: readonly FurtherCase[],
  agreed: readonly Case[],
  isSound: (added: readonly WrittenCase[]) => boolean,
): WrittenCase[] {
  const last = Math.max(0, ...agreed.map(({ testCase }) => testCase));
  const numbered = (some: readonly FurtherCase[]) => some.map((one, index) => ({ ...one, testCase: last + 1 + index }));
  const room = further.slice(0, MAX_CASES - agreed.length);
  if (isSound(numbered(room))) return numbered(room);
  let kept: FurtherCase[] = [];
  for (const one of room) if (isSound(numbered([...kept, one]))) kept = [...kept, one];
  return numbered(kept);
}

/** Whether a text is read as these cases, of the same agreement, with nothing found that was not found before. */
function holds(
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
