import { isObject, type Json } from '../kernel/json.ts';
import { allSubschemas, MAX_SUBSCHEMAS } from './schema-walk.ts';

/** A regular expression in a schema: a `pattern` or a name in `patternProperties`. */
export interface SchemaPattern {
  /** JSON pointer to the keyword in the schema. */
  pointer: string;
  pattern: string;
}

/** The regular expressions of a schema, in document order. */
export function patternsIn(schema: Json): SchemaPattern[] {
  const patterns: SchemaPattern[] = [];
  for (const { schema: each, pointer } of allSubschemas(schema, MAX_SUBSCHEMAS)) {
    if (!isObject(each)) continue;
    if (typeof each.pattern === 'string') patterns.push({ pointer: `${pointer}/pattern`, pattern: each.pattern });
    if (!isObject(each.patternProperties)) continue;
    for (const pattern of Object.keys(each.patternProperties)) {
      patterns.push({ pointer: `${pointer}/patternProperties`, pattern });
    }
  }
  return patterns;
}
