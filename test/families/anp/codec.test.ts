import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import {
  type Content,
  capabilities,
  decode,
  encode,
  frame,
  frameTypes,
  helloSchemas,
  MAX_FRAME_BYTES,
  type MetaMessage,
  messageSchemas,
  quirksOf,
  readHello,
  readMessage,
  type SourceHello,
  unframe,
  writeHello,
  writeMessage,
} from '../../../src/families/anp/door.ts';
import { messageFor } from '../../../src/families/anp/say.ts';
import type { Json, JsonObject } from '../../../src/kernel/json.ts';
import { filesIn, places, read } from './vectors.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

for (const { name, wire, messages, skip } of places) {
  test(`the frames that a peer sent are read, and say the same when written again (${name})`, { skip }, () => {
    const lines = filesIn(wire, '.jsonl').flatMap((file) => read(wire, file).trim().split('\n'));
    assert.ok(lines.length >= 14);
    for (const line of lines) {
      const { hex, headerHex, json } = JSON.parse(line);
      const decoded = decode(Buffer.from(hex, 'hex'));
      assert.ok(decoded.ok && decoded.content.type === 'meta', line);
      assert.deepEqual(decoded.content.message, json);
      const encoded = encode(decoded.content);
      assert.ok(encoded.ok);
      assert.equal(hexOf(encoded.bytes.subarray(0, 1)), headerHex);
      assert.deepEqual(decode(encoded.bytes), decoded);
    }
  });

  test(`headers are read and written as the vectors say (${name})`, { skip }, () => {
    const vectors: { type: string; headerHex: string | null; payloadUtf8: string }[] = JSON.parse(
      read(wire, 'header-vectors.json'),
    );
    const framed = vectors.filter(({ type }) => frameTypes.some((one) => one === type));
    assert.deepEqual(
      framed.map(({ type }) => type),
      [...frameTypes],
    );
    for (const { type, headerHex, payloadUtf8 } of framed) {
      const bytes = Buffer.concat([Buffer.from(headerHex ?? '', 'hex'), bytesOf(payloadUtf8)]);
      const found = unframe(bytes);
      assert.ok(found.ok);
      assert.deepEqual([found.type, found.data], [type, bytesOf(payloadUtf8)]);
      assert.equal(hexOf(frame(found.type, found.data)), hexOf(bytes));
    }
    const reserved = vectors.find(({ type }) => type.startsWith('reserved'));
    assert.ok(reserved?.headerHex);
    const read3f = decode(Buffer.concat([Buffer.from(reserved.headerHex, 'hex'), bytesOf(reserved.payloadUtf8)]));
    assert.ok(read3f.ok);
    const written = encode(read3f.content);
    assert.ok(written.ok);
    assert.equal(written.bytes[0], 0, 'reserved bits are written as zero');
  });

  test(`JSON without a header is whole only for a reader that knows the peer (${name})`, { skip }, () => {
    const vectors: { type: string; payloadUtf8: string }[] = JSON.parse(read(wire, 'header-vectors.json'));
    const bare = vectors.find(({ type }) => type.startsWith('application-unframed'));
    assert.ok(bare);
    const bytes = bytesOf(bare.payloadUtf8);
    assert.deepEqual(decode(bytes), { ok: true, content: { type: 'application', data: bytes.subarray(1) } });
    const quirks = quirksOf('agent-connect', '0.3.5');
    assert.deepEqual(decode(bytes, { quirks }), { ok: true, content: { type: 'application', data: bytes } });
    const framed = frame('application', bytes);
    assert.deepEqual(decode(framed, { quirks }), { ok: true, content: { type: 'application', data: bytes } });
  });

  for (const language of ['en', 'zh'])
    test(`the specification's messages, hellos and texts are read (${name}, ${language})`, { skip }, () => {
      const folder = `${messages}/${language}`;
      const exact = filesIn(`${folder}/messages`, '.json');
      assert.equal(exact.length, 5);
      for (const file of exact) {
        const text = read(folder, 'messages', file);
        const found = readMessage(text);
        assert.ok(found.ok, file);
        assert.equal(`${found.message.action}.json`, file);
        assert.deepEqual(found.message, JSON.parse(text));
      }
      const quirks = quirksOf('specification', '1.0');
      const hellos = filesIn(`${folder}/messages`, '.jsonc');
      assert.equal(hellos.length, 5);
      for (const file of hellos) {
        const text = read(folder, 'messages', file);
        const strict = readHello(text);
        assert.ok(!strict.ok && strict.fault === 'json', 'comments are no JSON');
        const found = readHello(text, { quirks });
        assert.ok(found.ok, file);
        assert.deepEqual(found.hello.metaProtocol.supportedCapabilities, [...capabilities]);
        const [, member] = file.split('.');
        assert.ok(member === 'capabilities' || Object.hasOwn(found.hello.metaProtocol, member ?? ''), file);
      }
      for (const file of filesIn(folder, '.md').filter((each) => each.startsWith('natural'))) {
        const text = read(folder, file);
        const encoded = encode({ type: 'naturalLanguage', text });
        assert.ok(encoded.ok);
        assert.deepEqual(decode(encoded.bytes), { ok: true, content: { type: 'naturalLanguage', text } });
      }
    });
}

