import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  isExpired,
  NEGOTIATION_ERRORS,
  negotiationError,
  readMetaProtocolInterface,
  readNegotiateBody,
  readNegotiateRequest,
  readNegotiateResponse,
  readNegotiationError,
  readNegotiationResult,
} from '../../../src/families/anp-negotiate/door.ts';
import { type Json, type JsonObject, valueAt } from '../../../src/kernel/json.ts';
import { folders, vector } from './vectors.ts';

const readers = {
  body: readNegotiateBody,
  result: readNegotiationResult,
  interface: readMetaProtocolInterface,
  request: readNegotiateRequest,
  response: readNegotiateResponse,
  error: readNegotiationError,
} as const;

for (const folder of folders) {
  const at = (name: string, pointer: string) => valueAt(vector(folder, name), pointer) ?? null;

  test(`the messages of the draft are read as they are: ${folder.slice(-20)}`, () => {
    const taken: [keyof typeof readers, Json][] = [
      ['interface', vector(folder, '5.4-meta-protocol-interface')],
      ['interface', at('14.1-agent-description-fragment', '/interfaces/0')],
      ['request', vector(folder, '7.2-anp.negotiate-request')],
      ['body', at('7.2-anp.negotiate-request', '/params/body')],
      ['body', { intent: vector(folder, '7.4-intent') }],
      ['result', at('8.1-negotiation-result', '/result')],
      ['body', { intent: {}, ...vector(folder, '9-natural-language-drafting-body-fragment') }],
    ];
    for (const [name, message] of taken) {
      assert.deepEqual(readers[name](message), { ok: true, message }, name);
      assert.deepEqual(readers[name](JSON.stringify(message)), { ok: true, message }, `the text of ${name}`);
    }
    const response = readNegotiateResponse(vector(folder, '8.1-negotiation-result'));
    assert.ok(response.ok && response.message.kind === 'result');
    assert.deepEqual(response.message.result, at('8.1-negotiation-result', '/result'));
  });

  test(`other messages of the draft are none of these: ${folder.slice(-20)}`, () => {
    const refused: [keyof typeof readers, Json, string][] = [
      ['interface', at('14.1-agent-description-fragment', '/interfaces/1'), '/type'],
      ['body', vector(folder, '9-natural-language-drafting-body-fragment'), '/intent'],
      ['request', vector(folder, '14.2-get-capabilities-request'), '/method'],
      ['response', vector(folder, '14.3-get-capabilities-response-fragment'), '/result/negotiationId'],
    ];
    for (const [name, message, pointer] of refused) {
      const reading = readers[name](message);
      assert.ok(!reading.ok && 'faults' in reading, name);
      assert.ok(
        reading.faults.some((fault) => fault.pointer === pointer),
        JSON.stringify(reading.faults),
      );
    }
  });

  test(`the errors are those of the draft's table and example: ${folder.slice(-20)}`, () => {
    const table = vector(folder, '11-error-table') as unknown as JsonObject[];
    assert.deepEqual(
      NEGOTIATION_ERRORS.map(({ code, anpCode }) => ({ code, anp_code: anpCode })),
      table,
    );
    const example = vector(folder, '11-error.no-matching-interface');
    const details = { unsupportedConstraints: ['requiredSecurityProfile'] };
    assert.deepEqual(negotiationError('meta.no_matching_interface', { details }), example.error);
    const response = readNegotiateResponse(example);
    assert.ok(response.ok && response.message.kind === 'error');
    const { anpCode, retryable, details: read } = response.message.error;
    assert.deepEqual([anpCode, retryable, read], ['meta.no_matching_interface', false, details]);
  });
}

const accepted: JsonObject = { negotiationId: 'n', status: 'accepted', selected: {} };

