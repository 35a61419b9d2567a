import type { Scenario } from '../../contract/trial.ts';
import { isObject, type Json } from '../../kernel/json.ts';
import type { SeenCase } from '../check.ts';
import { leavesOf } from '../scalar-kinds.ts';
import type { Subject } from '../subject.ts';
import { replacedAt } from './variations.ts';

/**
 * Runs of a case, each with one call's answer changed at one place: a flipped flag, another number or day, another enum
 * value, an empty list. At most `most` per call.
 */
export function toldOtherwise(
  subject: Subject,
  { scenario, seen }: Pick<SeenCase, 'scenario' | 'seen'>,
  most: number,
  isMeant: (tool: string) => boolean = () => true,
): Scenario[] {
  return seen.calls.flatMap(({ tool, input, output }) => {
    if (output === undefined || !isMeant(tool)) return [];
    const { outputSchema: schema = null, otherwise } = subject.tools.find((other) => other.name === tool) ?? {};
    return [...otherOutputs(output, schema), ...(otherwise && 'output' in otherwise ? [otherwise.output] : [])]
      .filter((other) => subject.surface.toolOutputIssues(tool, other).length === 0)
      .slice(0, most)
      .map((other) => ({
        ...scenario,
        tools: subject.tools.map((known) =>
          known.name === tool ? { ...known, examples: [{ input, output: other }, ...(known.examples ?? [])] } : known,
        ) as Scenario['tools'],
      }));
  });
}

/**
 * A case whose tools return texts that their schemas allow and its calls lacked, for the members that `isMeant`
 * selects; `undefined` if there are none.
 */
export function toldInFull(
  subject: Subject,
  { scenario, seen }: Pick<SeenCase, 'scenario' | 'seen'>,
  isMeant: (tool: string, member: string) => boolean,
): Scenario | undefined {
  let isFuller = false;
  const tools = subject.tools.map((tool) => {
    const { outputSchema: schema = null, examples = [] } = tool;
    const fuller = seen.calls.flatMap(({ tool: name, input, output }) => {
      if (name !== tool.name || output === undefined) return [];
      const whole = filled(output, schema, (member) => isMeant(name, member), 0);
      const isOther = JSON.stringify(whole) !== JSON.stringify(output);
      return isOther && subject.surface.toolOutputIssues(name, whole).length === 0 ? [{ input, output: whole }] : [];
    });
    isFuller ||= fuller.length > 0;
    return fuller.length > 0 ? { ...tool, examples: [...fuller, ...examples] } : tool;
  });
  return isFuller ? { ...scenario, tools: tools as Scenario['tools'] } : undefined;
}

function filled(value: Json, schema: Json, isMeant: (member: string) => boolean, depth: number): Json {
  if (!isObject(schema) || depth > 8) return value;
  if (Array.isArray(value)) return value.map((item) => filled(item, schema.items ?? null, isMeant, depth + 1));
  if (!isObject(value) || !isObject(schema.properties)) return value;
  const { properties } = schema;
  const own = Object.entries(value).map(([name, item]) => [
    name,
    filled(item, Object.hasOwn(properties, name) ? (properties[name] ?? null) : null, isMeant, depth + 1),
  ]);
  const added = Object.entries(properties).flatMap(([name, member]) =>
    !Object.hasOwn(value, name) && isMeant(name) && mayBeAnyText(member) ? [[name, `untold-${name}`]] : [],
  );
  return Object.fromEntries([...own, ...added]);
}

/** Whether a schema allows any text for a member. */
function mayBeAnyText(schema: Json): boolean {
  return (
    isObject(schema) &&
    [schema.type].flat().includes('string') &&
    !['enum', 'const', 'pattern', 'format', 'maxLength'].some((keyword) => Object.hasOwn(schema, keyword))
  );
}

/** Variants of an output, each changed at one place. */
function otherOutputs(output: Json, schema: Json): Json[] {
  const words = leavesOf(output).flatMap(({ pointer, name, value }) => {
    if (typeof value === 'boolean') return [replacedAt(output, pointer, !value)];
    if (typeof value === 'number') return [0, value * 1000 + 7].map((other) => replacedAt(output, pointer, other));
    if (typeof value === 'string' && DAY.test(value))
      return ['2001-01-01', '2099-12-31'].map((day) => replacedAt(output, pointer, day + value.slice(day.length)));
    return enumsOf(schema, name, 0).flatMap((other) => (other === value ? [] : [replacedAt(output, pointer, other)]));
  });
  const lists = isObject(output)
    ? Object.entries(output).flatMap(([name, value]) =>
        Array.isArray(value) && value.length > 0 ? [{ ...output, [name]: [] }] : [],
      )
    : [];
  // A single item, and none.
  const fewer = Array.isArray(output) && output.length > 1 ? [output.slice(0, 1), []] : [];
  return [...lists, ...fewer, ...words];
}

/** The start of a date or time. */
const DAY = /^\d{4}-\d{2}-\d{2}(?!\d)/;

function enumsOf(schema: Json, name: string, depth: number): Json[] {
  if (depth > 20 || typeof schema !== 'object' || schema === null) return [];
  const own = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
  const found = Object.hasOwn(own, name) ? own[name] : undefined;
  return [
    ...(isObject(found) && Array.isArray(found.enum) ? found.enum : []),
    ...Object.values(schema).flatMap((child) => enumsOf(child, name, depth + 1)),
  ];
}