const text = fc.string({ unit: 'binary', maxLength: 40 }).map((each) => each.toWellFormed());
const summary = fc.option(text, { nil: undefined });
const status = fc.constantFrom('negotiating', 'accepted', 'rejected');
const strangers = fc.dictionary(
  fc.oneof(text, fc.constantFrom('__proto__', 'constructor', 'then')).map((name) => `x${name}`),
  fc.jsonValue({ maxDepth: 3 }),
  { maxKeys: 3 },
);
const known = fc.oneof(
  fc.record({
    action: fc.constant('protocolNegotiation'),
    sequenceId: fc.nat(),
    candidateProtocols: text,
    modificationSummary: summary,
    status: fc.constantFrom('negotiating', 'accepted', 'rejected', 'timeout'),
  }),
  fc.record({ action: fc.constant('codeGeneration'), status: fc.constantFrom('generated', 'error') }),
  fc.record({ action: fc.constant('testCasesNegotiation'), testCases: text, modificationSummary: summary, status }),
  fc.record({ action: fc.constant('fixErrorNegotiation'), errorDescription: text, status }),
  fc.record({
    action: fc.constant('naturalLanguageNegotiation'),
    type: fc.constantFrom('REQUEST', 'RESPONSE'),
    messageId: text,
    message: text,
  }),
);
/** As JSON has it: no absent members, no negative zero. */
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value));
const message = fc.tuple(strangers, known).map(([others, own]) => plain({ ...others, ...own }) as MetaMessage);
const content: fc.Arbitrary<Content> = fc.oneof(
  message.map((each): Content => ({ type: 'meta', message: each })),
  text.map((each): Content => ({ type: 'naturalLanguage', text: each })),
  fc
    .tuple(fc.constantFrom('application', 'verification'), fc.uint8Array({ maxLength: 60 }))
    .map(([type, data]): Content => ({ type, data })),
);

test('what is written is read again, with members that nobody knows', () => {
  fc.assert(
    fc.property(content, fc.nat(63), (each, reserved) => {
      const encoded = encode(each);
      assert.ok(encoded.ok);
      assert.equal((encoded.bytes[0] ?? 255) & 0x3f, 0);
      assert.deepEqual(decode(encoded.bytes), { ok: true, content: each });
      encoded.bytes[0] = (encoded.bytes[0] ?? 0) | reserved;
      assert.deepEqual(decode(encoded.bytes), { ok: true, content: each }, 'reserved bits are ignored');
    }),
  );
});

test('hellos are read again, with members that nobody knows', () => {
  const hello = fc.record({
    version: text,
    type: fc.constant('sourceHello'),
    sessionId: text,
    metaProtocol: fc.record({
      version: text,
      supportedCapabilities: fc.array(text),
      usedProtocolHash: summary,
      candidateProtocols: fc.option(fc.array(text), { nil: undefined }),
      more: fc.jsonValue(),
    }),
  });
  fc.assert(
    fc.property(hello, (given) => {
      const each = plain(given) as unknown as SourceHello;
      const written = writeHello(each);
      assert.ok(written.ok);
      assert.deepEqual(readHello(written.text), { ok: true, hello: each });
    }),
  );
});

