import type { Agreement, Analyzed, Case } from '../contract/agreement.ts';
import type { Finding } from '../contract/finding.ts';
import type { Job, StructuredCase } from '../contract/job.ts';
import { MAX_CASES } from '../families/anp/case-text.ts';
import { testCasesText, type WrittenCase, withFurtherCases } from '../families/anp/test-cases-text.ts';
import { canonicalJson } from '../kernel/digest.ts';
import { analyze } from './analyze.ts';
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
export function withFurther({ job, agreement }: Analyzed, further: readonly FurtherCase[]): FurtherCases | null {
  const { caseText, cases } = agreement;
  const agreed = cases.map(({ testCase, request, response, expected }) => ({ testCase, request, response, expected }));
  const layouts = [
    ...(caseText === null || caseText.trim() === ''
      ? []
      : [(added: readonly WrittenCase[]) => withFurtherCases(caseText, added, agreement)]),
    (added: readonly WrittenCase[]) => testCasesText([...agreed, ...added], agreement),
  ];
  const known = placesOf(preflight(analyze(job)));
  for (const write of layouts) {
    const added = readable(further, cases, (some) => holds(job, agreement, write(some), [...cases, ...some], known));
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
  job: Job,
  agreement: Agreement,
  text: string,
  wanted: readonly (WrittenCase & Partial<Case>)[],
  known: ReadonlySet<string>,
): boolean {
  const changed: Job = { ...job, testCases: { action: 'testCasesNegotiation', testCases: text, status: 'accepted' } };
  readAgain(changed, job);
  const analyzed = analyze(changed);
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
