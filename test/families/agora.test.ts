import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { CaseValidation } from '../../src/documents/case-validation.ts';
import { agora } from '../../src/families/agora/agora.ts';
import { frontMatterOf, isMultiround, libraryMetadata } from '../../src/families/agora/front-matter.ts';
import { isHashOf, protocolHash } from '../../src/families/agora/protocol-hash.ts';
import { receive } from '../../src/families/agora/receive.ts';
import { failureReply, readReply, successReply } from '../../src/families/agora/reply.ts';
import { base64SourceUriOf, documentInSource, sourceUriOf } from '../../src/families/agora/source-uri.ts';
import { readJob } from '../../src/intake/read-job.ts';
import { escapeToken, type Json, type JsonObject } from '../../src/kernel/json.ts';

const root = join(import.meta.dirname, '../..');
const fixtures = join(root, 'fixtures/families/agora');
const shared = join(root, '../shared/conformance/agora');

interface Vector {
  name: string;
  document: string;
  sha1Hex: string;
  sha1Base64: string;
  pythonLibMetadata: JsonObject | null;
  dataUri: string;
  dataUriBase64: string;
}

const read = <T>(file: string): T => JSON.parse(readFileSync(file, 'utf8'));
const skipUnless = (file: string) => (existsSync(file) ? {} : { skip: `no ${file} here` });

for (const file of [join(fixtures, 'protocol-vectors.json'), join(shared, 'protocol-hash-vectors.json')])
  test(`hashes, data URIs and the library's metadata are those of ${file.slice(root.length)}`, skipUnless(file), () => {
    const { vectors } = read<{ vectors: Vector[] }>(file);
    assert.ok(vectors.length > 0);
    for (const { name, document, sha1Hex, sha1Base64, pythonLibMetadata, dataUri, dataUriBase64 } of vectors) {
      assert.equal(protocolHash(document), sha1Hex, name);
      assert.equal(protocolHash(document, 'base64'), sha1Base64, name);
      for (const hash of [sha1Hex, sha1Base64]) {
        assert.ok(isHashOf(hash, document), name);
        assert.ok(!isHashOf(hash, `${document} `), name);
      }
      assert.equal(sourceUriOf(document), dataUri, name);
      assert.equal(base64SourceUriOf(document), dataUriBase64, name);
      for (const uri of [dataUri, dataUriBase64]) assert.equal(documentInSource(uri), document, name);
      const metadata = libraryMetadata(document);
      assert.deepEqual(metadata.ok ? metadata.metadata : null, pythonLibMetadata, name);
    }
  });

const refusals = join(shared, 'source-uri-refusals.json');
test('data URIs that the library refuses are refused', skipUnless(refusals), () => {
  for (const { uri, accepted } of read<{ vectors: { uri: string; accepted: boolean }[] }>(refusals).vectors)
    assert.equal(documentInSource(uri) !== undefined, accepted, uri);
});

test('a data URI has one of two forms to the letter, and holds UTF-8', () => {
  for (const uri of [
    'data:text/plain,hello',
    'data:text/plain;charset=UTF-8,hello',
    'DATA:text/plain;charset=utf-8,hello',
    'data:,hello',
    'data:text/plain;charset=utf-8;base64,aGk',
    'data:text/plain;charset=utf-8;base64,aG=k',
    'data:text/plain;charset=utf-8;base64,/w==',
    'https://protocols.example/a.txt',
    '',
  ])
    assert.equal(documentInSource(uri), undefined, uri);
  assert.equal(documentInSource('data:text/plain;charset=utf-8,a%zz%+b%2'), 'a%zz%+b%2');
  assert.equal(documentInSource('data:text/plain;charset=utf-8,%C3%A9 é %ff'), 'é é \ufffd');
});

const anyText = fc.string({ unit: 'binary', maxLength: 200 }).map((text) => text.toWellFormed());

test('a document comes back out of its data URIs, and its hash in either spelling is its own alone', () => {
  fc.assert(
    fc.property(anyText, anyText, (document, other) => {
      assert.equal(documentInSource(sourceUriOf(document)), document);
      assert.equal(documentInSource(base64SourceUriOf(document)), document);
      for (const encoding of ['hex', 'base64'] as const)
        assert.equal(isHashOf(protocolHash(document, encoding), other), document === other);
    }),
  );
});