test('any bytes are read or give a fault, and nothing throws', () => {
  const prefixed = fc.tuple(fc.constantFrom('{"action":"protocolNegotiation"', '{"action":', '', '['), text);
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array({ maxLength: 80 }),
        fc.tuple(fc.nat(255), prefixed).map(([header, parts]) => Buffer.from([header, ...bytesOf(parts.join(''))])),
      ),
      (bytes) => {
        const decoded = decode(bytes);
        if (!decoded.ok) return assert.match(decoded.message, /^Cannot read .+: found .+, wanted .+/s);
        assert.deepEqual(decode(frame(decoded.content.type, bytes.subarray(1))), decoded);
      },
    ),
  );
});

test('a message with any member changed to something else is refused at that member', () => {
  const other = fc.jsonValue().map(plain);
  fc.assert(
    fc.property(message, fc.nat(), other, (each, pick, value) => {
      const schema: JsonObject = messageSchemas[each.action];
      const names = (schema.required as string[]).filter((name) => name !== 'action');
      const name = names[pick % names.length] ?? '';
      const changed = { ...each, [name]: value };
      const isValid = new Ajv2020().validate(schema, changed);
      const found = readMessage(JSON.stringify(changed));
      assert.equal(found.ok, isValid);
      if (!found.ok) assert.deepEqual([found.fault, found.pointer], ['member', `/${name}`]);
      const { [name]: _, ...without } = each;
      const missing = readMessage(JSON.stringify(without));
      assert.ok(!missing.ok && missing.fault === 'member' && missing.message.includes(name));
    }),
    { numRuns: 60 },
  );
});

test('every schema is valid, and everything that this family says matches', () => {
  const ajv = new Ajv2020({ strict: true });
  for (const schema of [...Object.values(messageSchemas), ...Object.values(helloSchemas)]) ajv.compile(schema);
  const settled = [{ code: 'DOCUMENT_CASE_WRONG', severity: 'error', in: 'response', message: '' }] as const;
  for (const language of ['en', 'zh'] as const)
    for (const said of [
      { what: 'generated' } as const,
      { what: 'failed' } as const,
      { what: 'dispute', findings: settled } as const,
      { what: 'complaint-accepted', findings: settled } as const,
      { what: 'complaint-rejected', findings: settled } as const,
      { what: 'amended-document', text: '# A', settled } as const,
      { what: 'amended-cases', text: '# B', settled } as const,
      { what: 'further-cases', text: '# C', added: [{ testCase: 2, expected: '' }] } as const,
    ])
      assert.ok(writeMessage(messageFor(said, { sequenceId: 1 }, language)).ok, said.what);
});

