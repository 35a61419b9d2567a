import type { Texts } from '../../contract/agreement.ts';
import { selectSchemas } from '../../documents/select-schemas.ts';
import { readTextDocument, type TextDocument } from '../../documents/text-document.ts';
import type { Before, FamilyReading, ReadingTask } from '../family.ts';
import { placedFault } from './case-faults.ts';
import { type CasesRead, inWordsOfSchemas, knownPayloads, readCases } from './read-cases.ts';

/** What was read from each texts object. */
const parts = new WeakMap<Texts, { document: TextDocument; casesRead: CasesRead }>();

/**
 * Reads a protocol document and its cases. There is one interaction; its request and response schemas are selected by
 * what the cases contain.
 */
export function readAgreement(texts: Texts, about: ReadingTask, before?: Before): FamilyReading {
  const { payload: wantedPayload, baseProtocols, validation } = about;
  const earlier = before && parts.get(before.texts);
  const document = readTextDocument(
    texts.document,
    baseProtocols,
    before && earlier && { document: earlier.document, baseProtocols: before.about.baseProtocols },
  );
  const { own, bases, schemas } = document;
  const hasSchemas = schemas.length > 0;
  const areSameCases =
    earlier !== undefined &&
    texts.cases === before?.texts.cases &&
    own.prose === earlier.document.own.prose &&
    hasSchemas === earlier.document.schemas.length > 0;
  const casesRead = areSameCases
    ? earlier.casesRead
    : readCases(
        texts.cases,
        { payload: wantedPayload, hasSchemas, prose: own.prose },
        earlier && knownPayloads(earlier.casesRead),
      );
  parts.set(texts, { document, casesRead });
  const { request, response, requestRivals } = selectSchemas(schemas, casesRead.cases, validation);
  const { cases, payload } =
    wantedPayload === undefined
      ? inWordsOfSchemas(casesRead, { request, response }, validation)
      : { cases: casesRead.cases, payload: casesRead.payload };
  return {
    interactions: [{ name: '', request, replies: response === null ? [] : [response] }],
    requestRivals,
    payload,
    cases,
    faults: casesRead.faults.map(placedFault),
    schemas,
    broken: own.broken,
    lenient: own.lenient,
    document: own,
    baseDocuments: bases.documents,
    ...(casesRead.read === undefined ? {} : { casesText: casesRead.read.text }),
    ...(casesRead.listed === undefined ? {} : { listedCases: casesRead.listed }),
    prose: own.prose,
    wholeProse: [own.prose, ...bases.documents.map(({ prose }) => prose)].join('\n'),
    bases: bases.uris,
    missingBases: bases.missing,
    numberSpans: casesRead.numberSpans ?? [],
  };
}
