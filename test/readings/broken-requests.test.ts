import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { JsonObject } from '../../src/kernel/json.ts';
import { brokenRequestCases, worldsOf } from '../../src/readings/broken-requests.ts';
import { dropReasonOf } from '../../src/readings/validity.ts';
import { borrowingJob, derived, lendingJob, object, startJudging, subjectOf } from './rig.ts';

const bench = await startJudging();
after(() => bench.close());

const job = lendingJob('A request that breaks its schema is answered with 400.');
const subject = subjectOf(job);

const broken = (request: JsonObject[], answer: JsonObject[], more: JsonObject = {}): JsonObject => ({
  broken: true,
  request,
  expect: { answer, calls: [{ tool: 'lend', times: 0 }] },
  ...more,
});
const without = (path: string) => [{ op: 'remove', path }];
const set = (path: string, value: string | number | boolean) => [{ op: 'replace', path, value }];
const refused = (id: string | undefined) => [
  { at: '/code', equals: 400 },
  ...(id === undefined ? [] : [{ at: '/id', equals: id }]),
];

const three = [
  broken(without('/days'), refused('a-1')),
  broken(set('/days', 'many'), refused('a-1')),
  { ...broken(set('/days', 0), refused('a-2')), base: 2 },
];

const madeOf = (entries: JsonObject[], of = subject) => brokenRequestCases(worldsOf(derived(...entries), of), of);

test('the common demands of three broken requests apply to others', () => {
  const made = madeOf(three);
  assert.ok(made.length >= 4, `${made.length}`);
  const given = new Set(three.map(({ request }) => JSON.stringify(request)));
  for (const entry of made) {
    assert.equal(entry.broken, true);
    assert.equal(dropReasonOf(entry, subject), undefined, 'each is a valid derived case');
    assert.ok(entry.base === 1 || entry.base === 2);
    assert.deepEqual(entry.expect.answer?.[0], { at: '/code', equals: 400 });
    assert.deepEqual(entry.expect.calls, [{ tool: 'lend', times: 0 }]);
    assert.ok(
      entry.base === 2 || !given.has(JSON.stringify(entry.request)),
      'those that were written are not made again',
    );
  }
});

test('an echoed value is demanded where the request has it', () => {
  const made = madeOf(three);
  const echoOf = (path: string) =>
    made
      .filter(({ request }) => request?.[0]?.path === path)
      .map(({ expect }) => expect.answer?.find(({ at }) => at === '/id')?.equals);
  assert.ok(echoOf('/thing').length > 0);
  for (const echo of echoOf('/thing')) assert.ok(echo === 'a-1' || echo === 'a-2');
  assert.ok(echoOf('/id').length > 0);
  for (const echo of echoOf('/id')) assert.equal(echo, undefined, 'an id that is missing or broken is no id');
});

test('two examples are too few, and so are three without a common demand', () => {
  assert.deepEqual(madeOf(three.slice(0, 2)), []);
  const other = broken(set('/thing', 7), [{ at: '/code', equals: 409 }]);
  assert.deepEqual(madeOf([...three, other]), []);
});

test('a valid request, one that is declared so, or one with a broken base is no example', () => {
  const fine = broken(set('/thing', 'hoe'), refused('a-1'));
  assert.deepEqual(madeOf([...three.slice(0, 2), fine]), []);
  assert.deepEqual(madeOf([...three.slice(0, 2), { ...three[2], broken: false }]), []);
  const free = { ...three[2], base: 0, request: [{ op: 'replace', path: '', value: { id: 'a-2' } }] };
  assert.deepEqual(madeOf([...three.slice(0, 2), free]), []);
  const either = { ...three[2], expect: { anyOf: [{ answer: [{ at: '/code', equals: 400 }] }] } };
  assert.deepEqual(madeOf([...three.slice(0, 2), either]), []);
});

test('readings of the older form do not mark broken requests: the schema decides', () => {
  const older = three.map(({ broken: _, ...entry }) => entry);
  assert.equal(madeOf(older).length, madeOf(three).length);
});

test('a requester has no such cases, nor has an agreement without a request schema', () => {
  assert.deepEqual(brokenRequestCases([], subjectOf(borrowingJob())), []);
  assert.deepEqual(madeOf(three, { ...subject, requestSchema: null }), []);
});

test('a handler that handles only the listed broken requests is found out, one that handles all is not', async () => {
  const entries = derived(...three);
  const rest = `
  const { state } = await context.call.find({ thing: input.thing });
  if (state !== 'free') return { id: input.id, code: 409 };
  await context.call.lend({ thing: input.thing });
  return { id: input.id, code: 200 };`;
  const narrow = `if (!Number.isInteger(input.days) || input.days < 1) return { id: input.id, code: 400 }; ${rest}`;
  const found = await bench.judge(narrow, job, entries);
  assert.ok(found.broken.length > 0);
  for (const { entry } of found.broken) assert.ok(!entries.includes(entry), 'the written ones are kept');
  const wide = `
  const id = typeof input.id === 'string' ? input.id : '';
  if (typeof input.id !== 'string' || typeof input.thing !== 'string' || !Number.isInteger(input.days) || input.days < 1) return { id, code: 400 };
  ${rest}`;
  assert.deepEqual((await bench.judge(wide, job, entries)).broken, []);
});

test('nested members are broken too', () => {
  const schema = object({
    id: { type: 'string' },
    order: object({ size: { type: 'integer' }, note: { type: 'string' } }),
  });
  const request = { id: 'd-1', order: { size: 3, note: 'n' } };
  const deep = {
    ...subject,
    requestSchema: schema,
    cases: [{ ...subject.cases[0], testCase: 1, request }],
    surface: {
      ...subject.surface,
      requestIssues: (value: unknown) => {
        const { id, order } = value as { id?: unknown; order?: { size?: unknown; note?: unknown } };
        const isWhole = typeof id === 'string' && Number.isInteger(order?.size) && typeof order?.note === 'string';
        return isWhole ? [] : [{ pointer: '', schemaPointer: '', keyword: 'type', message: 'broken', expected: null }];
      },
    },
  } as unknown as typeof subject;
  const answer = [{ at: '/code', equals: 400 }];
  const entries = [
    broken(without('/id'), answer),
    broken(without('/order'), answer),
    broken(set('/order/size', 'x'), answer),
  ];
  assert.ok(madeOf(entries, deep).some((entry) => entry.request?.[0]?.path === '/order/note'));
});
