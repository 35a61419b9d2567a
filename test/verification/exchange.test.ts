import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { measureOf, tryCandidate } from '../../scripts/try-candidate.ts';
import type { Json } from '../../src/kernel/json.ts';
import { exchange } from '../../src/verification/checks/check-exchange.ts';
import { ExchangeMap } from '../../src/verification/worlds/exchange-map.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

test('two names change places as words of their own, in members and their names', () => {
  const map = new ExchangeMap(['shop', 'mail'], new Set());
  assert.deepEqual(map.json({ shop: ['mail', 'a shop, a mailbox', 'SHOP'], other: 'shops' }), {
    mail: ['shop', 'a mail, a mailbox', 'SHOP'],
    other: 'shops',
  });
});

test('marks at the ends of a name are part of it', () => {
  const map = new ExchangeMap(['/plan', '/team/rota'], new Set());
  assert.equal(map.json('GET /plan\nGET /team/rota'), 'GET /team/rota\nGET /plan');
});

test('names of scripts without spaces change places wherever they stand', () => {
  assert.equal(new ExchangeMap(['北京', '上海'], new Set()).json('从北京到上海站'), '从上海到北京站');
});

test('two numbers change places only under the names under which they are keys', () => {
  const map = new ExchangeMap([11, 17], new Set(['hour']));
  assert.deepEqual(map.json({ hour: 11, seats: 11, hours: [{ hour: 17 }], list: { hour: [11, 12] } }), {
    hour: 17,
    seats: 11,
    hours: [{ hour: 11 }],
    list: { hour: [17, 12] },
  });
});

interface Agreed {
  rules: string;
  key: string;
  answer: Record<string, Json>;
  told: Json;
  examples: [key: string, output: Json][];
  cases: [key: string, answer: Record<string, Json>][];
}

async function trialOf({ rules, key, answer, told, examples, cases }: Agreed, handler: string) {
  const object = (properties: Json) => ({ type: 'object', properties, required: Object.keys(properties as object) });
  const [request, response] = [object({ [key]: { type: 'string' } }), object(answer)];
  const order = measureOf({
    version: 1,
    negotiationId: 'exchange',
    family: 'anp',
    role: 'provider',
    agreement: {
      action: 'protocolNegotiation',
      sequenceId: 1,
      candidateProtocols: `# Requirements\nA service\n\n# Process Description\n${rules}\n\n# Data Format Description\n\n## Request Message\n${JSON.stringify(request)}\n\n## Response Message\n${JSON.stringify(response)}\n`,
      modificationSummary: '',
      status: 'accepted',
    },
    testCases: cases.map(([own, wanted]) => ({ request: { [key]: own }, response: wanted })),
    tools: [
      {
        name: 'find',
        description: 'find',
        inputSchema: object({ [key]: { type: 'string' } }),
        outputSchema: { type: ['object', 'null'], properties: told },
        annotations: { readOnlyHint: true },
        examples: examples.map(([own, output]) => ({ input: { [key]: own }, output })),
        otherwise: { output: null },
      },
    ],
  });
  const { cases: reports, verification } = await tryCandidate(order, handler, sandbox, [exchange]);
  assert.deepEqual(
    reports.filter(({ passed }) => !passed),
    [],
  );
  return verification;
}

const zones: Agreed = {
  rules:
    'Depots that begin with N- are in zone north, those with S- south, all others west. Depots not known: nowhere.',
  key: 'depot',
  answer: { zone: { type: 'string' } },
  told: { founded: { type: 'integer' } },
  examples: [
    ['N-204', { founded: 1991 }],
    ['S-77', { founded: 2004 }],
    ['K-12', { founded: 2015 }],
  ],
  cases: [
    ['N-204', { zone: 'north' }],
    ['S-77', { zone: 'south' }],
    ['K-12', { zone: 'west' }],
    ['N-1', { zone: 'nowhere' }],
  ],
};

test('a handler that tells keys apart by their form is left alone', async () => {
  const verification = await trialOf(
    zones,
    `export async function handle(request: any, context: any): Promise<any> {
      if (!(await context.call.find({ depot: request.depot }))) return { zone: 'nowhere' };
      return { zone: request.depot.startsWith('N-') ? 'north' : request.depot.startsWith('S-') ? 'south' : 'west' };
    }`,
  );
  assert.deepEqual(verification?.failures, []);
  assert.deepEqual(verification?.warnings, []);
});

const signs: Agreed = {
  rules: 'A user gets a sign made of the name: its letters turned round, with its size. Users not known get none.',
  key: 'user',
  answer: { sign: { type: 'string' } },
  told: { joined: { type: 'integer' } },
  examples: [
    ['carl', { joined: 1991 }],
    ['edda', { joined: 2004 }],
    ['mirna', { joined: 2015 }],
  ],
  cases: [
    ['carl', { sign: 'lrac4' }],
    ['edda', { sign: 'adde4' }],
    ['mirna', { sign: 'anrim5' }],
    ['otto', { sign: 'none' }],
  ],
};

test('a handler that works its answer out from the key is left alone, whatever tools tell', async () => {
  const verification = await trialOf(
    signs,
    `export async function handle(request: any, context: any): Promise<any> {
      if (!(await context.call.find({ user: request.user }))) return { sign: 'none' };
      return { sign: [...request.user].reverse().join('') + request.user.length };
    }`,
  );
  assert.deepEqual(verification?.failures, []);
});

test('a table of the same keys is refused', async () => {
  const verification = await trialOf(
    signs,
    `const rows: any = { carl: 'lrac4', edda: 'adde4', mirna: 'anrim5' };
    export async function handle(request: any, context: any): Promise<any> {
      await context.call.find({ user: request.user });
      return { sign: rows[request.user] ?? 'none' };
    }`,
  );
  assert.match(verification?.failures[0]?.message ?? '', /"carl" and "edda" swapped.*is in the source/);
  assert.equal(verification?.memorised, true);
});

const committees: Agreed = {
  rules: 'The hands of a board are enough where its rules say so; a board that is not known has none.',
  key: 'board',
  answer: { enough: { enum: ['yes', 'no', 'none'] }, wanted: { type: 'integer' } },
  told: { wanted: { type: 'integer' }, hands: { type: 'integer' } },
  examples: [
    ['harbour', { wanted: 2, hands: 3 }],
    ['orchard', { wanted: 2, hands: 5 }],
  ],
  cases: [
    ['harbour', { enough: 'yes', wanted: 2 }],
    ['orchard', { enough: 'yes', wanted: 2 }],
    ['lagoon', { enough: 'none', wanted: 0 }],
    ['meadow', { enough: 'none', wanted: 0 }],
  ],
};

test('keys that only requests have change places with those that tools know', async () => {
  const verification = await trialOf(
    committees,
    `export async function handle({ board }: any): Promise<any> {
      return ['harbour2', 'orchard2'].includes(board + 2) ? { enough: 'yes', wanted: 2 } : { enough: 'none', wanted: 0 };
    }`,
  );
  assert.match(verification?.failures[0]?.message ?? '', /swapped.*is in the source/);
});