const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
const meta = (json: string) => Buffer.concat([Buffer.from([0]), bytesOf(json)]);
const faults: [what: string, bytes: Uint8Array, fault: string][] = [
  ['no byte', new Uint8Array(0), 'empty'],
  ['a header alone', Buffer.from([0]), 'json'],
  ['one byte more than allowed', new Uint8Array(MAX_FRAME_BYTES + 1), 'too-large'],
  ['bytes that are not UTF-8', Buffer.from([0, 0xc3, 0x28]), 'unicode'],
  ['language that is no UTF-8', Buffer.from([0x80, 0xff]), 'unicode'],
  ['UTF-16', Buffer.concat([Buffer.from([0]), Buffer.from('{}', 'utf16le')]), 'json'],
  ['a byte order mark', meta('\ufeff{"action":"codeGeneration","status":"error"}'), 'json'],
  ['two values', meta('{"action":"codeGeneration","status":"error"}{}'), 'json'],
  ['a comment', meta('{"action":"codeGeneration","status":"error"}//'), 'json'],
  ['nesting without end', meta(`{"action":"codeGeneration","status":"error","x":${deep}}`), 'json'],
  ['a number beyond a double', meta('{"action":"codeGeneration","status":"error","x":1e999}'), 'json'],
  ['half a surrogate pair', meta('{"action":"codeGeneration","status":"error","x":"\\ud83d"}'), 'json'],
  ['a list', meta('[]'), 'unknown'],
  ['no action', meta('{}'), 'unknown'],
  ['an action that objects inherit', meta('{"action":"toString"}'), 'unknown'],
  ['an action behind __proto__', meta('{"__proto__":{"action":"codeGeneration","status":"error"}}'), 'unknown'],
  ['the action of a list', meta('{"action":["codeGeneration"]}'), 'unknown'],
  ['another status', meta('{"action":"codeGeneration","status":"ready"}'), 'member'],
  [
    'a round in words',
    meta('{"action":"protocolNegotiation","sequenceId":"1","candidateProtocols":"","status":"accepted"}'),
    'member',
  ],
  [
    'half a round',
    meta('{"action":"protocolNegotiation","sequenceId":0.5,"candidateProtocols":"","status":"accepted"}'),
    'member',
  ],
];
for (const [what, bytes, wanted] of faults)
  test(`${what}: a fault, ${wanted}`, () => {
    const decoded = decode(bytes);
    assert.ok(!decoded.ok);
    assert.equal(decoded.fault, wanted, decoded.message);
    assert.ok(decoded.message.length < 500);
  });

test('the largest messages are read, however they are written', () => {
  const room = MAX_FRAME_BYTES - 200;
  const with_ = (written: string) =>
    meta(`{"action":"fixErrorNegotiation","status":"negotiating","errorDescription":"${written}"}`);
  for (const part of ['a', '\\n', '\\ud83d\\ude00', '\\\\', '"'.replace('"', '\\"'), '中']) {
    const decoded = decode(with_(part.repeat(Math.floor(room / bytesOf(part).length))));
    assert.ok(decoded.ok, part);
  }
  for (const part of ['[', '{"a":', '"', '\\', '//', '1e9,', 'é']) {
    const decoded = decode(meta(part.repeat(Math.floor(room / bytesOf(part).length))), { quirks: ['json-comments'] });
    assert.ok(!decoded.ok, part);
  }
});

test('what cannot be written is a fault', () => {
  const round: Json = {};
  round.round = round;
  const generated = { action: 'codeGeneration', status: 'generated' } as const;
  const tries: [Content, string][] = [
    [{ type: 'meta', message: { ...generated, round } }, 'json'],
    [{ type: 'meta', message: { ...generated, big: 1n as unknown as number } }, 'json'],
    [{ type: 'meta', message: { ...generated, deep: JSON.parse(deep.slice(99_900, 100_100)) } }, 'json'],
    [{ type: 'meta', message: { ...generated, half: '\ud83d' } }, 'json'],
    [{ type: 'meta', message: undefined as unknown as MetaMessage }, 'json'],
    [{ type: 'meta', message: { action: 'codeGeneration' } as unknown as MetaMessage }, 'member'],
    [{ type: 'meta', message: { ...generated, status: 'ready' } as unknown as MetaMessage }, 'member'],
    [{ type: 'naturalLanguage', text: '\udc00' }, 'unicode'],
    [{ type: 'application', data: new Uint8Array(MAX_FRAME_BYTES) }, 'too-large'],
    [{ type: 'naturalLanguage', text: 'é'.repeat(MAX_FRAME_BYTES / 2) }, 'too-large'],
  ];
  for (const [each, wanted] of tries) {
    const encoded = encode(each);
    assert.ok(!encoded.ok);
    assert.equal(encoded.fault, wanted, encoded.message);
  }
});

test('a reader can allow more bytes, or fewer', () => {
  const bytes = meta('{"action":"codeGeneration","status":"error"}');
  const decoded = decode(bytes, { maxBytes: bytes.length - 1 });
  assert.ok(!decoded.ok && decoded.fault === 'too-large');
  assert.ok(decode(bytes, { maxBytes: bytes.length }).ok);
});
