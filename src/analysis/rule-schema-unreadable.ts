import { excerptAt } from '../documents/located-json.ts';
import type { PlacedFinding } from '../families/family.ts';
import type { Rule } from './rule.ts';

/** Every JSON Schema in the document is JSON: a broken one is an error where a schema is missing, else a warning. */
export const ruleSchemaUnreadable: Rule = {
  name: 'schema-unreadable',
  check({ agreement }, { texts: { document: text }, broken, lenient }) {
    const complete = agreement.requestSchema !== null && agreement.responseSchema !== null;
    const unreadable = broken.map(({ start, at, isYaml }): PlacedFinding => {
      const found = excerptAt(text, at);
      const wanted = isYaml === true ? 'YAML of no more than a JSON Schema has' : 'strict JSON';
      return {
        finding: {
          code: 'DOCUMENT_SCHEMA_UNREADABLE',
          severity: complete ? 'warning' : 'error',
          in: 'document',
          message: `Cannot read JSON Schema: it stops being ${isYaml === true ? 'YAML that is read' : 'JSON'} at ${found}, wanted ${wanted}`,
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
