import { analyze } from '../analysis/analyze.ts';
import { decide } from '../analysis/decide.ts';
import { CORRELATION } from '../analysis/documented-echoes.ts';
import { preflight } from '../analysis/rules.ts';
import type { Finding } from '../contract/finding.ts';
import type { HandlerRecord } from '../contract/handler.ts';
import type { Job } from '../contract/job.ts';
import type { Language } from '../contract/statement.ts';
import { readingOf } from '../deriving/read.ts';
import { CaseValidation } from '../documents/case-validation.ts';
import { type Complaint, memberNames, placeSpokenOf, readComplaint, speaksOf } from '../documents/read-complaint.ts';
import { familyOf } from '../families/families.ts';
import { type Assignment, assignmentFor } from '../generation/assignment.ts';
import { generate } from '../generation/generate.ts';
import { repairChecks } from '../generation/lane-facts.ts';
import { store } from '../generation/store.ts';
import { handlerKey } from '../handlers/handler-key.ts';
import { openBudget } from '../job/budget.ts';
import { type Conclusion, EarlyEnd } from '../job/conclusion.ts';
import { conclusionOf } from '../job/conclusion-of.ts';
import type { Path } from '../job/path.ts';
import { type Requirements, requirementsOf } from '../job/requirements.ts';
import type { Services } from '../job/services.ts';
import { CodedError } from '../kernel/errors.ts';
import { escapeToken, isObject, type Json, type JsonObject, pointerTokens, shapeOf, valueAt } from '../kernel/json.ts';
import { renderRepair } from '../prompting/render-repair.ts';
import { allSubschemas, MAX_SUBSCHEMAS, resolveLocalReference } from '../schemas/schema-walk.ts';
import type { CheckFact } from '../verification/checks.ts';
import { amendedAgreement, clearAmended, clearTogether } from './clear-amended.ts';
import { namedHandler } from './named-handler.ts';
import { type Reproduction, reproduce } from './reproduce.ts';
import type { Reproduced } from './reproduce-probes.ts';

/** Most faults reported to the peer. */
const maxShown = 5;

/**
 * Handles a complaint of the peer about our messages. The complaint only hints where to look: a fault counts if
 * our handler shows it in a run. Then the complaint is accepted at once and a new handler is generated from the
 * agreed document; else it is rejected with the reason. A complaint never changes the document, the cases or
 * the tools.
 */
export const fixPath: Path = async (received, services, ledger) => {
  const { job, workDeadline } = received;
  const record = await ledger.stage('lookup', () => namedHandler(job, services));
  const ownRequirements = requirementsOf(
    await clearAmended(job, record, services, ledger, workDeadline.signal),
    ledger.trialSeed,
  );
  const requirements = requirementsOf(
    await clearTogether(ownRequirements, record, services, ledger, workDeadline.signal),
    ledger.trialSeed,
  );
  const { language } = requirements.cleared.agreement;
  const complaint = readComplaint(
    familyOf(job).complaint(job.complaint ?? {}),
    memberNames([requirements.schemas.requestSchema, requirements.schemas.responseSchema]),
  );
  const contested = contestedAmendment(job, record, complaint);
  if (contested !== null) throw new EarlyEnd(disputeAmendment(job, contested, language));
  const side = job.role === 'provider' ? 'response' : 'request';

  const search = (handler: Parameters<typeof reproduce>[0]) =>
    reproduce(handler, requirements, complaint, services, ledger, received.peerDeadline, workDeadline.signal);
  const reproduction = await search(record);
  const { faults, cases } = reproduction;
  ledger.cases = cases;
  ledger.checks = record.provenance.checks;
  ledger.verification = cases.length > 0 ? 'negotiated' : 'schema-only';
  const { warnings } = requirements.cleared;
  if (faults.length === 0) {
    if (received.announced.length > 0)
      throw new CodedError(
        'PLATFORM_COMPLAINT_NOT_SEEN',
        'Cannot reproduce complaint again: nothing showed, wanted the fault that was accepted',
      );
    const quoted = contestedByQuote(job, record, complaint, side);
    if (quoted !== null) throw new EarlyEnd(disputeAmendment(job, quoted, language));
    const finding = unfounded(complaint, requirements, reproduction, side);
    return { verdict: 'clean', language, rejected: finding, findings: [...warnings, finding], handler: record };
  }

  const shown = firstOfEachPlace(faults.map((fault) => confirmed(fault, side))).slice(0, maxShown);
  await received.announceEarly({ what: 'complaint-accepted', findings: shown }, language);
  try {
    const assignment: Assignment = {
      ...(await ledger.stage('prompt', () => repairAssignment(requirements, record, faults, services))),
      faultsOf: async (tested) => factsOf((await search({ ...tested, role: record.role })).faults),
    };
    const context = { services, ledger, budget: await openBudget(services, ledger.jobId, job.tenant) };
    const reading = readingOf(record, requirements, context, workDeadline);
    const tested = await generate({
      ...context,
      assignment,
      reading,
      deadline: workDeadline,
      peerDeadline: received.peerDeadline,
    });
    const key = handlerKey(requirements.cleared);
    const handler = await ledger.stage('store', () => store(tested, assignment, key, ledger, services, reading));
    return { verdict: 'generated', findings: [...shown, ...warnings], handler };
  } catch (error) {
    const { findings } = conclusionOf(error, { signal: workDeadline.signal }, received);
    return { verdict: 'error', findings: [...shown, ...findings] };
  }
};

