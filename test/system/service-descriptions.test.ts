import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Outcome } from '../../src/contract/outcome.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { type Rig, root, startRig } from './harness.ts';

const textOf = (name: string) => readFileSync(join(root, 'fixtures/service-descriptions', name), 'utf8');

/** A job about a document of the default family. */
function job(document: string, more: JsonObject): JsonObject {
  const agreement = {
    action: 'protocolNegotiation',
    sequenceId: 1,
    status: 'accepted',
    candidateProtocols: document,
  };
  return { version: 1, role: 'provider', agreement, ...more };
}

const articles = (description: string) =>
  job(
    `# Requirements\nThe provider tells what a shop has in stock and what it costs. An article that the shop does not have is an error.\n\n\`\`\`json\n${description}\n\`\`\`\n\n# Notes\nThe level is never negative.\n`,
    {
      tools: [
        {
          name: 'lookUpArticle',
          description: 'An article by its sku, with the price of a piece. Resolves to null where there is none.',
          annotations: { readOnlyHint: true },
          inputSchema: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] },
          outputSchema: {
            type: ['object', 'null'],
            properties: { stock: { type: 'integer', minimum: 0 }, pieceCents: { type: 'integer', minimum: 0 } },
            required: ['stock', 'pieceCents'],
          },
          examples: [{ input: { sku: 'L-100' }, output: { stock: 12, pieceCents: 2450 } }],
          otherwise: { output: null },
        },
      ],
    },
  );

const shop = `import type { Context, Request, Response } from './types';
export async function handle(request: Request, context: Context): Promise<Response> {
  const article = await context.call.lookUpArticle({ sku: request.sku });
  if (article === null) return { error: { code: 404, message: 'Unknown article' } };
  if (request.$method === 'articles.price') return article.pieceCents * request.pieces;
  return { sku: request.sku, level: article.stock };
}`;

const shopTable = `import type { Request, Response } from './types';
export async function handle(request: Request): Promise<Response> {
  return request.$method === 'articles.price' ? 7350 : { sku: 'L-100', level: 12 };
}`;

const temperature = (description: string) =>
  job(description, {
    testCases: {
      action: 'testCasesNegotiation',
      status: 'accepted',
      testCases: [
        '# Test Case 1\n\n- **Test Request Data**:\n{"celsius": 100}\n\n- **Test Response Data**:\n{"fahrenheit": 212, "note": null}\n\n- **Expected Test Result**:\nConverted.\n',
        '# Test Case 2\n\n- **Test Request Data**:\n{"celsius": 21.4}\n\n- **Test Response Data**:\n{"fahrenheit": 70.5, "note": null}\n\n- **Expected Test Result**:\nConverted and rounded.\n',
      ].join('\n'),
    },
  });

const converter = `import type { Request, Response } from './types';
export async function handle({ celsius }: Request): Promise<Response> {
  return { fahrenheit: Math.round((celsius * 9 / 5 + 32) * 10) / 10, note: null };
}`;

const converterTable = `import type { Request, Response } from './types';
export async function handle({ celsius }: Request): Promise<Response> {
  return { fahrenheit: celsius === 100 ? 212 : celsius === 21.4 ? 70.5 : 0, note: null };
}`;

/** The agent that calls the tool of a list as its peer published it. */
const units = () =>
  job(textOf('units.tools.json'), {
    role: 'requester',
    testCases: [
      { request: { $method: 'convertLength', metres: 10 }, response: { feet: 32.8 } },
      { request: { $method: 'convertLength', metres: 2 }, response: { feet: 6.56 } },
    ],
    task: {
      description: 'Tell how many feet a length in metres is, as the converter answers it.',
      inputSchema: { type: 'object', properties: { length: { type: 'number', minimum: 0 } }, required: ['length'] },
      outputSchema: { type: 'object', properties: { answer: { type: ['number', 'null'] } }, required: ['answer'] },
      examples: [
        { testCase: 1, input: { length: 10 }, output: { answer: 32.8 } },
        { testCase: 2, input: { length: 2 }, output: { answer: 6.56 } },
      ],
    },
  });

const caller = `import type { Context, Result, Task } from './types';
export async function perform(task: Task, context: Context): Promise<Result> {
  const reply = await context.send({ $method: 'convertLength', metres: task.length });
  return { answer: 'feet' in reply && typeof reply.feet === 'number' ? reply.feet : null };
}`;

const callerTable = `import type { Context, Result, Task } from './types';
export async function perform(task: Task, context: Context): Promise<Result> {
  await context.send({ $method: 'convertLength', metres: task.length });
  return { answer: task.length === 10 ? 32.8 : 6.56 };
}`;

let rig: Rig;

before(async () => {
  rig = await startRig();
  await rig.worker({ PROTOSMITH_READING: 'off', PROTOSMITH_MAX_CANDIDATES: '2' });
});

