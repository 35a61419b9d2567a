import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import outcomeSchema from '../../queues/outcome.schema.json' with { type: 'json' };
import { families } from '../../src/families/families.ts';
import { limits } from '../../src/intake/limits.ts';
import { readJob } from '../../src/intake/read-job.ts';
import { timeoutOf } from '../../src/intake/readable.ts';
import { errorEnvelope } from '../../src/pipeline/outcome-of.ts';

const document = '# Requirements\nGrüße';
const documentHash = createHash('sha256').update(document).digest('hex');

function jobData(more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    version: 1,
    negotiationId: 'n-1',
    role: 'provider',
    agreement: {
      action: 'protocolNegotiation',
      sequenceId: 1,
      candidateProtocols: document,
      status: 'accepted',
      extra: { kept: true },
    },
    ...more,
  };
}

function faultsOf(kind: string, data: unknown, rawBytes?: number) {
  const reading = readJob(kind, data, rawBytes);
  return reading.ok ? [] : reading.faults;
}

const task = { description: 'find a product' };
const complaint = {
  action: 'fixErrorNegotiation',
  errorDescription: '# Error Description\n- x',
  status: 'negotiating',
};

test('a minimal job is read with every default filled in', () => {
  const reading = readJob('generate', jobData());
  assert.ok(reading.ok);
  const { agreement, ...rest } = reading.job;
  assert.deepEqual(rest, {
    version: 1,
    kind: 'generate',
    negotiationId: 'n-1',
    role: 'provider',
    tenant: 'default',
    family: 'anp',
    tools: [],
    loose: [],
    baseProtocols: {},
    onContradiction: 'dispute',
    propose: false,
    timeoutMs: 15_000,
    workMs: 60_000,
    attempt: 0,
    replyTo: 'default',
  });
  assert.deepEqual(Object(agreement).extra, { kept: true });
});

test('an unknown family is reported with the known ones, and its jobs wait 60 s', () => {
  const data = jobData({ family: 'smoke-signals', agreement: 'a document' });
  assert.deepEqual(
    faultsOf('generate', data).map(({ code, pointer, expected }) => [code, pointer, expected]),
    [['JOB_FAMILY_UNSUPPORTED', '/family', families.map(({ name }) => name)]],
  );
  assert.equal(timeoutOf(data), 60_000);
});

test('a member that only another family accepts is reported with that family', () => {
  const supplied = { 'https://protocols.example/a.txt': 'a text' };
  assert.deepEqual(
    faultsOf('generate', jobData({ supplied })).map(({ pointer }) => pointer),
    ['/supplied'],
  );
  const owners = families.filter(({ schemas }) => schemas.own?.supplied !== undefined).map(({ name }) => name);
  const [fault] = faultsOf('generate', jobData({ supplied }));
  const message = `found a member of the families ${owners.join(' and ')}, wanted none in anp`;
  assert.equal(fault?.message, `Cannot accept job at /supplied: ${message}`);
});

test('every fault is reported by its pointer', () => {
  const data = JSON.parse(
    JSON.stringify(
      jobData({
        role: 'both',
        unknown: 1,
        timeoutMs: 999,
        tenant: 'a:b',
        replyTo: '',
        tools: [{ name: 'toString' }, { name: 'ok', otherwise: {} }, { name: 'ok' }, { name: '9' }],
        loose: [{ pointer: 'a', as: 'text' }],
        attempt: -1,
        supersedes: '12',
        negotiationId: 'x'.repeat(201),
      }),
    ).replace('"unknown"', '"__proto__"'),
  );
  const pointers = faultsOf('generate', data).map((fault) => fault.pointer);
  assert.deepEqual(pointers.sort(), [
    '/__proto__',
    '/attempt',
    '/loose/0/pointer',
    '/negotiationId',
    '/replyTo',
    '/role',
    '/supersedes',
    '/tenant',
    '/timeoutMs',
    '/tools/0/name',
    '/tools/1/otherwise',
    '/tools/2/name',
    '/tools/3/name',
  ]);
});

