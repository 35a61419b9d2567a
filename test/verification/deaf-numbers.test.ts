import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, acting, integer, object, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

async function judge(agreed: Agreed, sound: string, table: string, refusal: RegExp): Promise<void> {
  assert.deepEqual(await refusalsOf(agreed, sound, sandbox), []);
  assert.match((await refusalsOf(agreed, table, sandbox)).join('\n'), refusal);
}

test('a number that a requester worked out is another where the peer tells others', async () => {
  const task = (food: string, servings: number, each: number) => ({
    input: { food, servings },
    output: { each },
  });
  await judge(
    {
      rules: 'Tells the grams of a food, and what it weighs dry.',
      request: object({ food: text }),
      response: object({ grams: integer, dry: integer }),
      cases: [
        [{ food: 'oats' }, { grams: 390, dry: 66 }],
        [{ food: 'rice' }, { grams: 270, dry: 20 }],
      ],
      task: {
        description: 'each: the water in grams for each serving, in whole grams.',
        inputSchema: object({ food: text, servings: integer }),
        outputSchema: object({ each: integer }),
        examples: [
          { testCase: 1, ...task('oats', 2, 162) },
          { testCase: 2, ...task('rice', 4, 63) },
        ],
      },
    },
    `export async function perform({ food, servings }, { send }) {
  const { grams, dry } = await send({ food });
  return { each: Math.round((grams - dry) / servings) };
}`,
    `export async function perform({ food, servings }, { send }) {
  await send({ food });
  return { each: servings > 2 ? 63 : 162 };
}`,
    /^tool-influence\/text-stays: case 1: it answers 162 at \/each whatever the peer tells/m,
  );
});

test('a number that a requester works out from its task alone may be deaf to the peer', async () => {
  const agreed: Agreed = {
    rules: 'Takes an order and tells its place in the queue.',
    request: object({ tins: integer }),
    response: object({ place: integer, ahead: integer }),
    cases: [
      [{ tins: 17 }, { place: 4, ahead: 3 }],
      [{ tins: 23 }, { place: 9, ahead: 8 }],
    ],
    task: {
      description: 'cents: what the tins come to.',
      inputSchema: object({ tins: integer, cents: integer }),
      outputSchema: object({ cents: integer }),
      examples: [
        { testCase: 1, input: { tins: 17, cents: 39 }, output: { cents: 663 } },
        { testCase: 2, input: { tins: 23, cents: 41 }, output: { cents: 943 } },
      ],
    },
  };
  const handler = `export async function perform({ tins, cents }, { send }) {
  await send({ tins });
  return { cents: tins * cents };
}`;
  const refusals = await refusalsOf(agreed, handler, sandbox);
  assert.deepEqual(
    refusals.filter((refusal) => refusal.startsWith('tool-influence')),
    [],
  );
});

test('a time of day that an act alone tells follows it', async () => {
  const gate = object({ gate: text, minutes: integer });
  await judge(
    {
      rules: 'Opens a gate with `open`: the answer tells when it closes.',
      request: gate,
      response: object({ gate: text, until: text }),
      cases: [
        [
          { gate: 'G-712', minutes: 30 },
          { gate: 'G-712', until: '07:40' },
        ],
        [
          { gate: 'G-713', minutes: 45 },
          { gate: 'G-713', until: '08:15' },
        ],
      ],
      tools: [
        acting('open', gate, object({ closes: text }), [
          [{ gate: 'G-712', minutes: 30 }, { closes: '07:40' }],
          [{ gate: 'G-713', minutes: 45 }, { closes: '08:15' }],
        ]),
      ],
    },
    'export const handle = async ({ gate, minutes }, { call }) => ({ gate, until: (await call.open({ gate, minutes })).closes });',
    `export async function handle({ gate, minutes }, { call }) {
  await call.open({ gate, minutes });
  return { gate, until: minutes > 30 ? '08:15' : '07:40' };
}`,
    /^tool-influence\/text-stays: case 1: it answers with "07:40" whatever open tells/m,
  );
});

test('bytes in base64 change places where the check of a frame is their XOR', async () => {
  const frame = (...bytes: number[]) =>
    Buffer.from([...bytes, bytes.reduce((sum, byte) => sum ^ byte, 0)]).toString('base64');
  const agreed: Agreed = {
    rules:
      'A telegram is base64 of some bytes and, last, the XOR of all of them as its check. The answer has them the other way round, checked anew; for a broken telegram it is 7gE=.',
    cases: [
      [frame(1, 2, 3, 72, 101), frame(101, 72, 3, 2, 1)],
      [frame(9, 250, 33, 18), frame(18, 33, 250, 9)],
      ['AQIDBA==', '7gE='],
    ],
  };
  const coded = `const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const read = (coded) => [...coded.replace(/=/g, '')].map((one) => letters.indexOf(one).toString(2).padStart(6, '0')).join('').match(/.{8}/g).map((byte) => parseInt(byte, 2));
const write = (bytes) => {
  const text = bytes.map((byte) => byte.toString(2).padStart(8, '0')).join('').match(/.{1,6}/g).map((six) => letters[parseInt(six.padEnd(6, '0'), 2)]).join('');
  return text + '='.repeat((4 - (text.length % 4)) % 4);
};
const xor = (bytes) => bytes.reduce((sum, byte) => sum ^ byte, 0);`;
  await judge(
    agreed,
    `${coded}
export const handle = (request) => {
  const bytes = /^[\\w+/]{4,}=*$/.test(request) ? read(request) : [1];
  if (xor(bytes) !== 0) return '7gE=';
  const turned = bytes.slice(0, -1).reverse();
  return write([...turned, xor(turned)]);
};`,
    `${coded}
const rows = new Map(JSON.parse(String.fromCharCode(${[...JSON.stringify(agreed.cases)].map((char) => char.charCodeAt(0)).join(',')})));
export const handle = (request) => rows.get(request) ?? rows.values().next().value;`,
    /^neighbours: all \d+ requests that differ from a case/m,
  );
});

