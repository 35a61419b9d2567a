import { type Case, type Interaction, type LocatedSchema, MAX_CASES, type Texts } from '../../contract/agreement.ts';
import type { CaseValidation } from '../../documents/case-validation.ts';
import type { Side } from '../../documents/claims.ts';
import type { FoundSchema } from '../../documents/find-schemas.ts';
import { unionOf } from '../../documents/schema-union.ts';
import { selectSchemas } from '../../documents/select-schemas.ts';
import { readTextDocument, type TextDocument } from '../../documents/text-document.ts';
import type { Before, FamilyReading, ReadingTask } from '../family.ts';
import { placedFault } from './case-faults.ts';
import { type Described, describedIn, matchingCases } from './described.ts';
import { type CasesRead, knownPayloads, readCases, withTextsOfSchemas } from './read-cases.ts';

/** What was read from each object with texts, for the next reading of changed texts. */
const parts = new WeakMap<Texts, { document: TextDocument; casesRead: CasesRead; hasSchemas: boolean }>();

/**
 * Reads a protocol document and its cases. The document has one interaction, whose schemas are selected by the content
 * of the cases, or one interaction for each method of a service description in it.
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
  const described = describedIn(document);
  const hasSchemas = schemas.length > 0 || described !== null;
  const areSameCases =
    earlier !== undefined &&
    texts.cases === before?.texts.cases &&
    own.prose === earlier.document.own.prose &&
    hasSchemas === earlier.hasSchemas;
  const casesRead = areSameCases
    ? earlier.casesRead
    : readCases(
        texts.cases,
        { payload: wantedPayload, hasSchemas, prose: own.prose },
        earlier && knownPayloads(earlier.casesRead),
      );
  parts.set(texts, { document, casesRead, hasSchemas });
  const chosen = chosenSchemas(document, described, casesRead.cases, validation);
  const { interactions, requestRivals, found } = chosen;
  const { cases, payload } =
    wantedPayload === undefined
      ? withTextsOfSchemas(casesRead, chosen, validation)
      : { cases: casesRead.cases, payload: casesRead.payload };
  const { described: used } = chosen;
  return {
    interactions,
    requestRivals,
    payload,
    // Without negotiated cases, the examples of a description are the cases.
    cases: used !== null && texts.cases === null ? used.cases.slice(0, MAX_CASES) : cases,
    faults: [...(used?.faults ?? []), ...casesRead.faults.map(placedFault)],
    schemas: found,
    ...(used === null ? {} : { data: used.data }),
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

/** The schemas that were chosen for an agreement. */
interface ChosenSchemas extends Record<Side, LocatedSchema | null> {
  interactions: readonly Interaction[];
  requestRivals: readonly FoundSchema[];
  found: readonly FoundSchema[];
  /** The service descriptions that they come from; `null` if they come from none. */
  described: Described | null;
}

/** The schemas of the described methods, unless more cases match the schemas that any document would have. */
function chosenSchemas(
  { schemas }: TextDocument,
  described: Described | null,
  cases: readonly Case[],
  validation: CaseValidation,
): ChosenSchemas {
  const matching = described === null ? 0 : matchingCases(described.interactions, cases, validation);
  if (described !== null && matching === cases.length) return ofDescribed(described);
  const { request, response, requestRivals } = selectSchemas(schemas, cases, validation);
  const interactions = [{ name: '', request, replies: response === null ? [] : [response] }];
  if (described !== null && matchingCases(interactions, cases, validation) <= matching) return ofDescribed(described);
  return { interactions, request, response, requestRivals, found: schemas, described: null };
}

function ofDescribed(described: Described): ChosenSchemas {
  const { interactions, schemas } = described;
  const of = (side: Side) => unionOf(schemas.filter(({ claim }) => claim === side));
  return {
    interactions,
    request: of('request'),
    response: of('response'),
    requestRivals: [],
    found: schemas,
    described,
  };
}
