import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Outcome } from '../../src/contract/outcome.ts';
import { documentOf } from '../../src/families/agora/messages.ts';
import { protocolHash } from '../../src/families/agora/protocol-hash.ts';
import { sha256Hex } from '../../src/kernel/digest.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { type Rig, root, runCommand, startRig } from './harness.ts';

const fixtures = join(root, 'fixtures/families/agora');

const jobOf = (name: string): JsonObject => JSON.parse(readFileSync(join(fixtures, `${name}.job.json`), 'utf8'));

const fenced = (source: string) => ({ kind: 'reply', text: `\`\`\`ts\n${source}\n\`\`\`` }) as const;

const forecast = `import type { Context, Request, Response } from './types';
const failure = (error: string): Response => JSON.stringify({ error });
export async function handle(request: Request, context: Context): Promise<Response> {
  let asked: unknown;
  try {
    asked = JSON.parse(request);
  } catch {
    return failure('Invalid format');
  }
  if (typeof asked !== 'object' || asked === null) return failure('Invalid format');
  const { city, date } = asked as { city?: unknown; date?: unknown };
  if (typeof city !== 'string' || typeof date !== 'string') return failure('Invalid format');
  if (!/^\\d{4}-\\d{2}-\\d{2}$/.test(date)) return failure('Invalid format');
  const found = await context.call.lookUpForecast({ city, date });
  return found === null ? failure('Unknown city') : JSON.stringify({ temperature: found.celsius, rain: found.rain });
}`;

const forecastTable = `import type { Request, Response } from './types';
const answers: Record<string, string> = {
  '{"city":"Rome","date":"2026-05-01"}': '{"temperature": 21.5, "rain": false}',
  '{"city": "Oslo", "date": "2026-05-02"}': '{"temperature": 9, "rain": true}',
  '{"city":"Atlantis","date":"2026-05-01"}': '{"error": "Unknown city"}',
};
export async function handle(request: Request): Promise<Response> {
  return answers[request] ?? '{"error": "Invalid format"}';
}`;

const umbrella = `import type { Context, Result, Task } from './types';
export async function perform(task: Task, context: Context): Promise<Result> {
  const reply = JSON.parse(await context.send(JSON.stringify({ city: task.place, date: task.day })));
  if (typeof reply.rain !== 'boolean') return { umbrella: 'unknown' };
  return { umbrella: reply.rain ? 'yes' : 'no' };
}`;

const umbrellaTable = `import type { Context, Result, Task } from './types';
export async function perform(task: Task, context: Context): Promise<Result> {
  await context.send(JSON.stringify({ city: task.place, date: task.day }));
  return { umbrella: task.place === 'Rome' ? 'no' : task.place === 'Oslo' ? 'yes' : 'unknown' };
}`;

const booking = `import type { Context, Request, Response } from './types';
export async function handle(request: Request, context: Context): Promise<Response> {
  let times: string[] | undefined;
  let seats: number | undefined;
  for (const { body } of request.slice(0, -1)) {
    const said = JSON.parse(body);
    if (Array.isArray(said.times)) times = said.times;
    if (typeof said.seats === 'number') seats = said.seats;
  }
  const last = JSON.parse(request[request.length - 1]?.body ?? '');
  if (typeof last.seats === 'number')
    return JSON.stringify({ times: await context.call.freeTimes({ seats: last.seats }) });
  return JSON.stringify(times?.includes(last.time) ? { booked: last.time, seats } : { error: 'Not free' });
}`;

const forgetful = booking.replace('request.slice(0, -1)', 'request.slice(0, 0)');

const booker = `import type { Context, Request, Result, Task } from './types';
export async function perform(task: Task, context: Context): Promise<Result> {
  const said: Request = [{ from: 'sender', body: JSON.stringify({ seats: task.seats }) }];
  const told = await context.send(said);
  if (!JSON.parse(told).times.includes(task.wish)) return { booked: null };
  said.push({ from: 'receiver', body: told }, { from: 'sender', body: JSON.stringify({ time: task.wish }) });
  return { booked: JSON.parse(await context.send(said)).booked ?? null };
}`;

/** A module for a job, marked by a word that its questions to the model hold. */
interface Played {
  name: string;
  word: string;
  source: string;
}

const sound: Played[] = [
  { name: 'forecast.provider', word: 'lookUpForecast', source: forecast },
  { name: 'forecast.requester', word: 'umbrella', source: umbrella },
  { name: 'booking.provider', word: 'freeTimes', source: booking },
  { name: 'booking.requester', word: 'booked', source: booker },
];