after(() => rig.close());

/** The outcome of a job that one candidate is written for. Its tenant has no other handler. */
async function outcomeOf(data: JsonObject, word: string, source: string, tenant: string): Promise<Outcome> {
  rig.answer(word, () => ({ kind: 'reply', text: `\`\`\`ts\n${source}\n\`\`\`` }));
  return rig.outcomeOf({ ...data, negotiationId: tenant, tenant });
}

const played = [
  {
    of: 'OpenRPC in prose',
    data: articles(textOf('articles.openrpc.json')),
    word: 'lookUpArticle',
    sound: shop,
    table: shopTable,
  },
  {
    of: 'OpenAPI in YAML',
    data: temperature(textOf('temperature.openapi.yaml')),
    word: 'celsius',
    sound: converter,
    table: converterTable,
  },
  { of: 'a list of MCP tools', data: units(), word: 'convertLength', sound: caller, table: callerTable },
];

for (const { of, data, word, sound, table } of played) {
  test(`${of}: a sound module is verified`, async () => {
    const outcome = await outcomeOf(data, word, sound, `sound-${word}`);
    assert.equal(outcome.verdict, 'generated', JSON.stringify([outcome.findings, outcome.report.attempts]));
    assert.deepEqual(outcome.messages, [{ action: 'codeGeneration', status: 'generated' }]);
  });

  test(`${of}: a table of its examples is no handler`, async () => {
    const outcome = await outcomeOf(data, word, table, `table-${word}`);
    assert.equal(outcome.verdict, 'error');
    assert.match(outcome.findings.map(({ code }) => code).join(), /^CANDIDATE_/);
  });
}

test('a handler that answers a method with the reply of another one is none', async () => {
  const wrong = shop.replace("=== 'articles.price'", "=== 'articles.level'").replace('request.pieces', '1');
  const outcome = await outcomeOf(articles(textOf('articles.openrpc.json')), 'lookUpArticle', wrong, 'exchanged');
  assert.equal(outcome.verdict, 'error');
  assert.match(outcome.findings.map(({ code }) => code).join(), /^CANDIDATE_/);
});

test('a broken description is disputed in words of the peer, before a token is spent', async () => {
  const text = textOf('articles.openrpc.json');
  const codes = async (data: JsonObject, id: string) => {
    const { verdict, findings, messages } = await rig.outcomeOf({ ...data, negotiationId: id, tenant: id });
    const errors = findings.filter(({ severity }) => severity === 'error').map(({ code }) => code);
    return { verdict, errors: [...new Set(errors)], told: String(messages[0]?.errorDescription) };
  };
  const dangling = await codes(
    articles(text.replace('components/errors/Unknown', 'components/errors/None')),
    'dangling',
  );
  assert.deepEqual([dangling.verdict, dangling.errors], ['disputed', ['DOCUMENT_DESCRIPTION_INVALID']]);
  assert.match(dangling.told, /a reference to nothing/);
  const cut = await codes(articles(text.slice(0, -40)), 'cut');
  assert.deepEqual([cut.verdict, cut.errors], ['disputed', ['DOCUMENT_SCHEMA_UNREADABLE']]);
  const example = await codes(articles(text.replace('"level": 12 }', '"level": -12 }')), 'example');
  assert.deepEqual([example.verdict, example.errors], ['disputed', ['DOCUMENT_CASE_VIOLATES_SCHEMA']]);
  const yaml = textOf('temperature.openapi.yaml');
  const broken = await codes(temperature(yaml.replace('schema:\n', 'schem\n')), 'yaml');
  assert.deepEqual([broken.verdict, broken.errors], ['disputed', ['DOCUMENT_SCHEMA_UNREADABLE']]);
  const { testCases: _, ...tools } = units();
  const twice = String(Object(tools.agreement).candidateProtocols).replace('"listUnits"', '"convertLength"');
  const same = await codes(job(twice, { task: tools.task ?? null, role: 'requester' }), 'twice');
  assert.deepEqual([same.verdict, same.errors], ['disputed', ['DOCUMENT_DESCRIPTION_INVALID']]);
});

test('a case that breaks a described schema comes with the description amended in its text', async () => {
  const yaml = textOf('temperature.openapi.yaml').replace('                    nullable: true\n', '');
  const outcome = await rig.outcomeOf({ ...temperature(yaml), negotiationId: 'amend', tenant: 'amend' });
  assert.equal(outcome.verdict, 'disputed');
  const amended = String(outcome.proposals?.[0]?.candidateProtocols);
  // In the dialect of the description.
  const line = '                    nullable: true\n';
  assert.equal(amended.replace(line, ''), yaml);
  assert.equal(amended.split(line).length, 2);
});