/** The amended place that a complaint is about. An amendment made without the peer's consent obliges neither side. */
function contestedAmendment(
  job: Job,
  { amendments }: HandlerRecord,
  complaint: Complaint,
): Pick<Finding, 'in' | 'pointer'> | null {
  if (complaint.pointers.length === 0 && complaint.names.length === 0) return null;
  const { requestSchema, responseSchema } = analyze(job).agreement;
  const places = amendments.flatMap(({ of, patch }) => {
    const [side, located] =
      of === 'requestSchema' ? (['request', requestSchema] as const) : (['response', responseSchema] as const);
    return patch.flatMap(({ path }) =>
      instancePointers(located?.schema ?? null, path).map((pointer) => ({ in: side, pointer })),
    );
  });
  // A place in the items of a list stands for that place in any item.
  const listPointers = complaint.pointers.map((pointer) => pointer.replace(/\/\d+(?=\/|$)/g, ''));
  const widened = { ...complaint, pointers: [...complaint.pointers, ...listPointers] };
  return places.find(({ pointer }) => pointer !== '' && speaksOf(widened, pointer)) ?? null;
}

/**
 * The places in a message that a place in its schema describes, by member names. For an entry of `required`, the member
 * with that name.
 */
function instancePointers(schema: Json, schemaPointer: string): string[] {
  const name = /\/required\/\d+$/.test(schemaPointer) ? valueAt(schema, schemaPointer) : undefined;
  return referringPaths(schema, schemaPointer).map((path) => {
    const members = [...path.matchAll(/\/properties(\/[^/]+)/g)].map(([, member]) => member).join('');
    return typeof name === 'string' ? `${members}/${escapeToken(name)}` : members;
  });
}

/** Most paths by which references lead to one place of a schema. */
const maxPaths = 50;

