import { analyze } from '../analysis/analyze.ts';
import { decide } from '../analysis/decide.ts';
import { preflight } from '../analysis/rules.ts';
import { CORRELATION } from '../analysis/said-echoes.ts';
import type { Finding } from '../contract/finding.ts';
import type { HandlerRecord } from '../contract/handler.ts';
import type { Job } from '../contract/job.ts';
import type { Language } from '../contract/said.ts';
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
import { clearAmended, clearTogether } from './clear-amended.ts';
import { type Reproduction, reproduce } from './reproduce.ts';
import type { Reproduced } from './reproduce-probes.ts';
import { amendedAgreement, storedHandler } from './stored-handler.ts';

/** Faults that the peer is told of. */
const maxConfirmed = 5;

/**
 * The peer complains about our messages. What it says is only a hint where to look: the fault counts where our handler is seen to have it. Then it is
 * accepted at once and the handler made again from the agreed document; else it is rejected with the reason. A complaint never changes the
 * document, the cases or the tools.
 */
export const fixPath: Path = async (received, services, ledger) => {
  const { job, workDeadline } = received;
  const record = await ledger.stage('lookup', () => storedHandler(job, services));
  const own = requirementsOf(await clearAmended(job, record, services, ledger, workDeadline.signal), ledger.trialSeed);
  const held = requirementsOf(
    await clearTogether(own, record, services, ledger, workDeadline.signal),
    ledger.trialSeed,
  );
  const { language } = held.cleared.agreement;
  const complaint = readComplaint(
    familyOf(job).complaint(job.complaint ?? {}),
    memberNames([held.schemas.requestSchema, held.schemas.responseSchema]),
  );
  const contested = contestedAmendment(job, record, complaint);
  if (contested !== null) throw new EarlyEnd(disputeAmendment(job, contested, language));
  const side = job.role === 'provider' ? 'response' : 'request';

  const seek = (handler: Parameters<typeof reproduce>[0]) =>
    reproduce(handler, held, complaint, services, ledger, received.peerDeadline, workDeadline.signal);
  const seen = await seek(record);
  const { faults, cases } = seen;
  ledger.cases = cases;
  ledger.checks = record.provenance.checks;
  ledger.verification = cases.length > 0 ? 'negotiated' : 'schema-only';
  const { warnings } = held.cleared;
  if (faults.length === 0) {
    if (received.announced.length > 0)
      throw new CodedError(
        'PLATFORM_COMPLAINT_NOT_SEEN',
        'Cannot reproduce complaint again: nothing showed, wanted the fault that was accepted',
      );
    const quoted = contestedByQuote(job, record, complaint, side);
    if (quoted !== null) throw new EarlyEnd(disputeAmendment(job, quoted, language));
    const finding = unfounded(complaint, held, seen, side);
    return { verdict: 'clean', language, rejected: finding, findings: [...warnings, finding], handler: record };
  }

  const shown = eachOnce(faults.map((fault) => confirmed(fault, side))).slice(0, maxConfirmed);
  await received.announceEarly({ what: 'complaint-accepted', findings: shown }, language);
  try {
    const assignment: Assignment = {
      ...(await ledger.stage('prompt', () => mendingBrief(held, record, faults, services))),
      faultsOf: async (tested) => standing((await seek({ ...tested, role: record.role })).faults),
    };
    const context = { services, ledger, budget: await openBudget(services, ledger.jobId, job.tenant) };
    const reading = readingOf(record, held, context, workDeadline);
    const tested = await generate({
      ...context,
      assignment,
      reading,
      deadline: workDeadline,
      peerDeadline: received.peerDeadline,
    });
    const key = handlerKey(held.cleared);
    const handler = await ledger.stage('store', () => store(tested, assignment, key, ledger, services, reading));
    return { verdict: 'generated', findings: [...shown, ...warnings], handler };
  } catch (error) {
    const { findings } = conclusionOf(error, { signal: workDeadline.signal }, received);
    return { verdict: 'error', findings: [...shown, ...findings] };
  }
};