test('no text makes a reader of front matter throw', () => {
  const parts = fc.constantFrom(
    '---',
    '\n',
    'name: ',
    'multiround: yes',
    '&a ',
    '*a',
    '[',
    '{',
    '- ',
    '"',
    '|\n',
    '%',
    '!!x ',
    '\t',
  );
  const document = fc.oneof(
    anyText,
    fc.array(fc.oneof(parts, anyText), { maxLength: 40 }).map((all) => all.join('')),
  );
  fc.assert(
    fc.property(document, (text) => {
      frontMatterOf(text);
      libraryMetadata(text);
      isMultiround(`---\n${text}\n---\n`);
    }),
    { numRuns: 500 },
  );
  for (const deep of ['[', '{a: ', '- ', '? ', '&a [*a, ', 'a:\n '])
    assert.equal(libraryMetadata(`---\n${deep.repeat(4_000)}\n---\n`).ok, false, deep);
});

test('front matter stands between two lines or above one, and no other text is taken for it', () => {
  // A document from a text in code begins with a blank line; others begin with a title or a comment.
  const metadata = { name: 'A', description: 'a --- b', multiround: true };
  const lines = 'name: A\ndescription: a --- b\nmultiround: on\n';
  for (const document of [
    `---\n${lines}---\nx`,
    `${lines}---\nx`,
    `---\n${lines}---`,
    `\ufeff${lines}---\r\nx`,
    `---  \r\n${lines.replaceAll('\n', '\r\n')}---\r\n`,
    `\n---\n${lines}---\nx`,
    `\ufeff \r\n\r\n---\n${lines}---\nx`,
    `---\n${lines}-----\nx`,
    `# Weather\n---\n${lines}---\nx`,
    `<!-- a comment -->\n\n---\n${lines}---\nx\n---\nname: B`,
  ])
    assert.deepEqual(frontMatterOf(document), { ok: true, metadata }, JSON.stringify(document));
  for (const document of [
    '',
    'name: A',
    'A text.\n---\nmore',
    'Note: a text.\n---\nmore',
    ' ---\nname: A\n---\n',
    'A text.\n---\nNote: more\n---\nname: A\n---\n',
    '-- -\nname: A',
  ])
    assert.equal(frontMatterOf(document), undefined, JSON.stringify(document));
  for (const document of ['---\nname: A\n', '---\n- a\n---\n', '---\na\n---\n', '---\n---\n', '---\na: b: c\n---\n'])
    assert.equal(frontMatterOf(document)?.ok, false, JSON.stringify(document));
});

interface ReceiverCase {
  name: string;
  request: { method: string; path: string; body: Json };
  body: JsonObject;
  note: string;
}

/** What only a model, a routine, a conversation or HTTP decides. */
const OF_OTHERS = /unsuitable|routine|model never|follow-up|delete|JSON content type|malformed|well/;

for (const file of [join(fixtures, 'receiver-cases.json'), join(shared, 'python-lib-receiver-http-cases.json')])
  test(`requests are received as the library does: ${file.slice(root.length)}`, skipUnless(file), () => {
    const cases = read<{ cases: ReceiverCase[] }>(file).cases.filter(({ name }) => !OF_OTHERS.test(name));
    assert.ok(cases.length >= 15);
    for (const { name, request, body } of cases) {
      const received = receive(request.body, { dialect: 'library' });
      assert.equal(received.ok, body.status === 'success', name);
      if (received.ok) {
        assert.equal(received.multiround, 'conversationId' in body, name);
        assert.deepEqual(
          Object.keys(successReply('')).sort(),
          Object.keys(body)
            .filter((member) => member !== 'conversationId')
            .sort(),
        );
      } else if (!String(body.message).includes('NoneType')) assert.deepEqual(received.reply, body, name);
    }
  });

const document = '---\nname: A\n---\nSend anything.';
const request = (more: JsonObject): JsonObject => ({
  protocolHash: protocolHash(document),
  protocolSources: [sourceUriOf(document)],
  body: 'x',
  ...more,
});

