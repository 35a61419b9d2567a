import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { isObject, type JsonObject } from '../../src/kernel/json.ts';
import type { Behaviour, Question } from '../../src/scripted-model/server.ts';
import { type Rig, root, runCommand, startRig } from './harness.ts';
import { lines, moduleReply, placesAsked, play, questionsFor, unitWith } from './readings-rig.ts';

const fixtures = join(root, 'fixtures/families/agent-description');
const folders = ['room-quotes', 'coffee-order'];

let rig: Rig;

before(async () => {
  rig = await startRig();
  await rig.worker({ PROTOSMITH_READING: 'required', PROTOSMITH_MAX_CANDIDATES: '2' });
});

after(() => rig.close());

const jsonAt = (path: string) => JSON.parse(readFileSync(join(fixtures, path), 'utf8'));

interface FixtureJob extends JsonObject {
  agreement: JsonObject & { description: JsonObject };
}

/**
 * The job of a fixture. Its mark is in a tool's or the task's words, since a signed description keeps none; a tenant of
 * its own keeps handlers apart.
 */
function marked(folder: string, mark: string, more: JsonObject = {}): FixtureJob {
  const job = jsonAt(`${folder}/job.json`);
  const { task, tools } = job;
  const marks =
    task === undefined
      ? { tools: tools.map((tool: JsonObject) => ({ ...tool, description: `${tool.description} Reference: ${mark}` })) }
      : { task: { ...task, description: `${task.description} Reference: ${mark}` } };
  return { ...job, ...marks, negotiationId: mark, tenant: mark, timeoutMs: 120_000, ...more };
}

/** What the recorded reading of a fixture says, as a reader writes it: every other sentence needs no case. */
function recorded(folder: string, question: Question): Behaviour {
  const { derived }: { derived: (JsonObject & { quote: string })[] } = jsonAt(`${folder}/reading.json`);
  const of = derived.map(({ quote }) => unitWith(question, quote));
  const units = [...question.prompt.matchAll(/^\[(\d+)\] /gm)].map(([, number]) => Number(number));
  const entries = derived.map(({ quote: _, ...entry }, index): JsonObject => ({ ...entry, of: [of[index] ?? 0] }));
  return {
    kind: 'reply',
    text: lines([...entries, { units: units.filter((one) => !of.includes(one)), none: 'explains' }]),
  };
}

/** A second reader that works out for itself what a stay costs, and what milk is called. */
function second(question: Question): Behaviour {
  const cents: Record<string, number> = { 'twin-004': 41_050 };
  const answers = placesAsked(question).map(({ world, place, question: asked, input }): JsonObject => {
    const { roomId = '', nights = 0 } = isObject(input) ? input : {};
    const full = (cents[String(roomId)] ?? 0) * Number(nights);
    if (asked.startsWith('May')) return { world, place, yes: false };
    if (asked.includes('/milk')) return { world, place, value: 'oat milk' };
    if (asked.includes('/total')) return { world, place, value: Number(nights) < 7 ? full : Math.floor(full * 0.9) };
    return asked.includes('/currency') ? { world, place, value: 'CNY' } : { world, place, unclear: true };
  });
  return { kind: 'reply', text: lines(answers) };
}

function answerWith(mark: string, folder: string, file: string): void {
  const source = readFileSync(join(fixtures, folder, file), 'utf8');
  play(rig, mark, {
    candidate: () => moduleReply(source),
    read: (_, question) => recorded(folder, question),
    confirm: (_, question) => second(question),
  });
}

/** What each unsound module is refused for. */
const codes: Record<string, string> = {
  table: 'CANDIDATE_CHECKS_FAILED',
  'faulty-unread-no-discount': 'CANDIDATE_DERIVED_CASE',
  'faulty-unread-short-name': 'CANDIDATE_DERIVED_CASE',
};

for (const folder of folders)
  for (const file of readdirSync(join(fixtures, folder)).filter((name) => name.endsWith('.ts'))) {
    const name = file.replace('.ts', '');
    const mark = `${folder}-${name}`;
    test(`${mark} ${name === 'sound' ? 'is a handler' : 'is none'}`, async () => {
      answerWith(mark, folder, file);
      const outcome = await rig.outcomeOf(marked(folder, mark));
      const { attempts, reading } = outcome.report;
      assert.equal(
        outcome.verdict,
        name === 'sound' ? 'generated' : 'error',
        JSON.stringify([outcome.findings, attempts]),
      );
      const [message = {}] = outcome.messages;
      const isSigned = folder === 'coffee-order';
      assert.equal((message.proof as JsonObject).status, isSigned ? 'verified' : 'absent');
      if (name === 'sound') {
        assert.ok((reading?.derived ?? 0) > 0 && reading?.complete, JSON.stringify(reading));
        assert.deepEqual(
          [message.status, (message.interface as JsonObject).index, message.handler],
          ['served', 1, { digest: outcome.handler?.digest, tools: outcome.handler?.tools }],
        );
        if (isSigned) assert.equal((message.proof as JsonObject).rule, 'two-hash');
        return;
      }
      const generated = attempts.filter(({ purpose, result }) => purpose === 'generate' && result !== 'aborted');
      assert.equal(generated[0]?.code, codes[name] ?? 'CANDIDATE_CASES_FAILED', JSON.stringify(generated[0]));
      assert.deepEqual([message.status, message.handler], ['not-served', undefined]);
    });
  }