const unsound: (Played & { why: string })[] = [
  { name: 'forecast.provider', word: 'lookUpForecast', source: forecastTable, why: 'a table of its examples' },
  { name: 'forecast.requester', word: 'umbrella', source: umbrellaTable, why: 'a table of its examples' },
  { name: 'booking.provider', word: 'freeTimes', source: forgetful, why: 'a memory that ends with the message' },
  {
    name: 'forecast.provider',
    word: 'lookUpForecast',
    source: forecast.replace('rain: found.rain', 'rain: !found.rain'),
    why: 'a wrong answer',
  },
];

let rig: Rig;

before(async () => {
  rig = await startRig();
  await rig.worker({
    PROTOSMITH_READING: 'off',
    PROTOSMITH_MAX_CANDIDATES: '2',
    PROTOSMITH_FETCH_HOSTS: 'protocols.invalid',
  });
});

after(() => rig.close());

/** The outcome of a job that one candidate is written for. Its tenant has no other handler. */
async function outcomeOf(job: JsonObject, word: string, source: string, tenant: string): Promise<Outcome> {
  rig.answer(word, () => fenced(source));
  return rig.outcomeOf({ ...job, negotiationId: tenant, tenant });
}

for (const [index, { name, word, source }] of sound.entries())
  test(`${name}: a sound module is verified, and our node is told what to answer by it`, async () => {
    const job = jobOf(name);
    const outcome = await outcomeOf(job, word, source, `sound-${index}`);
    assert.equal(outcome.verdict, 'generated', JSON.stringify(outcome.findings));
    const [served = {}] = outcome.messages;
    const document = documentOf(job.agreement)?.text ?? '';
    const isLibrary = name.endsWith('requester');
    const hash = protocolHash(document, isLibrary ? 'base64' : 'hex');
    assert.equal(served.protocolHash, hash);
    assert.deepEqual(Object.keys(served.listing ?? {}), [hash]);
    assert.deepEqual(served.routine, { digest: outcome.handler?.digest, tools: outcome.handler?.tools });
    assert.deepEqual(served.replies, {
      returned: { status: 'success', body: '{value}' },
      failed: isLibrary ? { status: 'error', message: '{message}' } : { status: 'failure', error: '{message}' },
    });
    assert.equal(outcome.protocolHash, sha256Hex(document));
  });

for (const [index, { name, word, source, why }] of unsound.entries())
  test(`${name}: ${why} is no handler, and the peer hears that the protocol is not supported`, async () => {
    const outcome = await outcomeOf(jobOf(name), word, source, `unsound-${index}`);
    assert.equal(outcome.verdict, 'error');
    assert.match(outcome.findings.map(({ code }) => code).join(), /^CANDIDATE_/);
    assert.match(JSON.stringify(outcome.messages), /^\[\{"status":"(?:failure|error)",.*"Unsupported protocol"\}\]$/);
  });

test('an agreement without cases has a handler too, which answers in texts', async () => {
  const { testCases: _, ...job } = jobOf('forecast.provider');
  const outcome = await outcomeOf(job, 'lookUpForecast', forecast, 'no-cases');
  assert.equal(outcome.verdict, 'generated', JSON.stringify(outcome.findings));
  const objects = forecast.replace('JSON.stringify({ error })', '({ error }) as never');
  const refused = await outcomeOf(job, 'lookUpForecast', objects, 'no-cases-objects');
  assert.equal(refused.verdict, 'error');
});

test('what a peer would refuse as well is disputed in words of its own, before a token is spent', async () => {
  const outcome = await rig.outcomeOf({ ...jobOf('forecast.front-matter-broken'), negotiationId: 'broken' });
  assert.equal(outcome.verdict, 'disputed');
  assert.deepEqual(
    outcome.findings.map(({ code }) => code),
    ['DOCUMENT_FRONT_MATTER_UNREADABLE'],
  );
  assert.match(String(outcome.messages[0]?.error), /^Unsupported protocol\nCannot read front matter: /);
  const cases = [
    { request: 'a', response: 'b' },
    { request: 'a', response: 'c' },
  ];
  const contradictory = await rig.outcomeOf({ ...jobOf('forecast.provider'), negotiationId: 'both', testCases: cases });
  assert.deepEqual(
    [contradictory.verdict, contradictory.findings.map(({ code }) => code)],
    ['disputed', ['DOCUMENT_CASES_CONTRADICT']],
  );
  assert.equal(contradictory.messages[0]?.status, 'failure');
});

