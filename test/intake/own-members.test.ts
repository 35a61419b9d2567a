import assert from 'node:assert/strict';
import { test } from 'node:test';
import { families } from '../../src/families/families.ts';
import { readJob } from '../../src/intake/read-job.ts';
import type { Json } from '../../src/kernel/json.ts';

const owners = Map.groupBy(
  families.flatMap(({ name, schemas }) => Object.keys(schemas.own ?? {}).map((own) => ({ name, own }))),
  ({ own }) => own,
);

/** The faults of a job at a member. */
function faultsAt(family: string, own: string, value: Json): string[] {
  const reading = readJob('generate', { version: 1, negotiationId: 'n', family, role: 'provider', [own]: value });
  return reading.ok ? [] : reading.faults.filter(({ pointer }) => pointer === `/${own}`).map(({ message }) => message);
}

test('a member that only some families know is a fault in every other one, and names whose it is', () => {
  assert.ok(owners.size >= 3, [...owners.keys()].join());
  for (const [own, known] of owners)
    for (const { name } of families)
      for (const value of [{ 'urn:x': 'x' }, ['x'], 1, null]) {
        const told = faultsAt(name, own, value).filter((message) => message.includes('found a member of the famil'));
        const isKnown = known.some((one) => one.name === name);
        assert.equal(told.length, isKnown ? 0 : 1, `${own} in ${name}`);
        for (const one of isKnown ? [] : known) assert.match(told[0] ?? '', new RegExp(`\\b${one.name}\\b.*${name}$`));
      }
});

test('an empty object says nothing, in any family', () => {
  for (const own of owners.keys())
    for (const { name } of families)
      assert.deepEqual(
        faultsAt(name, own, {}).filter((one) => /famil/.test(one)),
        [],
      );
});