/** All paths by which references lead to a place in a schema. */
function referringPaths(schema: Json, schemaPointer: string): string[] {
  const references = allSubschemas(schema, MAX_SUBSCHEMAS).flatMap(({ schema: each, pointer: from }) => {
    const target =
      isObject(each) && typeof each.$ref === 'string' ? resolveLocalReference(schema, each.$ref) : undefined;
    return target === undefined || target.pointer === '' ? [] : [{ from, to: target.pointer }];
  });
  const paths = new Set([schemaPointer]);
  // The loop also visits the paths that it adds.
  for (const path of paths)
    for (const { from, to } of references)
      if (paths.size < maxPaths && path.startsWith(`${to}/`)) paths.add(from + path.slice(to.length));
  const used = [...paths].filter((path) => !/\/(?:\$defs|definitions)\//.test(path));
  return used.length > 0 ? used : [schemaPointer];
}

/**
 * The place where a quoted message of ours breaks the schema as agreed, but not as amended; `null` if the
 * complaint quotes no such message, or is about another place in it.
 */
function contestedByQuote(
  job: Job,
  { amendments }: HandlerRecord,
  complaint: Complaint,
  side: Side,
): Pick<Finding, 'in' | 'pointer'> | null {
  const analyzed = analyze(job);
  const [agreed, amended] = [analyzed, amendedAgreement(analyzed, amendments)].map(
    ({ agreement }) => agreement[`${side}Schema`]?.schema,
  );
  if (agreed === undefined || amended === undefined) return null;
  const validation = new CaseValidation();
  const messages = complaint.quoted.flatMap((value) => {
    const inside = isObject(value) && Object.hasOwn(value, side) ? value[side] : undefined;
    return inside === undefined ? [value] : [value, inside];
  });
  for (const message of messages) {
    const place = placeSpokenOf(complaint, message);
    if (place !== undefined && !CORRELATION.test(pointerTokens(place).at(-1) ?? '')) continue;
    if (validation.allows(amended, message) !== true) continue;
    const [violation] = validation.violations(agreed, message);
    if (violation === undefined || validation.isUsedUp) continue;
    const { pointer, property } = violation;
    return { in: side, pointer: property === undefined ? pointer : `${pointer}/${escapeToken(property)}` };
  }
  return null;
}

/**
 * Raises the dispute that the amendment had resolved; if the preflight finds it no more, a finding at the
 * contested place alone.
 */
function disputeAmendment(job: Job, place: Pick<Finding, 'in' | 'pointer'>, language: Language): Conclusion {
  const { peerCapabilities: _, ...silentJob } = job;
  const analyzed = analyze({ ...silentJob, onContradiction: 'dispute' });
  const decision = decide(analyzed, preflight(analyzed));
  if (decision.kind === 'disputed')
    return { verdict: 'disputed', language, findings: decision.findings, proposals: decision.proposals };
  const finding: Finding = {
    code: 'DOCUMENT_AMENDMENT_CONTESTED',
    severity: 'error',
    ...place,
    message: `Cannot keep both the document and its cases at ${place.pointer}: it was amended, and the peer complains about it, wanted one of the two agreed`,
  };
  return { verdict: 'disputed', language, findings: [finding], proposals: [] };
}

/** Our side of an exchange. */
type Side = 'request' | 'response';

function confirmed({ pointer, message, testCase, got }: Reproduced, side: Side): Finding {
  return {
    code: 'CANDIDATE_COMPLAINT_CONFIRMED',
    severity: 'warning',
    in: side,
    pointer,
    message: `Cannot reject complaint: ${message}, wanted a handler that keeps the agreement`,
    ...(testCase === undefined ? {} : { testCase }),
    ...(got === undefined ? {} : { actual: shapeOf(got) }),
  };
}

/** Keeps the first finding of each place: one fault shows in many runs. */
function firstOfEachPlace(findings: readonly Finding[]): Finding[] {
  const places = Map.groupBy(findings, ({ testCase, pointer }) => `${testCase} ${pointer}`);
  return [...places.values()].flatMap((same) => same.slice(0, 1));
}

/** Why a complaint is rejected: the place, the schema there, and the shape of our message; never its data. */
function unfounded(
  complaint: Complaint,
  { schemas }: Requirements,
  { sent, quoted }: Reproduction,
  side: Side,
): Finding {
  const pointer = sent === null ? '' : (placeSpokenOf(complaint, sent) ?? '');
  const excerpt = schemaAt(schemas[`${side}Schema`], pointer);
  const ours = sent === null ? undefined : valueAt(sent, pointer);
  return {
    code: 'DOCUMENT_COMPLAINT_UNFOUNDED',
    severity: 'warning',
    in: side,
    pointer,
    message: `Cannot reproduce complaint: our handler keeps the agreement in every case and in every request tried${quoted === null ? '' : `, and the quoted ${side === 'response' ? 'answer' : side} ${quoted} it`}, wanted a message that shows the fault`,
    ...(excerpt === undefined ? {} : { expected: excerpt }),
    ...(ours === undefined ? {} : { actual: shapeOf(ours) }),
  };
}

/** The schema of a place in a message: follows references, lists and the first branch of a union that has the place. */
function schemaAt(root: Json, pointer: string): Json | undefined {
  const found = pointerTokens(pointer).reduce<Json | undefined>(
    (schema, token) => (schema === undefined ? undefined : memberSchema(root, schema, token, 0)),
    root,
  );
  const resolved = found === undefined ? undefined : referred(root, found);
  if (!isObject(resolved ?? null)) return undefined;
  const { type, enum: values, const: constant, required } = resolved as JsonObject;
  return Object.fromEntries(
    Object.entries({ type, enum: values, const: constant, required }).filter(([, value]) => value !== undefined),
  ) as JsonObject;
}

/** Most references and nested unions followed for an excerpt. */
const maxFollowed = 8;

function referred(root: Json, schema: Json): Json {
  let here = schema;
  for (let step = 0; step < maxFollowed && isObject(here) && typeof here.$ref === 'string'; step += 1)
    here = resolveLocalReference(root, here.$ref)?.schema ?? true;
  return here;
}

function memberSchema(root: Json, schema: Json, token: string, depth: number): Json | undefined {
  const here = referred(root, schema);
  if (!isObject(here) || depth > maxFollowed) return undefined;
  if (isObject(here.properties) && Object.hasOwn(here.properties, token)) return here.properties[token];
  if (/^\d+$/.test(token) && isObject(here.items ?? null)) return here.items;
  for (const parts of [here.anyOf, here.oneOf, here.allOf])
    for (const part of Array.isArray(parts) ? parts : []) {
      const found = memberSchema(root, part, token, depth + 1);
      if (found !== undefined) return found;
    }
  return undefined;
}

/** Reproduced faults, as facts for a repair. */
function factsOf(faults: readonly Reproduced[]): CheckFact[] {
  return faults.map(({ message, pointer, testCase, input, got }) => ({
    check: 'faults in use',
    code: 'CANDIDATE_COMPLAINT_STANDS',
    message: `${message}${pointer === '' ? '' : ` at ${pointer}`}`,
    input,
    ...(testCase === undefined ? {} : { testCase }),
    ...(got === undefined ? {} : { got }),
  }));
}

/**
 * The assignment for a new handler. Its prompt shows the old source and the faults; of the peer's texts, only the
 * requests.
 */
async function repairAssignment(
  requirements: Requirements,
  record: HandlerRecord,
  faults: readonly Reproduced[],
  services: Services,
): Promise<Assignment> {
  const assignment = await assignmentFor(requirements, services);
  const facts = { checks: repairChecks(factsOf(faults)) };
  return { ...assignment, prompt: renderRepair(assignment.prompt, record.role, record.source, facts) };
}