test('by default either spelling is taken, sources may be left out, and a refusal is in the words of the peer', () => {
  const taken = {
    ok: true,
    kind: 'protocol',
    protocolHash: protocolHash(document),
    document,
    body: 'x',
    multiround: false,
  };
  assert.deepEqual(receive(request({})), { ...taken, dialect: 'standard' });
  const base64 = protocolHash(document, 'base64');
  assert.deepEqual(receive(request({ protocolHash: base64, x: 1 })), { ...taken, dialect: 'library' });
  const documentOf = (hash: string) => (hash === protocolHash(document) ? document : undefined);
  assert.equal(receive({ protocolHash: base64, body: 'x' }, { documentOf }).ok, true);
  assert.equal(receive({ protocolHash: base64, body: 'x' }, { documentOf: () => 'another' }).ok, false);
  const other = protocolHash('other');
  assert.deepEqual(receive(request({ protocolHash: other })), {
    ok: false,
    reply: { status: 'failure', error: 'Unsupported protocol' },
  });
  assert.deepEqual(receive(request({ protocolHash: protocolHash('other', 'base64') })), {
    ok: false,
    reply: { status: 'error', message: 'Failed to download protocol' },
  });
  assert.deepEqual(receive({ body: { a: 1 } }), {
    ok: true,
    kind: 'language',
    body: '{"a":1}',
    multiround: false,
    dialect: 'standard',
  });
});

test('a reply is read as it was written, in both dialects, and any other value is told', () => {
  fc.assert(
    fc.property(anyText, fc.jsonValue({ maxDepth: 3 }), (text, value) => {
      assert.deepEqual(readReply(successReply(text)), { ok: true, body: text });
      for (const dialect of ['standard', 'library'] as const)
        assert.deepEqual(readReply(failureReply(text, dialect)), { ok: false, error: text });
      const read = readReply(JSON.parse(JSON.stringify(value)));
      assert.equal(typeof (read.ok ? read.body : read.error), 'string');
    }),
  );
});

test('no request makes the receiver throw, and what is refused is told', () => {
  const message = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.record({
      protocolHash: fc.jsonValue(),
      protocolSources: fc.jsonValue(),
      body: fc.jsonValue(),
      multiround: fc.jsonValue(),
    }),
  );
  fc.assert(
    fc.property(message, fc.constantFrom(undefined, 'standard' as const, 'library' as const), (given, dialect) => {
      const received = receive(JSON.parse(JSON.stringify(given)), dialect === undefined ? {} : { dialect });
      if (!received.ok) assert.match(String(received.reply.status), /^(?:failure|error)$/);
    }),
  );
  let deep: Json = 'x';
  for (let level = 0; level < 100_000; level += 1) deep = [deep];
  assert.equal(receive({ body: deep }).ok, false);
});

test('a reply says what it said, in any dialect', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      assert.deepEqual(readReply(successReply(text)), { ok: true, body: text });
      for (const dialect of ['standard', 'library'] as const)
        assert.deepEqual(readReply(failureReply(text, dialect)), { ok: false, error: text });
    }),
  );
  assert.deepEqual(readReply({ status: 'success', body: { a: 1 } }), { ok: true, body: '{"a":1}' });
  for (const reply of [null, 'x', {}, { status: 'success' }, { body: 'x' }]) assert.equal(readReply(reply).ok, false);
});

const about = () => ({ payload: undefined, baseProtocols: {}, validation: new CaseValidation() });

test('requests and replies are texts; of several rounds, a request is the conversation so far', () => {
  const cases = [
    { request: { a: 1 }, response: 'b' },
    { request: 'a', response: { b: [1] } },
  ];
  const single = agora.read({ document, cases }, about());
  assert.equal(single.payload, 'text');
  assert.deepEqual(
    single.cases.map((one) => [one.request, one.response]),
    [
      ['{"a":1}', 'b'],
      ['a', '{"b":[1]}'],
    ],
  );
  const several = agora.read({ document: `---\nmultiround: true\n---\n`, cases }, about());
  assert.equal(several.payload, 'json');
  assert.deepEqual(several.cases[0]?.request, [{ from: 'sender', body: '{"a":1}' }]);
});

const jobOf = (more: JsonObject): JsonObject => ({
  version: 1,
  negotiationId: 'n',
  family: 'agora',
  role: 'provider',
  agreement: document,
  ...more,
});

const faultsOf = (more: JsonObject) => {
  const reading = readJob('generate', jobOf(more));
  return reading.ok ? [] : reading.faults.map(({ code, pointer }) => [code, pointer]);
};

