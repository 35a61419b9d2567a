import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, integer, object, reading, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const profiles = (rule: string): Agreed => ({
  rules: `The profile of a member is read, and those of its fields that are wanted are told; without wanted ones, all. Malformed requests: status "BAD_REQUEST". ${rule}`,
  request: {
    type: 'object',
    required: ['ref', 'member', 'rooms'],
    properties: {
      ref: { type: 'string' },
      member: { type: 'string' },
      rooms: { type: 'array', items: object({ room: text }) },
      wanted: { type: 'array', items: { type: 'string' } },
    },
    additionalProperties: false,
  },
  response: {
    type: 'object',
    required: ['ref', 'status'],
    properties: {
      ref: { type: 'string' },
      status: { enum: ['FINE', 'BAD_REQUEST', 'UNAVAILABLE'] },
      fields: { type: 'array', items: { type: 'string' } },
    },
    additionalProperties: false,
  },
  tools: [
    reading('profileOf', object({ member: text }), { type: 'array', items: { type: 'string' } }, [
      [{ member: 'mara' }, ['mara@mail.example', 'Lyon']],
      [{ member: 'tobi' }, ['tobi@mail.example', 'Graz']],
    ]),
  ],
  cases: [
    [
      { ref: 'r-1', member: 'mara', rooms: [{ room: 'A-4' }] },
      { ref: 'r-1', status: 'FINE', fields: ['mara@mail.example', 'Lyon'] },
    ],
    [
      { ref: 'r-2', member: 'tobi', rooms: [{ room: 'B-7' }] },
      { ref: 'r-2', status: 'FINE', fields: ['tobi@mail.example', 'Graz'] },
    ],
  ],
});

const told = 'If a tool fails, status is "UNAVAILABLE".';

const telling = (isRoom: string, first: string) => `export async function handle(request, { call }) {
  const asked = request !== null && typeof request === 'object' && !Array.isArray(request) ? request : {};
  const { ref, member, rooms, wanted, ...others } = asked;
  const answer = (status, rest) => ({ ref: typeof ref === 'string' ? ref : '', status, ...rest });
  const isText = (one) => typeof one === 'string';
  const isRoom = (one) => ${isRoom} isText(one.room) && Object.keys(one).length === 1;
  if (!isText(ref) || !isText(member) || !Array.isArray(rooms) || !rooms.every(isRoom) || Object.keys(others).length > 0) return answer('BAD_REQUEST');
  if (wanted !== undefined && !(Array.isArray(wanted) && wanted.every(isText))) return answer('BAD_REQUEST');
  try {
    const fields = await call.profileOf({ member });
    const first = wanted === undefined ? '' : ${first};
    return answer('FINE', { fields: wanted === undefined ? fields : fields.filter((one) => wanted.includes(one) || one === first) });
  } catch {
    return answer('UNAVAILABLE');
  }
}`;

const isRoom = "one !== null && typeof one === 'object' &&";
const [sound, careless] = ["String(wanted[0] ?? '').trim()", 'wanted[0].trim()'];

test('an optional list that is there but empty is no failure of ours', async () => {
  assert.deepEqual(await refusalsOf(profiles(told), telling(isRoom, sound), sandbox), []);
  const refusals = await refusalsOf(profiles(told), telling(isRoom, careless), sandbox);
  assert.match(refusals.join('\n'), /generated-requests: .*an empty list added at \/wanted.*blames a failure of ours/);
});

test('a failure may be named where its name stands for more than failures of ours', async () => {
  const also = profiles(`${told} Where nothing is wanted, status is "UNAVAILABLE".`);
  assert.deepEqual(await refusalsOf(also, telling(isRoom, careless), sandbox), []);
});

test('null for an item of a list of objects is a broken request as any other', async () => {
  const refusals = await refusalsOf(profiles(told), telling('', sound), sandbox);
  assert.match(refusals.join('\n'), /generated-requests: .*an item of rooms null.*it throws/);
});

test('a broken request may have no answer in the document, but nothing goes round for ever', async () => {
  const minutes: Agreed = {
    rules:
      'Tells the first so many minutes from a minute on, a step apart, that are neither before now nor behind the last one.',
    request: object({
      from: integer,
      last: integer,
      step: { type: 'integer', minimum: 1 },
      now: integer,
      count: integer,
    }),
    response: object({ minutes: { type: 'array', items: integer } }),
    cases: [
      [{ from: 310, last: 1420, step: 20, now: 725, count: 3 }, { minutes: [730, 750, 770] }],
      [{ from: 1365, last: 1400, step: 30, now: 1300, count: 3 }, { minutes: [1365, 1395] }],
    ],
  };
  const stepping = (guard: string) => `export function handle({ from, last, step, now, count }) {
  ${guard}
  const minutes = [];
  for (let at = from; at <= last && minutes.length < count; at += step) if (at >= now) minutes.push(at);
  return { minutes };
}`;
  assert.match(
    (await refusalsOf(minutes, stepping(''), sandbox)).join('\n'),
    /^generated-requests: a request broken on purpose .*: the run ended as "timed-out"$/m,
  );
  for (const guard of ['if (!(step >= 1)) return { minutes: [] };', "if (!(step >= 1)) throw new Error('no step');"])
    assert.deepEqual(await refusalsOf(minutes, stepping(guard), sandbox), []);
});