test('a result is taken and refused as by the models of the Python SDK', () => {
  const taken: JsonObject[] = [
    accepted,
    { ...accepted, validUntil: null, execution: null, reason: null },
    { negotiation_id: 'n', status: 'rejected', reason: 'no slot' },
    { negotiationId: 'n', status: 'needs_more_information' },
    { ...accepted, validUntil: '2026-06-27T12:10:05.25+05:30' },
    { ...accepted, validUntil: '2024-02-29T23:59:59Z' },
    { ...accepted, validUntil: '2026-06-27t12:10:05z' },
    { ...accepted, validUntil: '1990-12-31T15:59:60-08:00' },
    { ...accepted, validUntil: '0000-01-01T00:00:00Z' },
    { ...accepted, execution: { mode: 'of the future', timeoutMs: 0 }, alternatives: [{}] },
  ];
  for (const message of taken) assert.equal(readNegotiationResult(message).ok, true, JSON.stringify(message));
  const refused: [Json, string][] = [
    [null, ''],
    [[], ''],
    [{ ...accepted, selected: null }, '/selected'],
    [{ negotiationId: 'n', status: 'accepted' }, '/selected'],
    [{ status: 'rejected' }, '/negotiationId'],
    [{ negotiationId: null, status: 'rejected' }, '/negotiationId'],
    [{ ...accepted, status: 'ok' }, '/status'],
    [{ ...accepted, selected: { securityProfile: 1 } }, '/selected/securityProfile'],
    [{ ...accepted, execution: { timeoutMs: -1 } }, '/execution/timeoutMs'],
    [{ ...accepted, execution: { timeoutMs: '3000' } }, '/execution/timeoutMs'],
    [{ ...accepted, execution: { requiresHumanAuthorization: 'yes' } }, '/execution/requiresHumanAuthorization'],
    [{ ...accepted, alternatives: ['a'] }, '/alternatives'],
    ...[
      '2026-06-27',
      '2026-06-27T12:10:05',
      'tomorrow',
      '',
      '2026-02-30T00:00:00Z',
      '2023-02-29T00:00:00Z',
      '2026-06-27T24:00:00Z',
      '2026-06-27T12:10:60Z',
      '2026-06-27T23:59:61Z',
      '2026-06-27 12:10:05Z',
      '2026-06-27T12:10:05+0000',
      '2026-06-27T12:10:05+24:00',
    ].map((validUntil): [Json, string] => [{ ...accepted, validUntil }, '/validUntil']),
  ];
  for (const [message, pointer] of refused) {
    const reading = readNegotiationResult(message);
    assert.ok(!reading.ok, JSON.stringify(message));
    assert.deepEqual(
      reading.faults.map((fault) => fault.pointer),
      [pointer],
      JSON.stringify(message),
    );
  }
});

test('a request and an interface are taken and refused as by the models of the Python SDK', () => {
  const body = (more: JsonObject) => readNegotiateBody({ intent: {}, ...more });
  const candidateProtocols = ['https://example.com/protocols/x/1.0', { protocol_id: 'x' }];
  for (const more of [{}, { mode: 'consensus_vote' }, { candidateProtocols }, { negotiationId: 7 }, { mode: null }])
    assert.equal(body(more).ok, true, JSON.stringify(more));
  const wrong: JsonObject[] = [
    { constraints: { maxLatencyMs: '3000' } },
    { constraints: { maxLatencyMs: -1 } },
    { constraints: { maxLatencyMs: 2.5 } },
    { constraints: { requiresHumanAuthorization: 'yes' } },
    { constraints: [] },
    { intent: { intentTags: 'hotel.booking' } },
    { intent: null },
    { intent: 'book' },
    { callerCapabilities: { supportedProfiles: [1, 2] } },
    { candidateProtocols: [1] },
    { negotiation_id: 7 },
  ];
  for (const more of wrong) assert.equal(body(more).ok, false, JSON.stringify(more));
  assert.deepEqual(readMetaProtocolInterface({ url: 'https://example.com/anp', security: 'didwba_sc' }), {
    ok: true,
    message: {
      url: 'https://example.com/anp',
      security: 'didwba_sc',
      type: 'MetaProtocolInterface',
      profile: 'anp.meta.negotiation.v1',
      binding: 'jsonrpc-2.0',
      methods: ['anp.negotiate'],
    },
  });
  for (const more of [
    { url: null },
    { type: 'StructuredInterface' },
    { type: null },
    { profile: 'anp.meta.negotiation.v2' },
    { methods: ['anp.get_capabilities'] },
    { methods: 'anp.negotiate' },
    { security: [1] },
  ])
    assert.equal(readMetaProtocolInterface({ url: 'u', ...more } as JsonObject).ok, false, JSON.stringify(more));
});

test('a response without a result is an error of the draft, another one, or none', () => {
  const of = (more: JsonObject) => readNegotiateResponse({ jsonrpc: '2.0', id: 1, ...more });
  const other = of({ error: { code: -32602, message: 'Invalid params' } });
  assert.ok(other.ok && other.message.kind === 'other error');
  const bare = of({ error: { code: 1600, message: '' } });
  assert.ok(bare.ok && bare.message.kind === 'error');
  assert.deepEqual(bare.message.error, {
    code: 1600,
    anpCode: 'meta.negotiation_rejected',
    message: 'Negotiation rejected',
    retryable: false,
  });
  for (const more of [{}, { result: null }, { result: [] }, { result: accepted, jsonrpc: '1.0' }])
    assert.equal(of(more).ok, false, JSON.stringify(more));
});

