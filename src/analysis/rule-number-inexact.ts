import type { Case } from '../contract/agreement.ts';
import type { Finding } from '../contract/finding.ts';
import type { Job } from '../contract/job.ts';
import { holdsSchema } from '../documents/find-schemas.ts';
import { pointersOf } from '../documents/located-json.ts';
import { looksLikeSchema } from '../documents/looks-like-schema.ts';
import type { PlacedFinding } from '../families/family.ts';
import { type Json, keepsDigits, mayLoseDigits, pointerTokens } from '../kernel/json.ts';
import { escapedLine } from '../kernel/quote.ts';
import { type JsonText, jsonTexts, placeIn, placesIn } from './json-texts.ts';
import type { Rule } from './rule.ts';

/**
 * A double represents every number in messages with all its digits. Only a warning for a bound in a schema, which is
 * only compared. Structured cases arrive parsed, so a double with more digits than it can guarantee is reported.
 */
export const ruleNumberInexact: Rule = {
  name: 'number-inexact',
  check({ agreement, job }, reading) {
    const ours = inexactInJob(job).map((finding): PlacedFinding => ({ finding, text: 'document', at: 0 }));
    if (agreement.payload === 'text') return ours;
    const { document, baseDocuments, casesText, listedCases } = reading;
    const written = [document.text, ...baseDocuments.map(({ text }) => text), casesText, listedCases?.text];
    const mayLose = written.some((text) => text !== undefined && mayLoseDigits(text));
    const parsed = agreement.caseText === null ? agreement.cases : [];
    const found = [...(mayLose ? jsonTexts(agreement, reading).flatMap(inText) : []), ...parsed.flatMap(inParsed)];
    // Warnings must not displace an error.
    const told = (['error', 'warning'] as const).flatMap((severity) =>
      found.filter(({ finding }) => finding.severity === severity).slice(0, MAX_FOUND),
    );
    return [...told, ...ours];
  },
};

/**
 * Numbers in the tools, the task and the exchanges of a job that may have lost digits. Only warnings: they arrive
 * parsed, and a measured number looks the same.
 */
export function inexactInJob({ tools, task, exchanges }: Job): Finding[] {
  const values = pointersOf({ tools, task: task ?? null, exchanges: exchanges ?? null } as unknown as Json);
  return values
    .flatMap(({ pointer, value }): Finding[] => {
      if (typeof value !== 'number' || !mayBeRounded(value) || Math.abs(value) >= MIN_EXPONENT_FORM) return [];
      if (BOUNDS.has(pointerTokens(pointer).at(-1) ?? '')) return [];
      const place = { in: 'job' as const, isRoot: true };
      return [{ ...findingOf(String(value), PARSED, pointer, place), severity: 'warning' }];
    })
    .slice(0, MAX_FOUND);
}

/** Most errors, and most warnings. */
const MAX_FOUND = 50;

const PARSED = 'it came as a double, which may have lost digits';

/** Fewest digits that suggest rounding. */
const MIN_LOST_DIGITS = 16;

function* inText(json: JsonText): Generator<PlacedFinding> {
  const { written, start, end } = json;
  if (!mayLoseDigits(written.slice(start, end))) return;
  const isSchema = json.text === 'document' && (looksLikeSchema(json.value) || holdsSchema(json.value));
  for (const { node, pointer } of placesIn(json)) {
    if (typeof node.value !== 'number') continue;
    const numeral = written.slice(node.start, node.end);
    // An alias of YAML repeats a number that is found where it is written.
    if (keepsDigits(numeral) || numeral.startsWith('*')) continue;
    const isBound = isSchema && BOUNDS.has(pointerTokens(pointer).at(-1) ?? '');
    const finding = findingOf(numeral, `it is read as ${node.value}`, pointer, json);
    yield { finding: isBound ? { ...finding, severity: 'warning' } : finding, text: json.text, at: json.start };
  }
}

/** Keywords whose numbers are in no message. */
const BOUNDS: ReadonlySet<string> = new Set([
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
]);

function inParsed({ testCase, ...sides }: Case): PlacedFinding[] {
  return (['request', 'response'] as const).flatMap((side) =>
    pointersOf(sides[side]).flatMap(({ pointer, value }): PlacedFinding[] => {
      if (typeof value !== 'number' || !mayBeRounded(value)) return [];
      const place = { in: side, testCase, isRoot: true };
      const finding = findingOf(String(value), PARSED, pointer, place);
      const severity = Math.abs(value) < MIN_EXPONENT_FORM ? 'error' : 'warning';
      return [{ finding: { ...finding, severity }, text: 'cases', at: testCase }];
    }),
  );
}

/** From here, JSON writes an exponent. Such large numbers are usually measured, not counted. */
const MIN_EXPONENT_FORM = 1e21;

/** Whether an integer is beyond the exact range of a double and has the most digits possible. */
function mayBeRounded(value: number): boolean {
  if (Number.isSafeInteger(value) || !Number.isInteger(value)) return false;
  return value.toExponential().replace(/e.*|\D/g, '').length >= MIN_LOST_DIGITS;
}

function findingOf(
  numeral: string,
  found: string,
  pointer: string,
  text: Pick<JsonText, 'in' | 'testCase' | 'isRoot'>,
): Finding {
  const shown = numeral.length > MAX_DIGITS ? `${numeral.slice(0, MAX_DIGITS)}…` : numeral;
  const at = pointer === '' ? '' : ` at ${escapedLine(pointer)}`;
  return {
    code: 'DOCUMENT_NUMBER_INEXACT',
    severity: 'error',
    ...placeIn(text, pointer),
    message: `Cannot keep number ${shown}${at}: ${found}, wanted one that a double can represent, or a string`,
    actual: shown,
  };
}

/** Most digits of a number in a message. */
const MAX_DIGITS = 40;