test('a fault says what was found and what is wanted, with long texts shortened', () => {
  const more = { handlerDigest: 'a'.repeat(64), complaint: { ...complaint, action: 'x' } };
  const said = (kind: string, data: Record<string, unknown>) =>
    faultsOf(kind, jobData(data)).map(({ message, expected, actual }) => [message, expected, actual]);
  for (const [data, found, wanted, expected] of [
    [{ role: 'both' }, '/role: found "both"', 'one of "provider", "requester"', ['provider', 'requester']],
    [{ timeoutMs: 999 }, '/timeoutMs: found 999', 'at least 1000', 1_000],
    [{ timeoutMs: 600_001 }, '/timeoutMs: found 600001', 'at most 600000', 600_000],
    [{ timeoutMs: true }, '/timeoutMs: found true', 'a value of type integer', 'integer'],
    [{ negotiationId: '' }, '/negotiationId: found ""', 'at least 1 characters', undefined],
    [{ tenant: 'a:b' }, '/tenant: found "a:b"', 'a string that matches ^[A-Za-z0-9_-]{1,64}$', '^[A-Za-z0-9_-]{1,64}$'],
    [{ tools: {} }, '/tools: found an object', 'a value of type array', 'array'],
    [{ tools: null }, '/tools: found null', 'a value of type array', 'array'],
    [
      { tools: [{ name: 'valueOf' }] },
      '/tools/0/name: found "valueOf"',
      'a name that is not a member of Object.prototype',
      undefined,
    ],
    [
      { tools: [{ name: 'x', otherwise: {} }] },
      '/tools/0/otherwise: found an object',
      'an object with either "output" or "error"',
      undefined,
    ],
    [more, '/complaint/action: found "x"', '"fixErrorNegotiation"', 'fixErrorNegotiation'],
  ] as const) {
    const [first, ...others] = said('complaint' in data ? 'fix' : 'generate', data);
    assert.deepEqual(others, []);
    assert.deepEqual(first?.slice(0, 2), [`Cannot accept job at ${found}, wanted ${wanted}`, expected]);
  }
  const long = 'x'.repeat(500);
  assert.deepEqual(said('generate', { role: long })[0]?.[2], `${'x'.repeat(119)}…`);
  assert.deepEqual(
    said('observe', { exchanges: [] })[0]?.[0],
    'Cannot accept job at /exchanges: found an array, wanted at least 1 items',
  );
});

test('every fault says what is wanted, for any keyword', () => {
  const nested = JSON.parse(`${'['.repeat(80)}1${']'.repeat(80)}`);
  const odd = JSON.parse('{"a":"\\ud800","b":[1e400],"c":{"\\udfff":1}}');
  const faults = [
    ...faultsOf('juggle', jobData()),
    ...faultsOf('generate', jobData({ tools: [{ name: 'a' }, { name: 'a' }], ...odd, protocolHash: '0'.repeat(64) })),
    ...faultsOf('generate', jobData({ exchanges: nested })),
    ...faultsOf('generate', jobData({ tools: Array.from({ length: 300 }, () => ({ name: '' })) })),
    ...faultsOf('generate', jobData({ agreement: { status: 'negotiating' } })),
    ...faultsOf('generate', jobData({ testCases: Array.from({ length: 200 }, () => ({ request: 1, response: 2 })) })),
  ];
  assert.ok(faults.length > 100);
  for (const { message } of faults) assert.match(message, /^Cannot accept job.*: found .+, wanted ./s);
});

test('a missing member is reported at its place', () => {
  assert.deepEqual(
    faultsOf('generate', {}).map((fault) => [fault.code, fault.pointer]),
    ['/version', '/negotiationId', '/role', '/agreement'].map((pointer) => ['JOB_INVALID', pointer]),
  );
});

test('members that only some kinds require are required there', () => {
  const wanted = (kind: string, data: unknown) =>
    faultsOf(kind, data)
      .map((fault) => fault.pointer)
      .sort();
  assert.deepEqual(wanted('review', jobData({ role: 'requester' })), []);
  assert.deepEqual(wanted('generate', jobData({ role: 'requester' })), ['/task']);
  assert.deepEqual(wanted('generate', jobData({ role: 'requester', task })), []);
  assert.deepEqual(wanted('verify', jobData()), ['/handlerDigest', '/testCases']);
  assert.deepEqual(wanted('fix', jobData()), ['/complaint', '/handlerDigest']);
  assert.deepEqual(wanted('fix', jobData({ complaint, handlerDigest: `sha256:${documentHash}` })), []);
  assert.deepEqual(wanted('observe', jobData()), ['/exchanges']);
});

test('only kinds that make or verify a handler may propose cases', () => {
  const digest = 'a'.repeat(64);
  const data = jobData({
    propose: true,
    handlerDigest: digest,
    testCases: [],
    complaint,
    exchanges: [{ request: 1, response: 2 }],
  });
  for (const kind of ['generate', 'verify']) assert.deepEqual(faultsOf(kind, data), [], kind);
  for (const kind of ['review', 'fix', 'observe'])
    assert.deepEqual(
      faultsOf(kind, data).map(({ code, pointer, expected }) => [code, pointer, expected]),
      [['JOB_INVALID', '/propose', false]],
      kind,
    );
  assert.deepEqual(faultsOf('review', { ...data, propose: false }), []);
  assert.deepEqual(
    faultsOf('generate', { ...data, propose: 'yes' }).map(({ pointer }) => pointer),
    ['/propose'],
  );
});

