import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { measureOf, tryCandidate } from '../../scripts/try-candidate.ts';
import type { Json } from '../../src/kernel/json.ts';
import { neighbours } from '../../src/verification/checks/check-neighbours.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

interface Agreed {
  rules: string;
  request: Record<string, Json>;
  response: Record<string, Json>;
  cases: [request: Json, response: Json][];
}

async function failuresOf({ rules, request, response, cases }: Agreed, handler: string): Promise<string[]> {
  const schemas = [request, response].map((properties) =>
    JSON.stringify({ type: 'object', properties, required: Object.keys(properties) }),
  );
  const order = measureOf({
    version: 1,
    negotiationId: 'neighbours',
    family: 'anp',
    role: 'provider',
    agreement: {
      action: 'protocolNegotiation',
      sequenceId: 1,
      candidateProtocols: `# Requirements\nA service\n\n# Process Description\n${rules}\n\n# Data Format Description\n\n## Request Message\n${schemas[0]}\n\n## Response Message\n${schemas[1]}\n`,
      modificationSummary: '',
      status: 'accepted',
    },
    testCases: cases.map(([own, wanted]) => ({ request: own, response: wanted })),
    tools: [],
  });
  const { cases: reports, verification } = await tryCandidate(order, handler, sandbox, [neighbours]);
  assert.deepEqual(
    reports.filter(({ passed }) => !passed),
    [],
  );
  return verification?.failures.map(({ message }) => message) ?? [];
}

const integer = { type: 'integer' };
const texts = { type: 'array', items: { type: 'string' } };

test('a request that says itself what its list comes to is left alone', async () => {
  const failures = await failuresOf(
    {
      rules: 'The parts of a bill are counted; where they do not come to its sum, nothing is: 0.',
      request: { sum: integer, parts: { type: 'array', items: integer } },
      response: { counted: integer },
      cases: [
        [{ sum: 75, parts: [40, 35] }, { counted: 2 }],
        [{ sum: 61, parts: [20, 20, 21] }, { counted: 3 }],
        [{ sum: 19, parts: [19] }, { counted: 1 }],
      ],
    },
    `export function handle({ sum, parts }: any): any {
      return { counted: parts.reduce((all: number, one: number) => all + one, 0) === sum ? parts.length : 0 };
    }`,
  );
  assert.deepEqual(failures, []);
});

test('one answer for all is seen, though a case echoes what stands in it', async () => {
  const failures = await failuresOf(
    {
      rules: 'A valve is opened by as many turns as the pressure needs.',
      request: { valve: { type: 'string' }, bar: integer, hot: { type: 'boolean' } },
      response: { valve: { type: 'string' }, turns: integer },
      cases: [
        [
          { valve: 'inlet', bar: 17, hot: false },
          { valve: 'inlet', turns: 34 },
        ],
        [
          { valve: 'outlet', bar: 23, hot: false },
          { valve: 'outlet', turns: 46 },
        ],
        [
          { valve: 'outlet', bar: 31, hot: true },
          { valve: 'outlet', turns: 93 },
        ],
      ],
    },
    `const rows: any = { 'inlet 17': 34, 'outlet 23': 46, 'outlet 31': 93 };
    export function handle({ valve, bar }: any): any {
      const turns = rows[valve + ' ' + bar];
      return turns ? { valve, turns } : { valve: 'outlet', turns: 12 };
    }`,
  );
  assert.match(failures.join(), /get the same answer/);
});

test('a value that stands twice in a request may be counted with itself', async () => {
  const trees: Agreed = {
    rules: 'The answer says how many different trees are named.',
    request: { trees: texts },
    response: { different: integer },
    cases: [
      [{ trees: ['oak', 'elm', 'oak'] }, { different: 2 }],
      [{ trees: ['fir'] }, { different: 1 }],
      [{ trees: [] }, { different: 0 }],
    ],
  };
  assert.deepEqual(
    await failuresOf(trees, 'export const handle = ({ trees }: any) => ({ different: new Set(trees).size });'),
    [],
  );
});

