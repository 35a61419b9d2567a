import type { LocatedSchema } from '../contract/agreement.ts';
import type { Finding, Place } from '../contract/finding.ts';
import type { SchemaFault } from '../schemas/validator.ts';
import { validatorOf } from './cached-validator.ts';
import type { PlacedFinding, Rule } from './rule.ts';

const CODES = {
  invalid: 'DOCUMENT_SCHEMA_INVALID',
  'reference-missing': 'DOCUMENT_SCHEMA_INVALID',
  'reference-external': 'DOCUMENT_REFERENCE_EXTERNAL',
  'pattern-invalid': 'DOCUMENT_PATTERN_INVALID',
  'too-large': 'DOCUMENT_SCHEMA_TOO_LARGE',
} as const;

/** Every schema of the document can be compiled, and refers to nothing outside it. */
export const ruleSchemaInvalid: Rule = {
  name: 'schema-invalid',
  check({ agreement }) {
    const chosen = new Map<LocatedSchema, Place>();
    for (const [located, place] of [
      [agreement.requestSchema, 'requestSchema'],
      [agreement.responseSchema, 'responseSchema'],
    ] as const) {
      if (located !== null) chosen.set(located, place);
    }
    return [...chosen].flatMap(([located, place]) => {
      const validator = validatorOf(located.schema);
      return validator.ok ? [] : validator.faults.map((fault) => placed(located, place, fault));
    });
  },
};

function placed(located: LocatedSchema, place: Place, fault: SchemaFault): PlacedFinding {
  const finding: Finding = {
    code: CODES[fault.kind],
    severity: 'error',
    in: place,
    pointer: fault.pointer,
    message: `Cannot use schema: ${fault.message}`,
    ...(fault.actual === undefined ? {} : { actual: fault.actual }),
  };
  return { finding, text: 'document', at: located.start };
}
