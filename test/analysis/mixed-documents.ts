import { isObject, type Json, type JsonObject } from '../../src/kernel/json.ts';
import type { HostileDocument } from './hostile-documents.ts';

/** Where a document stops growing, in UTF-16 units: the limit of a job. */
const MAX_DOCUMENT_CHARS = 250_000;
const MAX_CASE_CHARS = 600_000;

/**
 * A document that mixes hostile traits, deterministic by seed: schemas, cases, tools and prose, each large, deep, odd
 * or wrong.
 */
export function mixedDocument(seed: number): HostileDocument {
  const dice = new Dice(seed);
  const schemas = Array.from({ length: dice.oneOf([1, 2, 2, 2, 3, 8, 30]) }, () => schemaOf(dice));
  const sections = schemas.map((schema, index) => {
    const heading = dice.oneOf([
      `Request ${index}`,
      `Response ${index}`,
      'Message',
      index % 2 === 0 ? 'Request' : 'Response',
    ]);
    const block = JSON.stringify(schema, null, dice.oneOf([0, 0, 2]));
    return `## ${heading}\n${dice.oneOf(['```json\n', '```\n', ''])}${block}\n${dice.oneOf(['```\n', '', '```\n'])}`;
  });
  const prose = dice.oneOf(PROSE);
  const filler = Array.from({ length: dice.oneOf([0, 0, 10, 200, 5_000]) }, (_, index) => prose(index)).join('');
  const document = `${dice.chance(0.3) ? filler : ''}${sections.join(dice.oneOf(['', 'Some words.\n']))}${filler}`;
  const tools = dice.oneOf([0, 0, 3, 60]);
  return {
    document: document.slice(0, MAX_DOCUMENT_CHARS),
    cases: casesText(dice, schemas),
    more: {
      role: dice.oneOf(['provider', 'provider', 'requester']),
      kind: dice.oneOf(['generate', 'generate', 'review']),
      onContradiction: dice.oneOf(['amend', 'dispute']),
      ...(dice.chance(0.2) ? { peerCapabilities: [] } : {}),
      tools: Array.from({ length: tools }, (_, index) => ({
        ...{ name: `t${index}`, description: 'x', inputSchema: { type: 'object' }, outputSchema: { type: 'object' } },
        annotations: { readOnlyHint: dice.chance(0.5) },
        examples: Array.from({ length: dice.upTo(6) }, (_, n) => ({
          input: { id: `x${n}` },
          output: dataOf(dice, {}, 3),
        })),
      })),
    },
  };
}

/** A deterministic random generator (mulberry32). */
class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed + 1, 0x9e3779b1);
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  upTo(most: number): number {
    return Math.floor(this.next() * (most + 1));
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  oneOf<Item>(items: readonly Item[]): Item {
    return items[this.upTo(items.length - 1)] as Item;
  }
}

const PROSE: ((index: number) => string)[] = [
  (n) => `- ${400 + (n % 200)}: failure ${n}\n`,
  (n) => `| ${n} | error | \`{"x": ${n}}\` |\n`,
  (n) => `The id is repeated unchanged [${n}] {"a" } within ${n} seconds of a timeout.\n`,
  (n) => `\`\`\`ts\nconst a = {"b": [1, ${n}]};\n\`\`\`\n`,
  () => '本协议基于现有协议规定的消息格式，错误码如下。\n',
  (n) => `{"type":"object","properties":{"q${n}":{"type":"string"}\n\n`,
];

/** A schema of random size, from a few subschemas to more than are read. */
function schemaOf(dice: Dice): JsonObject {
  const left = { count: dice.oneOf([5, 30, 120, 250, 390, 500]) };
  const definitions = dice.oneOf([0, 0, 3, 40, 150]);
  const made: JsonObject = { type: 'object', ...part(dice, left, 0, definitions), ...widened(dice, left, definitions) };
  if (definitions > 0) {
    made.$defs = Object.fromEntries(
      Array.from({ length: definitions }, (_, n): [string, Json] => [
        `d${n}`,
        dice.chance(0.5)
          ? { properties: { a: { $ref: `#/$defs/d${(n + 1) % definitions}` } } }
          : leaf(dice, definitions),
      ]),
    );
  }
  return made;
}

function widened(dice: Dice, left: { count: number }, definitions: number): JsonObject {
  const names = Array.from({ length: Math.max(1, left.count) }, (_, n) => name(dice, n));
  const properties = Object.fromEntries(names.map((each) => [each, leaf(dice, definitions)]));
  return {
    properties,
    ...(dice.chance(0.5) ? { required: names } : {}),
    ...(dice.chance(0.4) ? { additionalProperties: dice.oneOf<Json>([false, { type: 'string' }]) } : {}),
  };
}

