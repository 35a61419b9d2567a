import assert from 'node:assert/strict';
import { createSandbox } from '../../sandbox/index.ts';
import { analyze } from '../../src/analysis/analyze.ts';
import type { Completer, Prompt } from '../../src/contract/completion.ts';
import { exportNameOf } from '../../src/contract/handler.ts';
import type { DerivedCase, KeptReading } from '../../src/contract/reading.ts';
import type { Trier } from '../../src/contract/trial.ts';
import { type DerivedJudgement, judgeDerived } from '../../src/deriving/judge-derived.ts';
import { emptyReading, ReadingWork } from '../../src/deriving/reading-work.ts';
import { storedSurface } from '../../src/hosting/surface.ts';
import { createTrier } from '../../src/hosting/trier.ts';
import { readJob } from '../../src/intake/read-job.ts';
import { Budget } from '../../src/job/budget.ts';
import { clear } from '../../src/job/clear.ts';
import { Ledger, noUsage } from '../../src/job/ledger.ts';
import { requirementsOf } from '../../src/job/requirements.ts';
import type { Services } from '../../src/job/services.ts';
import { Deadline } from '../../src/kernel/deadline.ts';
import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { judgeReading, type ReadingTrial } from '../../src/readings/judge-reading.ts';
import { loadReading } from '../../src/readings/load-reading.ts';
import { ReadingCollector } from '../../src/readings/reading-collector.ts';
import type { Subject } from '../../src/verification/subject.ts';

const text = { type: 'string' };

/** A schema of an object whose members are all required. */
export function object(properties: JsonObject): JsonObject {
  return { type: 'object', properties, required: Object.keys(properties) };
}

const documentOf = (prose: string, request: Json, response: Json): string => `# Requirements
Lend things.

# Process Description
${prose}

# Data Format Description
Both request and response use JSON.

## Request Message
The request JSON schema is defined as follows:
${JSON.stringify(request, null, 2)}

## Response Message
The response JSON schema is defined as follows:
${JSON.stringify(response, null, 2)}
`;

const find = {
  name: 'find',
  description: 'Finds a thing by its name.',
  inputSchema: object({ thing: text }),
  outputSchema: object({ state: text }),
  annotations: { readOnlyHint: true },
  examples: [
    { input: { thing: 'saw' }, output: { state: 'free' } },
    { input: { thing: 'axe' }, output: { state: 'lent' } },
  ],
};

const lend = {
  name: 'lend',
  description: 'Lends a thing.',
  inputSchema: object({ thing: text }),
  outputSchema: object({ ok: { type: 'boolean' } }),
  otherwise: { output: { ok: true } },
};

const lendRequest = object({ id: text, thing: text, days: { type: 'integer', minimum: 1 } });

/** Answers whether a thing was lent. Its response schema fixes `id` and `code` and allows other members. */
export function lendingJob(prose = 'A thing that is free is lent. A thing that is lent is refused.'): JsonObject {
  const response = object({ id: text, code: { enum: [200, 400, 409, 500] } });
  return {
    version: 1,
    negotiationId: 'lending',
    family: 'anp',
    role: 'provider',
    agreement: agreed(documentOf(prose, lendRequest, response)),
    testCases: [
      { request: { id: 'a-1', thing: 'saw', days: 2 }, response: { id: 'a-1', code: 200 } },
      { request: { id: 'a-2', thing: 'axe', days: 2 }, response: { id: 'a-2', code: 409 } },
    ],
    tools: [find, lend],
    timeoutMs: 30_000,
  };
}

/** Requests a thing, and returns whether it came. The handler creates the id of the request. */
export function borrowingJob(): JsonObject {
  const request = object({ id: text, thing: text });
  const response = object({ id: text, code: { type: 'integer' }, next: { type: ['string', 'null'] } });
  return {
    version: 1,
    negotiationId: 'borrowing',
    family: 'anp',
    role: 'requester',
    agreement: agreed(documentOf('The requester asks for a thing.', request, response)),
    testCases: [
      { request: { id: 'q-7f3a9c', thing: 'saw' }, response: { id: 'q-7f3a9c', code: 200, next: null } },
      { request: { id: 'q-81bd02', thing: 'axe' }, response: { id: 'q-81bd02', code: 409, next: null } },
    ],
    loose: [{ pointer: '/id', as: 'id' }],
    task: {
      description: 'Borrow a thing, and say whether it came.',
      inputSchema: object({ want: text }),
      outputSchema: object({ got: { type: 'boolean' } }),
      examples: [
        { testCase: 1, input: { want: 'saw' }, output: { got: true } },
        { testCase: 2, input: { want: 'axe' }, output: { got: false } },
      ],
    },
    tools: [lend],
    timeoutMs: 30_000,
  };
}

