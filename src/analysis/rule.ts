import type { Agreement, Analyzed, LocatedSchema } from '../contract/agreement.ts';
import type { Finding } from '../contract/finding.ts';
import type { PlacedFinding } from '../families/family.ts';
import type { Json } from '../kernel/json.ts';
import { countValues } from '../schemas/validation-cost.ts';
import type { Reading } from './reading.ts';

/** A rule of the preflight. Pure; never throws; linear in document and cases. */
export interface Rule {
  /** Its name, as in the file name. */
  name: string;
  check(analyzed: Analyzed, reading: Reading): PlacedFinding[];
}

/** The request and response schemas, each with the root for findings about it; a schema that is both appears once. */
export function eachChosenSchema({
  requestSchema,
  responseSchema,
}: Agreement): { located: LocatedSchema; place: 'requestSchema' | 'responseSchema' }[] {
  const chosen: { located: LocatedSchema; place: 'requestSchema' | 'responseSchema' }[] = [];
  if (requestSchema !== null) chosen.push({ located: requestSchema, place: 'requestSchema' });
  if (responseSchema !== null && responseSchema !== requestSchema)
    chosen.push({ located: responseSchema, place: 'responseSchema' });
  return chosen;
}

/** Most JSON values in a value that a finding carries. */
const MAX_REPORTED_VALUES = 300;

/** Longest text that a finding carries, in characters. */
const MAX_REPORTED_CHARS = 4_000;

/** The values of a finding, without those too large for an outcome. The finding still names their place. */
export function reportable(values: Pick<Finding, 'expected' | 'actual'>): Pick<Finding, 'expected' | 'actual'> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => isSmall(value)));
}

/** Whether a value is small enough for an outcome. */
export function isSmall(value: Json): boolean {
  return countValues(value) <= MAX_REPORTED_VALUES && JSON.stringify(value).length <= MAX_REPORTED_CHARS;
}
