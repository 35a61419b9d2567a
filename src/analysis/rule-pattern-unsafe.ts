import { compilePattern, mayBacktrackWithoutEnd } from '../schemas/pattern.ts';
import { patternsIn } from '../schemas/schema-patterns.ts';
import { eachChosenSchema, type PlacedFinding, type Rule } from './rule.ts';

/** Patterns can be matched in linear time; others are warned of: they are the agreement's right, and a danger to who runs them. */
export const rulePatternUnsafe: Rule = {
  name: 'pattern-unsafe',
  check({ agreement }) {
    return eachChosenSchema(agreement).flatMap(({ located, place }) =>
      patternsIn(located.schema)
        .slice(0, 100)
        .flatMap(({ pattern, pointer }): PlacedFinding[] => {
          const compiled = compilePattern(pattern);
          const base = { severity: 'warning', in: place, pointer, actual: pattern.slice(0, 500) } as const;
          if (compiled.kind === 'unsupported') {
            const message = `Cannot match pattern in linear time: ${compiled.reason}, wanted one without look-around, back-references or long repetitions`;
            return [
              {
                finding: { code: 'DOCUMENT_PATTERN_UNSUPPORTED', message, ...base },
                text: 'document',
                at: located.start,
              },
            ];
          }
          if (compiled.kind !== 'linear' || !mayBacktrackWithoutEnd(pattern)) return [];
          const message =
            'Cannot match pattern safely everywhere: it nests repetitions, wanted one that no engine backtracks on';
          return [
            { finding: { code: 'DOCUMENT_PATTERN_UNSAFE', message, ...base }, text: 'document', at: located.start },
          ];
        }),
    );
  },
};
