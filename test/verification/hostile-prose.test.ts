import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { measureOf, tryCandidate } from '../../scripts/try-candidate.ts';
import { hasWord } from '../../src/verification/scalar-kinds.ts';
import { variedScalars } from '../../src/verification/worlds/variations.ts';
import { startCost } from '../cost.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const schemaOf = (properties: Record<string, string>): string =>
  JSON.stringify({
    type: 'object',
    properties: Object.fromEntries(Object.entries(properties).map(([name, type]) => [name, { type }])),
    required: Object.keys(properties),
  });

for (const phrase of [
  'up to 5 and ',
  '1,000,',
  '\n',
  '>\n',
  '|\n',
  'when a tool is not ',
  '| amount | 5 |\n',
  '404: gone ',
  '{',
  '{"a":',
  'e.g.,',
]) {
  test(`a document full of ${JSON.stringify(phrase)} keeps the checks no longer than another`, async () => {
    const prose = phrase.repeat(Math.ceil(200_000 / phrase.length));
    const order = measureOf({
      version: 1,
      negotiationId: 'hostile-prose',
      family: 'anp',
      role: 'provider',
      agreement: {
        action: 'protocolNegotiation',
        sequenceId: 1,
        candidateProtocols: `# Requirements\nAn order\n\n# Process Description\n${prose}\n\n# Data Format Description\n\n## Request Message\n${schemaOf({ amount: 'integer' })}\n\n## Response Message\n${schemaOf({ next: 'integer' })}\n`,
        modificationSummary: '',
        status: 'accepted',
      },
      testCases: [5, 7, 12_000].map((amount) => ({ request: { amount }, response: { next: amount + 1 } })),
      tools: [{ name: 'look', description: 'Looks', annotations: { readOnlyHint: true }, otherwise: { output: null } }],
    });
    const source = `export async function handle(request: any, { call }: any) {
  await call.look({ amount: request.amount });
  return { next: request.amount + 1 };
}`;
    const cost = startCost();
    const { verification } = await tryCandidate(order, source, sandbox);
    const spent = cost();
    assert.ok(verification);
    // Takes 0.2 s; half a minute to four minutes if words are searched from every position of the text.
    assert.ok(spent < 1_200, `${spent}`);
  });
}

test('a protocol of texts full of lines and errors keeps the checks no longer than another', async () => {
  const rules = Array.from({ length: 5_000 }, (_, n) => `    abcd${n % 10} efgh\nabcd efghi is an error.\n`).join('');
  const tide = { type: ['integer', 'null'] };
  const order = measureOf({
    version: 1,
    negotiationId: 'hostile-lines',
    family: 'anp',
    role: 'requester',
    payload: 'text',
    task: {
      description: 'Tell the tide at a berth.',
      inputSchema: { type: 'object', properties: { berth: { type: 'string' } }, required: ['berth'] },
      outputSchema: { type: 'object', properties: { tide }, required: ['tide'] },
      examples: [{ testCase: 1, input: { berth: 'b14' }, output: { tide: 312 } }],
    },
    agreement: {
      action: 'protocolNegotiation',
      sequenceId: 1,
      candidateProtocols: `# Requirements\nTides\n\n# Process Description\n\`TIDE <berth>\` is answered with a number.\n${rules}`,
      modificationSummary: '',
      status: 'accepted',
    },
    testCases: [{ request: 'TIDE b14', response: '312' }],
  });
  const source = `export async function perform({ berth }: any, { send }: any) {
  return { tide: Number(await send('TIDE ' + berth)) };
}`;
  const cost = startCost();
  const { verification } = await tryCandidate(order, source, sandbox);
  const spent = cost();
  assert.ok(verification);
  // Takes 0.2 s; 20 s if each line is searched in each sentence.
  assert.ok(spent < 500, `${spent}`);
});

test('a value of digits is varied as fast as it is long', () => {
  const cost = startCost();
  assert.equal(variedScalars(`${'0'.repeat(500_000)} id`).at(-1), `${'0'.repeat(499_999)}5 id`);
  // Takes a few milliseconds; a minute if the last digit is searched from each digit.
  assert.ok(cost() < 1_200);
});

test('a word is looked for within bounds in a text that repeats itself', () => {
  const cost = startCost();
  assert.equal(hasWord('a'.repeat(1_000_000), 'a'.repeat(500_000)), false);
  assert.equal(hasWord(`${'a'.repeat(1_000_000)} aaaa`, 'aaaa'), true);
  // Takes some hundredths of a second; minutes if the whole word is compared at each position.
  assert.ok(cost() < 1_200);
});
