import type { Finding } from '../contract/finding.ts';
import { announcesSchema, sideNamedIn } from '../documents/claims.ts';
import { readLines } from '../documents/markdown-lines.ts';
import type { PlacedFinding } from '../families/family.ts';
import type { Rule } from './rule.ts';

/** Where one side has its schema, the section of the other one, or the line that announces its schema, has something below it. */
export const ruleSchemaMissing: Rule = {
  name: 'schema-missing',
  check({ agreement }, { texts: { document: text }, broken }) {
    const { requestSchema, responseSchema } = agreement;
    if ((requestSchema === null) === (responseSchema === null) || broken.length > 0) return [];
    const side = requestSchema === null ? 'request' : 'response';
    const lines = readLines(text).lines.filter(({ text }) => !isNothing(text.slice(0, MAX_LINE)));
    const found = lines.flatMap((line, index): PlacedFinding[] => {
      const own = line.text.slice(0, MAX_LINE).trim();
      const level = levelOf(own);
      const announces = level > 0 || (announcesSchema(own) && /[:：]$/.test(own));
      if (line.fenced || !announces || sideNamedIn(own) !== side) return [];
      const next = lines[index + 1];
      const below = next === undefined ? 1 : levelOf(next.text);
      if (below === 0 || (level > 0 && below > level)) return [];
      return [{ finding: findingOf(side, own), text: 'document', at: line.start }];
    });
    return found.slice(0, 1);
  },
};

/** The longest line that is looked at, in UTF-16 units. */
const MAX_LINE = 200;

/** How deep a heading stands; 0 for what is none. */
function levelOf(line: string): number {
  return /^\s{0,3}(#{1,6})\s/.exec(line)?.[1]?.length ?? 0;
}

/** Whether a line is blank, or a fence. What words below a heading mean is for those who read them. */
function isNothing(line: string): boolean {
  return /^[\s>*_`~]*$/.test(line) || /^(?:[`~]{3,}\w*|json(?:c|5)?)$/i.test(line.trim());
}

function findingOf(side: 'request' | 'response', announced: string): Finding {
  return {
    code: 'DOCUMENT_SCHEMA_MISSING',
    severity: 'error',
    in: `${side}Schema`,
    message: `Cannot find the ${side} schema: nothing stands below ${JSON.stringify(announced)}, wanted a JSON Schema`,
    actual: announced,
  };
}
