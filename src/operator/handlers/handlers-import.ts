import { randomUUID } from 'node:crypto';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Sandbox } from '../../../sandbox/index.ts';
import type { Config } from '../../config.ts';
import { exportFormat, exportNameOf, type HandlerRecord } from '../../contract/handler.ts';
import { derivedMessage } from '../../deriving/judge-derived.ts';
import { judgeKept } from '../../deriving/judge-kept.ts';
import { createHandlerStore } from '../../handlers/redis-handler-store.ts';
import { recordFault } from '../../hosting/load-handler.ts';
import { sandboxWarning } from '../../hosting/sandbox-warning.ts';
import { storedSurface } from '../../hosting/surface.ts';
import { createTrier } from '../../hosting/trier.ts';
import readingSchema from '../../readings/reading.schema.json' with { type: 'json' };
import { createLog } from '../../telemetry/log.ts';
import { caseScenarios } from '../../verification/case-scenarios.ts';
import { judgeCases } from '../../verification/judge-cases.ts';
import { openSandbox } from '../../worker/compose.ts';
import { onQueue } from '../shell/on-queue.ts';
import { complain } from '../shell/print.ts';
import { UnreadableInput } from '../shell/read-input.ts';
import type { sandboxSettings } from '../shell/settings-help.ts';

/** The result for one handler of an export. */
export interface Imported {
  tenant: string;
  digest: string;
  stored: boolean;
  /** It was withdrawn where the export was made, and is now withdrawn here. */
  withdrawn?: true;
  /** Why it was refused or withdrawn; `null` if it was stored. */
  why: string | null;
}

/** No verifier has this version, so the first job that finds the handler repeats all checks. */
const unverifiedHere = 'imported';

/** Time limit for the cases of one handler, in milliseconds. */
const casesWithinMs = 60_000;

const text = { type: 'string' };
const name = { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' };
const hash = { type: 'string', pattern: '^[0-9a-f]{64}$' };
const list = { type: 'array' };
const members = (properties: Record<string, object>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});

const withOptional = (optional: Record<string, object>, required: Record<string, object>) => ({
  ...members(required),
  properties: { ...optional, ...required },
});
const count = { type: 'integer', minimum: 0 };
const usage = members({ inputTokens: count, outputTokens: count, costUsd: { type: ['number', 'null'] } });
// Earlier releases wrote reports without purposes and readings.
const report = withOptional(
  {
    usageByPurpose: { type: 'object', additionalProperties: usage },
    reading: {
      ...members({ state: text, complete: { type: 'boolean' }, units: count, covered: count, derived: count }),
      type: ['object', 'null'],
    },
  },
  {
    verification: { enum: ['negotiated', 'derived', 'schema-only', null] },
    reused: { type: 'boolean' },
    cases: { type: 'array', items: members({ testCase: { type: 'integer' }, passed: { type: 'boolean' } }) },
    attempts: {
      type: 'array',
      maxItems: 50,
      items: withOptional({ purpose: text }, { attempt: count, model: text, result: text }),
    },
    usage,
    timings: { type: 'object', additionalProperties: { type: 'number' } },
    generator: { type: 'object' },
  },
);

/** The reading of a handler. It is run again, so it must fit the published schema. */
const keptReading = members({
  reading: readingSchema,
  promptVersion: text,
  units: count,
  covered: count,
  dropped: { type: 'object', additionalProperties: count },
  complete: { type: 'boolean' },
});

const interactions = { type: 'array', items: members({ request: {}, reply: {} }) };

const withdrawn = { type: 'array', items: members({ tenant: name, digest: hash, reason: text }) };

interface Export {
  handlers: HandlerRecord[];
  withdrawn?: { tenant: string; digest: string; reason: string }[];
}

const isExport = new Ajv2020({ strict: false }).compile<Export>(
  withOptional(
    { withdrawn },
    {
      format: { const: exportFormat },
      version: { const: 1 },
      handlers: {
        type: 'array',
        maxItems: 10_000,
        items: {
          ...withOptional(
            { interactions },
            {
              digest: hash,
              abi: { type: 'integer' },
              role: { enum: ['provider', 'requester'] },
              tools: { type: 'array', items: text },
              amendments: list,
              source: text,
              types: text,
              bundle: text,
              payload: { enum: ['json', 'text'] },
              requestSchema: true as unknown as object,
              responseSchema: true as unknown as object,
              toolSchemas: { type: 'object' },
              timeoutMs: { type: ['number', 'null'] },
              provenance: withOptional(
                { report },
                {
                  tenant: name,
                  family: text,
                  protocolHash: hash,
                  jobId: text,
                  model: text,
                  generator: { enum: ['live', 'scripted'] },
                  promptVersion: text,
                  verifierVersion: text,
                  protosmithVersion: text,
                  createdAtMs: { type: 'number' },
                  checks: list,
                },
              ),
              proof: withOptional(
                { reading: keptReading },
                {
                  cases: { type: 'array', items: members({ testCase: { type: 'integer' } }) },
                  tools: { type: 'array', items: members({ name: text }) },
                  loose: { type: 'array', items: members({ pointer: text, as: text }) },
                },
              ),
            },
          ),
        },
      },
    },
  ),
);