test('a result holds until its time, and one without a time holds on', () => {
  const validUntil = '2026-06-27T12:10:05Z';
  const at = Date.parse(validUntil);
  assert.deepEqual([isExpired({ validUntil }, at - 1), isExpired({ validUntil }, at)], [false, true]);
  assert.equal(isExpired({}, at), false);
  assert.equal(isExpired({ validUntil: validUntil.toLowerCase() }, at - 1), false);
  assert.equal(isExpired({ validUntil: validUntil.toLowerCase() }, at), true);
  const second = { validUntil: '1990-12-31T15:59:60-08:00' };
  const after = Date.parse('1991-01-01T00:00:00Z');
  assert.deepEqual([isExpired(second, after - 1), isExpired(second, after)], [false, true]);
});

test('a moment is the same in every form of its time, and no text makes the reader throw', () => {
  const day = fc.date({ min: new Date('1000-01-01'), max: new Date('9990-01-01'), noInvalidDate: true });
  const offset = fc.integer({ min: -1439, max: 1439 });
  fc.assert(
    fc.property(day, offset, (at, minutes) => {
      const local = new Date(at.getTime() + minutes * 60_000).toISOString().slice(0, -1);
      const two = (value: number) => String(value).padStart(2, '0');
      const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
      const text = `${local}${minutes < 0 ? '-' : '+'}${two(hours)}:${two(rest)}`;
      for (const validUntil of [text, text.toLowerCase(), at.toISOString()])
        assert.deepEqual(
          [isExpired({ validUntil }, at.getTime() - 1), isExpired({ validUntil }, at.getTime())],
          [false, true],
          validUntil,
        );
    }),
  );
  const part = fc.constantFrom('2026', '-', '06', '27', 'T', 't', ':', '60', '12', 'Z', '+', '.', ' ', '\u0660');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 24 }), (parts) => {
      assert.equal(typeof isExpired({ validUntil: parts.join('') }, 0), 'boolean');
    }),
  );
});

const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);

test('what was read is read the same after it is written, and unknown members are kept', () => {
  const text = fc.option(fc.string(), { nil: undefined });
  const member = (names: string[]) => fc.record(Object.fromEntries(names.map((name) => [name, text])));
  const result = fc.record({
    negotiationId: fc.string(),
    status: fc.constantFrom('accepted', 'rejected', 'needs_more_information'),
    selected: member(['capability', 'interface', 'securityProfile', 'protocolArtifact']),
    schemas: member(['requestSchema', 'responseSchema']),
    'x-extension': json,
  });
  fc.assert(
    fc.property(result, (given) => {
      const message = JSON.parse(JSON.stringify(given)) as JsonObject;
      const first = readNegotiationResult(message);
      assert.ok(first.ok);
      assert.deepEqual(first.message, message);
      assert.deepEqual(readNegotiationResult(JSON.stringify(first.message)), first);
    }),
  );
});

test('an error comes back as it was built', () => {
  const rows = fc.constantFrom(...NEGOTIATION_ERRORS);
  const details = fc.option(fc.dictionary(fc.string(), json), { nil: undefined });
  fc.assert(
    fc.property(
      rows,
      fc.string({ minLength: 1 }),
      fc.boolean(),
      details,
      ({ code, anpCode }, message, retryable, more) => {
        const given = more === undefined ? {} : { details: more as JsonObject };
        const read = readNegotiationError({ ...negotiationError(anpCode, { message, retryable, ...given }) });
        assert.deepEqual(read, { ok: true, error: { code, anpCode, message, retryable, ...given } });
      },
    ),
  );
});

test('malformed, huge and hostile messages are faults, never an exception', () => {
  const member = fc.constantFrom(
    ...['jsonrpc', 'params', 'result', 'error', 'selected', 'intent', 'methods', 'status'],
  );
  const message = fc.oneof(json, fc.dictionary(member, json), fc.string());
  fc.assert(
    fc.property(fc.constantFrom(...Object.values(readers)), message, (read, given) => {
      assert.equal(typeof read(given as Json).ok, 'boolean');
    }),
    { numRuns: 500 },
  );
  let deep: Json = {};
  for (let level = 0; level < 100_000; level += 1) deep = { selected: deep, intent: deep, params: deep };
  const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`m${index}`, index]));
  for (const read of Object.values(readers))
    for (const given of [deep, wide, '{"a":'.repeat(200_000), `{"a":"${'x'.repeat(2_000_000)}"}`, '[', '\u0000'])
      assert.equal(typeof read(given).ok, 'boolean');
  const long = readNegotiationResult(' '.repeat(2_000_000));
  assert.ok(!long.ok && long.faults[0]?.message.includes('2000000 characters'));
  const named = JSON.parse('{"negotiationId":"n","status":"rejected","__proto__":{"reason":"x"},"constructor":{}}');
  assert.deepEqual(readNegotiationResult(named), { ok: true, message: named });
  assert.equal(readNegotiationResult(JSON.parse('{"__proto__":{"negotiationId":"n","status":"rejected"}}')).ok, false);
});
