import type { Analyzed } from '../contract/agreement.ts';
import type { Finding } from '../contract/finding.ts';
import type { Statement } from '../contract/statement.ts';
import { editJsonText, editYamlText } from '../documents/edit-json-text.ts';
import { joinedPatch } from '../documents/joined-patch.ts';
import { withoutQuoteMarks, withQuoteMarks } from '../documents/markdown-lines.ts';
import { type SchemaEdit, schemaEdits } from '../documents/schema-edits.ts';
import { analyzeOpened } from './analyze.ts';
import { distinctAmendments } from './distinct-amendments.ts';
import { type Opened, readAgain, readingOf } from './reading.ts';
import { preflight, rulesBehind } from './rules.ts';

/**
 * Counter-offers to send: the document and the cases with the amendments written into the text, every other character
 * unchanged. Each was read again to check that it resolves its findings. Empty if not all errors are known.
 */
export function proposalsFor(analyzed: Analyzed, findings: readonly Finding[]): Statement[] {
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (errors.some(({ code }) => code === 'DOCUMENT_FINDINGS_TOO_MANY')) return [];
  const proposals: Statement[] = [];
  const aboutSchemas = errors.filter(
    ({ amendment }) => amendment?.of === 'requestSchema' || amendment?.of === 'responseSchema',
  );
  const text = amendedDocument(analyzed, aboutSchemas);
  if (text !== undefined && settles(readAgain(analyzed, { document: text }), aboutSchemas))
    proposals.push({ what: 'amended-document', text, settled: aboutSchemas });
  const repeated = errors.filter(({ code }) => code === 'DOCUMENT_CASE_NUMBER_REPEATED');
  const aboutCases = errors.filter(({ amendment }) => amendment?.of === 'request' || amendment?.of === 'response');
  const caseText = renumbered(analyzed, repeated) ?? amendedCases(analyzed, aboutCases);
  const settled = repeated.length > 0 ? repeated : aboutCases;
  if (caseText !== undefined && settles(readAgain(analyzed, { cases: caseText }), settled))
    proposals.push({ what: 'amended-cases', text: caseText, settled });
  return proposals;
}

/** The case text with its cases renumbered in text order; `undefined` if no number is repeated. */
function renumbered(analyzed: Analyzed, repeated: readonly Finding[]): string | undefined {
  const { caseText } = analyzed.agreement;
  const { numberSpans } = readingOf(analyzed);
  if (caseText === null || repeated.length === 0) return undefined;
  const between = numberSpans.map(({ end }, index) => caseText.slice(end, numberSpans[index + 1]?.start));
  const numbered = between.map((text, index) => `${index + 1}${text}`);
  return caseText.slice(0, numberSpans[0]?.start) + numbered.join('');
}

function amendedDocument(analyzed: Analyzed, findings: readonly Finding[]): string | undefined {
  const { agreement } = analyzed;
  const edits: SchemaEdit[] = [];
  for (const { of, patch } of distinctAmendments(findings)) {
    const located = of === 'requestSchema' ? agreement.requestSchema : agreement.responseSchema;
    if (located === null) return undefined;
    edits.push(...schemaEdits(located, patch));
  }
  // A base protocol is a separate document, which a counter-offer cannot change.
  if (edits.length === 0 || edits.some(({ located }) => located.baseUri !== undefined)) return undefined;
  const { blocks } = readingOf(analyzed).document;
  return edited(
    agreement.text,
    edits,
    new Map(blocks.flatMap(({ start, end, isYaml }) => (isYaml ? [[start, end]] : []))),
  );
}

function amendedCases({ agreement }: Analyzed, findings: readonly Finding[]): string | undefined {
  if (agreement.caseText === null || findings.length === 0) return undefined;
  const edits: { start: number; patch: SchemaEdit['patch'] }[] = [];
  for (const { amendment, testCase } of findings) {
    const found = agreement.cases.find((each) => each.testCase === testCase);
    const span = amendment?.of === 'request' ? found?.requestSpan : found?.responseSpan;
    if (amendment === undefined || span === undefined) return undefined;
    edits.push({ start: span.start, patch: amendment.patch });
  }
  return edited(agreement.caseText, edits);
}

/** A text with patches applied to the values at some offsets; `yamlEnds` has the ends of the YAML values. */
function edited(
  given: string,
  edits: readonly { start: number; patch: SchemaEdit['patch'] }[],
  yamlEnds: ReadonlyMap<number, number> = new Map(),
): string | undefined {
  const text = withoutQuoteMarks(given);
  const places = [...Map.groupBy(edits, ({ start }) => start)].sort(([a], [b]) => a - b);
  const parts = [given.slice(0, places[0]?.[0] ?? text.length)];
  // Each in its own part of the text, because rebuilding a long text for every edit is slow.
  for (const [index, [start, sameStart]] of places.entries()) {
    const part = text.slice(start, places[index + 1]?.[0] ?? text.length);
    const patch = joinedPatch(sameStart.map(({ patch }) => patch));
    const yamlEnd = yamlEnds.get(start);
    const changed = yamlEnd === undefined ? editJsonText(part, 0, patch)?.text : withYaml(part, yamlEnd - start, patch);
    if (changed === undefined) return undefined;
    parts.push(text === given ? changed : withQuoteMarks(changed, part, given, start));
  }
  const changed = parts.join('');
  return changed === given ? undefined : changed;
}

function withYaml(part: string, end: number, patch: SchemaEdit['patch']): string | undefined {
  const changed = editYamlText(part.slice(0, end), patch);
  return changed === undefined ? undefined : changed + part.slice(end);
}

function settles(changed: Opened, findings: readonly Finding[]): boolean {
  const left = new Set(preflight(analyzeOpened(changed), rulesBehind(findings)).map(placeOf));
  return findings.every((finding) => !left.has(placeOf(finding)));
}

function placeOf({ code, in: root, testCase, pointer }: Finding): string {
  return JSON.stringify([code, root, testCase ?? null, pointer ?? null]);
}
