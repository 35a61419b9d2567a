import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type Asked,
  findSelection,
  type KeptSelection,
  type NegotiateRequest,
  type NegotiationResult,
  selectionKey,
} from '../../../src/families/anp-negotiate/door.ts';
import { folders, vector } from './vectors.ts';

const [folder = ''] = folders;
const request = vector(folder, '7.2-anp.negotiate-request') as unknown as NegotiateRequest;
const result = vector(folder, '8.1-negotiation-result').result as unknown as NegotiationResult;
const capabilities = vector(folder, '14.3-get-capabilities-response-fragment').result as {
  supported_profiles: string[];
};

const asked: Asked = {
  target: 'did:wba:grand-hotel.com:service:hotel-assistant:e1_example',
  caller: String(request.params.meta.sender_did),
  body: request.params.body,
};
const kept: KeptSelection = { asked, result, handler: 'digest of a handler' };
const until = Date.parse('2026-06-27T12:10:05Z');

/** The same question with a part changed. */
const other = (more: Partial<Asked['body']>): Asked => ({ ...asked, body: { ...asked.body, ...more } });

test('a selection is found again by the question it answered, until its time', () => {
  const found = findSelection(asked, [kept], { now: until - 1, capabilities });
  assert.deepEqual(found, { found: true, kept, key: selectionKey(asked, result) });
  assert.deepEqual(findSelection(asked, [kept], { now: until }), { found: false, why: 'expired' });
  assert.deepEqual(findSelection(asked, [], { now: 0 }), { found: false, why: 'unknown' });
  const refused = { ...kept, result: { ...result, status: 'rejected' as const } };
  assert.deepEqual(findSelection(asked, [refused], { now: 0 }), { found: false, why: 'unknown' });
  const { validUntil: _, ...endless } = result;
  assert.equal(findSelection(asked, [{ ...kept, result: endless }], { now: Number.MAX_SAFE_INTEGER }).found, true);
});

test('another target, caller or intent is another question; the order of tags, the id and the mode are not', () => {
  const same = (question: Asked) => findSelection(question, [kept], { now: 0 }).found;
  const { intent } = asked.body;
  assert.ok(same(other({ intent: { intentTags: [...(intent.intentTags ?? [])].reverse() } })));
  assert.ok(same(other({ negotiation_id: 'another', mode: 'another' })));
  assert.ok(same(other({ callerCapabilities: {} })), 'a caller with a DID is known by that');
  assert.ok(!same({ ...asked, target: 'did:wba:other.example' }));
  assert.ok(!same({ ...asked, caller: 'did:wba:other.example' }));
  assert.ok(!same(other({ intent: { ...intent, intentTags: ['hotel.booking'] } })));
  const { caller: __, ...nameless } = asked;
  assert.ok(!same(nameless));
  const untagged = { ...nameless, body: { intent: { name: 'book_hotel_room' } } };
  const entry = { asked: untagged, result };
  assert.ok(findSelection(untagged, [entry], { now: 0 }).found);
  const changes: Asked['body'][] = [
    { intent: { name: 'book_a_table' } },
    { ...untagged.body, callerCapabilities: { supportedProfiles: ['anp.rpc.v1'] } },
  ];
  for (const body of changes) assert.ok(!findSelection({ ...untagged, body }, [entry], { now: 0 }).found);
});

test('the key has the seven parts of the draft', () => {
  const key = selectionKey(asked, result);
  assert.match(key, /^[0-9a-f]{64}$/);
  const { selected = {} } = result;
  const changed: [Asked, NegotiationResult][] = [
    [{ ...asked, target: 'x' }, result],
    [{ ...asked, caller: 'x' }, result],
    [other({ intent: { intentTags: ['x'] } }), result],
    [asked, { ...result, selected: { ...selected, interface: 'x' } }],
    [asked, { ...result, selected: { ...selected, profile: 'x' } }],
    [asked, { ...result, selected: { ...selected, securityProfile: 'x' } }],
    [asked, { ...result, negotiationDigest: 'x' }],
  ];
  const keys = changed.map(([question, answer]) => selectionKey(question, answer));
  assert.equal(new Set([key, ...keys]).size, 8);
  assert.equal(selectionKey(asked, { ...result, selected: { ...selected, url: 'x' }, reason: 'x' }), key);
});

test('what the target supports no more, and what is weaker than required, is negotiated again', () => {
  const without = (name: string) => ({ ...capabilities, [name]: ['another'] });
  for (const name of ['supported_profiles', 'supported_security_profiles', 'supported_content_types'])
    assert.deepEqual(findSelection(asked, [kept], { now: 0, capabilities: without(name) }), {
      found: false,
      why: 'unsupported',
    });
  const strict = other({ constraints: { requiredSecurityProfile: 'direct-e2ee' } });
  assert.deepEqual(findSelection(strict, [kept], { now: 0 }), { found: false, why: 'downgrade' });
  const strong = { ...kept, result: { ...result, selected: { ...result.selected, securityProfile: 'direct-e2ee' } } };
  const lookup = findSelection(strict, [strong, kept], { now: 0 });
  assert.ok(lookup.found && lookup.kept === strong);
});

test('of several the last one that can be used counts', () => {
  const older = { ...kept, handler: 'older' };
  const lookup = findSelection(
    asked,
    [older, kept, { ...kept, result: { ...result, validUntil: '2026-01-01T00:00:00Z' } }],
    {
      now: until - 1,
    },
  );
  assert.ok(lookup.found && lookup.kept === kept);
  fc.assert(
    fc.property(fc.array(fc.constantFrom('did:a', 'did:b', 'did:c'), { maxLength: 8 }), (targets) => {
      const entries = targets.map((target, index) => ({ asked: { ...asked, target }, result, handler: `${index}` }));
      const found = findSelection({ ...asked, target: 'did:a' }, entries, { now: 0 });
      assert.equal(found.found ? Number(found.kept.handler) : -1, targets.lastIndexOf('did:a'));
    }),
  );
});
