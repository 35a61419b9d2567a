import { type Case, type LocatedSchema, MAX_CASES, type Texts } from '../../contract/agreement.ts';
import type { StructuredCase } from '../../contract/job.ts';
import { findSchemas } from '../../documents/find-schemas.ts';
import { isObject, type Json } from '../../kernel/json.ts';
import {
  type Before,
  type FamilyReading,
  type PlacedFinding,
  type ReadingTask,
  tooManyCases,
  withoutProse,
} from '../family.ts';
import { frontMatterOf, isMultiround } from './front-matter.ts';
import { bodyText } from './reply.ts';

/**
 * Reads a protocol document and its cases. Requests and replies are texts; with several rounds, a request is the
 * conversation so far. Schemas in the document describe the content of the texts, so they are not used.
 */
export function readAgreement(texts: Texts, _: ReadingTask, before?: Before): FamilyReading {
  const { document } = texts;
  const isSame = before?.texts.document === document;
  const { prose, text, blocks } = isSame ? { ...before.reading, ...before.reading.document } : findSchemas(document);
  const rounds = isMultiround(document);
  const cases = typeof texts.cases === 'string' || texts.cases === null ? [] : texts.cases;
  return {
    ...withoutProse,
    interactions: [{ name: '', request: located(rounds ? CONVERSATION : TEXT), replies: [located(TEXT)] }],
    payload: rounds ? 'json' : 'text',
    cases: cases.slice(0, MAX_CASES).map((one, index) => readCase(one, index + 1, rounds)),
    faults: [...frontMatterFaults(document), ...tooManyCases(cases.length)],
    schemas: [],
    document: { text, blocks },
    prose,
    wholeProse: prose,
  };
}

const TEXT: Json = { type: 'string' };

/** The messages of a conversation, the newest last. */
const CONVERSATION: Json = {
  type: 'array',
  minItems: 1,
  items: {
    type: 'object',
    properties: { from: { enum: ['sender', 'receiver'] }, body: TEXT },
    required: ['from', 'body'],
    additionalProperties: false,
  },
};

function located(schema: Json): LocatedSchema {
  return { schema, start: 0, end: 0, heading: '' };
}

function readCase({ request, response, expected = '' }: StructuredCase, testCase: number, rounds: boolean): Case {
  const one = { testCase, expected, negative: false };
  if (!rounds) return { ...one, request: bodyText(request), response: bodyText(response) };
  const messages = Array.isArray(request) ? request : [{ from: 'sender', body: bodyText(request) }];
  return { ...one, request: messages.map(withTightBody), response: tightJson(bodyText(response)) };
}

function withTightBody(message: Json): Json {
  if (!isObject(message) || !Object.hasOwn(message, 'body')) return message;
  return { ...message, body: tightJson(bodyText(message.body ?? null)) };
}

/** Removes whitespace between the tokens of a JSON object or list: texts inside a conversation are compared exactly. */
function tightJson(text: string): string {
  try {
    if (typeof JSON.parse(text) !== 'object') return text;
  } catch {
    return text;
  }
  return text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1');
}

function frontMatterFaults(document: string): PlacedFinding[] {
  const read = frontMatterOf(document);
  if (read === undefined || read.ok) return [];
  const message = `Cannot read front matter: found ${read.fault}, wanted name, description and multiround in YAML`;
  return [
    {
      finding: {
        code: 'DOCUMENT_FRONT_MATTER_UNREADABLE',
        severity: 'error',
        in: 'document',
        message,
        actual: read.fault,
      },
      text: 'document',
      at: 0,
    },
  ];
}