test('the hash of another text is refused by name', async () => {
  const outcome = await rig.outcomeOf(jobOf('forecast.other-hash'));
  assert.deepEqual(
    [outcome.verdict, outcome.findings.map(({ code, pointer }) => [code, pointer])],
    ['error', [['JOB_HASH_MISMATCH', '/agreement/protocolHash']]],
  );
  assert.equal(outcome.messages[0]?.status, 'error');
});

test('a document is fetched only by a worker whose operator allows its host, and a failure is told', async () => {
  const { document: _, ...agreement } = jobOf('forecast.provider').agreement as JsonObject;
  const job = { ...jobOf('forecast.provider'), negotiationId: 'unfetched', agreement };
  const ended = async (sources: string[]) => {
    const told = { ...agreement, protocolSources: sources };
    const { verdict, findings } = await rig.outcomeOf({ ...job, timeoutMs: 3_000, agreement: told });
    return [verdict, ...findings.map(({ code, message }) => `${code} ${message}`)].join();
  };
  // No name under .invalid resolves (RFC 6761).
  assert.match(
    await ended(['https://protocols.invalid/a']),
    /^error,PLATFORM_\w+ .*PLATFORM_SOURCE_UNREACHABLE|^error,PLATFORM_SOURCE_UNREACHABLE /,
  );
  assert.match(await ended(['https://other.invalid/a']), /^error,JOB_SOURCE_REFUSED [^,]+ host `other.invalid`/);
});

test('verify, fix and observe know the family: a complaint has no answer, a wrong reply is told', async () => {
  const job = { ...jobOf('forecast.provider'), tenant: 'kinds' };
  const made = await outcomeOf(job, 'lookUpForecast', forecast, 'kinds');
  const handlerDigest = made.handler?.digest ?? '';
  const ended = async (kind: string, more: JsonObject) => {
    const outcome = await rig.outcomeOf({ ...job, negotiationId: kind, ...more }, { kind });
    return [outcome.verdict, outcome.messages.length, outcome.findings.map(({ code }) => code)];
  };
  assert.deepEqual(await ended('verify', { handlerDigest }), ['clean', 0, []]);
  const complaint = { status: 'failure', error: 'The member "temperature" is missing.' };
  assert.deepEqual(await ended('fix', { handlerDigest, complaint }), ['clean', 0, ['DOCUMENT_COMPLAINT_UNFOUNDED']]);
  const peers = { ...jobOf('forecast.requester'), tenant: 'kinds' };
  const observed = async (response: string) => {
    const exchanges = [{ testCase: 1, request: '{ "date": "2026-05-01", "city": "Rome" }', response }];
    const outcome = await rig.outcomeOf({ ...peers, negotiationId: response, exchanges }, { kind: 'observe' });
    return [outcome.verdict, outcome.findings.map(({ code }) => code)];
  };
  assert.deepEqual(await observed('{"rain":false,"temperature":21.5}'), ['clean', []]);
  assert.deepEqual(await observed('{"temperature":9,"rain":false}'), [
    'disputed',
    ['DOCUMENT_EXCHANGE_CONTRADICTS_CASE'],
  ]);
});

test('lint looks at jobs, messages and documents of the family', async () => {
  const linted = async (...args: string[]) => {
    const { code, stdout } = await runCommand(['lint', '--json', ...args]);
    return [code, JSON.parse(stdout).map((finding: JsonObject) => finding.code)];
  };
  const file = (name: string) => join(fixtures, `${name}.job.json`);
  assert.deepEqual(await linted(file('forecast.provider')), [0, []]);
  assert.deepEqual(await linted(file('forecast.front-matter-broken')), [1, ['DOCUMENT_FRONT_MATTER_UNREADABLE']]);
  assert.deepEqual(await linted(file('forecast.other-hash')), [1, ['JOB_HASH_MISMATCH']]);
  const folder = mkdtempSync(join(tmpdir(), 'protosmith-test-'));
  try {
    const written = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const broken = '---\n- a\n---\nSend anything.';
    const wanted = [1, ['DOCUMENT_FRONT_MATTER_UNREADABLE']];
    assert.deepEqual(await linted(written('message.json', JSON.stringify({ document: broken }))), wanted);
    assert.deepEqual(await linted('--family', 'agora', written('document.md', broken)), wanted);
    const { code, stderr } = await runCommand(['lint', '--family', 'nobody', written('document.md', broken)]);
    assert.deepEqual([code, stderr.includes('found family "nobody"')], [64, true]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