test('an unknown kind is reported, even a name that objects inherit', () => {
  for (const kind of ['', 'publish', 'toString', '__proto__']) {
    assert.deepEqual(
      faultsOf(kind, jobData()).map((fault) => fault.code),
      ['JOB_KIND_UNKNOWN'],
    );
    assert.equal(readJob(kind, jobData()).readable.kind, null);
  }
});

test('the status must be accepted, except in a review', () => {
  const agreement = { ...(jobData().agreement as object), status: 'negotiating' };
  const testCases = { action: 'testCasesNegotiation', testCases: '# Test Case 1', status: 'negotiating' };
  assert.deepEqual(
    faultsOf('generate', jobData({ agreement, testCases })).map((fault) => [fault.code, fault.pointer]),
    [
      ['JOB_NOT_ACCEPTED', '/agreement/status'],
      ['JOB_NOT_ACCEPTED', '/testCases/status'],
    ],
  );
  assert.deepEqual(faultsOf('review', jobData({ agreement, testCases })), []);
});

test('cases with a text payload are strings', () => {
  const cases = [
    { request: 'a', response: '' },
    { request: { a: 1 }, response: null },
  ];
  assert.deepEqual(faultsOf('generate', jobData({ payload: 'text', testCases: cases.slice(0, 1) })), []);
  assert.deepEqual(
    faultsOf('generate', jobData({ payload: 'text', testCases: cases })).map(({ pointer, message }) => [
      pointer,
      message,
    ]),
    ['request', 'response'].map((side, index) => [
      `/testCases/1/${side}`,
      `Cannot accept job at /testCases/1/${side}: found ${index === 0 ? 'an object' : 'null'}, wanted a string, since the payload is text`,
    ]),
  );
  for (const payload of [{}, { payload: 'json' }])
    assert.deepEqual(faultsOf('generate', jobData({ ...payload, testCases: cases })), []);
});

test('hashes are verified, with or without their prefix, and stored without it', () => {
  for (const prefix of ['', 'sha256:', 'sha-256:']) {
    const reading = readJob(
      'generate',
      jobData({
        protocolHash: prefix + documentHash,
        baseProtocols: { 'urn:a/b': { content: document, sha256: prefix + documentHash } },
      }),
    );
    assert.ok(reading.ok);
    assert.equal(reading.job.protocolHash, documentHash);
    assert.equal(reading.job.baseProtocols['urn:a/b']?.sha256, documentHash);
  }
  const wrong = '0'.repeat(64);
  assert.deepEqual(
    faultsOf(
      'generate',
      jobData({ protocolHash: wrong, baseProtocols: { 'urn:a/b': { content: '', sha256: wrong } } }),
    ).map((fault) => [fault.code, fault.pointer]),
    [
      ['JOB_HASH_MISMATCH', '/protocolHash'],
      ['JOB_HASH_MISMATCH', '/baseProtocols/urn:a~1b/sha256'],
    ],
  );
});

test('the hash is of the exact text: no trimming, no change of newlines', () => {
  const text = '  a\r\nb \n';
  const agreement = { ...(jobData().agreement as object), candidateProtocols: text };
  const protocolHash = createHash('sha256').update(text).digest('hex');
  assert.deepEqual(faultsOf('generate', jobData({ agreement, protocolHash })), []);
});

test('sizes are limited', () => {
  const agreement = {
    ...(jobData().agreement as object),
    candidateProtocols: 'ü'.repeat(limits.documentBytes.value / 2 + 1),
  };
  const code = (data: unknown, rawBytes?: number) =>
    faultsOf('generate', data, rawBytes).map((fault) => `${fault.code} ${fault.pointer}`);
  assert.deepEqual(code(jobData({ agreement })), ['JOB_TOO_LARGE /agreement/candidateProtocols']);
  assert.deepEqual(code(jobData(), limits.jobBytes.value + 1), ['JOB_TOO_LARGE ']);
  assert.deepEqual(code(jobData({ negotiationId: 'x'.repeat(limits.jobBytes.value) })), ['JOB_TOO_LARGE ']);
  const cases = Array.from({ length: limits.cases.value + 1 }, () => ({ request: 1, response: 1 }));
  assert.deepEqual(code(jobData({ testCases: cases })), ['JOB_TOO_LARGE /testCases']);
  assert.deepEqual(code(jobData({ testCases: cases.slice(1) })), []);
});

