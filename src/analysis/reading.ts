import type { Case, Interaction, LocatedSchema, Texts } from '../contract/agreement.ts';
import type { Job } from '../contract/job.ts';
import type { Language } from '../contract/statement.ts';
import { CaseValidation } from '../documents/case-validation.ts';
import { type DocumentedCode, documentedCodesIn, languageOf } from '../documents/document-facts.ts';
import { unionOf } from '../documents/schema-union.ts';
import { familyOf } from '../families/families.ts';
import type { FamilyReading } from '../families/family.ts';
import type { Matches } from '../schemas/validator.ts';
import { DocumentedEchoes } from './documented-echoes.ts';
import { Refusals } from './refusals.ts';

/** A job with the texts of its agreement. */
export interface Opened {
  job: Job;
  texts: Texts;
}

/** All facts read from a job's documents, and what could not be read. */
export interface Reading extends FamilyReading {
  texts: Texts;
  language: Language;
  request: LocatedSchema | null;
  response: LocatedSchema | null;
  documentedCodes: DocumentedCode[];
  validation: CaseValidation;
  /** What the document says about repeated ids. */
  echoes: DocumentedEchoes;
}

const opened = new WeakMap<Job, Texts>();
const readings = new WeakMap<Texts, Reading>();

/** A job with the texts from its messages; cached per job object. */
export function open(job: Job): Opened {
  const texts = opened.get(job) ?? familyOf(job).open(job);
  opened.set(job, texts);
  return { job, texts };
}

/** Reads an agreement; cached per texts object. */
export function readingOf({ job, texts }: Opened, matches?: Matches): Reading {
  const known = readings.get(texts);
  if (known !== undefined) return known;
  const made = read({ job, texts }, matches);
  readings.set(texts, made);
  return made;
}

/** Reads changed texts of the same job and reuses the reading of the unchanged part. */
export function readAgain({ job, texts }: Opened, changed: Partial<Texts>): Opened {
  const again = { job, texts: { ...texts, ...changed } };
  readings.set(again.texts, read(again, undefined, readingOf({ job, texts })));
  return again;
}

function read({ job, texts }: Opened, matches?: Matches, before?: Reading): Reading {
  const { payload, baseProtocols, role, loose, tools } = job;
  const validation = new CaseValidation(matches, 1, before?.validation);
  const reading = familyOf(job).read(
    texts,
    { payload, baseProtocols, validation },
    before && { texts: before.texts, about: { payload, baseProtocols }, reading: before },
  );
  const { prose, wholeProse, interactions } = reading;
  const { request, response } = schemasOf(interactions);
  const isSameProse = prose === before?.prose;
  const documentedCodes = wholeProse === before?.wholeProse ? before.documentedCodes : documentedCodesIn(wholeProse);
  const cases = markNegatives(
    reading.cases,
    request,
    new Refusals(
      new Set(documentedCodes.map(({ code }) => code)),
      new Set(role === 'provider' ? loose.map(({ pointer }) => pointer) : []),
    ),
    validation,
  );
  const caseText = typeof texts.cases === 'string' ? texts.cases : '';
  return {
    ...reading,
    texts,
    language: languageOf(/\p{L}/u.test(prose) ? prose : `${prose} ${caseText}`),
    request,
    response,
    cases,
    documentedCodes,
    validation,
    echoes: isSameProse ? before.echoes : new DocumentedEchoes(prose, tools, response?.schema),
  };
}

/** The schemas of all requests, and those of all replies. */
function schemasOf(interactions: readonly Interaction[]): Record<'request' | 'response', LocatedSchema | null> {
  // If one message may be anything, no schema describes them all.
  const unionOrNull = (schemas: readonly (LocatedSchema | null)[]) =>
    schemas.includes(null) ? null : unionOf([...new Set(schemas)].filter((schema) => schema !== null));
  return {
    request: unionOrNull(interactions.map(({ request }) => request)),
    response: unionOrNull(interactions.flatMap(({ replies }) => (replies.length === 0 ? [null] : [...replies]))),
  };
}

/** Most cases with invalid requests that are compared with each other. */
const MAX_UNCLEAR = 10;

function markNegatives(
  cases: readonly Case[],
  request: LocatedSchema | null,
  refusals: Refusals,
  validation: CaseValidation,
): Case[] {
  const isInvalid = cases.map((each) => {
    return request !== null && validation.allows(request.schema, each.request) === false;
  });
  const sound = cases.filter((_, index) => !isInvalid[index]);
  const isTurnedDown = cases.map((each, index) => isInvalid[index] === true && refusals.refuses(each, sound));
  // A request that is invalid by mistake is answered like a valid one; compared with it, a refusal stands out.
  const unclear = cases.filter((_, index) => isInvalid[index] && !isTurnedDown[index]).slice(0, MAX_UNCLEAR);
  return cases.map((each, index) => ({
    ...each,
    negative:
      isTurnedDown[index] === true ||
      (unclear.length > 1 &&
        unclear.includes(each) &&
        refusals.refuses(each, [...unclear.filter((one) => one !== each), ...sound])),
  }));
}
