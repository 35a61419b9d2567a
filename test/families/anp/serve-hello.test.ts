import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HandlerRecord } from '../../../src/contract/handler.ts';
import {
  checkHello,
  type DestinationHello,
  readHello,
  type Serving,
  type SourceHello,
  serveHello,
  settledBy,
} from '../../../src/families/anp/door.ts';
import { handlerDigest } from '../../../src/hosting/load-handler.ts';
import { sha256Hex } from '../../../src/kernel/digest.ts';
import { places, read } from './vectors.ts';

/** The record of a stored handler for a document. */
function recordFor(document: string, more: Partial<HandlerRecord> = {}, family = 'anp'): HandlerRecord {
  const content = { abi: 1, role: 'provider', bundle: `// ${document}`, tools: [] as string[], ...more } as const;
  const provenance = { family, protocolHash: sha256Hex(document) } as HandlerRecord['provenance'];
  const proof = { cases: [], tools: [], loose: [] };
  return { toolSchemas: {}, provenance, proof, ...content, digest: handlerDigest(content), ...more } as HandlerRecord;
}

function helloWith(more: Partial<SourceHello['metaProtocol']>): SourceHello {
  return {
    version: '1.0',
    type: 'sourceHello',
    sessionId: 's',
    metaProtocol: { version: '1.0', supportedCapabilities: ['verificationProtocol'], ...more },
  };
}

const [one, two, other] = ['# One', '# Two', '# Other'];
const [uriOne, uriTwo, uriOther] = ['one', 'two', 'other'].map((name) => `https://p.example/${name}`) as [
  string,
  string,
  string,
];
const protocols = { [uriOne]: one, [uriTwo]: two, [uriOther]: other };
const records = { one: recordFor(one), two: recordFor(two) };
const serving: Serving = { role: 'provider', handlers: [records.one, records.two], protocols };

test('a hash that a handler serves is confirmed as the peer wrote it, before any candidate', () => {
  for (const usedProtocolHash of [sha256Hex(two), `sha256:${sha256Hex(two)}`, sha256Hex(two).toUpperCase()]) {
    const { used, candidates, hello } = serveHello(
      helloWith({ usedProtocolHash, candidateProtocols: [uriOne] }),
      serving,
    );
    assert.equal(used, records.two);
    assert.deepEqual(candidates, [{ uri: uriOne, protocolHash: sha256Hex(one), handler: records.one }]);
    assert.equal(hello.metaProtocol.usedProtocolHash, usedProtocolHash);
    assert.ok(!Object.hasOwn(hello.metaProtocol, 'selectedProtocol'));
    assert.ok(checkHello(hello).ok);
  }
});

test('of the candidates, those that a handler serves are told in order, and the first is selected', () => {
  const candidateProtocols = ['https://p.example/none', uriOther, uriTwo, uriOne, uriTwo, '__proto__', 'toString'];
  const { used, candidates, hello } = serveHello(helloWith({ candidateProtocols }), serving);
  assert.equal(used, null);
  assert.deepEqual(
    candidates.map(({ uri, handler }) => [uri, handler]),
    [
      [uriTwo, records.two],
      [uriOne, records.one],
    ],
  );
  assert.equal(hello.metaProtocol.selectedProtocol, uriTwo);
});

test('what no handler serves is left out of the answer, so that a protocol is negotiated', () => {
  const peers = [helloWith({}), helloWith({ usedProtocolHash: sha256Hex(other), candidateProtocols: [uriOther] })];
  for (const peer of peers) {
    const { used, candidates, hello } = serveHello(peer, { ...serving, others: { sessionId: 's', version: '9' } });
    assert.deepEqual([used, candidates], [null, []]);
    assert.deepEqual(hello, {
      sessionId: 's',
      version: '1.0',
      type: 'destinationHello',
      metaProtocol: {
        version: '1.0',
        supportedCapabilities: ['verificationProtocol', 'testCasesNegotiation', 'fixErrorNegotiation'],
      },
    });
  }
});

