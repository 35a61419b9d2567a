import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { mechanicalTables } from '../../scripts/mechanical-tables.ts';
import { candidatesFolder, openFixture, tryCandidate } from '../../scripts/try-candidate.ts';
import { advisableChecks } from '../../src/config.ts';
import { derivedCheck } from '../../src/deriving/judge-derived.ts';
import { checks, defaultCheckPolicy } from '../../src/verification/checks.ts';
import { rules } from '../../src/verification/rules.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

async function trialOf(agreement: string, candidate: string, without?: string) {
  const folder = new URL(`${agreement}/`, candidatesFolder);
  const order = await openFixture(folder);
  const table = mechanicalTables(order.subject).find(({ name }) => name === candidate);
  const source = table?.source ?? (await readFile(new URL(`${candidate}.ts`, folder), 'utf8'));
  return tryCandidate(
    order,
    source,
    sandbox,
    without === undefined ? checks : checks.filter(({ name }) => name !== without),
  );
}

// Candidates that only one rule refuses: without it they would pass.
const soleRefusals = [
  ['literal-audit/told-value', 'frame-relay', 'faulty-knows-one'],
  ['determinism/later-run', 'ticket-states', 'faulty-by-chance'],
  ['determinism/other-time', 'ticket-states', 'faulty-out-of-hours'],
  ['member-order/answer-follows', 'ticket-states', 'faulty-known-order'],
  ['leaks/secret-member', 'account-record', 'faulty-leaks-record'],
  ['requester-peer/tells-what-nobody-told', 'buyer-price', 'faulty-remembers-price'],
  ['requester-peer/breaks-schema', 'weather-station', 'faulty-not-a-number'],
  ['requester-peer/follows-order-of-arrival', 'city-temperatures', 'faulty-trusts-the-order'],
  ['renaming/keeps-replaced-value', 'product-lookup', 'faulty-fixed-currency'],
  ['renaming/answer-does-not-follow', 'line-keeper', 'table-hidden'],
  ['renaming/asks-only-for-others', 'meeting-slots', 'table-with-way-out'],
  ['exchange/held-key', 'berth-lines', 'table-memo'],
  ['exchange/held-place', 'shift-staffing', 'table-counts-only'],
  ['exchange/never-follows', 'account-balance', 'table-first'],
  ['neighbours/one-answer', 'card-mask', 'table-hidden'],
  ['tool-influence/told-without-call', 'catalogue-pages', 'table-hidden'],
  ['tool-influence/number-stays', 'catalogue-pages', 'faulty-fixed-total'],
  ['generated-requests/throws', 'block-checksum', 'faulty-throws-on-bad-data'],
  ['generated-requests/value-of-a-case', 'document-letter', 'table-first'],
] as const;

for (const [rule, agreement, candidate] of soleRefusals) {
  test(`${rule} refuses ${agreement}/${candidate}, and nothing else does`, async () => {
    const [check = ''] = rule.split('/');
    const { verification } = await trialOf(agreement, candidate);
    assert.deepEqual([...new Set(verification?.failures.map((fact) => fact.rule))], [rule]);
    assert.equal(verification?.reports.find(({ name }) => name === check)?.result, 'failed');
    assert.deepEqual((await trialOf(agreement, candidate, check)).refusedFor, []);
  });
}

test('each rule is of a check, has an id of its own, and proves or may be appealed for only where it refuses', () => {
  const names = [...checks.map(({ name }) => name), derivedCheck];
  assert.equal(new Set(rules.map(({ id }) => id)).size, rules.length);
  for (const { id, severity, provesMemorised, mayBeAppealed } of rules) {
    assert.ok(names.includes(id.split('/')[0] ?? ''), id);
    assert.ok(severity === 'error' || !(provesMemorised || mayBeAppealed), id);
    assert.ok(!(provesMemorised && mayBeAppealed), id);
  }
});

test('a sound handler passes every check, and each check reports what it ran', async () => {
  const { refusedFor, verification } = await trialOf('order-placement', 'sound');
  assert.deepEqual(refusedFor, []);
  assert.deepEqual(verification?.warnings, []);
  assert.deepEqual(
    verification?.reports.map(({ name }) => name),
    checks.map(({ name }) => name),
  );
  for (const { name, result, runs, message } of verification?.reports ?? []) {
    assert.ok(result === 'passed' || result === 'skipped', `${name}: ${result}`);
    const mayRunNothing = ['literal-audit', 'case-coverage', 'leaks'].includes(name);
    assert.ok(result === 'skipped' ? message : mayRunNothing || runs > 0, `${name}: ${runs} runs`);
  }
});

