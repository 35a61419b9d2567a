import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { createSandbox } from '../../sandbox/index.ts';
import { mechanicalTables } from '../../scripts/mechanical-tables.ts';
import { openFixture } from '../../scripts/try-candidate.ts';
import { openReadings, tryReadings } from '../../scripts/try-reading.ts';
import type { Assertion, DerivedCase, Reading } from '../../src/contract/reading.ts';
import type { Json } from '../../src/kernel/json.ts';

const unread = new URL('../../fixtures/unread/', import.meta.url);
const described = new URL('../../fixtures/service-descriptions/jobs/', import.meta.url);
const second = new URL('../../fixtures/second-readings/', import.meta.url);

/** A provider, a requester, texts, Chinese, and one without negotiated cases. */
const agreements = ['parcel-status', 'seed-vault', 'csv-pricing', 'weather-zh', 'quiz-marks-no-cases'];

const sandbox = await createSandbox({ cells: 2 });
after(() => sandbox.close());

/** The handlers of an agreement whose names have this prefix. */
function handlers(agreement: string, prefix: string, root = unread): { name: string; source: string }[] {
  const folder = new URL(`${agreement}/`, root);
  const files = readdirSync(folder).filter((name) => name.startsWith(prefix) && name.endsWith('.ts'));
  return files.map((name) => ({ name, source: readFileSync(new URL(name, folder), 'utf8') }));
}

async function open(agreement: string, root = unread) {
  const order = await openFixture(new URL(`${agreement}/`, root));
  const { readings, dropped } = await openReadings(order, new URL(`${agreement}/`, root));
  assert.deepEqual(dropped, []);
  return { order, readings };
}

describe('recorded readings', () => {
  for (const agreement of agreements)
    test(`of ${agreement}: no sound handler breaks them, every faulty one and every table does`, async () => {
      const { order, readings } = await open(agreement);
      const judged = async (source: string) =>
        (await tryReadings(order, source, readings, null, sandbox)).confirmed.length;
      for (const { name, source } of handlers(agreement, 'sound')) assert.equal(await judged(source), 0, name);
      // Hidden instructions are not shown to a reader: a check finds the handlers that obey them.
      const faulty = handlers(agreement, 'faulty').filter(({ name }) => !name.startsWith('faulty-d'));
      for (const { name, source } of faulty) assert.ok((await judged(source)) > 0, name);
      for (const { name, source } of mechanicalTables(order.subject)) assert.ok((await judged(source)) > 0, name);
    });
});

describe('recorded readings of documents that are service descriptions', () => {
  for (const agreement of ['parcel-lockers', 'freight-fee', 'bill-split'])
    test(`of ${agreement}: no sound handler breaks them, every faulty one and every table does`, async () => {
      const { order, readings } = await open(agreement, described);
      const judged = async (source: string) =>
        (await tryReadings(order, source, readings, null, sandbox)).confirmed.length;
      for (const { name, source } of handlers(agreement, 'sound', described))
        assert.equal(await judged(source), 0, name);
      for (const { name, source } of handlers(agreement, 'faulty', described))
        assert.ok((await judged(source)) > 0, name);
      for (const { name, source } of mechanicalTables(order.subject)) assert.ok((await judged(source)) > 0, name);
    });
});

describe('a reading with a wrong expectation of every answer', () => {
  for (const agreement of agreements.filter((name) => readdirSync(second).includes(`${name}.json`)))
    test(`of ${agreement}, confirmed by another reader, refuses no sound handler and warns`, async () => {
      const { order, readings } = await open(agreement);
      const others = await openReadings(order, second, agreement);
      const spoilt = readings.map(spoil);
      for (const { name, source } of handlers(agreement, 'sound')) {
        const alone = await tryReadings(order, source, spoilt, null, sandbox);
        assert.ok(alone.confirmed.length > 0, name);
        const both = await tryReadings(order, source, spoilt, others.readings, sandbox);
        assert.deepEqual([both.confirmed.length, both.contested.length], [0, alone.confirmed.length], name);
      }
    });
});

/** A reading that expects something else at the first place of each answer. */
function spoil(reading: Reading): Reading {
  return { ...reading, derived: reading.derived.map(spoiltEntry) };
}

function spoiltEntry(entry: DerivedCase): DerivedCase {
  const [first, ...rest] = entry.expect.answer ?? [];
  if (first?.equals === undefined) return entry;
  const answer: Assertion[] = [{ ...first, equals: otherThan(first.equals) }, ...rest];
  return { ...entry, expect: { ...entry.expect, answer } };
}

function otherThan(value: Json): Json {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  return typeof value === 'string' ? `${value}!` : 'another';
}
