import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { mechanicalTables } from '../../scripts/mechanical-tables.ts';
import { tryCandidate } from '../../scripts/try-candidate.ts';
import { type Agreed, integer, object, orderOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const statistics: Agreed = {
  rules: 'Counts words and letters of a text whose Adler-32 is the checksum; otherwise the error is CHECKSUM.',
  request: object({ text, checksum: text }),
  response: object({ ok: { type: 'boolean' }, words: integer, letters: integer, error: text }, [
    'words',
    'letters',
    'error',
  ]),
  cases: [
    [
      { text: 'The quick brown fox jumps over the lazy dog', checksum: '5bdc0fda' },
      { ok: true, words: 9, letters: 35 },
    ],
    [
      { text: 'Agents agree', checksum: '218804a8' },
      { ok: false, error: 'CHECKSUM' },
    ],
  ],
};
const adler = `export function handle({ text, checksum }) {
  let [a, b] = [1, 0];
  for (const char of String(text)) { a = (a + char.charCodeAt(0)) % 65521; b = (b + a) % 65521; }
  if (checksum !== (b * 65536 + a).toString(16).padStart(8, '0')) return { ok: false, error: 'CHECKSUM' };
  return { ok: true, words: text.split(' ').filter(Boolean).length, letters: text.replace(/[^A-Za-z]/g, '').length };
}`;

const frames: Agreed = {
  rules:
    '"frame" is base64: some bytes and their CRC-32, big endian. The answer is the sum of the bytes, or the error CRC.',
  request: object({ frame: text }),
  response: object({ sum: integer, error: text }, ['sum', 'error']),
  cases: [
    [{ frame: 'P1JM3AehHXxaqGCM' }, { sum: 762 }],
    [{ frame: 'P1JM3AehHXxaqGCN' }, { error: 'CRC' }],
  ],
};
const crc = `const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
export function handle({ frame }) {
  if (!/^[\\w+/]{8,}=*$/.test(String(frame))) return { error: 'CRC' };
  const bits = [...frame.replace(/=/g, '')].map((one) => letters.indexOf(one).toString(2).padStart(6, '0')).join('');
  const all = (bits.match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2));
  const bytes = all.slice(0, -4);
  let rest = ~0;
  for (const byte of bytes) { rest ^= byte; for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1; }
  const told = all.slice(-4).reduce((sum, byte) => sum * 256 + byte, 0);
  return (~rest >>> 0) === told ? { sum: bytes.reduce((sum, byte) => sum + byte, 0) } : { error: 'CRC' };
}`;

const sentences: Agreed = {
  rules:
    'A line is `SET <name> <value>*<check>`; check is the XOR of all before the star. Answers: `DONE <value doubled>`, or `BAD`.',
  cases: [
    ['SET pump 17*3E', 'DONE 34'],
    ['SET valve 204*5C', 'DONE 408'],
    ['SET pump 17*00', 'BAD'],
  ],
};
const nmea = `export function handle(line) {
  const [, body, check] = /^(SET \\w+ \\d+)\\*(..)$/.exec(String(line)) ?? [];
  if (body === undefined) return 'BAD';
  const xor = [...body].reduce((all, char) => all ^ char.charCodeAt(0), 0).toString(16).toUpperCase().padStart(2, '0');
  return xor === check ? 'DONE ' + 2 * Number(body.split(' ')[2]) : 'BAD';
}`;
sentences.cases = sentences.cases.map(([line, answer]) => {
  const [body = ''] = String(line).split('*');
  const xor = [...body]
    .reduce((all, char) => all ^ char.charCodeAt(0), 0)
    .toString(16)
    .toUpperCase()
    .padStart(2, '0');
  return [answer === 'BAD' ? line : `${body}*${xor}`, answer];
});

const parcels: Agreed = {
  rules: 'The last digit makes the sum of all digits a multiple of seven. The answer is the depot, digits 2 to 4.',
  request: object({ parcel: text }),
  response: object({ depot: text, problem: text }, ['depot', 'problem']),
  cases: [
    [{ parcel: '4071230' }, { problem: 'DIGIT' }],
    [{ parcel: '4071234' }, { depot: '071' }],
    [{ parcel: '9004417' }, { problem: 'DIGIT' }],
  ],
};
const seventh = `export function handle({ parcel }) {
  const digits = [...String(parcel)].map(Number);
  if (digits.length !== 7 || digits.reduce((sum, one) => sum + one, 0) % 7 !== 0) return { problem: 'DIGIT' };
  return { depot: digits.slice(1, 4).join('') };
}`;

for (const [what, agreed, handler] of [
  ['a checksum beside a text', statistics, adler],
  ['a checksum in base64', frames, crc],
  ['a check at the end of a line', sentences, nmea],
  ['a check digit of its own kind', parcels, seventh],
] as const) {
  test(`who turns every changed message down for ${what} is not refused`, async () => {
    const { refusedFor, verification } = await tryCandidate(orderOf(agreed), handler, sandbox);
    assert.deepEqual(refusedFor, []);
    assert.equal(verification?.memorised, false);
  });

  test(`a table of the cases is refused beside ${what}`, async () => {
    const order = orderOf(agreed);
    for (const { name, source } of mechanicalTables(order.subject)) {
      if (name !== 'table-exact' && name !== 'table-echo') continue;
      const { refusedFor, verification } = await tryCandidate(order, source, sandbox);
      assert.notDeepEqual(refusedFor, [], name);
      assert.equal(verification?.memorised, true, name);
    }
  });
}

const degrees: Agreed = {
  rules: 'Degrees of heat in other degrees; BELOW where there are none.',
  request: object({ celsius: integer }),
  response: object({ fahrenheit: integer, error: text }, ['fahrenheit', 'error']),
  cases: [
    [{ celsius: 20 }, { fahrenheit: 68 }],
    [{ celsius: 35 }, { fahrenheit: 95 }],
    [{ celsius: -300 }, { error: 'BELOW' }],
  ],
};

for (const [what, table] of [
  ['one refusal', 'table-hidden'],
  ['one success', 'table-first'],
] as const)
  test(`${what} of all is refused where nothing in a request could be a check`, async () => {
    const order = orderOf(degrees);
    const source = mechanicalTables(order.subject).find(({ name }) => name === table)?.source ?? '';
    const { verification } = await tryCandidate(order, source, sandbox);
    assert.ok(verification?.failures.some(({ rule }) => rule === 'neighbours/one-answer'));
    assert.equal(verification?.memorised, true);
  });
