import type { Job } from '../contract/job.ts';
import { baseUrisIn } from './document-facts.ts';
import { type FoundSchema, type FoundSchemas, findSchemas } from './find-schemas.ts';
import { knownJson } from './located-json.ts';
import { withoutQuoteMarks } from './markdown-lines.ts';

/** How far a chain of protocols that build on each other is followed. */
const MAX_BASE_DOCUMENTS = 8;

/** A protocol that a document builds on, by its address there. */
export interface BaseDocument extends FoundSchemas {
  uri: string;
}

/** What stands in a document that is a text, and in those that it builds on. */
export interface TextDocument {
  text: string;
  own: FoundSchemas;
  bases: { uris: string[]; missing: string[]; documents: BaseDocument[] };
  /** Its own schemas, then those of the protocols that it builds on. */
  schemas: FoundSchema[];
}

/** Reads a document with the texts that are given of the protocols that it builds on. What `before` has read already is not read again. */
export function readTextDocument(
  text: string,
  baseProtocols: Job['baseProtocols'],
  before?: { document: TextDocument; baseProtocols: Job['baseProtocols'] },
): TextDocument {
  const own =
    before?.document.text === text
      ? before.document.own
      : findSchemas(withoutQuoteMarks(text), undefined, before && knownBlocks(before.document.own));
  const isSame = own.prose === before?.document.own.prose && baseProtocols === before.baseProtocols;
  const bases = isSame ? before.document.bases : resolveBases(own.prose, baseProtocols);
  const schemas = [...own.schemas, ...bases.documents.flatMap((document) => document.schemas)];
  return { text, own, bases, schemas };
}

function knownBlocks({ text, blocks }: FoundSchemas): ReturnType<typeof knownJson> {
  return knownJson(
    text,
    blocks.filter(({ lenient }) => !lenient),
  );
}

function resolveBases(prose: string, given: Job['baseProtocols']): TextDocument['bases'] {
  const uris = baseUrisIn(prose);
  const missing: string[] = [];
  const documents: BaseDocument[] = [];
  const pending = [...uris];
  const seen = new Set<string>();
  for (let uri = pending.shift(); uri !== undefined && documents.length < MAX_BASE_DOCUMENTS; uri = pending.shift()) {
    if (seen.has(uri)) continue;
    seen.add(uri);
    const base = Object.hasOwn(given, uri) ? given[uri] : undefined;
    if (base === undefined) missing.push(uri);
    else {
      const found = findSchemas(withoutQuoteMarks(base.content), uri);
      documents.push({ ...found, uri });
      pending.push(...baseUrisIn(found.prose));
    }
  }
  return { uris: [...seen], missing, documents };
}