/** The amended place that a complaint speaks of: what was settled without the peer cannot be held against it, nor by it against us. */
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
  // A place in the items of a list is one in any of them.
  const inLists = complaint.pointers.map((pointer) => pointer.replace(/\/\d+(?=\/|$)/g, ''));
  const spoken = { ...complaint, pointers: [...complaint.pointers, ...inLists] };
  return places.find(({ pointer }) => pointer !== '' && speaksOf(spoken, pointer)) ?? null;
}

/** The places in a message that a place in its schema speaks of, as far as they go by members; of a name that is required, the member so named. */
function instancePointers(schema: Json, schemaPointer: string): string[] {
  const name = /\/required\/\d+$/.test(schemaPointer) ? valueAt(schema, schemaPointer) : undefined;
  return referringPaths(schema, schemaPointer).map((path) => {
    const members = [...path.matchAll(/\/properties(\/[^/]+)/g)].map(([, member]) => member).join('');
    return typeof name === 'string' ? `${members}/${escapeToken(name)}` : members;
  });
}

/** Most places from which references lead to one place of a schema. */
const maxReferring = 50;

/** A place in a schema by every way that references lead to it. */
function referringPaths(schema: Json, schemaPointer: string): string[] {
  const references = allSubschemas(schema, MAX_SUBSCHEMAS).flatMap(({ schema: each, pointer: from }) => {
    const target =
      isObject(each) && typeof each.$ref === 'string' ? resolveLocalReference(schema, each.$ref) : undefined;
    return target === undefined || target.pointer === '' ? [] : [{ from, to: target.pointer }];
  });
  const paths = new Set([schemaPointer]);
  // What is added on the way is looked at as well.
  for (const path of paths)
    for (const { from, to } of references)
      if (paths.size < maxReferring && path.startsWith(`${to}/`)) paths.add(from + path.slice(to.length));
  const used = [...paths].filter((path) => !/\/(?:\$defs|definitions)\//.test(path));
  return used.length > 0 ? used : [schemaPointer];
}

/**
 * The place at which a message of ours that a complaint quotes breaks its schema as agreed, but not as amended; `null` where it quotes none, and where
 * it speaks of another place in it.
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

/** The dispute that the amendment once settled, brought up again; where nothing is left of it, the contested place alone. */
function disputeAmendment(job: Job, place: Pick<Finding, 'in' | 'pointer'>, language: Language): Conclusion {
  const { peerCapabilities: _, ...told } = job;
  const analyzed = analyze({ ...told, onContradiction: 'dispute' });
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

/** The side of an exchange that is ours. */
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

/** The first one of each place: one fault shows in many runs. */
function eachOnce(findings: readonly Finding[]): Finding[] {
  const places = Map.groupBy(findings, ({ testCase, pointer }) => `${testCase} ${pointer}`);
  return [...places.values()].flatMap((same) => same.slice(0, 1));
}

/** Why a complaint is rejected: the place, what the schema wants there, and the shape of our message; never its data. */
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

/** What a schema says of a place in its messages: through references, lists and the first part of a union that knows it. */
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

/** How deep references and unions are followed for an excerpt. */
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

/** Faults that were seen, as facts for a repair. */
function standing(faults: readonly Reproduced[]): CheckFact[] {
  return faults.map(({ message, pointer, testCase, input, got }) => ({
    check: 'faults in use',
    code: 'CANDIDATE_COMPLAINT_STANDS',
    message: `${message}${pointer === '' ? '' : ` at ${pointer}`}`,
    input,
    ...(testCase === undefined ? {} : { testCase }),
    ...(got === undefined ? {} : { got }),
  }));
}

/** The assignment of a handler that is made again: its source and what it was seen to do wrong stand in the prompt; of what the peer wrote, the requests alone. */
async function mendingBrief(
  held: Requirements,
  record: HandlerRecord,
  faults: readonly Reproduced[],
  services: Services,
): Promise<Assignment> {
  const assignment = await assignmentFor(held, services);
  const facts = { checks: repairChecks(standing(faults)) };
  return { ...assignment, prompt: renderRepair(assignment.prompt, record.role, record.source, facts) };
}
