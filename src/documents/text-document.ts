import type { Job } from '../contract/job.ts';
import { baseUrisIn } from './document-facts.ts';
import { type FoundSchema, type FoundSchemas, findSchemas } from './find-schemas.ts';
import { knownJson } from './located-json.ts';
import { withoutQuoteMarks } from './markdown-lines.ts';

/** Most base protocols followed along a chain. */
const MAX_BASE_DOCUMENTS = 8;

/** A base protocol of a document, with its URI. */
export interface BaseDocument extends FoundSchemas {
  uri: string;
}

/** What a text document and its base protocols contain. */
export interface TextDocument {
  text: string;
  own: FoundSchemas;
  bases: { uris: string[]; missing: string[]; documents: BaseDocument[] };
  /** Its own schemas, then those of its base protocols. */
  schemas: FoundSchema[];
}

/** Reads a document and the supplied texts of its base protocols. Reuses what `before` has already read. */
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
  const uris = baseUrisIn(prose, given);
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
      pending.push(...baseUrisIn(found.prose, given));
    }
  }
  return { uris: [...seen], missing, documents };
}
