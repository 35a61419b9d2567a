import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import document from '../../queues/asyncapi.json' with { type: 'json' };
import { DEFAULT_PREFIX, keysOf, publishScript } from '../../queues/index.ts';
import { kinds } from '../../src/contract/job.ts';
import { envelope, jobData, queueUnderTest, until } from './queue-under-test.ts';

function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === '$ref' && typeof member === 'string' ? [member] : references(member),
  );
}

test('every reference of the AsyncAPI document leads somewhere', () => {
  const all = references(document);
  assert.ok(all.length > 10);
  for (const reference of all) {
    const [file = '', pointer = ''] = reference.split('#');
    let here: unknown =
      file === '' ? document : JSON.parse(readFileSync(new URL(`../../queues/${file}`, import.meta.url), 'utf8'));
    for (const token of pointer.split('/').slice(1)) here = (here as Record<string, unknown> | undefined)?.[token];
    assert.notEqual(here, undefined, reference);
  }
});

test('the addresses are the keys of the queue', () => {
  const keys = keysOf();
  assert.deepEqual(
    Object.values(document.channels).map(({ address }) => address.replace('{prefix}', DEFAULT_PREFIX)),
    [keys.queue, keys.intake, keys.outcomes('{replyTo}'), keys.outcome('{jobId}'), keys.cancel('{jobId}')],
  );
});

test('the fields of an outcome entry are those that the script adds', () => {
  const entry = publishScript.split("'*',")[1]?.split(')')[0] ?? '';
  const added = [...entry.matchAll(/'(\w+)', (?:ARGV|')/g)].map(([, name]) => name);
  assert.deepEqual(document.components.messages.outcomeEntry.payload.required, added);
});

test('every kind of job is described', () => {
  assert.deepEqual(Object.keys(document.channels.jobs.messages).sort(), [...kinds].sort());
  assert.deepEqual(document.components.messages.intakeEntry.payload.properties.kind.enum, [...kinds]);
});

test('the entries described are those that are written', async (t) => {
  const { producer, consume, outcome, entries } = await queueUnderTest(t);
  await consume({
    process: async (delivery) => {
      const base = { negotiationId: 'n-1', protocolHash: 'h' };
      await delivery.announceEarly({ ...base, messages: [] });
      await delivery.publishNow(envelope(delivery.kind, delivery.data));
      await delivery.announceLate({ ...base, digest: 'd' });
      return undefined;
    },
  });
  await producer.submit('generate', jobData(), { jobId: 'a' });
  await outcome('a');
  const written = await until(async () => {
    const all = await entries();
    return all.length === 3 && all;
  });
  const { earlyEntry, outcomeEntry, lateEntry } = document.components.messages;
  const described = [earlyEntry, outcomeEntry, lateEntry].map(({ payload }) => payload);
  assert.deepEqual(
    written.map((entry) => Object.keys(entry)),
    described.map(({ required }) => required),
  );
  for (const [index, payload] of described.entries()) {
    const isValid = new Ajv2020().compile(payload);
    assert.ok(isValid(written[index]), JSON.stringify(isValid.errors));
  }
});