const parcels: Agreed = {
  rules: 'The digits 3 to 5 of a parcel are its route.',
  request: { parcel: { type: 'string' } },
  response: { known: { type: 'string' }, route: { type: ['integer', 'null'] } },
  cases: [
    [{ parcel: '40712382' }, { known: 'yes', route: 712 }],
    [{ parcel: '40712383' }, { known: 'no', route: null }],
    [{ parcel: '90044124' }, { known: 'yes', route: 44 }],
  ],
};
const routed = `export function handle({ parcel }: any): any {
  const sum = [...String(parcel)].reverse().reduce((total, digit, index) => {
    const twice = Number(digit) * (index % 2 ? 2 : 1);
    return total + (twice > 9 ? twice - 9 : twice);
  }, 0);
  return sum % 10 === 0 ? { known: 'yes', route: Number(parcel.slice(2, 5)) } : { known: 'no', route: null };
}`;

test('a member with a check digit that no longer fits is answered as any other such, whatever the document says', async () => {
  assert.deepEqual(await failuresOf(parcels, routed), []);
});

test('one answer with data for all neighbours is none to a check digit that does not fit', async () => {
  const known = JSON.stringify(parcels.cases.map(([own, answer]) => [JSON.stringify(own).split('').reverse(), answer]));
  const failures = await failuresOf(
    parcels,
    `const known: any = ${known};
export function handle(request: any): any {
  return known.find(([key]: any) => [...key].reverse().join('') === JSON.stringify(request))?.[1] ?? { known: 'yes', route: 816 };
}`,
  );
  assert.match(failures.join(), /get the same answer/);
});

const spelt: Agreed = {
  rules: 'A number below a hundred is spelt, ten and unit apart: four tens and seven units.',
  request: { number: { type: 'string' } },
  response: { words: { type: 'string' } },
  cases: [
    [{ number: '47' }, { words: 'forty-seven' }],
    [{ number: '83' }, { words: 'eighty-three' }],
    [{ number: '26' }, { words: 'twenty-six' }],
  ],
};

test('texts that are put together for each request are not one and the same for all others', async () => {
  const known = JSON.stringify(spelt.cases.map(([own, answer]) => [JSON.stringify(own).split('').reverse(), answer]));
  const failures = await failuresOf(
    spelt,
    `const known: any = ${known};
export function handle(request: any): any {
  return known.find(([key]: any) => [...key].reverse().join('') === JSON.stringify(request))?.[1] ?? known[0][1];
}`,
  );
  assert.match(failures.join(), /get the same answer/);
  const sound = `const tens = ['', 'ten', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];
const units = ['', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
export function handle({ number }: any): any {
  const [ten, unit] = String(number).padStart(2, '0').slice(-2).split('').map(Number) as [number, number];
  return { words: [tens[ten], units[unit]].filter(Boolean).join('-') };
}`;
  assert.deepEqual(await failuresOf(spelt, sound), []);
});

test('a few sentences of its own may be what all others are told', async () => {
  const failures = await failuresOf(
    {
      rules: 'An order is taken where its sum is that of its parts.',
      request: { parts: { type: 'array', items: integer }, freight: integer, sum: integer },
      response: { ok: { type: 'boolean' }, message: { type: 'string' } },
      cases: [
        [
          { parts: [1210, 415], freight: 90, sum: 1715 },
          { ok: true, message: 'Many thanks.' },
        ],
        [
          { parts: [332], freight: 45, sum: 377 },
          { ok: true, message: 'Many thanks.' },
        ],
        [
          { parts: [332], freight: 45, sum: 378 },
          { ok: false, message: 'Please add up again.' },
        ],
        [
          { parts: [], freight: 0, sum: 0 },
          { ok: false, message: 'Nothing is wanted.' },
        ],
      ],
    },
    `export function handle({ parts, freight, sum }: any): any {
      if (parts.length === 0) return { ok: false, message: 'Nothing is wanted.' };
      const isRight = parts.reduce((all: number, one: number) => all + one, freight) === sum;
      return isRight ? { ok: true, message: 'Many thanks.' } : { ok: false, message: 'Please add up again.' };
    }`,
  );
  assert.deepEqual(failures, []);
});
