import type { BrokenJson } from '../documents/json-blocks.ts';
import { excerptAt, MAX_JSON_DEPTH } from '../documents/located-json.ts';
import type { PlacedFinding } from '../families/family.ts';
import type { Rule } from './rule.ts';

/** Every JSON Schema in the document is valid JSON. An error if a side has no schema, else a warning. */
export const ruleSchemaUnreadable: Rule = {
  name: 'schema-unreadable',
  check({ agreement }, { texts: { document: text }, broken, lenient }) {
    const complete = agreement.requestSchema !== null && agreement.responseSchema !== null;
    const unreadable = broken.map(({ start, at, beyond, isYaml }): PlacedFinding => {
      const found = excerptAt(text, at);
      return {
        finding: {
          code: 'DOCUMENT_SCHEMA_UNREADABLE',
          severity: complete ? 'warning' : 'error',
          in: 'document',
          message: `Cannot read JSON Schema: ${wordsOf(beyond, found, isYaml === true)}`,
          ...(beyond === undefined ? {} : { expected: LIMITS[beyond] }),
          actual: found,
        },
        text: 'document',
        at: start,
      };
    });
    const loose = lenient.map(({ start }): PlacedFinding => {
      return {
        finding: {
          code: 'DOCUMENT_SCHEMA_NOT_STRICT',
          severity: 'warning',
          in: 'document',
          message: 'Cannot read JSON Schema strictly: it has comments or trailing commas, wanted JSON',
        },
        text: 'document',
        at: start,
      };
    });
    return [...unreadable, ...loose];
  },
};

const LIMITS = { depth: MAX_JSON_DEPTH, number: Number.MAX_VALUE };

function wordsOf(beyond: BrokenJson['beyond'], found: string, isYaml: boolean): string {
  if (beyond === 'depth') return `it is nested too deep, wanted at most ${MAX_JSON_DEPTH} levels`;
  if (beyond === 'number') return `it has a number too large for a double at ${found}, wanted a smaller one`;
  const [read, wanted] = isYaml ? ['readable YAML', 'YAML that JSON can represent'] : ['JSON', 'strict JSON'];
  return `it stops being ${read} at ${found}, wanted ${wanted}`;
}
