import assert from 'node:assert/strict';
import { DEFAULT_PREFIX } from '../../queues/index.ts';
import type { HandlerRecord } from '../../src/contract/handler.ts';
import type { Outcome } from '../../src/contract/outcome.ts';
import { createHandlerStore } from '../../src/handlers/redis-handler-store.ts';
import { handlerDigest } from '../../src/hosting/load-handler.ts';
import { isObject, type Json, type JsonObject } from '../../src/kernel/json.ts';
import { REPAIR_HEADING } from '../../src/prompting/render-repair.ts';
import type { Behaviour, Question } from '../../src/scripted-model/server.ts';
import { type Rig, until } from './harness.ts';

/** The sentence that no negotiated case shows. */
export const discountSentence = 'From 100 pieces on, one tenth of the total is taken off.';

const object = (properties: JsonObject): JsonObject => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});
const text = { type: 'string' };
const whole = { type: 'integer', minimum: 0 };

const requestSchema = object({ messageId: text, article: text, pieces: { type: 'integer', minimum: 1 } });
const responseSchema = object({ messageId: text, code: { type: 'integer' }, total: whole });

function documentOf(mark: string, more: string): string {
  return `# Requirements
Tell the price of an order.

# Process Description
The requester sends an article and a number of pieces, and the provider answers with the total in cents.
The total is the price of one piece times the number of pieces.
${discountSentence}
Where there is no such article, the code is 404 and the total is 0.
Where the price cannot be asked, the code is 500 and the total is 0.
${more}
# Data Format Description
Both request and response use JSON.

## Request Message
The request JSON schema is defined as follows:
${JSON.stringify(requestSchema, null, 2)}

## Response Message
The response JSON schema is defined as follows:
${JSON.stringify(responseSchema, null, 2)}

Reference: ${mark}
`;
}

function caseText(number: number, request: JsonObject, response: JsonObject, expected: string): string {
  return `# Test Case ${number}\n\n- **Test Request Data**:\n${JSON.stringify(request, null, 2)}\n\n- **Test Response Data**:\n${JSON.stringify(response, null, 2)}\n\n- **Expected Test Result**:\n${expected}\n`;
}

/**
 * A provider that tells the price of an order; its questions are told from those of other jobs by the mark in its
 * document.
 */
export function orderJob(mark: string, more: JsonObject = {}, sentences = ''): JsonObject {
  const cases = [
    caseText(
      1,
      { messageId: 'm-1', article: 'nail', pieces: 3 },
      { messageId: 'm-1', code: 200, total: 36 },
      'Three nails.',
    ),
    caseText(
      2,
      { messageId: 'm-2', article: 'moon', pieces: 7 },
      { messageId: 'm-2', code: 404, total: 0 },
      'There is no such article.',
    ),
  ];
  return {
    version: 1,
    negotiationId: mark,
    tenant: mark,
    family: 'anp',
    role: 'provider',
    agreement: {
      action: 'protocolNegotiation',
      sequenceId: 1,
      candidateProtocols: documentOf(mark, sentences),
      modificationSummary: '',
      status: 'accepted',
    },
    testCases: {
      action: 'testCasesNegotiation',
      testCases: cases.join('\n'),
      modificationSummary: '',
      status: 'accepted',
    },
    tools: [
      {
        name: 'priceOf',
        description: 'The price of one piece of an article in cents; null where there is no such article.',
        inputSchema: { ...object({ article: text }), additionalProperties: false },
        outputSchema: { ...object({ cents: whole }), type: ['object', 'null'] },
        annotations: { readOnlyHint: true },
        examples: [{ input: { article: 'nail' }, output: { cents: 12 } }],
        otherwise: { output: null },
      },
    ],
    // Far above what a busy machine needs.
    timeoutMs: 120_000,
    ...more,
  };
}