test('nesting is limited, however deep', () => {
  const nested = (levels: number) => JSON.parse(`${'['.repeat(levels)}1${']'.repeat(levels)}`);
  assert.deepEqual(
    faultsOf('generate', nested(300_000)).map((fault) => fault.code),
    ['JOB_TOO_DEEP'],
  );
  const payload = (levels: number) => jobData({ testCases: [{ request: nested(levels), response: 1 }] });
  assert.deepEqual(faultsOf('generate', payload(limits.nesting.value - 3)), []);
  assert.deepEqual(
    faultsOf('generate', payload(limits.nesting.value - 2)).map((fault) => fault.code),
    ['JOB_TOO_DEEP'],
  );
});

test('invalid Unicode and numbers out of range are faults', () => {
  const data = JSON.parse('{"a":"\\ud800","b":[1e400],"c":{"\\udfff":1}}');
  assert.deepEqual(
    faultsOf('review', { ...jobData(), ...data })
      .filter((fault) => !fault.message.includes('unknown in version 1'))
      .map((fault) => fault.pointer)
      .sort(),
    ['/a', '/b/0', '/c'],
  );
});

test('a job of a later version gets no other fault', () => {
  assert.deepEqual(
    faultsOf('generate', { version: 2, anything: true }).map((fault) => [fault.code, fault.pointer]),
    [['JOB_VERSION_UNSUPPORTED', '/version']],
  );
  const codes = faultsOf('generate', { ...jobData(), version: '1', role: 7 }).map((fault) => [
    fault.code,
    fault.pointer,
  ]);
  assert.deepEqual(codes.sort(), [
    ['JOB_INVALID', '/role'],
    ['JOB_VERSION_UNSUPPORTED', '/version'],
  ]);
});

test('what could be read is reported beside the faults', () => {
  assert.deepEqual(
    readJob('generate', { negotiationId: 'n', replyTo: 'a b', tenant: 't', family: 'x y', version: 1 }).readable,
    {
      version: 1,
      negotiationId: 'n',
      tenant: 't',
      family: null,
      role: null,
      kind: 'generate',
      replyTo: null,
    },
  );
  for (const data of [null, 'text', 1, [], true, undefined]) {
    const reading = readJob('generate', data);
    assert.equal(reading.ok, false);
    assert.deepEqual(Object.values(reading.readable), [null, null, null, null, null, 'generate', null]);
  }
});

test('reading never throws, whatever the data are', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('generate', 'review', 'verify', 'fix', 'observe', 'x'),
      fc.jsonValue(),
      (kind, value) => {
        assert.equal(readJob(kind, value).ok, false);
        assert.equal(readJob(kind, { ...jobData(), agreement: value, tools: value, testCases: value }).ok, false);
      },
    ),
    { numRuns: 200 },
  );
});

test('faults beyond the limit are counted, not listed', () => {
  const tools = Array.from({ length: 300 }, () => ({ name: '' }));
  const faults = faultsOf('generate', jobData({ tools }));
  assert.equal(faults.length, limits.faults.value + 1);
  assert.match(faults.at(-1)?.message ?? '', /more faults/);
});

test('many faulty entries are refused quickly', () => {
  const many = (length: number) => Array.from({ length }, () => ({}));
  const names = Object.fromEntries(many(100_000).map((_, index) => [`unknown${index}`, 1]));
  for (const more of [
    { tools: many(300_000) },
    { tools: [{ name: 'a', examples: many(300_000) }] },
    { loose: many(300_000) },
    { baseProtocols: names },
    names,
  ]) {
    const begun = performance.now();
    assert.deepEqual(
      faultsOf('generate', jobData(more), 1_000_000).map((fault) => fault.code),
      ['JOB_TOO_LARGE'],
    );
    // A hang takes minutes.
    assert.ok(performance.now() - begun < 20_000);
  }
  const most = limits.entries.value - 100;
  assert.equal(faultsOf('generate', jobData({ tools: many(most) })).length, limits.faults.value + 1);
});

test('the examples of the contract are read', {
  skip: existsSync('../shared/examples') ? false : 'no ../shared/examples here',
}, () => {
  for (const name of readdirSync('../shared/examples').filter((file) => file.endsWith('.job.json'))) {
    const text = readFileSync(`../shared/examples/${name}`, 'utf8');
    assert.deepEqual(faultsOf('generate', JSON.parse(text), Buffer.byteLength(text)), [], name);
  }
});

test('an error envelope made of unreadable data satisfies the schema of outcomes', () => {
  const validate = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false }).compile(outcomeSchema);
  for (const data of [null, {}, jobData()]) {
    const envelope = errorEnvelope('generate', data, { code: 'JOB_INVALID', message: 'Cannot accept job' });
    assert.ok(validate({ ...envelope, jobId: 'x', dataDigest: null }), JSON.stringify(validate.errors));
  }
});
