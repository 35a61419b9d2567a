import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createProducer, localRedis } from '../queues/index.ts';
import { estimateTokens } from '../src/completion/prices.ts';
import { readConfig } from '../src/config.ts';
import type { Outcome } from '../src/contract/outcome.ts';
import { jobReader } from '../src/pipeline/job-reader.ts';
import { readScripts } from '../src/scripted-model/script.ts';
import { startScriptedModel } from '../src/scripted-model/server.ts';
import { createLog } from '../src/telemetry/log.ts';
import { composeWorker } from '../src/worker/compose.ts';
import { cannedReading } from './canned-reading.ts';

const root = join(import.meta.dirname, '..');

/**
 * The tokens of one `generated` job of the product agreement, by purpose. Each number also as a multiple of a bare
 * question, which asks a model with the job's texts alone and gets the module. The first answer is sound, and a
 * scripted reader answers too.
 */
export async function measureTokens(): Promise<Record<string, Record<string, number>>> {
  const job = JSON.parse(readFileSync(join(root, 'fixtures/examples/anp-product-en.amended.job.json'), 'utf8'));
  const scripts = readScripts(join(root, 'fixtures/completions'));
  const reading = cannedReading();
  const model = await startScriptedModel({
    scripts,
    behave: ({ to }) => (to === 'read' ? { kind: 'reply', text: reading } : { kind: 'script' }),
  });
  const redis = await localRedis();
  const config = readConfig({
    REDIS_URL: redis.url,
    OPENAI_BASE_URL: model.baseUrl,
    PROTOSMITH_MODEL: 'scripted',
    PROTOSMITH_GENERATOR: 'scripted',
    PROTOSMITH_READING: 'late',
  });
  const worker = await composeWorker(config, createLog('error'));
  const producer = createProducer({ jobs: jobReader, url: redis.url, prefix: config.prefix });
  try {
    await worker.ready();
    const { jobId } = await producer.submit('generate', { ...job, tenant: 'bench', negotiationId: 'tokens' });
    const outcome = (await producer.waitForOutcome(jobId, { untilMs: Date.now() + 60_000 })) as Outcome | null;
    if (outcome?.verdict !== 'generated' || outcome.report.reading?.state !== 'complete')
      throw new Error(
        `Cannot measure tokens: found ${JSON.stringify(outcome?.report ?? null)}, wanted a whole reading`,
      );
    const { tools, agreement, testCases } = job;
    const texts = [agreement.candidateProtocols, testCases.testCases, JSON.stringify(tools)];
    const module = scripts.find(({ name }) => name === 'product-en-provider-amended.md')?.reply ?? '';
    const input = texts.reduce((sum, text) => sum + estimateTokens(text), 0);
    const bare = { inputTokens: input, outputTokens: estimateTokens(module) };
    const bareTokens = bare.inputTokens + bare.outputTokens;
    return Object.fromEntries(
      Object.entries({ 'a bare question': bare, ...outcome.report.usageByPurpose }).map(
        ([purpose, { inputTokens, outputTokens }]) => [
          purpose,
          {
            questions: outcome.report.attempts.filter((one) => one.purpose === purpose).length || 1,
            'tokens in': inputTokens,
            'tokens out': outputTokens,
            'of a bare question': Math.round((100 * (inputTokens + outputTokens)) / bareTokens) / 100,
          },
        ],
      ),
    );
  } finally {
    await producer.close();
    await worker.close();
    await model.close();
    await redis.close();
  }
}
