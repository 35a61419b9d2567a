import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HandlerRecord } from '../../contract/handler.ts';
import type { Outcome, Verdict } from '../../contract/outcome.ts';
import { families } from '../../families/families.ts';
import { loadHandler } from '../../hosting/load-handler.ts';
import { timeoutOf } from '../../intake/readable.ts';
import { CodedError } from '../../kernel/errors.ts';
import type { Json, JsonObject } from '../../kernel/json.ts';
import { packageFile } from '../../package-file.ts';
import { createLog } from '../../telemetry/log.ts';
import { openSandbox } from '../../worker/compose.ts';
import type { DemoStage } from './demo-stage.ts';
import type { DemoView } from './demo-view.ts';

/** Appears in no case and in no example of a tool. */
const unseenProduct = {
  productId: 'K70031',
  productName: 'Enamel Kettle',
  productDescription: 'A kettle of enamelled steel for every kind of stove.',
  price: 39.5,
  currency: 'EUR',
};

const patienceMs = 10_000;

/** Answers a call of a tool. */
type ToolCall = (tool: string, input: Json) => Promise<Json>;

/** Plays the product example of the ANP specification, from its contradiction to a running handler. */
export async function runStory(stage: DemoStage, view: DemoView): Promise<Verdict> {
  const job = await demoJob();
  view.chapter(1, 'Two agents have agreed on a protocol and on test cases. The job, as agreed:');
  const disputed = await play(stage, view, job);
  if (disputed.verdict !== 'disputed') return disputed.verdict;

  view.chapter(2, 'The other side accepts the counter-offer. A new job, with the text as amended:');
  const proposal = disputed.proposals?.find((one) => families[0].textsIn(one)?.document !== undefined);
  if (!proposal)
    throw new CodedError('DEFECT_DEMO', 'Cannot go on with the demo: no counter-offer in the outcome, wanted one');
  view.line(`   counter-offer, sequenceId ${proposal.sequenceId}:`);
  view.quote(String(proposal.modificationSummary ?? ''));
  const outcome = await play(stage, view, { ...job, agreement: { ...proposal, status: 'accepted' } });
  if (outcome.verdict !== 'generated' || outcome.handler === null) return outcome.verdict;

  view.chapter(3, 'A model also read the agreement, for demands that no case shows:');
  await showReading(stage, view, outcome);

  view.chapter(4, 'The handler answers requests that were in no case:');
  await useHandler(stage, view, outcome);
  return outcome.verdict;
}

/** Runs the user's job. */
export async function runOwnJob(stage: DemoStage, view: DemoView, data: unknown): Promise<Verdict> {
  view.chapter(1, 'A job of your own:');
  const outcome = await play(stage, view, data);
  if (outcome.handler !== null) {
    await showReading(stage, view, outcome);
    await showSource(stage, view, outcome);
  }
  return outcome.verdict;
}

async function play(stage: DemoStage, view: DemoView, data: unknown): Promise<Outcome> {
  const { jobId } = await stage.producer.submit('generate', data);
  view.line(`   job ${jobId} is on the queue`);
  const outcome = (await stage.producer.waitForOutcome(jobId, {
    untilMs: Date.now() + timeoutOf(data) + patienceMs,
  })) as Outcome | null;
  if (outcome === null)
    throw new CodedError(
      'PLATFORM_NO_OUTCOME',
      `Cannot go on with the demo: no outcome of ${jobId} ${patienceMs / 1_000} s after its deadline, wanted one`,
    );
  await stage.shown(jobId);
  view.outcome(outcome);
  return outcome;
}

async function useHandler(stage: DemoStage, view: DemoView, outcome: Outcome): Promise<void> {
  const record = await showSource(stage, view, outcome);
  const settings = { cells: 1, sandboxLevel: null, sandboxLimits: null, sandboxStrict: [] };
  const sandbox = await openSandbox(settings, createLog('silent'));
  const handler = await loadHandler(record, sandbox);
  try {
    const ask = async (messageId: string, call: ToolCall) => {
      const request = { messageId, type: 'REQUEST', action: 'getProductInfo', productId: unseenProduct.productId };
      view.line(`   request:  ${JSON.stringify(request)}`);
      const { end, value, message } = await handler.run(request, { call });
      view.line(
        `   response: ${value === undefined ? `${end}: ${message}` : JSON.stringify(value)}`,
        value === undefined ? 'red' : 'green',
      );
    };
    await ask('demo-1', async (_tool, input) => findProduct(input));
    view.line('   the same while the catalogue fails:');
    await ask('demo-2', () => Promise.reject(new Error('the catalogue is down')));
  } finally {
    await handler.close();
    await sandbox.close();
  }
}

/**
 * Shows the reading with the sentences that a refused candidate broke. They are stored with the handler and in no
 * event.
 */
async function showReading(stage: DemoStage, view: DemoView, outcome: Outcome): Promise<void> {
  const { reading, attempts } = outcome.report;
  if (reading === null) return;
  const { proof } = await recordOf(stage, outcome);
  const refusals = attempts.filter(({ code }) => code === 'CANDIDATE_DERIVED_CASE').map(({ message }) => message ?? '');
  const derived = proof.reading?.reading.derived ?? [];
  const broken = derived.filter(
    ({ claim, confirmation }) => confirmation && refusals.some((one) => one.includes(claim)),
  );
  view.reading(reading, broken);
}

async function recordOf(stage: DemoStage, { tenant, handler }: Outcome): Promise<HandlerRecord> {
  const record = await stage.handlers.get(tenant ?? 'default', handler?.digest ?? '');
  if (record) return record;
  throw new CodedError('DEFECT_DEMO', 'Cannot go on with the demo: the handler is not stored, wanted it in the store');
}

async function showSource(stage: DemoStage, view: DemoView, outcome: Outcome): Promise<HandlerRecord> {
  const record = await recordOf(stage, outcome);
  const folder = await mkdtemp(join(tmpdir(), 'protosmith-demo-'));
  const file = join(folder, 'handler.ts');
  await writeFile(file, record.source);
  await writeFile(join(folder, 'types.d.ts'), record.types);
  view.line(`   handler ${record.digest.slice(0, 12)}…, source in ${file}`);
  return record;
}

function findProduct(input: Json): Json {
  return typeof input === 'object' &&
    input !== null &&
    !Array.isArray(input) &&
    input.productId === unseenProduct.productId
    ? unseenProduct
    : null;
}

/**
 * The specification's example as a job with a new negotiation and tenant, so that a persistent Redis has no old answer
 * for it.
 */
async function demoJob(): Promise<JsonObject> {
  const text = await readFile(packageFile('fixtures/examples/anp-product-en.disputed.job.json'), 'utf8');
  const mark = crypto.randomUUID().slice(0, 8);
  return { ...(JSON.parse(text) as JsonObject), negotiationId: `demo-${mark}`, tenant: `demo-${mark}` };
}
