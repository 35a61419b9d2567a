import type { LocatedSchema } from '../../contract/agreement.ts';
import type { CaseValidation } from '../../documents/case-validation.ts';
import type { Side } from '../../documents/claims.ts';
import type { Json } from '../../kernel/json.ts';
import { type CaseText, isPayloadFault, type PayloadText, verbatimText } from './case-text.ts';

/**
 * Whether the payloads of cases are texts, although some could be read as JSON. All must be texts or bare scalars. The
 * document must ask for texts, or at least one payload must be a text. If it asks for JSON, bare scalars are not texts.
 */
export function areTexts(text: string, cases: readonly CaseText[], wanted: 'text' | 'json' | undefined): boolean {
  const payloads = [...payloadsOf(cases, 'request'), ...payloadsOf(cases, 'response')];
  return (
    payloads.length > 0 &&
    payloads.every((payload) => isText(payload) || (wanted !== 'json' && isBare(text, payload))) &&
    (wanted === 'text' || payloads.some(isText))
  );
}

/**
 * The bare scalars of a side as texts, by offset, if the schema allows them only as texts; `undefined` if the schema
 * allows them as they are, or if there are other values.
 */
export function textsBySchema(
  { text, cases }: { text: string; cases: readonly CaseText[] },
  side: Side,
  located: LocatedSchema | null,
  validation: CaseValidation,
): Map<number, string> | undefined {
  const payloads = payloadsOf(cases, side);
  const bare = payloads.filter((payload) => !isText(payload));
  if (located === null || payloads.length === 0 || !bare.every((payload) => isBare(text, payload))) return undefined;
  const allows = (value: Json = null) => validation.allows(located.schema, value) !== false;
  const isOfTexts = bare.length === 0 || bare.some((payload) => allows(verbatimText(text, payload)));
  if (!isOfTexts || bare.some(({ value }) => allows(value))) return undefined;
  return new Map(bare.map((payload) => [payload.span.start, verbatimText(text, payload)]));
}

function payloadsOf(cases: readonly CaseText[], side: Side): PayloadText[] {
  return cases.flatMap((each) => (isPayloadFault(each[side]) ? [] : [each[side]]));
}

function isText({ value }: PayloadText): boolean {
  return value === undefined;
}

/** Whether a payload is a scalar that may also be a text: a number, `true`, `false` or `null` not marked as JSON. */
function isBare(text: string, { value, span, raw, isJson }: PayloadText): boolean {
  const isScalar = value === null || typeof value === 'number' || typeof value === 'boolean';
  return isScalar && isJson !== true && text.slice(raw.start, raw.end).trim() === text.slice(span.start, span.end);
}
