import type { Finding } from '../contract/finding.ts';
import { announcesSchema, sideNamedIn } from '../documents/claims.ts';
import { readLines } from '../documents/markdown-lines.ts';
import type { PlacedFinding } from '../families/family.ts';
import type { Rule } from './rule.ts';

/** If one side has a schema, the section or the line that announces the other side's schema is not empty. */
export const ruleSchemaMissing: Rule = {
  name: 'schema-missing',
  check({ agreement }, { texts: { document: text }, broken }) {
    const { requestSchema, responseSchema } = agreement;
    if ((requestSchema === null) === (responseSchema === null) || broken.length > 0) return [];
    const side = requestSchema === null ? 'request' : 'response';
    const lines = readLines(text).lines.filter(({ text }) => !isNothing(text.slice(0, MAX_LINE)));
    const found = lines.flatMap((line, index): PlacedFinding[] => {
      const trimmed = line.text.slice(0, MAX_LINE).trim();
      const level = levelOf(trimmed);
      const announces = level > 0 || (announcesSchema(trimmed) && /[:：]$/.test(trimmed));
      if (line.fenced || !announces || sideNamedIn(trimmed) !== side) return [];
      const next = lines[index + 1];
      const below = next === undefined ? 1 : levelOf(next.text);
      if (below === 0 || (level > 0 && below > level)) return [];
      return [{ finding: findingOf(side, trimmed), text: 'document', at: line.start }];
    });
    return found.slice(0, 1);
  },
};

/** Longest part of a line examined, in UTF-16 units. */
const MAX_LINE = 200;

/** The level of a heading; 0 for other lines. */
function levelOf(line: string): number {
  return /^\s{0,3}(#{1,6})\s/.exec(line)?.[1]?.length ?? 0;
}

/** Whether a line is blank or a fence. Words below a heading are left to readers who understand them. */
function isNothing(line: string): boolean {
  return /^[\s>*_`~]*$/.test(line) || /^(?:[`~]{3,}\w*|json(?:c|5)?)$/i.test(line.trim());
}

function findingOf(side: 'request' | 'response', announced: string): Finding {
  return {
    code: 'DOCUMENT_SCHEMA_MISSING',
    severity: 'error',
    in: `${side}Schema`,
    message: `Cannot find the ${side} schema: nothing follows ${JSON.stringify(announced)}, wanted a JSON Schema`,
    actual: announced,
  };
}
