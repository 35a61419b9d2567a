import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Finding } from '../../src/contract/finding.ts';
import type { Taken } from '../../src/intake/intake.ts';
import { Ledger } from '../../src/job/ledger.ts';
import { sha256Hex } from '../../src/kernel/digest.ts';
import { outcomeOf } from '../../src/pipeline/outcome-of.ts';
import type { JobEvent } from '../../src/telemetry/job-event.ts';
import { example } from '../system/harness.ts';

test('the outcome has the hash of the agreement where its text can be read, and no other', () => {
  const hashFor = (agreement: unknown) => {
    const taken = { jobId: 'j', kind: 'review', data: { agreement }, dataDigest: 'd' } as Partial<Taken> as Taken;
    const ledger = new Ledger({ jobId: 'j', negotiationId: null }, () => undefined);
    return outcomeOf(taken, ledger, { verdict: 'error', findings: [] }).protocolHash;
  };
  assert.equal(hashFor({ candidateProtocols: 'Grüße\r\n' }), sha256Hex('Grüße\r\n'));
  for (const unreadable of [
    undefined,
    null,
    {},
    5,
    'Grüße',
    { candidateProtocols: 'a\udfff' },
    { candidateProtocols: 5 },
  ])
    assert.equal(hashFor(unreadable), null);
});

test('the ended event lists each error code once, and the outcome does not contain the stream name', () => {
  const events: JobEvent[] = [];
  const data = { ...example('anp-product-en.consistent'), replyTo: 'mine' };
  const taken = { jobId: 'j', kind: 'generate', data, dataDigest: 'd' } as Partial<Taken> as Taken;
  const finding = (code: Finding['code'], severity: Finding['severity']): Finding => ({
    code,
    severity,
    in: 'job',
    message: 'x',
  });
  const findings = [
    finding('CANDIDATE_CASES_FAILED', 'error'),
    finding('DOCUMENT_KEYWORD_REMOVED', 'warning'),
    finding('CANDIDATE_CASES_FAILED', 'error'),
  ];
  const ledger = new Ledger({ jobId: 'j', negotiationId: null }, (event) => events.push(event));
  const outcome = outcomeOf(taken, ledger, { verdict: 'error', findings });
  assert.deepEqual(outcome.findings, findings);
  assert.ok(!Object.hasOwn(outcome, 'replyTo'));
  assert.deepEqual(
    events.map((event) => event.type === 'ended' && [event.verdict, event.codes]),
    [['error', ['CANDIDATE_CASES_FAILED']]],
  );
});