test('what many broken requests bring to light is told of a few times', async () => {
  const { verification } = await trialOf('meter-statistics', 'sound-b');
  const { length } = verification?.warnings ?? [];
  assert.ok(length > 0 && length <= 3, String(length));
  assert.ok(verification?.warnings.every(({ rule }) => rule === 'generated-requests/may-throw'));
});

test('a table is told apart as memorised', async () => {
  const { verification } = await trialOf('product-lookup', 'table');
  assert.equal(verification?.memorised, true);
});

test('a failure of another kind is not called memorised', async () => {
  const { verification } = await trialOf('account-record', 'faulty-leaks-record');
  assert.equal(verification?.memorised, false);
});

test('a check beyond the budget says so and nothing is claimed of it', async () => {
  const folder = new URL('product-lookup/', candidatesFolder);
  const order = await openFixture(folder);
  const source = await readFile(new URL('sound.ts', folder), 'utf8');
  const { verification } = await tryCandidate(order, source, sandbox, checks, undefined, {
    ...defaultCheckPolicy,
    maxRuns: 10,
  });
  const skipped = verification?.reports.filter(({ message }) => message?.includes('budget')) ?? [];
  assert.ok(skipped.length > 0);
  assert.ok(skipped.every(({ result, runs }) => result === 'skipped' && runs === 0));
});

test('a check that an operator has made advisory refuses nothing, and warns of what it found', async () => {
  const folder = new URL('account-record/', candidatesFolder);
  const order = await openFixture(folder);
  const source = await readFile(new URL('faulty-leaks-record.ts', folder), 'utf8');
  const verificationWith = async (advisory: readonly string[]) =>
    (await tryCandidate(order, source, sandbox, checks, undefined, { ...defaultCheckPolicy, advisory })).verification;
  const strict = await verificationWith([]);
  const names = [...new Set(strict?.failures.map(({ check }) => check))];
  assert.deepEqual(names, ['leaks']);
  const lenient = await verificationWith(names);
  assert.deepEqual(lenient?.failures, []);
  const reported = (check: string) => lenient?.reports.find(({ name }) => name === check);
  for (const { check, message } of strict?.failures ?? []) {
    assert.equal(reported(check)?.result, 'warned');
    assert.ok(lenient?.warnings.some((warning) => warning.check === check && warning.message === message));
  }
});

test('what an operator can make advisory are checks, and none of those that know tables', () => {
  const names = checks.map(({ name }) => name);
  assert.deepEqual(names.filter((name) => !advisableChecks.some((advisable) => advisable === name)).sort(), [
    'case-coverage',
    'determinism',
    'exchange',
    'literal-audit',
    'neighbours',
    'renaming',
    'tables',
    'tool-influence',
  ]);
  assert.ok(advisableChecks.every((name) => names.includes(name)));
});

test('cases that were not run and places that are loose by themselves are named', async () => {
  const { refusedFor, verification } = await trialOf('album-reader', 'sound');
  assert.deepEqual(refusedFor, []);
  assert.match(verification?.reports.find(({ name }) => name === 'case-coverage')?.message ?? '', /not run.*case 2/);
  const parts = await trialOf('parts-order', 'sound');
  assert.match(
    parts.verification?.reports.find(({ name }) => name === 'case-coverage')?.message ?? '',
    /\/orderId \(id\), \/sentAt \(time\)/,
  );
});

// Tables of the examples, each with the finding of one check.
const told = [
  ['tool-influence', 'next-appointment-xml', 'table-over-real-work', /B 112.*although every tool fails/],
  ['tool-influence', 'library-loan', 'table-hidden', /only findCopies knows, without calling a tool/],
  ['tables', 'library-loan', 'table-hidden', /no tool is asked for their values/],
] as const;

for (const [check, agreement, candidate, message] of told) {
  test(`${check} by itself refuses ${agreement}/${candidate}: ${message}`, async () => {
    const order = await openFixture(new URL(`${agreement}/`, candidatesFolder));
    const table = mechanicalTables(order.subject).find(({ name }) => name === candidate);
    const file = new URL(`${agreement}/${candidate}.ts`, candidatesFolder);
    const source = table?.source ?? (await readFile(file, 'utf8'));
    const { refusedFor, verification } = await tryCandidate(
      order,
      source,
      sandbox,
      checks.filter(({ name }) => name === check),
    );
    assert.ok(
      refusedFor.some((why) => message.test(why)),
      `wanted ${message} among ${JSON.stringify(refusedFor)}`,
    );
    assert.equal(verification?.memorised, true);
  });
}
