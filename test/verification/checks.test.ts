import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { mechanicalTables } from '../../scripts/mechanical-tables.ts';
import { candidatesFolder, openFixture, tryCandidate } from '../../scripts/try-candidate.ts';
import { advisableChecks } from '../../src/config.ts';
import { checks, defaultCheckPolicy } from '../../src/verification/checks.ts';

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

// Each candidate is refused by one check alone: switched off, the check lets it through.
const soleRefusals = [
  ['literal-audit', 'currency-quote', 'faulty-swallows-missing-rate'],
  ['determinism', 'ticket-states', 'faulty-odd-clock'],
  ['acts', 'claim-filing', 'faulty-files-another-number'],
  ['failing-tools', 'product-lookup', 'faulty-failure-escapes'],
  ['side-effects', 'order-placement', 'faulty-acts-first'],
  ['leaks', 'bonus-points', 'faulty-obeys-hidden-instruction'],
  ['requester-peer', 'buyer-price', 'faulty-takes-any-answer'],
  ['renaming', 'product-lookup', 'faulty-fixed-currency'],
  ['exchange', 'shift-staffing', 'table-counts-only'],
  ['neighbours', 'sum-of-two', 'table-hidden'],
  ['tables', 'library-loan', 'faulty-never-lends'],
  ['limits', 'catalogue-pages', 'faulty-short-pages'],
  ['schema-bounds', 'claim-filing', 'faulty-takes-any-class'],
  ['thresholds', 'freight-rates', 'faulty-moved-band'],
  ['sorting', 'race-ranking', 'faulty-trusts-the-order'],
  ['transitions', 'ticket-states', 'faulty-forgets-reopening'],
  ['paging', 'overdue-invoices', 'faulty-first-page'],
  ['tool-influence', 'catalogue-pages', 'faulty-fixed-total'],
  ['generated-requests', 'temperature-conversion', 'faulty-throws-on-invalid'],
  ['rare-worlds', 'order-placement', 'faulty-orders-cheap-twice'],
] as const;

// More of what one check alone can see: clues of failures in a table of the document, acts that tell nothing.
const furtherRefusals = [
  ['failing-tools', 'library-loan', 'faulty-hides-outage'],
  ['side-effects', 'library-loan', 'faulty-lends-first'],
  ['side-effects', 'event-seats', 'faulty-no-release'],
  ['thresholds', 'freight-rates', 'faulty-moved-value'],
  ['thresholds', 'freight-rates', 'faulty-counts-pieces-out'],
] as const;

for (const [check, agreement, candidate] of [...soleRefusals, ...furtherRefusals]) {
  test(`${check} refuses ${agreement}/${candidate}, and nothing else does`, async () => {
    const { refusedFor, verification } = await trialOf(agreement, candidate);
    assert.ok(refusedFor.length > 0, 'wanted a refusal');
    assert.deepEqual([...new Set(verification?.failures.map((fact) => fact.check))], [check]);
    assert.equal(verification?.reports.find(({ name }) => name === check)?.result, 'failed');
    const unchecked = await trialOf(agreement, candidate, check);
    assert.deepEqual(unchecked.refusedFor, []);
  });
}

test('every check has a candidate that it alone refuses', () => {
  // Which cases could be run is no fault of a candidate.
  const refusing = checks.filter(({ name }) => name !== 'case-coverage');
  assert.deepEqual(refusing.map(({ name }) => name).sort(), soleRefusals.map(([name]) => name).sort());
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
    assert.ok(
      result === 'skipped' ? message : ['literal-audit', 'case-coverage', 'acts'].includes(name) || runs > 0,
      `${name}: ${runs} runs`,
    );
  }
});

for (const [agreement, candidate, what] of [
  ['bank-rates', 'sound-b', 'the name that another tool has for its failure'],
  ['hotel-booking', 'sound', 'a failing mail that the document lets pass'],
  ['card-checkout', 'sound', 'putting back in a refusal what was reserved'],
  ['stock-levels', 'sound', 'the name for what is missing, where something else is broken'],
] as const)
  test(`nobody is warned of ${what}`, async () =>
    assert.deepEqual((await trialOf(agreement, candidate)).verification?.warnings, []));

test('what several cases bring to light is warned of once', async () => {
  const { verification } = await trialOf('frame-relay', 'sound-a');
  assert.deepEqual(
    verification?.warnings.map(({ message }) => message),
    ['case 1, where reading fails: it throws: HandlerError: temporarily out of order (k7q-canary-x2)'],
  );
});

test('what many broken requests bring to light is warned of once', async () => {
  const { verification } = await trialOf('meter-statistics', 'sound-b');
  assert.equal(verification?.warnings.length, 1);
  assert.match(verification?.warnings[0]?.message ?? '', /^a request broken on purpose .*: it throws: TypeError/);
});

test('a table is told apart as memorised', async () => {
  const { verification } = await trialOf('product-lookup', 'table');
  assert.equal(verification?.memorised, true);
});

test('a failure of another kind is not called memorised', async () => {
  const { verification } = await trialOf('product-lookup', 'faulty-failure-escapes');
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
  const folder = new URL('product-lookup/', candidatesFolder);
  const order = await openFixture(folder);
  const source = await readFile(new URL('faulty-failure-escapes.ts', folder), 'utf8');
  const verificationWith = async (advisory: readonly string[]) =>
    (await tryCandidate(order, source, sandbox, checks, undefined, { ...defaultCheckPolicy, advisory })).verification;
  const strict = await verificationWith([]);
  const names = [...new Set(strict?.failures.map(({ check }) => check))];
  assert.ok(names.includes('failing-tools'));
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

// Mechanical tables, each with what one check by itself says of it.
const told = [
  ['tool-influence', 'library-loan', 'table-calling', /findCopies is called, but nothing .* is what it told/],
  ['tool-influence', 'library-loan', 'table-hidden', /only findCopies can tell, and calls none/],
  ['tables', 'library-loan', 'table-hidden', /no tool is asked for what they hold/],
] as const;

for (const [check, agreement, candidate, message] of told) {
  test(`${check} by itself refuses ${agreement}/${candidate}: ${message}`, async () => {
    const order = await openFixture(new URL(`${agreement}/`, candidatesFolder));
    const source = mechanicalTables(order.subject).find(({ name }) => name === candidate)?.source ?? '';
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
