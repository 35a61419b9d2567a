import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { SourceFetcher } from '../../src/contract/ports.ts';
import { protocolHash } from '../../src/families/agora/protocol-hash.ts';
import type { Taken } from '../../src/intake/intake.ts';
import type { Services } from '../../src/job/services.ts';
import { sha256Hex } from '../../src/kernel/digest.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { runJob } from '../../src/pipeline/pipeline.ts';
import { type HttpsServer, startHttps } from '../fetching/https-server.ts';

const document = 'The sender sends a city. The receiver replies with its temperature.\n';

let server: HttpsServer;

before(async () => {
  server = await startHttps((request, response) => {
    if (request.url === '/right') response.end(document);
    else if (request.url === '/other') response.end(`${document} `);
    else response.writeHead(500).end();
  });
});

after(() => server.close());

/** The outcome of a review of an agreement, as a worker makes it. */
async function reviewed(agreement: JsonObject, sources: SourceFetcher | undefined, more: JsonObject = {}) {
  const data = { version: 1, negotiationId: 'n', family: 'agora', role: 'provider', agreement, ...more };
  const taken: Partial<Taken> = {
    jobId: 'j',
    kind: 'review',
    negotiationId: 'n',
    data,
    rawBytes: JSON.stringify(data).length,
    deadlineAtMs: Date.now() + 600_000,
    delivery: 1,
    announced: [],
    signal: new AbortController().signal,
  };
  // A review asks no model and stores nothing.
  const services: Partial<Services> = { sources, onJobEvent: () => undefined };
  const outcome = await runJob(taken as Taken, services as Services);
  assert.ok(outcome);
  return {
    verdict: outcome.verdict,
    hash: outcome.protocolHash,
    findings: outcome.findings.map(({ code, pointer }) => `${code} ${pointer ?? ''}`),
  };
}

const asked = (...paths: string[]) => {
  const before = server.asked.length;
  return () =>
    assert.deepEqual(
      server.asked.slice(before).map((one) => one.split(' ').at(-1)),
      paths,
    );
};

for (const encoding of ['hex', 'base64'] as const)
  test(`a document is fetched where its hash in ${encoding} says that it is the agreed one`, async () => {
    const wasAsked = asked('/other', '/right');
    const protocolSources = ['/other', '/right', '/never'].map(server.uri);
    const agreement = { protocolHash: protocolHash(document, encoding), protocolSources };
    assert.deepEqual(await reviewed(agreement, server.fetcher()), {
      verdict: 'clean',
      hash: sha256Hex(document),
      findings: [],
    });
    wasAsked();
  });

test('where no source has the document, each is told with its fault', async () => {
  const protocolSources = [server.uri('/other'), 'https://stranger.example/right'];
  const agreement = { protocolHash: protocolHash(document), protocolSources };
  const { verdict, findings } = await reviewed(agreement, server.fetcher());
  assert.equal(verdict, 'error');
  assert.deepEqual(findings, [
    'JOB_HASH_MISMATCH /agreement/protocolSources/0',
    'JOB_SOURCE_REFUSED /agreement/protocolSources/1',
  ]);
});

test('where a source is out of reach, the queue tries the job again', async () => {
  const protocolSources = ['https://stranger.example/right', server.uri('/broken')];
  await assert.rejects(reviewed({ protocolHash: protocolHash(document), protocolSources }, server.fetcher()), {
    code: 'PLATFORM_SOURCE_UNREACHABLE',
    message: 'Cannot use source at /agreement/protocolSources/1: found status 500, wanted 200',
  });
  // At most three sources are tried.
  const many = [...['/other', '/other', '/other', '/right'].map(server.uri)];
  const { findings } = await reviewed(
    { protocolHash: protocolHash(document), protocolSources: many },
    server.fetcher(),
  );
  assert.equal(findings.length, 3);
});

test('nothing is fetched without an operator, without a hash, with a text at hand, or for a job with other faults', async () => {
  const wasAsked = asked();
  const hash = protocolHash(document);
  const protocolSources = [server.uri('/right')];
  const missing = { verdict: 'error', findings: ['JOB_INVALID /agreement/document'] };
  const seen = async (...given: Parameters<typeof reviewed>) => {
    const { verdict, findings } = await reviewed(...given);
    return { verdict, findings };
  };
  assert.deepEqual(await seen({ protocolHash: hash, protocolSources }, undefined), missing);
  assert.deepEqual(await seen({ protocolSources }, server.fetcher()), missing);
  assert.deepEqual(await seen({ protocolHash: 'x', protocolSources }, server.fetcher()), missing);
  const clean = { verdict: 'clean', findings: [] };
  assert.deepEqual(await seen({ document, protocolHash: hash, protocolSources }, server.fetcher()), clean);
  const supplied = { [server.uri('/right')]: document };
  assert.deepEqual(await seen({ protocolHash: hash, protocolSources }, server.fetcher(), { supplied }), clean);
  const faulty = await seen({ protocolHash: hash, protocolSources }, server.fetcher(), { timeoutMs: 1 });
  assert.ok(
    faulty.findings.some((one) => one.includes('/timeoutMs')),
    faulty.findings.join(),
  );
  wasAsked();
});