const unfit: Record<string, HandlerRecord> = {
  'the other role': recordFor(one, { role: 'requester' }),
  'another family': recordFor(one, {}, 'agora'),
  'another bundle than its digest': { ...records.one, bundle: '// changed' },
  'another ABI': recordFor(one, { abi: 2 }),
};
for (const [what, record] of Object.entries(unfit))
  test(`a record of ${what} serves nothing, and a sound one behind it does`, () => {
    const peer = helloWith({ usedProtocolHash: sha256Hex(one) });
    assert.equal(serveHello(peer, { role: 'provider', handlers: [record] }).used, null);
    assert.equal(serveHello(peer, { role: 'provider', handlers: [record, records.one] }).used, records.one);
  });

test('where a reading is required, only a handler with a whole one serves', () => {
  const peer = helloWith({ usedProtocolHash: sha256Hex(one) });
  const reading = { complete: true } as NonNullable<HandlerRecord['proof']['reading']>;
  const read = { ...records.one, proof: { ...records.one.proof, reading } };
  const partly = { ...read, proof: { ...read.proof, reading: { ...reading, complete: false } } };
  for (const [handler, isServed] of [
    [read, true],
    [partly, false],
    [records.one, false],
  ] as const)
    assert.equal(
      serveHello(peer, { role: 'provider', handlers: [handler], needsReading: true }).used !== null,
      isServed,
    );
});

const answerWith = (more: Partial<DestinationHello['metaProtocol']>): DestinationHello => ({
  version: '1.0',
  type: 'destinationHello',
  metaProtocol: { version: '1.0', supportedCapabilities: [], ...more },
});

test("a peer's answer settles our hash, one of our candidates, or nothing", () => {
  const own = helloWith({ usedProtocolHash: sha256Hex(one), candidateProtocols: [uriOne, uriTwo] });
  const settled = (more: Partial<DestinationHello['metaProtocol']>) => settledBy(own, answerWith(more));
  assert.deepEqual(settled({ usedProtocolHash: sha256Hex(one) }), {
    ok: true,
    settled: { protocolHash: sha256Hex(one) },
  });
  assert.deepEqual(settled({ selectedProtocol: uriTwo }), { ok: true, settled: { uri: uriTwo } });
  assert.deepEqual(settled({}), { ok: true, settled: null });
  for (const [more, name] of [
    [{ usedProtocolHash: sha256Hex(two) }, 'usedProtocolHash'],
    [{ selectedProtocol: uriOther }, 'selectedProtocol'],
  ] as const) {
    const found = settled(more);
    assert.ok(!found.ok);
    assert.deepEqual([found.fault, found.pointer], ['not-offered', `/metaProtocol/${name}`]);
  }
  assert.ok(!settledBy(helloWith({}), answerWith({ usedProtocolHash: '' })).ok);
});

for (const { name, messages, skip } of places)
  test(`the specification's hellos are answered, and settle what they offer (${name})`, { skip }, () => {
    const helloIn = (file: string) => {
      const found = readHello(read(messages, 'en/messages', file), { quirks: ['json-comments'] });
      assert.ok(found.ok);
      return found.hello;
    };
    for (const [source, destination, settled] of [
      [
        'sourceHello.candidateProtocols.jsonc',
        'destinationHello.selectedProtocol.jsonc',
        { uri: 'https://example.com/protocol/1.0' },
      ],
      [
        'sourceHello.usedProtocolHash.jsonc',
        'destinationHello.usedProtocolHash.jsonc',
        { protocolHash: '1234567890abcdef...' },
      ],
    ] as const) {
      const [asked, answered] = [helloIn(source), helloIn(destination)];
      assert.ok(asked.type === 'sourceHello' && answered.type === 'destinationHello');
      assert.deepEqual(settledBy(asked, answered), { ok: true, settled });
      const uri = 'https://example.com/protocol/1.0';
      const { hello } = serveHello(asked, { ...serving, protocols: { [uri]: one } });
      assert.equal(hello.metaProtocol.selectedProtocol, source.includes('candidate') ? uri : undefined);
    }
  });
