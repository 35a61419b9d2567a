import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { applyPatch } from 'rfc6902';
import { dataDigestOf, jobIdOf } from '../../queues/index.ts';
import outcomeSchema from '../../queues/outcome.schema.json' with { type: 'json' };
import type { HandlerRecord } from '../../src/contract/handler.ts';
import { canonicalDigest, sha256Hex } from '../../src/kernel/digest.ts';
import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { fieldsOf, protocolHashOf, root, startRig } from './harness.ts';

/** What the table in fixtures/examples/README.md says. */
const verdicts: Record<string, { verdict: string; amended?: boolean; role?: string; completions?: number }> = {
  'anp-product-en.disputed': { verdict: 'disputed' },
  'anp-product-en.amended': { verdict: 'generated', amended: true, completions: 1 },
  'anp-product-zh.amended': { verdict: 'generated', amended: true, completions: 1 },
  'anp-product-en.unsupported-peer': { verdict: 'generated', amended: true, completions: 1 },
  'anp-product-en.consistent': { verdict: 'generated', completions: 2 },
  'anp-product-en.requester': { verdict: 'generated', role: 'requester', completions: 1 },
  'anp-product-en.base-missing': { verdict: 'disputed' },
};

const rig = await startRig();
after(() => rig.close());
await rig.worker();

const isOutcome = new Ajv2020({ allErrors: true, strict: false }).compile(outcomeSchema);

for (const folder of ['../shared/examples', 'fixtures/examples']) {
  for (const [name, expected] of Object.entries(verdicts)) {
    const file = join(root, folder, `${name}.job.json`);
    const skip = existsSync(file) ? false : `${folder} is not here`;
    test(`${folder}: ${name} ends as ${expected.verdict}`, { skip }, () => play(file, expected));
  }
}

async function play(file: string, expected: (typeof verdicts)[string]): Promise<void> {
  // The same agreement stands in several files: each is made another tenant's, for whom no handler is stored.
  const tenant = sha256Hex(file).slice(0, 16);
  const job = { ...(JSON.parse(readFileSync(file, 'utf8')) as JsonObject), negotiationId: file, tenant };
  const { verdict, role = 'provider', amended = false, completions = 0 } = expected;

  const added = await rig.queue.add('generate', job, { jobId: jobIdOf(job) });
  const jobId = added.id ?? '';
  const outcome = await rig.outcome(jobId);

  assert.equal(outcome.verdict, verdict, JSON.stringify(outcome.findings));
  assert.ok(isOutcome(outcome), JSON.stringify(isOutcome.errors));
  assert.deepEqual(
    { version: 1, jobId, dataDigest: dataDigestOf(job), negotiationId: file, tenant, family: 'anp', role },
    Object.fromEntries(
      ['version', 'jobId', 'dataDigest', 'negotiationId', 'tenant', 'family', 'role'].map((member) => [
        member,
        outcome[member as keyof typeof outcome],
      ]),
    ),
  );
  assert.equal(outcome.kind, 'generate');
  assert.equal(outcome.protocolHash, protocolHashOf(job));
  // A second line of candidates may begin as soon as one fails.
  const answered = outcome.report.attempts.filter(({ result }) => result !== 'aborted').length;
  assert.ok(answered >= completions && (completions > 1 || answered === completions), `${answered} completions`);
  assert.equal(outcome.report.generator.kind, completions === 0 ? 'none' : 'scripted');

  const published = (await rig.connection.xrange(rig.keys.outcomes('default'), '-', '+'))
    .map(([, fields]) => fieldsOf(fields))
    .filter((entry) => entry.jobId === jobId);
  assert.deepEqual(published, [
    {
      jobId,
      negotiationId: file,
      kind: 'generate',
      verdict,
      messages: JSON.stringify(outcome.messages),
      protocolHash: outcome.protocolHash,
      final: '1',
      replayed: '0',
    },
  ]);
  const secondsLeft = await rig.connection.ttl(rig.keys.outcome(jobId));
  assert.ok(secondsLeft > 604_000 && secondsLeft <= 604_800, `kept for ${secondsLeft} s`);

  if (verdict === 'disputed')
    checkDispute(outcome.messages, outcome.proposals ?? [], job, file.includes('base-missing'));
  else await checkHandler(outcome, amended);
}