function agreed(candidateProtocols: string): JsonObject {
  return {
    action: 'protocolNegotiation',
    sequenceId: 1,
    candidateProtocols,
    modificationSummary: '',
    status: 'accepted',
  };
}

/** The requirements of a job's handlers. */
export function measureOf(data: JsonObject): ReturnType<typeof requirementsOf> {
  const reading = readJob('generate', data);
  assert.ok(reading.ok, JSON.stringify(reading));
  return requirementsOf(clear(analyze(reading.job)), 'seed');
}

/** The subject of a job. */
export function subjectOf(data: JsonObject): Subject {
  return measureOf(data).subject;
}

/** Derived cases in the stored form; text, claim and base are optional. */
export function derived(...entries: JsonObject[]): DerivedCase[] {
  const filled = entries.map((entry) => ({ quote: 'A thing that is free is lent.', claim: 'so', base: 1, ...entry }));
  const { reading, dropped } = loadReading({ derived: filled });
  assert.deepEqual(dropped, [], 'all are of the right form');
  return reading.derived;
}

/** A real sandbox for one test file. Each handler is given as the body of a function of `input` and `context`. */
export async function startJudging() {
  const sandbox = await createSandbox({ cells: 1 });
  const run = async <Value>(body: string, data: JsonObject, use: (trier: Trier) => Promise<Value>): Promise<Value> => {
    const { subject, schemas } = measureOf(data);
    const name = exportNameOf(subject.role);
    const tools = subject.tools.map((tool) => tool.name).sort();
    const handler = await sandbox.load(`export async function ${name}(input, context) {\n${body}\n}\n`, name);
    try {
      return await use(
        createTrier(handler, storedSurface({ role: subject.role, tools }, schemas), () => undefined, subject.trialSeed),
      );
    } finally {
      await handler.close();
    }
  };
  return {
    /** Runs derived cases on a handler. */
    judge: (body: string, data: JsonObject, entries: readonly DerivedCase[]): Promise<ReadingTrial> =>
      run(body, data, (trier) => judgeReading(entries, subjectOf(data), trier, AbortSignal.timeout(60_000))),
    /** Judges a handler by the answers of a reader and of a second one. */
    judgeConfirmed: (
      body: string,
      data: JsonObject,
      written: readonly JsonObject[],
      second: (prompt: Prompt, nth: number) => readonly JsonObject[],
    ): Promise<DerivedJudgement & { asked: Prompt[]; reading: ReadingWork; collector: ReadingCollector }> =>
      run(body, data, async (trier) => {
        const held = measureOf(data);
        const collector = new ReadingCollector(held.subject);
        for (const entry of written) collector.add(entry);
        const kept: KeptReading = {
          ...emptyReading(collector.units.length),
          reading: collector.reading({ kind: 'model', name: 'first' }),
          covered: collector.covered,
          complete: true,
        };
        const reading = new ReadingWork('late', collector.units, async () => kept);
        const asked: Prompt[] = [];
        const complete: Completer['complete'] = async (prompt, _deadline, options) => {
          options?.asking?.();
          asked.push(prompt);
          const text = second(prompt, asked.length)
            .map((line) => JSON.stringify(line))
            .join('\n');
          return { text, model: 'second', usage: noUsage, durationMs: 1 };
        };
        const context = {
          services: { confirmer: { complete }, model: 'first' } as unknown as Services,
          ledger: new Ledger({ jobId: 'job', negotiationId: null }, () => undefined),
          budget: new Budget({ maxCandidates: 6, maxCompletions: 20, maxTokens: null, maxCostUsd: null }, noPurse),
        };
        const deadline = new Deadline(Date.now() + 60_000, AbortSignal.timeout(60_000));
        const judged = await judgeDerived(trier, held, reading, context, deadline, deadline.atMs);
        return { ...judged, asked, reading, collector };
      }),
    close: () => sandbox.close(),
  };
}

const noPurse = { take: () => ({ mayRepeat: () => true, book: () => undefined }) };

/** The result of a trial, in short: the index of each broken case and its breaches. */
export function foundBy({ broken }: ReadingTrial, entries: readonly DerivedCase[]): [entry: number, what: string][] {
  return broken.flatMap(({ entry, breaches }) =>
    breaches.map(({ message }): [number, string] => [entries.indexOf(entry), message]),
  );
}