function name(dice: Dice, n: number): string {
  return dice.chance(0.9)
    ? `p${n}`
    : dice.oneOf([`messageId${n}`, `${'n'.repeat(80)}${n}`, `a/b~${n}`, `ref_id${n}`, '__proto__']);
}

function part(dice: Dice, left: { count: number }, depth: number, definitions: number): JsonObject {
  if (left.count <= 0 || depth > 40 || dice.chance(0.2)) return leaf(dice, definitions);
  const width = 1 + dice.upTo(dice.oneOf([1, 3, 60]));
  left.count -= width;
  const parts = (): Json[] => Array.from({ length: width }, () => part(dice, left, depth + 1, definitions));
  const named = (): JsonObject => Object.fromEntries(parts().map((each, n) => [name(dice, n), each]));
  return dice.oneOf<() => JsonObject>([
    () => ({ type: 'object', properties: named() }),
    () => ({ allOf: parts() }),
    () => ({ anyOf: parts() }),
    () => ({ oneOf: parts() }),
    () => ({ type: 'array', items: part(dice, left, depth + 1, definitions), uniqueItems: dice.chance(0.3) }),
    () => ({ not: part(dice, left, depth + 1, definitions) }),
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    () => ({ if: leaf(dice, definitions), then: part(dice, left, depth + 1, definitions) }),
    () => ({ patternProperties: Object.fromEntries(parts().map((each, n) => [`^p${n}[0-9]*$`, each])) }),
    () => ({ anyOf: parts(), unevaluatedProperties: false }),
  ])();
}

function leaf(dice: Dice, definitions: number): JsonObject {
  return dice.oneOf<() => JsonObject>([
    () => ({ type: 'string' }),
    () => ({ type: ['integer', 'null'], minimum: dice.upTo(5) }),
    () => ({ enum: Array.from({ length: 1 + dice.upTo(20) }, (_, n) => `v${n}`) }),
    () => ({ const: `c${dice.upTo(3)}` }),
    () => ({
      type: 'string',
      pattern: dice.oneOf([`^[a-z]{1,${1 + dice.upTo(90)}}$`, `^(?=x${dice.upTo(9)})`, '^(a+)+$', '(']),
    }),
    () => ({
      type: 'string',
      format: dice.oneOf(['uri', 'email', 'date-time', 'uuid', 'regex', 'ipv6']),
      maxLength: 40,
    }),
    () => ({ type: 'array', items: { type: 'integer' }, minItems: 1 }),
    () => ({ type: 'string', tsType: 'x', nullable: true, $async: true }),
    () => (definitions > 0 ? { $ref: `#/$defs/d${dice.upTo(definitions)}` } : {}),
  ])();
}

function casesText(dice: Dice, schemas: readonly JsonObject[]): string {
  const count = dice.oneOf([0, 1, 6, 30, 100]);
  const same = dice.chance(0.2) ? dataOf(dice, schemas[0] ?? {}, dice.oneOf([10, 300])) : undefined;
  const width = dice.oneOf([1, 5, 40, 300]);
  const parts: string[] = [];
  let left = MAX_CASE_CHARS;
  for (let index = 0; index < count && left > 0; index += 1) {
    const request = same ?? dataOf(dice, dice.oneOf(schemas), width);
    const response = dataOf(dice, dice.oneOf(schemas), width);
    const number = dice.chance(0.95) ? index + 1 : dice.upTo(index);
    const text = `# Test Case ${number}\n- Test Request Data:\n${JSON.stringify(request)}\n- Test Response Data:\n${JSON.stringify(response)}\n- Expected Test Result: ${dice.oneOf(['ok', 'not found', 'fails with 404'])}\n`;
    left -= text.length;
    parts.push(text);
  }
  return parts.join('');
}

/** Values for a schema's members and for others, valid and invalid. */
function dataOf(dice: Dice, schema: JsonObject, width: number): Json {
  const declared = isObject(schema.properties) ? Object.keys(schema.properties) : [];
  const value = (depth: number): Json =>
    dice.oneOf<() => Json>([
      () => `v${dice.upTo(30)}`,
      () => dice.upTo(1_000),
      () => null,
      () => 'x'.repeat(dice.upTo(60)),
      () => Array.from({ length: dice.upTo(8) }, () => dice.upTo(9)),
      () => (depth > 30 ? 1 : { a: value(depth + 1), p0: 'c1' }),
    ])();
  const names = Array.from({ length: width }, (_, n) =>
    dice.chance(0.8) ? (declared[n] ?? `p${n}`) : `q${dice.upTo(9_999)}`,
  );
  return Object.fromEntries([
    ...names.map((each): [string, Json] => [each, value(0)]),
    ['messageId', `m${dice.upTo(1e9)}`],
  ]);
}