function checkDispute(messages: JsonObject[], proposals: JsonObject[], job: JsonObject, baseMissing: boolean): void {
  const [message, ...others] = messages;
  assert.deepEqual(others, []);
  assert.deepEqual(Object.keys(message ?? {}).sort(), ['action', 'errorDescription', 'status']);
  assert.equal(message?.action, 'fixErrorNegotiation');
  assert.equal(message?.status, 'negotiating');
  const description = String(message?.errorDescription);
  assert.match(description, /^# Error Description\n- /);
  if (baseMissing) return;
  assert.match(description, /case 2/i);
  assert.match(description, /\/productInfo/);

  const agreement = job.agreement as JsonObject;
  const proposal = proposals.find(({ action }) => action === 'protocolNegotiation');
  assert.ok(proposal, 'no counter-offer');
  assert.equal(proposal.status, 'negotiating');
  assert.equal(proposal.sequenceId, Number(agreement.sequenceId) + 1);
  assert.ok(String(proposal.modificationSummary).length > 0);
  const text = String(proposal.candidateProtocols);
  const agreed = String(agreement.candidateProtocols);
  assert.match(text, /"productInfo": \{\s*"type": \[\s*"object",\s*"null"\s*\]/);
  assert.equal(
    text.replace(/("productInfo": \{\s*"type": )\[\s*"object",\s*"null"\s*\]/, '$1"object"'),
    agreed,
    'the rest of the document is unchanged to the letter',
  );
}

async function checkHandler(outcome: Awaited<ReturnType<typeof rig.outcome>>, amended: boolean): Promise<void> {
  assert.deepEqual(outcome.messages, [{ action: 'codeGeneration', status: 'generated' }]);
  assert.equal(outcome.report.verification, 'negotiated');
  assert.deepEqual(
    outcome.report.cases.map(({ testCase, passed }) => ({ testCase, passed })),
    [1, 2].map((testCase) => ({ testCase, passed: true })),
  );
  assert.ok(outcome.report.checks.length > 0);
  assert.deepEqual(
    outcome.report.checks.filter(({ result }) => result === 'failed'),
    [],
  );
  const { handler } = outcome;
  assert.ok(handler);
  assert.equal(handler.abi, 1);
  const text = await rig.connection.get(rig.keys.handler(outcome.tenant ?? '', handler.digest));
  assert.ok(text, 'the record is not in the store');
  const record = JSON.parse(text) as HandlerRecord;
  const { abi, role, bundle, tools } = record;
  assert.equal(canonicalDigest({ abi, role, bundle, tools }), handler.digest);
  assert.deepEqual({ role, tools }, { role: handler.role, tools: handler.tools });
  assert.deepEqual(tools, [...tools].sort());
  for (const member of ['source', 'types', 'requestSchema', 'responseSchema', 'toolSchemas', 'provenance'] as const)
    assert.ok(record[member], member);
  assert.match(record.source, new RegExp(`export (async )?function ${role === 'provider' ? 'handle' : 'perform'}`));
  if (!amended) return assert.deepEqual(handler.amendments, []);
  assert.equal(handler.amendments.length, 1);
  const [amendment] = handler.amendments;
  assert.equal(amendment?.of, 'responseSchema');
  const schema = { properties: { productInfo: { type: 'object' } } } as Json;
  assert.deepEqual(applyPatch(schema, (amendment?.patch ?? []) as Parameters<typeof applyPatch>[1]), [null]);
  assert.deepEqual(schema, { properties: { productInfo: { type: ['object', 'null'] } } });
}

test('the value that a job returns is a pointer alone', async () => {
  const jobs = await rig.queue.getJobs(['completed']);
  // The queue removes what it completed, so the event of it is looked at.
  const events = await rig.connection.xrange(`${rig.keys.queue}:events`, '-', '+');
  const completed = events.map(([, fields]) => fieldsOf(fields)).filter(({ event }) => event === 'completed');
  assert.ok(completed.length + jobs.length > 0);
  for (const { jobId, returnvalue } of completed) {
    const value = JSON.parse(returnvalue ?? '') as JsonObject;
    assert.deepEqual(Object.keys(value).sort(), ['outcomeKey', 'verdict']);
    assert.equal(value.outcomeKey, rig.keys.outcome(jobId ?? ''));
  }
});
