import type { Agreement, LocatedSchema } from '../contract/agreement.ts';
import type { Finding } from '../contract/finding.ts';
import { type LocatedJson, readJson } from '../documents/located-json.ts';
import { readYaml } from '../documents/located-yaml.ts';
import type { FamilyReading, PlacedFinding, ReadText } from '../families/family.ts';
import { escapeToken, type Json } from '../kernel/json.ts';
import { eachChosenSchema } from './rule.ts';

/** A JSON value of an agreement with its text, which shows what parsing loses. */
export interface JsonText extends Pick<PlacedFinding, 'text'>, Pick<Finding, 'in' | 'testCase'> {
  written: string;
  start: number;
  end: number;
  value: Json;
  isYaml?: boolean;
  /** Whether its pointers start at the root that `in` names. */
  isRoot: boolean;
}

/** The JSON values in the texts of an agreement: in the document, its base protocols and its cases. */
export function* jsonTexts(agreement: Agreement, reading: FamilyReading): Generator<JsonText> {
  const { document, baseDocuments, listedCases, casesText } = reading;
  yield* inDocument(document, agreement, undefined);
  for (const base of baseDocuments) yield* inDocument(base, agreement, base.uri);
  if (listedCases !== undefined) yield* inList(listedCases);
  if (casesText !== undefined) yield* inCases(casesText, agreement);
}

function* inDocument(
  { text: written, blocks }: ReadText,
  agreement: Agreement,
  uri: string | undefined,
): Generator<JsonText> {
  const schemas = eachChosenSchema(agreement).filter(({ located }) => located.baseUri === uri && isWhole(located));
  const named = new Map(schemas.map(({ located, place }) => [located.start, place]));
  for (const { start, end, value, isYaml = false } of blocks) {
    const place = named.get(start);
    yield {
      written,
      start,
      end,
      value,
      isYaml,
      text: 'document',
      in: place ?? 'document',
      isRoot: place !== undefined,
    };
  }
}

/** Whether a schema is the whole JSON value at its offset. */
function isWhole({ parts, origins = [] }: LocatedSchema): boolean {
  return parts === undefined && !origins.some(({ at }) => at === '');
}

function* inList({ text: written, blocks }: ReadText): Generator<JsonText> {
  for (const { start, end, value } of blocks)
    yield { written, start, end, value, text: 'cases', in: 'document', isRoot: false };
}

function* inCases(written: string, { cases }: Agreement): Generator<JsonText> {
  for (const each of cases)
    for (const side of ['request', 'response'] as const) {
      const span = each[`${side}Span`];
      // A text payload keeps every character.
      if (span === undefined || typeof each[side] === 'string') continue;
      const { testCase } = each;
      yield { written, ...span, value: each[side], text: 'cases', in: side, testCase, isRoot: true };
    }
}

/** What a finding says of its place: `pointer` only if the text has a root of its own. */
export function placeIn(
  { in: place, testCase, isRoot }: Pick<JsonText, 'in' | 'testCase' | 'isRoot'>,
  pointer: string,
): Pick<Finding, 'in' | 'testCase' | 'pointer'> {
  return { in: place, ...(testCase === undefined ? {} : { testCase }), ...(isRoot ? { pointer } : {}) };
}

/** Every value of a JSON text with its place and pointer, outer values first. */
export function* placesIn({
  written,
  start,
  end,
  isYaml,
}: JsonText): Generator<{ node: LocatedJson; pointer: string }> {
  const reading = isYaml === true ? readYaml(written, start, end)[0] : readJson(written, start, true);
  if (reading === undefined || !reading.ok) return;
  const pending = [{ node: reading.node, pointer: '' }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    yield next;
    const { node, pointer } = next;
    for (const { name, node: member } of node.members ?? [])
      pending.push({ node: member, pointer: `${pointer}/${escapeToken(name)}` });
    for (const [index, item] of (node.items ?? []).entries())
      pending.push({ node: item, pointer: `${pointer}/${index}` });
  }
}
