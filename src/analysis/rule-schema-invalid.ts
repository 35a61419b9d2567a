import type { LocatedSchema } from '../contract/agreement.ts';
import type { Finding, Place } from '../contract/finding.ts';
import type { PlacedFinding } from '../families/family.ts';
import { escapedLine } from '../kernel/quote.ts';
import type { SchemaFault } from '../schemas/compiled-schema.ts';
import { faultsIn } from '../schemas/validator.ts';
import { validatorOf } from '../schemas/validator-of.ts';
import { eachChosenSchema, type Rule, reportable } from './rule.ts';

const CODES = {
  invalid: 'DOCUMENT_SCHEMA_INVALID',
  'reference-missing': 'DOCUMENT_SCHEMA_INVALID',
  'reference-external': 'DOCUMENT_REFERENCE_EXTERNAL',
  'pattern-invalid': 'DOCUMENT_PATTERN_INVALID',
  'too-large': 'DOCUMENT_SCHEMA_TOO_LARGE',
} as const;

/**
 * The request and response schemas can be compiled and have no external references. Other schemas of the document only
 * cause warnings.
 */
export const ruleSchemaInvalid: Rule = {
  name: 'schema-invalid',
  check({ agreement }) {
    const chosen = eachChosenSchema(agreement);
    const inUse = new Set(
      chosen.flatMap(({ located }) => [located.schema, ...(located.parts ?? []).map(({ schema }) => schema)]),
    );
    const others = agreement.schemas.filter(({ schema }) => !inUse.has(schema)).slice(0, MAX_OTHERS);
    return [
      ...chosen.flatMap(({ located, place }) =>
        faultsOf(located).map((fault) => placed(located, place, 'error', fault)),
      ),
      // No case is validated against these, so they are not compiled.
      ...others.flatMap((located) =>
        faultsIn(located.schema).map((fault) => placed(located, 'document', 'warning', fault)),
      ),
    ];
  },
};

/** Most schemas checked that are neither request nor response. */
const MAX_OTHERS = 4;

function faultsOf(located: LocatedSchema): SchemaFault[] {
  const validator = validatorOf(located.schema);
  return validator.ok ? [] : validator.faults;
}

function placed(
  located: LocatedSchema,
  place: Place,
  severity: Finding['severity'],
  fault: SchemaFault,
): PlacedFinding {
  const finding: Finding = {
    code: CODES[fault.kind],
    severity,
    in: place,
    ...(place === 'document' ? {} : { pointer: fault.pointer }),
    message: `Cannot use schema${fault.pointer === '' ? '' : ` at ${escapedLine(fault.pointer)}`}: ${fault.kind.startsWith('reference') ? `${JSON.stringify(fault.actual)} ` : ''}${fault.message}, wanted a JSON Schema that can be used`,
    ...reportable(fault.actual === undefined ? {} : { actual: fault.actual }),
  };
  return { finding, text: 'document', at: located.start };
}
