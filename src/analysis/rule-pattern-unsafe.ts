import type { PlacedFinding } from '../families/family.ts';
import { mayBacktrackWithoutEnd } from '../schemas/pattern.ts';
import { patternsIn } from '../schemas/schema-patterns.ts';
import { uncheckedPatternsIn } from '../schemas/validator.ts';
import { validatorOf } from '../schemas/validator-of.ts';
import { eachChosenSchema, type Rule } from './rule.ts';

/**
 * Patterns can be matched in linear time. Others cause a warning: the agreement may have them, but they are a risk for
 * whoever runs them.
 */
export const rulePatternUnsafe: Rule = {
  name: 'pattern-unsafe',
  check({ agreement }, { validation }) {
    const { leftOut } = validation.matching;
    return eachChosenSchema(agreement).flatMap(({ located, place }) => {
      const validator = validatorOf(located.schema);
      const listed = validator.ok ? validator.uncheckedPatterns : uncheckedPatternsIn(located.schema);
      const unchecked = new Set(listed.map(({ pattern }) => pattern));
      const invalid = new Set(validator.ok ? [] : validator.faults.map(({ pointer }) => pointer));
      return patternsIn(located.schema)
        .filter(({ pattern, pointer }) => {
          if (invalid.has(pointer)) return false;
          return unchecked.has(pattern) || pattern === leftOut || mayBacktrackWithoutEnd(pattern);
        })
        .slice(0, MAX_FOUND)
        .map(({ pattern, pointer }): PlacedFinding => {
          const isChecked = !unchecked.has(pattern) && pattern !== leftOut;
          const message = unchecked.has(pattern)
            ? 'Cannot match pattern in linear time: no answer is checked against it, wanted one without look-around, back-references or long repetitions'
            : pattern === leftOut
              ? 'Cannot match pattern with all texts of the cases: patterns and texts multiply to too much work, wanted simpler or shorter ones'
              : 'Cannot match pattern safely everywhere: it nests repetitions, wanted one that no engine backtracks on';
          const code = isChecked ? 'DOCUMENT_PATTERN_UNSAFE' : 'DOCUMENT_PATTERN_UNSUPPORTED';
          const finding = {
            code,
            severity: 'warning',
            in: place,
            pointer,
            message,
            actual: pattern.slice(0, 500),
          } as const;
          return { finding, text: 'document', at: located.start };
        });
    });
  },
};

/** Most warnings per schema. */
const MAX_FOUND = 20;