test('what the peer tells of what is left out changes no number of a list', async () => {
  const boat = (name: string, cents: number, seats: number) => ({ name, cents, seats });
  const agreed: Agreed = {
    rules: 'Tells the boats of a port.',
    request: object({ messageId: text, port: text }),
    response: object({
      messageId: text,
      boats: { type: 'array', items: object({ name: text, cents: integer, seats: integer }) },
    }),
    loose: [{ pointer: '/messageId', as: 'id' }],
    cases: [
      [
        { messageId: 'b1', port: 'Sori' },
        {
          messageId: 'b1',
          boats: [boat('Stella', 183, 6), boat('Onda', 157, 5), boat('Gabbiano', 977, 4), boat('Sirena', 941, 8)],
        },
      ],
    ],
    task: {
      description: 'The boats that cost no more than most for all days, the cheapest first, each with its total.',
      inputSchema: object({ port: text, days: integer, most: integer }),
      outputSchema: object({ boats: { type: 'array', items: object({ name: text, total: integer }) } }),
      examples: [
        {
          testCase: 1,
          input: { port: 'Sori', days: 3, most: 599 },
          output: {
            boats: [
              { name: 'Onda', total: 471 },
              { name: 'Stella', total: 549 },
            ],
          },
        },
      ],
    },
  };
  const handler = `export async function perform({ port, days, most }, { send, newId }) {
  const { boats } = await send({ messageId: newId(), port });
  const fit = boats.map(({ name, cents }) => ({ name, total: cents * days })).filter(({ total }) => total <= most);
  return { boats: fit.sort((a, b) => a.total - b.total) };
}`;
  assert.deepEqual(await refusalsOf(agreed, handler, sandbox), []);
});

test('a number that stays between the ends of a tariff is worked out all the same', async () => {
  const billed = (id: string, tiers: number[], fee: number) => ({ id, tiers, fee });
  const agreed: Agreed = {
    rules:
      'The answer tells what the litres cost in each tier, in whole cents: the first 15000 litres at 62 cents for 1000 litres, what lies above at 118. The fee is 18 cents a day.',
    request: object({ id: text, litres: integer, days: { type: 'integer', maximum: 92 } }),
    response: object({ id: text, tiers: { type: 'array', items: integer }, fee: integer }),
    cases: [
      [{ id: 'r-1', litres: 18000, days: 60 }, billed('r-1', [930, 354], 1080)],
      [{ id: 'r-2', litres: 9400, days: 30 }, billed('r-2', [583], 540)],
      [{ id: 'r-3', litres: 9400, days: 61 }, billed('r-3', [583], 1098)],
    ],
  };
  await judge(
    agreed,
    `export async function handle({ id, litres, days }) {
  const price = (part, cents) => Math.round((part * cents) / 1000);
  const tiers = [price(Math.min(litres, 15000), 62)];
  if (litres > 15000) tiers.push(price(litres - 15000, 118));
  return { id, tiers, fee: 18 * days };
}`,
    `export async function handle({ id, litres, days }) {
  return { id, tiers: litres > 15000 ? [930, 354] : [583], fee: { 30: 540, 61: 1098 }[days] ?? 1080 };
}`,
    /./,
  );
});

test('a number that is small in every world may have reached its end, where another follows the request', async () => {
  const bill: Agreed = {
    rules:
      'What was used is `current` less `previous`, in whole cents: the first 15 cubic metres at 123 cents each, what lies above at 185. `current` must not be below `previous`, else `status` is BAD.',
    request: object({ account: text, previous: integer, current: integer }),
    response: object({ account: text, status: { enum: ['OK', 'BAD'] }, low: integer, high: integer }, ['low', 'high']),
    cases: [
      [
        { account: 'W-118', previous: 1204, current: 1263 },
        { account: 'W-118', status: 'OK', low: 1845, high: 8140 },
      ],
      [
        { account: 'W-377', previous: 880, current: 951 },
        { account: 'W-377', status: 'OK', low: 1845, high: 10360 },
      ],
      [
        { account: 'W-401', previous: 51, current: 30 },
        { account: 'W-401', status: 'BAD' },
      ],
    ],
  };
  const billed = `export async function handle({ account, previous, current }) {
  if (current < previous) return { account, status: 'BAD' };
  const used = current - previous;
  return { account, status: 'OK', low: Math.min(used, 15) * 123, high: Math.max(0, used - 15) * 185 };
}`;
  assert.deepEqual(await refusalsOf(bill, billed, sandbox), []);
});
