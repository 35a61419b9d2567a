import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { createProducer } from '../../src/client/producer.ts';
import type { Reading } from '../../src/contract/reading.ts';
import {
  findSelection,
  type NegotiationResult,
  negotiationError,
  readNegotiationResult,
} from '../../src/families/anp-negotiate/door.ts';
import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { answersOf } from '../../src/readings/confirmed.ts';
import { placesOf } from '../../src/readings/places.ts';
import { loadHandler } from '../../src/sandbox-door.ts';
import { type Rig, root, runCommand, startRig } from './harness.ts';
import { lines, moduleReply, placesAsked } from './readings-rig.ts';

const fixtures = join(root, 'fixtures/families/anp-negotiate/jobs');
const folders = ['freight-quote', 'freight-quote-requester', 'library-desk'];

/** A report, as far as the tests look at it. */
type Report = JsonObject & { digest?: JsonObject; error?: JsonObject };

let rig: Rig;

before(async () => {
  rig = await startRig();
  await rig.worker({ PROTOSMITH_READING: 'required', PROTOSMITH_MAX_CANDIDATES: '2' });
});

after(() => rig.close());

const read = <T>(folder: string, file: string): T => JSON.parse(readFileSync(join(fixtures, folder, file), 'utf8'));

/** The job of a fixture, with a mark in the description of its tools or task: the agreement stays as it was. */
function marked(folder: string, mark: string, more: JsonObject = {}): JsonObject & { agreement: JsonObject } {
  const job = read<JsonObject & { agreement: JsonObject }>(folder, 'job.json');
  const task = job.task as JsonObject | undefined;
  const tools = (job.tools ?? []) as JsonObject[];
  const [first, ...rest] = tools;
  return {
    ...job,
    ...(task === undefined ? {} : { task: { ...task, description: `${task.description}\n\n[${mark}]` } }),
    ...(first === undefined ? {} : { tools: [{ ...first, description: `${first.description} [${mark}]` }, ...rest] }),
    negotiationId: mark,
    tenant: mark,
    ...more,
  };
}

/** Plays the model of one job: a recorded reading, a second reader that bears it out, and one module. */
function play(mark: string, folder: string, file: string): void {
  const { derived } = read<Reading>(folder, 'reading.json');
  const source = readFileSync(join(fixtures, folder, file), 'utf8');
  rig.answer(mark, (_, question) => {
    if (question.to === 'candidate') return moduleReply(source);
    if (question.to === 'read') {
      const units = [...question.prompt.matchAll(/^\[(\d+)\] /gm)].map(([, number]) => Number(number));
      return { kind: 'reply', text: lines([...(derived as unknown as JsonObject[]), { units, none: 'explains' }]) };
    }
    if (question.to !== 'confirm') return { kind: 'status', status: 500 };
    return { kind: 'reply', text: lines(secondReading(question.prompt, derived)) };
  });
}