test('a changed description is disputed in words for its publisher, before a token is spent', async () => {
  const mark = 'coffee-changed';
  const job = marked('coffee-order', mark);
  const description = { ...job.agreement.description, name: 'Another bar' };
  const outcome = await rig.outcomeOf({ ...job, agreement: { ...job.agreement, description } });
  assert.deepEqual([outcome.verdict, outcome.findings.map(({ code }) => code)], ['disputed', ['DOCUMENT_PROOF_WRONG']]);
  const [message = {}] = outcome.messages;
  assert.deepEqual([message.status, (message.proof as JsonObject).status], ['disputed', 'wrong']);
  assert.match(String(message.problems), /^Cannot verify proof of the description: found a signature /);
  assert.equal(questionsFor(rig, mark, 'candidate').length, 0);
});

test('an interface in natural language is refused with the reason, a missing member is named', async () => {
  const job = marked('room-quotes', 'rooms-refused');
  const { protocolVersion: _, ...description } = job.agreement.description;
  const outcome = await rig.outcomeOf({ ...job, agreement: { description, interface: 0 } });
  assert.equal(outcome.verdict, 'disputed');
  assert.deepEqual(
    outcome.findings.map(({ code, pointer }) => [code, pointer]),
    [
      ['DOCUMENT_MEMBER_MISSING', '/protocolVersion'],
      ['DOCUMENT_INTERFACE_UNUSABLE', undefined],
    ],
  );
  assert.match(String(outcome.messages[0]?.problems), /in natural language, wanted a structured one/);
});

test('a case that breaks the interface is disputed', async () => {
  const job = marked('room-quotes', 'rooms-case');
  const testCases = [{ request: { $method: 'roomsFor', guests: 2 }, response: { total: 1, currency: 'CNY' } }];
  const outcome = await rig.outcomeOf({ ...job, testCases });
  assert.deepEqual(
    [outcome.verdict, [...new Set(outcome.findings.map(({ code }) => code))], outcome.proposals],
    ['disputed', ['DOCUMENT_CASE_VIOLATES_SCHEMA'], []],
  );
});

test('what the job leaves out is a fault of the job', async () => {
  const faulty = async (change: JsonObject) => {
    const outcome = await rig.outcomeOf({ ...marked('coffee-order', 'coffee-faults'), ...change });
    return [outcome.verdict, outcome.findings.map(({ code, pointer }) => [code, pointer])];
  };
  const { agreement } = marked('coffee-order', 'coffee-faults');
  assert.deepEqual(await faulty({ supplied: {} }), ['error', [['JOB_INVALID', '/supplied']]]);
  const choice = { ...agreement, interface: 'OrderInterface' };
  assert.deepEqual(await faulty({ agreement: choice }), ['error', [['JOB_INVALID', '/agreement/interface']]]);
  assert.deepEqual(await faulty({ onContradiction: 'amend', baseProtocols: { 'x:y': { content: 'z' } } }), [
    'error',
    [
      ['JOB_INVALID', '/baseProtocols'],
      ['JOB_INVALID', '/onContradiction'],
    ],
  ]);
});

test('verify, fix and observe know the family', async () => {
  const mark = 'rooms-kinds';
  answerWith(mark, 'room-quotes', 'sound.ts');
  const job = marked('room-quotes', mark);
  const made = await rig.outcomeOf(job);
  const handlerDigest = made.handler?.digest ?? '';
  const ended = async (kind: string, more: JsonObject) => {
    const outcome = await rig.outcomeOf({ ...job, negotiationId: kind, ...more }, { kind });
    return [outcome.verdict, outcome.messages.map(({ status }) => status), outcome.findings.map(({ code }) => code)];
  };
  assert.deepEqual(await ended('verify', { handlerDigest }), ['clean', [], []]);
  const complaint = { error: { code: -32603, message: 'The total is wrong.' } };
  assert.deepEqual(await ended('fix', { handlerDigest, complaint }), [
    'clean',
    ['complaint-rejected'],
    ['DOCUMENT_COMPLAINT_UNFOUNDED'],
  ]);
  const request = { $method: 'roomsFor', guests: 1 };
  const exchanges = [{ request, response: { rooms: 'none' } }];
  const observed = await rig.outcomeOf({ ...job, negotiationId: 'observe', exchanges }, { kind: 'observe' });
  assert.equal(observed.findings[0]?.code, 'DOCUMENT_EXCHANGE_VIOLATES_SCHEMA');
});

test('lint looks at jobs, descriptions and messages of the family', async () => {
  const linted = async (args: string[], input?: JsonObject) => {
    const { code, stdout } = await runCommand(['lint', '--json', ...args], input && { input: JSON.stringify(input) });
    return [code, JSON.parse(stdout).map((finding: JsonObject) => finding.code)];
  };
  assert.deepEqual(await linted([join(fixtures, 'coffee-order/job.json')]), [0, []]);
  const { description } = jsonAt('room-quotes/job.json').agreement;
  const family = ['--family', 'agent-description', '-'];
  assert.deepEqual(await linted(family, { description, interface: 'quotes' }), [0, []]);
  const { name: _, ...nameless } = description;
  assert.deepEqual(await linted(family, nameless), [1, ['DOCUMENT_MEMBER_MISSING']]);
  const signed = jsonAt('coffee-order/job.json').agreement.description;
  const unsupplied = ['DOCUMENT_PROOF_UNVERIFIED', 'DOCUMENT_INTERFACE_UNUSABLE'];
  assert.deepEqual(await linted(['-'], signed), [1, unsupplied]);
});
