import { isObject, type Json } from '../../kernel/json.ts';
import { hasWord } from '../scalar-kinds.ts';
import type { Subject } from '../subject.ts';

const known = new WeakMap<Subject, ReadonlySet<string>>();

/** The words by which a requester alone tells its own caller how it went: those that its output lists and no message has. Empty for providers. */
export function reportedNames(subject: Subject): ReadonlySet<string> {
  const names = known.get(subject) ?? readNames(subject);
  known.set(subject, names);
  return names;
}

function readNames({ task, requestSchema, responseSchema, cases }: Subject): Set<string> {
  if (task === undefined) return new Set();
  const messages = JSON.stringify([requestSchema, responseSchema, cases.map((one) => [one.request, one.response])]);
  return new Set(constantsOf(task.outputSchema ?? null, 0).filter((name) => !hasWord(messages, name)));
}

/** Whether a sentence of a document has one of these words, written as code or as no word of the language is. */
export function tellsReportedName(subject: Subject, sentence: string): boolean {
  return [...reportedNames(subject)].some(
    (name) =>
      hasWord(sentence, name) &&
      (/^[A-Z][A-Z0-9_-]+$|_/.test(name) || QUOTES.some((quote) => sentence.includes(`${quote}${name}`))),
  );
}

const QUOTES = ['`', '"', "'", '“', '„', '«', '« ', '「', '『'];

/** Deepest level of a schema that is read. */
const maxDepth = 30;

function constantsOf(schema: Json, depth: number): string[] {
  if (depth > maxDepth || typeof schema !== 'object' || schema === null) return [];
  const own = isObject(schema) ? [...(Array.isArray(schema.enum) ? schema.enum : []), schema.const ?? null] : [];
  return [
    ...own.filter((value): value is string => typeof value === 'string' && value.length > 1),
    ...Object.values(schema).flatMap((child) => constantsOf(child, depth + 1)),
  ];
}