/**
 * Imports an export: withdraws the handlers it lists as withdrawn, and stores each of the others if its digest is right
 * and it passes its own cases in this machine's sandbox. Throws `UnreadableInput` if the value is not an export.
 */
export async function importHandlers(
  given: unknown,
  config: Pick<
    Config,
    'redisUrl' | 'prefix' | 'retentionSeconds' | 'maxHandlersPerTenant' | (typeof sandboxSettings)[number]
  >,
): Promise<Imported[]> {
  if (!isExport(given)) {
    const [fault] = isExport.errors ?? [];
    throw new UnreadableInput(
      `Cannot import handlers: ${fault?.instancePath || 'the file'} ${fault?.message ?? 'is not an export'}, wanted what \`protosmith handlers export\` prints`,
    );
  }
  const sandbox = await openSandbox({ ...config, cells: 1 }, createLog('silent'));
  const weakness = sandboxWarning(sandbox.layers);
  if (weakness !== undefined) complain(weakness);
  try {
    return await onQueue(config, async ({ connection, handlers }) => {
      const store = createHandlerStore(connection, config);
      const results: Imported[] = [];
      for (const { tenant, digest, reason } of given.withdrawn ?? []) {
        const known = await store.withdrawnFor(tenant, digest);
        if (known === null) await handlers.withdraw(tenant, digest, reason);
        results.push({ tenant, digest, stored: false, withdrawn: true, why: known ?? reason });
      }
      for (const record of given.handlers) {
        const { tenant } = record.provenance;
        const { digest } = record;
        const why = (await withdrawnHere(store, record)) ?? (await faultOf(record, sandbox));
        if (why === null) {
          const provenance = { ...record.provenance, verifierVersion: unverifiedHere };
          await store.put({ ...record, provenance }, record.lookup ?? digest);
        }
        results.push({ tenant, digest, stored: why === null, why });
      }
      return results;
    });
  } finally {
    await sandbox.close();
  }
}

async function withdrawnHere(
  store: ReturnType<typeof createHandlerStore>,
  { provenance, digest }: HandlerRecord,
): Promise<string | null> {
  const reason = await store.withdrawnFor(provenance.tenant, digest);
  return reason === null ? null : `it was withdrawn here (${reason})`;
}

/** The fault found by running a record's cases; `null` if there is none. */
async function faultOf(record: HandlerRecord, sandbox: Sandbox): Promise<string | null> {
  const fault = recordFault(record);
  if (fault !== undefined) return fault;
  const { role, payload, requestSchema, responseSchema, proof } = record;
  try {
    const surface = storedSurface(record, record);
    const handler = await sandbox.load(record.bundle, exportNameOf(role));
    try {
      const subject = {
        role,
        payload,
        // An export does not contain the agreement's text; the first job that finds the handler has it.
        agreement: { text: '', language: 'en' as const, schemas: [] },
        requestSchema,
        responseSchema,
        surface,
        trialSeed: randomUUID(),
        ...proof,
      };
      const signal = AbortSignal.timeout(casesWithinMs);
      const trier = createTrier(handler, surface, () => undefined, subject.trialSeed);
      const seen = await trier.try(caseScenarios(subject), signal);
      const failed = judgeCases(subject, seen).filter(({ passed }) => !passed);
      if (failed.length > 0) return `it fails its case ${failed.map(({ testCase }) => testCase).join(', ')}`;
      // Validity of a derived case depends on the missing text. An invented case can only cause a refusal.
      const { confirmed } = await judgeKept(proof, subject, trier, signal, () => true);
      return confirmed.length === 0
        ? null
        : `it breaks what its agreement demands: ${confirmed.map(derivedMessage).join('; ')}`;
    } finally {
      await handler.close();
    }
  } catch (error) {
    // For example schemas that do not compile, in a file that somebody edited.
    return `it cannot be run (${error instanceof Error ? error.message.slice(0, 200) : 'unknown fault'})`;
  }
}