/** A module that tells prices by a formula over `cents` and `pieces`. */
export function orderModule(formula: string, remark = ''): string {
  return `import type { Context, Request, Response } from './types';
${remark}
export async function handle(request: Request, context: Context): Promise<Response> {
  const { messageId, article, pieces } = request;
  if (typeof messageId !== 'string' || typeof article !== 'string' || !Number.isInteger(pieces) || pieces < 1)
    return { messageId: typeof messageId === 'string' ? messageId : '', code: 400, total: 0 };
  try {
    const price = await context.call.priceOf({ article });
    if (price === null) return { messageId, code: 404, total: 0 };
    const { cents } = price;
    return { messageId, code: 200, total: ${formula} };
  } catch {
    return { messageId, code: 500, total: 0 };
  }
}
`;
}

/** Keeps the agreement. */
export const soundModule = orderModule('pieces < 100 ? cents * pieces : Math.round(cents * pieces * 0.9)');

/** Passes the cases, and knows of no discount. */
export const faultyModule = orderModule('cents * pieces');

/** A module as a model answers it. */
export function moduleReply(source: string): Behaviour & { kind: 'reply' } {
  return { kind: 'reply', text: `\`\`\`ts\n${source}\`\`\`` };
}

/** The number of the unit that has these words, as a reader or its second is shown it. */
export function unitWith({ prompt }: Pick<Question, 'prompt'>, words: string): number {
  const line = prompt.split('\n').find((one) => /^\[\d+\] /.test(one) && one.includes(words));
  assert.ok(line, `no unit with "${words}"`);
  return Number(/^\[(\d+)\]/.exec(line)?.[1]);
}

/** What a reader says of the order agreement: the discount, and that the other sentences need no case. */
export function discountReading(question: Question): JsonObject[] {
  const of = [unitWith(question, 'one tenth')];
  const units = [...question.prompt.matchAll(/^\[(\d+)\] /gm)].map(([, number]) => Number(number));
  return [
    {
      of,
      claim: 'a tenth less from 100 pieces on',
      base: 1,
      set: { '/pieces': 200 },
      answer: { '/total': 2160, '/code': 200 },
    },
    { units: units.filter((one) => !of.includes(one)), none: 'explains' },
  ];
}

/** Entries as a reader writes them. */
export function lines(entries: readonly JsonObject[]): string {
  return entries.map((one) => `${JSON.stringify(one)}\n`).join('');
}

/** One question about a world, as a second reader is shown it. */
export interface AskedPlace {
  world: number;
  place: number;
  question: string;
  input: Json;
}

/** All that a second reader is asked. */
export function placesAsked({ prompt }: Pick<Question, 'prompt'>): AskedPlace[] {
  return prompt.split(/^# World /m).flatMap((section, world) => {
    const input = /^(?:request|task): (.*)$/m.exec(section)?.[1];
    if (world === 0 || input === undefined) return [];
    return [...section.matchAll(/^place (\d+): (.*)$/gm)].map(([, place, question = '""']) => ({
      world,
      place: Number(place),
      question: String(JSON.parse(question)),
      input: JSON.parse(input),
    }));
  });
}

/** A second reader that works the order agreement out for itself; `totalOf` = its view of the total. */
export function confirmed(
  question: Question,
  totalOf = (pieces: number) => (pieces < 100 ? pieces * 12 : Math.round(pieces * 10.8)),
): Behaviour {
  const answers = placesAsked(question).map(({ world, place, question: asked, input }): JsonObject => {
    const pieces = isObject(input) && typeof input.pieces === 'number' ? input.pieces : 0;
    if (asked.startsWith('May')) return { world, place, yes: false };
    if (asked.includes('/total')) return { world, place, value: totalOf(pieces) };
    return asked.includes('/code') ? { world, place, value: 200 } : { world, place, unclear: true };
  });
  return { kind: 'reply', text: lines(answers) };
}

/** How a model answers the questions of one job, by what they are put for. `nth` counts from 1 within each purpose. */
export interface Roles {
  candidate: (nth: number, question: Question) => Behaviour;
  read?: (nth: number, question: Question) => Behaviour;
  confirm?: (nth: number, question: Question) => Behaviour;
}