test('an agreement is a text, or what a node knows of it; nothing is fetched', () => {
  const base64 = protocolHash(document, 'base64');
  for (const agreement of [
    document,
    { document },
    { document, protocolHash: base64, protocolSources: ['https://protocols.example/a.txt'], x: 1 },
    { document, protocolHash: protocolHash(document), protocolSources: null },
    { protocolHash: base64, protocolSources: ['https://protocols.example/a.txt', base64SourceUriOf(document)] },
  ]) {
    assert.deepEqual(faultsOf({ agreement }), []);
    assert.equal(agora.open({ agreement }).document, document);
  }
  const uri = 'https://protocols.example/a/~b.txt';
  const supplied = { [uri]: document };
  const named = { protocolHash: base64, protocolSources: ['https://protocols.example/other.txt', uri] };
  assert.deepEqual(faultsOf({ agreement: named, supplied }), []);
  assert.equal(agora.open({ agreement: named, supplied }).document, document);
  assert.equal(
    agora.documentIn({ agreement: named, supplied })?.pointer,
    '/supplied/https:~1~1protocols.example~1a~1~0b.txt',
  );
  const [told] = agora.say({ what: 'generated' }, { agreement: named, supplied }, 'en');
  assert.deepEqual(told?.listing, { [base64]: named.protocolSources });
  assert.deepEqual(faultsOf({ agreement: named, supplied: { [uri]: 7 } })[0], [
    'JOB_INVALID',
    `/supplied/${escapeToken(uri)}`,
  ]);
  assert.deepEqual(faultsOf({ agreement: { document, protocolSources: [uri] }, supplied: { [uri]: 'x' } }), [
    ['JOB_HASH_MISMATCH', '/agreement/protocolSources/0'],
  ]);
  const source = '/agreement/protocolSources/0';
  for (const [agreement, ...wanted] of [
    [{}, ['JOB_INVALID', '/agreement/document']],
    [{ protocolSources: ['https://protocols.example/a.txt'] }, ['JOB_INVALID', '/agreement/document']],
    [{ document, protocolSources: ['data:text/plain,x'] }, ['JOB_INVALID', source]],
    [{ document, protocolSources: [sourceUriOf('x')] }, ['JOB_HASH_MISMATCH', source]],
    [{ document, protocolHash: protocolHash(`${document}\n`) }, ['JOB_HASH_MISMATCH', '/agreement/protocolHash']],
    [{ document, protocolHash: 'negotiation' }, ['JOB_INVALID', '/agreement/protocolHash']],
    [{ document, protocolHash: null }, ['JOB_INVALID', '/agreement/protocolHash']],
    [7, ['JOB_INVALID', '/agreement']],
  ] as [Json, ...string[][]][])
    assert.deepEqual(faultsOf({ agreement }), wanted, JSON.stringify(agreement));
  assert.deepEqual(faultsOf({ payload: 'json' }), [['JOB_INVALID', '/payload']]);
  assert.deepEqual(faultsOf({ testCases: { action: 'testCasesNegotiation' } }), [['JOB_INVALID', '/testCases']]);
});

test('a complaint is a reply that says that our message failed, in any dialect', () => {
  for (const complaint of [
    { status: 'failure', error: 'why' },
    { status: 'failure', body: 'why' },
    { status: 'error', message: 'why' },
  ])
    assert.equal(agora.complaint(complaint), 'why');
  const fix = (complaint: JsonObject) => readJob('fix', { ...jobOf({}), handlerDigest: 'a'.repeat(64), complaint }).ok;
  assert.equal(fix({ status: 'rejected' }), true);
  assert.equal(fix({ status: 'success', body: 'x' }), false);
});

test('a node is told the hash as its peer spells it, and where the document can be had', () => {
  const base64 = protocolHash(document, 'base64');
  const handler = { digest: 'd', tools: ['t'] };
  const [told] = agora.say({ what: 'generated', handler }, { agreement: { document, protocolHash: base64 } }, 'en');
  assert.deepEqual(told, {
    protocolHash: base64,
    metadata: { name: 'A', description: 'No description provided', multiround: false },
    listing: { [base64]: [sourceUriOf(document)] },
    routine: handler,
    replies: { returned: { status: 'success', body: '{value}' }, failed: { status: 'error', message: '{message}' } },
  });
});

test('a number in front matter that is beyond a double is told as its text', () => {
  const digits = '9'.repeat(400);
  const read = libraryMetadata(`---\nname: ${digits}\ndescription: !!int ${digits}\nmultiround: false\n---\nText`);
  assert.deepEqual(read.ok && [read.metadata.name, read.metadata.description], [digits, digits]);
});
