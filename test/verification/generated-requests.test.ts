import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, integer, object, refusalsOf, warningsOf } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

test('a broken request may have no answer in the document, but nothing goes round for ever', async () => {
  const minutes: Agreed = {
    rules:
      'Tells the first so many minutes from a minute on, a step apart, that are neither before now nor behind the last one.',
    request: object({
      from: integer,
      last: integer,
      step: { type: 'integer', minimum: 1 },
      now: integer,
      count: integer,
    }),
    response: object({ minutes: { type: 'array', items: integer } }),
    cases: [
      [{ from: 310, last: 1420, step: 20, now: 725, count: 3 }, { minutes: [730, 750, 770] }],
      [{ from: 1365, last: 1400, step: 30, now: 1300, count: 3 }, { minutes: [1365, 1395] }],
    ],
  };
  const stepping = (guard: string) => `export function handle({ from, last, step, now, count }) {
  ${guard}
  const minutes = [];
  for (let at = from; at <= last && minutes.length < count; at += step) if (at >= now) minutes.push(at);
  return { minutes };
}`;
  assert.match(
    (await refusalsOf(minutes, stepping(''), sandbox)).join('\n'),
    /^generated-requests\/hangs: a request broken on purpose .*: the run ended as "timed-out"$/m,
  );
  for (const guard of ['if (!(step >= 1)) return { minutes: [] };', "if (!(step >= 1)) throw new Error('no step');"])
    assert.deepEqual(await refusalsOf(minutes, stepping(guard), sandbox), []);
});

const doors: Agreed = {
  rules: 'A door opens for its code.',
  request: object({ door: { type: 'string', minLength: 1 }, tries: integer }),
  response: object({ open: { type: 'boolean' }, fault: { type: 'string' } }, ['fault']),
  cases: [
    [{ door: 'north', tries: 1 }, { open: true }],
    [{ door: 'south', tries: 9 }, { open: false }],
  ],
};
const opening =
  'export const handle = ({ door, tries }) => door.trim() && Number.isInteger(tries) ? { open: tries < 5 } : { open: false, fault: "BROKEN" };';

test('a broken request is owed an answer where a case shows that one is turned down, and only there', async () => {
  const shown: Agreed = {
    ...doors,
    cases: [
      ...doors.cases,
      [
        { door: '', tries: 1 },
        { open: false, fault: 'BROKEN' },
      ],
    ],
  };
  assert.match(
    (await refusalsOf(shown, opening, sandbox)).join(),
    /^generated-requests\/throws: a request broken on purpose/,
  );
  assert.deepEqual(await refusalsOf(doors, opening, sandbox), []);
  assert.match(
    (await warningsOf(doors, opening, sandbox)).join(),
    /^generated-requests: a request broken on purpose .*throws/,
  );
});