/**
 * Passes the cases and knows of no discount at first; its repair keeps the agreement. No other question is answered.
 */
export const faultyThenSound: Roles['candidate'] = (nth, { prompt }) => {
  if (nth === 1) return moduleReply(faultyModule);
  return prompt.includes(REPAIR_HEADING) ? moduleReply(soundModule) : { kind: 'stall' };
};

/** Plays a model for all questions with a mark. */
export function play(rig: Rig, mark: string, roles: Roles): void {
  rig.answer(mark, (_, question) => {
    const nth = rig.questions(mark).filter(({ to }) => to === question.to).length;
    if (question.to === 'read')
      return roles.read?.(nth, question) ?? { kind: 'reply', text: lines(discountReading(question)) };
    if (question.to === 'confirm') return roles.confirm?.(nth, question) ?? confirmed(question);
    return question.to === 'candidate' ? roles.candidate(nth, question) : { kind: 'status', status: 500 };
  });
}

/** The questions of a job that were put for one purpose. */
export function questionsFor(rig: Rig, mark: string, to: Question['to']): Question[] {
  return rig.questions(mark).filter((question) => question.to === to);
}

/** The record that is stored under a digest. */
export async function recordAt(rig: Rig, tenant: string, digest: string): Promise<HandlerRecord | null> {
  const text = await rig.connection.get(rig.keys.handler(tenant, digest));
  return text === null ? null : (JSON.parse(text) as HandlerRecord);
}

/** The record behind an outcome. */
export async function recordBehind(rig: Rig, { tenant, handler }: Outcome): Promise<HandlerRecord> {
  const record = await recordAt(rig, String(tenant), String(handler?.digest));
  assert.ok(record, 'a handler is stored');
  return record;
}

/** Stores a record in place of another one, to be found by the same look-up, as an older release may have left it. */
export async function storedAs(rig: Rig, record: HandlerRecord, bundle = record.bundle): Promise<HandlerRecord> {
  const { tenant } = record.provenance;
  await rig.connection.del(rig.keys.handler(tenant, record.digest));
  const provenance = { ...record.provenance, verifierVersion: 'an older one' };
  const other = { ...record, bundle, provenance, digest: handlerDigest({ ...record, bundle }) };
  const store = createHandlerStore(rig.connection, {
    prefix: DEFAULT_PREFIX,
    retentionSeconds: 3_600,
    maxHandlersPerTenant: 100,
  });
  await store.put(other, String(record.lookup));
  return other;
}

/** What `faultyModule` comes to, as it is stored. */
export const faultyBundle = `export async function handle(request, context) {
  const { messageId, article, pieces } = request;
  if (typeof messageId !== 'string' || typeof article !== 'string' || !Number.isInteger(pieces) || pieces < 1)
    return { messageId: typeof messageId === 'string' ? messageId : '', code: 400, total: 0 };
  try {
    const price = await context.call.priceOf({ article });
    if (price === null) return { messageId, code: 404, total: 0 };
    return { messageId, code: 200, total: price.cents * pieces };
  } catch {
    return { messageId, code: 500, total: 0 };
  }
}
`;

/** Has a sound handler made whose reading has a case that a second reader bore out. */
export async function confirmedHandler(rig: Rig, mark: string): Promise<{ data: JsonObject; record: HandlerRecord }> {
  play(rig, mark, {
    candidate: faultyThenSound,
  });
  const data = orderJob(mark);
  const outcome = await rig.outcomeOf(data);
  assert.equal(outcome.verdict, 'generated', JSON.stringify(outcome.findings));
  const record = await recordBehind(rig, outcome);
  assert.ok(record.proof.reading?.reading.derived[0]?.confirmation);
  return { data, record };
}

/** Waits for an entry of the outcome stream. */
export function entryOf(rig: Rig, jobId: string, kind: string): Promise<Record<string, string>> {
  return until(
    async () => (await rig.entries()).find((entry) => entry.jobId === jobId && entry.kind === kind),
    `an entry of kind ${kind}`,
  );
}