/** What a second reader says of the worlds of a recorded reading: the same. */
function secondReading(prompt: string, derived: Reading['derived']): JsonObject[] {
  const sections = prompt.split(/^# World /m);
  return placesAsked({ prompt }).map(({ world, place, question, input }): JsonObject => {
    const isShown = (value: unknown) =>
      value === undefined || sections[world]?.includes(JSON.stringify(value)) === true;
    const entry = derived.find(({ request = [], tools, peer }) => {
      const isInput = request.length === 0 || isDeepStrictEqual(request[0]?.value, input);
      return isInput && isShown(tools) && isShown(peer);
    });
    const key = entry && placesOf(entry.expect).find((one) => one.question === question)?.key;
    return { world, place, ...(entry && key ? answersOf(entry)[key] : { unclear: true }) };
  });
}

for (const folder of folders)
  for (const file of readdirSync(join(fixtures, folder)).filter((name) => name.endsWith('.ts'))) {
    const mark = `${folder} ${file.replace('.ts', '')}`.replaceAll(' ', '-');
    const isSound = file.startsWith('sound');
    test(`${mark} ${isSound ? 'is a handler' : 'is none'}`, async () => {
      play(mark, folder, file);
      const outcome = await rig.outcomeOf(marked(folder, mark));
      const shown = JSON.stringify([outcome.findings, outcome.report.attempts, outcome.report.reading]);
      assert.equal(outcome.verdict, isSound ? 'generated' : 'error', shown);
      const [told = {}] = outcome.messages as Report[];
      assert.equal(told.report, isSound ? 'generated' : 'failed');
      assert.equal(told.digest?.of, 'canonical JSON');
      if (!isSound) return assert.deepEqual(told.error, negotiationError('meta.negotiation_rejected'));
      assert.deepEqual(told.handler, { digest: outcome.handler?.digest, tools: outcome.handler?.tools });
      const { verification, reading } = outcome.report;
      assert.equal(verification, folder === 'freight-quote' ? 'derived' : 'negotiated');
      assert.deepEqual(
        [reading?.state, reading?.derived, reading?.dropped],
        ['complete', read<Reading>(folder, 'reading.json').derived.length, {}],
      );
    });
  }

test('a kept selection finds its handler after the next negotiation, without a question to the model', async () => {
  const mark = 'freight-kept';
  play(mark, 'freight-quote', 'sound-a.ts');
  const job = marked('freight-quote', mark);
  const first = await rig.outcomeOf(job);
  assert.equal(first.verdict, 'generated', JSON.stringify(first.findings));
  const negotiated = readNegotiationResult(job.agreement.result as Json);
  assert.ok(negotiated.ok);
  const asked = { target: 'did:wba:freight.example', body: { intent: { intentTags: ['freight.quote'] } } };
  const kept = [{ asked, result: negotiated.message, handler: first.handler?.digest ?? '' }];
  const lookup = findSelection(asked, kept, { now: Date.parse('2027-01-01T00:00:00Z') });
  assert.ok(lookup.found);

  const producer = createProducer({ url: rig.redis.url });
  const tariffOf = async ({ zone }: { zone: string }) => (zone === 'DE' ? { baseCents: 100, perKgCents: 10 } : null);
  const record = await producer.handlerOf(lookup.kept.handler ?? '', mark);
  const loaded = await loadHandler(record, { tariffOf } as unknown as Parameters<typeof loadHandler>[1]);
  const values = [];
  for (const zone of ['DE', 'FR']) values.push((await loaded.run({ zone, weightKg: 21 })).value);
  await loaded.close();
  await producer.close();
  assert.deepEqual(values, [{ zone: 'DE', totalCents: 1810 }, { error: { code: 40401, message: 'Zone not served' } }]);

  const questions = rig.questions(mark).length;
  const later: NegotiationResult = {
    ...negotiated.message,
    negotiationId: 'later',
    validUntil: '2030-01-01T00:00:00Z',
  };
  const artifact = JSON.stringify(job.agreement.artifact);
  const again = await rig.outcomeOf({ ...job, agreement: { result: later, artifact } });
  assert.deepEqual(
    [again.verdict, again.report.reused, again.handler?.digest],
    ['generated', true, first.handler?.digest],
  );
  assert.equal(again.messages[0]?.negotiationId, 'later');
  assert.equal(rig.questions(mark).length, questions);
});

test('a handler answers for the methods that the job chooses', async () => {
  const mark = 'library-renewals';
  const job = marked('library-desk', mark);
  play(mark, 'library-desk', 'sound-a.ts');
  const source = readFileSync(join(fixtures, 'library-desk', 'sound-a.ts'), 'utf8');
  const renewing = source.replace(/^.*loan\.status.*\n/m, '');
  assert.notEqual(renewing, source);
  rig.answer(mark, (_, { to }) =>
    to === 'candidate' ? moduleReply(renewing) : { kind: 'reply', text: lines([{ units: [4, 6], none: 'explains' }]) },
  );
  const outcome = await rig.outcomeOf({ ...job, agreement: { ...job.agreement, methods: ['loan.renew'] } });
  assert.equal(outcome.verdict, 'generated', JSON.stringify([outcome.findings, outcome.report.attempts]));
  assert.deepEqual(outcome.messages[0]?.methods, ['loan.renew']);
});

test('an artifact that was changed behind its digest is disputed in words of the draft, before a token is spent', async () => {
  const mark = 'freight-changed';
  const job = marked('freight-quote', mark);
  const artifact = { ...(job.agreement.artifact as JsonObject), version: '1.1' };
  const outcome = await rig.outcomeOf({ ...job, agreement: { ...job.agreement, artifact } });
  assert.deepEqual(
    [outcome.verdict, outcome.findings.map(({ code }) => code)],
    ['disputed', ['DOCUMENT_DIGEST_MISMATCH']],
  );
  const [told = {}] = outcome.messages as Report[];
  assert.equal(told.report, 'disputed');
  assert.deepEqual(
    told.error,
    negotiationError('meta.negotiation_rejected', {
      details: { findings: outcome.findings.map(({ message }) => message) },
    }),
  );
  assert.equal(told.digest?.of, null);
  assert.equal(rig.questions(mark).length, 0);
});

test('a case that breaks its schema is disputed, and the schema that would allow it is offered', async () => {
  const mark = 'freight-case';
  const job = marked('freight-quote', mark);
  const testCases = [{ request: { zone: 'DE', weightKg: 1 }, response: { zone: 'DE', totalCents: null } }];
  const outcome = await rig.outcomeOf({ ...job, testCases });
  assert.equal(outcome.verdict, 'disputed');
  assert.deepEqual(
    outcome.findings.map(({ code, pointer }) => [code, pointer]),
    [['DOCUMENT_CASE_VIOLATES_SCHEMA', '/totalCents']],
  );
  assert.equal(outcome.messages[0]?.report, 'disputed');
  assert.equal(rig.questions(mark).length, 0);
  const [offer] = outcome.proposals ?? [];
  assert.deepEqual([offer?.report, offer?.artifact], ['amended', job.agreement.artifact]);
  const schemas = { ...(job.supplied as JsonObject) };
  const money = 'https://freight.example/schemas/money.json';
  schemas[money] = String(schemas[money]).replace('"integer"', '["integer", "null"]');
  assert.deepEqual(offer?.supplied, schemas);
  const again = await rig.outcomeOf(
    { ...job, testCases, supplied: schemas, negotiationId: 'amended' },
    { kind: 'review' },
  );
  assert.equal(again.verdict, 'clean', JSON.stringify(again.findings));
});

test('a selection that the artifact does not allow is disputed with the error of the draft', async () => {
  const job = marked('freight-quote', 'freight-selection');
  const result = job.agreement.result as JsonObject;
  const selected = { ...(result.selected as JsonObject), securityProfile: 'group-e2ee' };
  const outcome = await rig.outcomeOf({ ...job, agreement: { ...job.agreement, result: { ...result, selected } } });
  assert.deepEqual(
    [outcome.verdict, outcome.findings.map(({ code }) => code)],
    ['disputed', ['DOCUMENT_SELECTION_CONTRADICTS']],
  );
  const [told = {}] = outcome.messages as Report[];
  assert.equal(told.error?.code, 1604);
});

test('a result that was not accepted, and a schema that is not supplied, are faults of the job', async () => {
  const job = marked('freight-quote', 'freight-faults');
  const rejected = { negotiationId: 'n', status: 'rejected', reason: 'no slot' };
  const outcomes = [
    await rig.outcomeOf({ ...job, agreement: { ...job.agreement, result: rejected } }),
    await rig.outcomeOf({ ...job, supplied: {} }),
  ];
  assert.deepEqual(
    outcomes.map(({ verdict, findings }) => [verdict, findings[0]?.code]),
    [
      ['error', 'JOB_NOT_ACCEPTED'],
      ['error', 'JOB_INVALID'],
    ],
  );
  for (const { messages } of outcomes) assert.equal(messages[0]?.report, 'failed');
});

test('verify, fix and observe know the family', async () => {
  const mark = 'freight-kinds';
  play(mark, 'freight-quote-requester', 'sound-a.ts');
  const job = marked('freight-quote-requester', mark);
  const made = await rig.outcomeOf(job);
  assert.equal(made.verdict, 'generated', JSON.stringify(made.findings));
  const handlerDigest = made.handler?.digest ?? '';
  const ended = async (kind: string, more: JsonObject) => {
    const { verdict, messages, findings } = await rig.outcomeOf({ ...job, ...more }, { kind });
    return [verdict, messages.map(({ report }) => report), findings.map(({ code }) => code)];
  };
  assert.deepEqual(await ended('verify', { handlerDigest }), ['clean', [], []]);
  const complaint = { code: -32602, message: 'Invalid params' };
  assert.deepEqual(await ended('fix', { handlerDigest, complaint }), [
    'clean',
    ['complaint-rejected'],
    ['DOCUMENT_COMPLAINT_UNFOUNDED'],
  ]);
  const exchange = (response: Json) => ({
    exchanges: [{ testCase: 1, request: { zone: 'DE', weightKg: 2.5 }, response }],
  });
  assert.deepEqual(await ended('observe', exchange({ zone: 'DE', totalCents: 760 })), ['clean', [], []]);
  assert.deepEqual(await ended('observe', exchange({ zone: 'DE', totalCents: 761 })), [
    'disputed',
    ['disputed'],
    ['DOCUMENT_EXCHANGE_CONTRADICTS_CASE'],
  ]);
});

test('lint looks at jobs, artifacts, and messages with their schemas', async () => {
  const linted = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand(['lint', '--json', ...args]);
    assert.ok(stdout.startsWith('['), stderr);
    const errors = JSON.parse(stdout).filter(({ severity }: JsonObject) => severity === 'error');
    return [code, errors.map((finding: JsonObject) => finding.code)];
  };
  for (const folder of folders) assert.deepEqual(await linted(join(fixtures, folder, 'job.json')), [0, []], folder);
  const missing = ['DOCUMENT_SCHEMA_MISSING', 'DOCUMENT_SCHEMA_MISSING'];
  assert.deepEqual(
    await linted('--family', 'anp-negotiate', join(fixtures, '../vectors/10.2-protocol-artifact.json')),
    [1, [...missing, 'DOCUMENT_DIGEST_MISMATCH']],
  );
  const scratch = mkdtempSync(join(tmpdir(), 'protosmith-test-'));
  try {
    const { agreement, supplied } = read<JsonObject & { agreement: JsonObject }>('freight-quote', 'job.json');
    const file = join(scratch, 'agreement.json');
    writeFileSync(file, JSON.stringify({ ...agreement, supplied }));
    assert.deepEqual(await linted(file), [0, []]);
  } finally {
    rmSync(scratch, { recursive: true });
  }
});
