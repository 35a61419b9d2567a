import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, refusalsOf } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

/** Numbers with a check digit, by which ordinary changes of a text are answered alike. */
const cards: Agreed = {
  rules:
    'A line `CHECK <number>` is answered `OK` where the check sum of the number is a multiple of 10, else `WRONG`; the check sum adds its digits up. Other than 8 digits: `ERR LENGTH`. Any other line: `ERR SYNTAX`.',
  cases: [
    ['CHECK 50317202', 'OK'],
    ['CHECK 50317212', 'WRONG'],
    ['CHECK 4471', 'ERR LENGTH'],
    ['check 50317202', 'ERR SYNTAX'],
  ],
};
const checker = `export async function handle(line) {
  const [, digits] = /^CHECK (\\d+)$/.exec(String(line)) ?? [];
  if (digits === undefined) return 'ERR SYNTAX';
  if (digits.length !== 8) return 'ERR LENGTH';
  return [...digits].reduce((sum, digit) => sum + Number(digit), 0) % 10 === 0 ? 'OK' : 'WRONG';
}`;
const table = (agreed: Agreed, otherwise: string) => {
  const codes = [...JSON.stringify(agreed.cases)].map((sign) => (sign.codePointAt(0) ?? 0) + 1).join(',');
  return `const rows = JSON.parse(String.fromCharCode(...[${codes}].map((code) => code - 1)));
export async function handle(line) {
  for (const [known, answer] of rows) if (known === line) return answer;
  return ${otherwise};
}`;
};

test('a table has one answer for texts of forms that no case answers so, whatever check they carry', async () => {
  assert.deepEqual(await refusalsOf(cards, checker, sandbox), []);
  for (const otherwise of ['rows[0][1]', 'rows[3][1]'])
    assert.match(
      (await refusalsOf(cards, table(cards, otherwise), sandbox)).join('\n'),
      /^generated-requests: all of \d+ texts that differ are answered by ".+" of case [14], which is the answer to none of their form/m,
    );
});

test('texts that carry a check may all be refused for it', async () => {
  const frames: Agreed = {
    rules:
      'A frame is `<ship>;<crc>`; the CRC is worked out from the ship with our table. A frame whose CRC does not fit: `BAD`. A ship that is not known: `NONE`. Else its berth.',
    cases: [
      ['S-2041;9f31', 'B-7'],
      ['S-9999;04aa', 'NONE'],
      ['S-20;9f31', 'BAD'],
    ],
  };
  const reader = `export async function handle(frame) {
  const known = { 'S-2041;9f31': 'B-7', 'S-9999;04aa': 'NONE' };
  return known[String(frame)] ?? 'BAD';
}`;
  assert.doesNotMatch((await refusalsOf(frames, reader, sandbox)).join('\n'), /texts that differ/);
});
