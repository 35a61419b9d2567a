import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, integer, object, reading, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const statement: Agreed = {
  rules:
    'A statement has lines of 40 characters. | columns | content | \n 1–8 the day, 9–20 the account (filled with blanks), 21–32 the cents (filled with zeros), 33 `C` or `D`, 34–40 a code. The answer has a line for each account in the order of their appearance: 1–12 the account, 13–16 the number of its lines, 17–28 the balance without its sign, 29 `C` or, below zero, `D`, 30–37 the last day of its lines, 38–40 `SUM`. A line that is none such: `ERR` and its number in four digits.',
  cases: [
    [
      '20240105ACME        000000012550CINV    \n20240107ACME        000000002000DFEE    \n20240106NORDBANK    000000000099DFEE    ',
      'ACME        0002000000010550C20240107SUM\nNORDBANK    0001000000000099D20240106SUM',
    ],
    ['20231231X1          000000000000DZERO   ', 'X1          0001000000000000C20231231SUM'],
    ['20231231X1          00000000000DZERO   ', 'ERR0001'],
  ],
};
const balances = `export function handle(text) {
  const accounts = new Map();
  for (const [index, line] of String(text).split('\\n').entries()) {
    const match = /^(\\d{8})(\\S.{11})(\\d{12})([CD])(.{7})$/.exec(line);
    if (!match) return 'ERR' + String(index + 1).padStart(4, '0');
    const [, day, name, cents, sign] = match;
    const { count, sum, last } = accounts.get(name) ?? { count: 0, sum: 0, last: '' };
    accounts.set(name, { count: count + 1, sum: sum + Number(sign + 1 ? (sign === 'C' ? cents : '-' + cents) : 0), last: day > last ? day : last });
  }
  return [...accounts].map(([name, { count, sum, last }]) => name + String(count).padStart(4, '0') + String(Math.abs(sum)).padStart(12, '0') + (sum < 0 ? 'D' : 'C') + last + 'SUM').join('\\n');
}`;

const invoice: Agreed = {
  rules:
    'A bill is text such as `bill 7: 3 x 1250, 1 x 15; tax 20`, cents and a tax of 5 or 20 per cent. The answer is `bill 7: net 3765, tax 753`, the tax rounded to whole cents. What is no such bill is answered `refused`.',
  cases: [
    ['bill 7: 3 x 1250, 1 x 15; tax 20', 'bill 7: net 3765, tax 753'],
    ['bill 8: 1 x 990, 2 x 15; tax 5', 'bill 8: net 1020, tax 51'],
    ['bill 9: tax 20', 'refused'],
  ],
};
const sums = `export function handle(text) {
  const bill = /^bill (\\d+): ((?:\\d+ x \\d+(?:, )?)+); tax (5|20)$/.exec(String(text));
  if (!bill) return 'refused';
  const net = [...bill[2].matchAll(/(\\d+) x (\\d+)/g)].reduce((sum, [, count, cents]) => sum + count * cents, 0);
  return 'bill ' + bill[1] + ': net ' + net + ', tax ' + Math.round((net * bill[3]) / 100);
}`;

const valves: Agreed = {
  rules:
    'A line has the word OPEN, a valve and its angle, parted by `;`. The answer is `DONE` with twice the angle, or `NOPE` with a code: Q1 no such line, Q2 an angle above 90.',
  cases: [
    ['OPEN;V7;31', 'DONE;62'],
    ['OPEN;V9;44', 'DONE;88'],
    ['SHUT;V9;44', 'NOPE;Q1'],
    ['OPEN;V9;91', 'NOPE;Q2'],
  ],
};
const openings = `export function handle(text) {
  const line = /^OPEN;(\\w+);(\\d+)$/.exec(String(text));
  if (!line) return 'NOPE;Q1';
  return Number(line[2]) > 90 ? 'NOPE;Q2' : 'DONE;' + 2 * Number(line[2]);
}`;

const folders: Agreed = {
  rules: 'Lists the folders that are larger than limit, in the order of the request.',
  request: object({ limit: integer, folders: { type: 'array', items: object({ name: text, size: integer }) } }),
  response: object({ over: { type: 'array', items: text } }),
  cases: [
    [
      {
        limit: 100,
        folders: [
          { name: 'home', size: 261 },
          { name: 'old', size: 0 },
          { name: 'docs', size: 101 },
        ],
      },
      { over: ['home', 'docs'] },
    ],
    [{ limit: 0, folders: [{ name: 'empty', size: 0 }] }, { over: [] }],
  ],
};
const over = `export function handle({ limit, folders }) {
  return { over: (folders ?? []).filter(({ size }) => size > limit).map(({ name }) => String(name)) };
}`;

const rates: Agreed = {
  rules:
    'A question is `RATE <currency> <day>`, the day as YYYYMMDD, the answer `<currency> <day> <rate>` or `NONE <currency>`.',
  cases: [
    ['RATE USD 20250203', 'USD 20250203 154.80'],
    ['RATE CHF 20250204', 'CHF 20250204 170.75'],
    ['RATE XAF 20250204', 'NONE XAF'],
  ],
  task: {
    description: 'Ask for the rate of a day; null if there is none.',
    inputSchema: object({ currency: text, day: { type: 'string', format: 'date' } }),
    outputSchema: object({ rate: { type: ['number', 'null'] } }),
    examples: [
      { testCase: 1, input: { currency: 'USD', day: '2025-02-03' }, output: { rate: 154.8 } },
      { testCase: 2, input: { currency: 'CHF', day: '2025-02-04' }, output: { rate: 170.75 } },
      { testCase: 3, input: { currency: 'XAF', day: '2025-02-04' }, output: { rate: null } },
    ],
  },
};
const asked = `export async function perform({ currency, day }, { send }) {
  const compact = day.replaceAll('-', '');
  const answer = await send('RATE ' + currency + ' ' + compact);
  if (answer === 'NONE ' + currency) return { rate: null };
  const [of, on, rate] = answer.split(' ');
  if (of !== currency || on !== compact) throw new Error('Cannot use answer: it is for another question');
  return { rate: Number(rate) };
}`;

const events: Agreed = {
  rules:
    'A request has the lines `UID:a-1`, `START:20250310T090000Z` and `END:20250310T103000Z`, the answer `UID:a-1`, `MINUTES:90` and the day of the start as `DAY:2025-03-10`. Anything else is answered `BAD`.',
  cases: [
    ['UID:a-1\nSTART:20250310T090000Z\nEND:20250310T103000Z', 'UID:a-1\nMINUTES:90\nDAY:2025-03-10'],
    ['UID:k-77\nSTART:20250310T090000Z\nEND:20250311T110000Z', 'UID:k-77\nMINUTES:1560\nDAY:2025-03-10'],
    ['UID:k-78\nSTART:20250310T090000Z', 'BAD'],
  ],
};
const minutes = `export function handle(text) {
  const [, uid, start, end] = /^UID:(.+)\\nSTART:(\\d{8}T\\d{6})Z\\nEND:(\\d{8}T\\d{6})Z$/.exec(String(text)) ?? [];
  const moment = (stamp) => Date.parse(stamp.replace(/^(....)(..)(..)T(..)(..)(..)$/, '$1-$2-$3T$4:$5:$6Z'));
  if (uid === undefined || Number.isNaN(moment(start) + moment(end))) return 'BAD';
  return 'UID:' + uid + '\\nMINUTES:' + Math.floor((moment(end) - moment(start)) / 60000) + '\\nDAY:' + new Date(moment(start)).toISOString().slice(0, 10);
}`;

const frames: Agreed = {
  rules:
    'Frames are text in hexadecimal digits: 02, length of command and data, command, data, and the XOR of all but the 02. Command 10 is answered by 90 with the data in reverse order, any other by FE with the command as data. A frame that is broken is answered by FF without data.',
  cases: [
    ['020410A1B2C3C4', '020490C3B2A144'],
    ['02012223', '0202FE22DE'],
    ['020410A1B2C300', '0201FFFE'],
    ['02011011', '02019091'],
  ],
};
const relay = `const frame = (bytes) => {
  const inner = [bytes.length, ...bytes];
  return [2, ...inner, inner.reduce((all, byte) => all ^ byte, 0)].map((byte) => byte.toString(16).toUpperCase().padStart(2, '0')).join('');
};
export function handle(text) {
  if (!/^(?:[0-9A-F]{2}){4,}$/.test(String(text))) return frame([0xff]);
  const [start, length, ...rest] = String(text).match(/../g).map((byte) => Number.parseInt(byte, 16));
  const check = rest.pop();
  if (start !== 2 || length !== rest.length || [length, ...rest].reduce((all, byte) => all ^ byte, 0) !== check) return frame([0xff]);
  const [command, ...data] = rest;
  return command === 0x10 ? frame([0x90, ...data.reverse()]) : frame([0xfe, command]);
}`;

const shifts: Agreed = {
  rules:
    'A clock sends lines of 25 digits: 1–6 the number of an employee, 7–14 the day, 15–18 start and 19–22 end as HHMM, 23–25 the break in minutes. The answer is `<sheet><employee no="45"><minutes>435</minutes></employee><rejected>0</rejected></sheet>` with the employees in ascending order. Lines that are no such are rejected.',
  cases: [
    [
      '0001232025040108001630030\n0001232025040208001200000\n0000452025040122300600045',
      '<sheet><employee no="45"><minutes>405</minutes></employee><employee no="123"><minutes>720</minutes></employee><rejected>0</rejected></sheet>',
    ],
    [
      '0007772025041109001000000\n0007772025041113001500015\nABC',
      '<sheet><employee no="777"><minutes>165</minutes></employee><rejected>1</rejected></sheet>',
    ],
    ['0000092025041125001000000', '<sheet><rejected>1</rejected></sheet>'],
  ],
};
const sheet = `export function handle(text) {
  const minutes = new Map();
  let rejected = 0;
  for (const line of String(text).split('\\n').filter((one) => one.trim() !== '')) {
    const [, no, startHour, startMinute, endHour, endMinute, pause] = (/^(\\d{6})\\d{8}(\\d\\d)(\\d\\d)(\\d\\d)(\\d\\d)(\\d{3})$/.exec(line) ?? []).map(Number);
    const shift = (endHour * 60 + endMinute - startHour * 60 - startMinute + 1440) % 1440;
    if (no === undefined || startHour > 23 || endHour > 23 || startMinute > 59 || endMinute > 59 || pause > shift) rejected += 1;
    else minutes.set(no, (minutes.get(no) ?? 0) + shift - pause);
  }
  const employees = [...minutes].sort(([a], [b]) => a - b).map(([no, sum]) => '<employee no="' + no + '"><minutes>' + sum + '</minutes></employee>');
  return '<sheet>' + employees.join('') + '<rejected>' + rejected + '</rejected></sheet>';
}`;

const slips: Agreed = {
  rules:
    'A slip has 13 characters. | columns | content | \n 1–5 the truck, filled with blanks, 6–9 its weight, 10–13 its load, in kilograms and filled with zeros. The answer has columns 1–5 the truck, 6–9 weight less load, filled with zeros, and two letters: OK, or, with nothing but zeros before it, NG where the load is more than the weight.',
  cases: [
    ['AB12 33001250', 'AB12 2050OK'],
    ['QX7YP41000700', 'QX7YP3400OK'],
    ['QX7YP07004100', 'QX7YP0000NG'],
    ['ZZ9A 00500060', 'ZZ9A 0000NG'],
  ],
};
const weighed = `export function handle(text) {
  const [truck, weight, load] = [text.slice(0, 5), Number(text.slice(5, 9)), Number(text.slice(9, 13))];
  return load > weight ? truck + '0000NG' : truck + String(weight - load).padStart(4, '0') + 'OK';
}`;

const hauls: Agreed = {
  rules:
    'Each line has 18 characters: columns 1-6 the truck, padded with spaces, columns 7-12 GROSS and 13-18 TARE in kilograms, zero padded. The answer has a line for each: columns 1-6 the truck, 7-12 NET, which is GROSS minus TARE, zero padded, 13-14 the class, LT below 10000, MD up to 24999, HV from there on. Where TARE exceeds GROSS NET is 000000 and the class NG. Any other line is answered "??????000000ER". The last line is T, the number of lines with class LT, MD or HV in four digits and the sum of their NET in ten.',
  cases: [
    [
      'AB12  018500009200\nQX7   041250014000\nROCK99033999009000',
      'AB12  009300LT\nQX7   027250HV\nROCK99024999MD\nT00030000061549',
    ],
    [
      'AB12  009200018500\nlow   018500009200\nZ     020000010000',
      'AB12  000000NG\n??????000000ER\nZ     010000MD\nT00010000010000',
    ],
    ['TRK5  0185000092', '??????000000ER\nT00000000000000'],
  ],
};
const hauled = `export function handle(text) {
  let [count, total] = [0, 0];
  const lines = text.split('\\n').map((line) => {
    if (!/^(?=.{18}$)[A-Z0-9]+ *[0-9]{12}$/.test(line)) return '??????000000ER';
    const net = Number(line.slice(6, 12)) - Number(line.slice(12));
    if (net < 0) return line.slice(0, 6) + '000000NG';
    count += 1;
    total += net;
    return line.slice(0, 6) + String(net).padStart(6, '0') + (net < 10000 ? 'LT' : net < 25000 ? 'MD' : 'HV');
  });
  return [...lines, 'T' + String(count).padStart(4, '0') + String(total).padStart(10, '0')].join('\\n');
}`;

const base64 = `const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const read = (text) => {
  const bits = [...text.replace(/=+$/, '')].map((digit) => digits.indexOf(digit).toString(2).padStart(6, '0')).join('');
  return (bits.match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2));
};
const write = (bytes) => {
  const bits = bytes.map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const text = (bits.match(/.{1,6}/g) ?? []).map((six) => digits[parseInt(six.padEnd(6, '0'), 2)]).join('');
  return text.padEnd(Math.ceil(text.length / 4) * 4, '=');
};
const isWhole = (text) => /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text);
`;
const blocks: Agreed = {
  rules:
    'A block is base64 of a byte 1, 2 or 3 and data. The answer is base64 of that byte and of the data: added up in two bytes (1), the largest (2), in reverse order (3). What is no base64 is answered `!B`, another byte `!OP`.',
  cases: [
    ['AQoUHg==', 'AQA8'],
    ['Av8AgA==', 'Av8='],
    ['AwECAwQ=', 'AwQDAgE='],
    ['CQECAw==', '!OP'],
    ['AQo*', '!B'],
  ],
};
const blockwise = `${base64}export function handle(text) {
  if (!isWhole(text)) return '!B';
  const [first, ...data] = read(text);
  const sum = data.reduce((total, byte) => total + byte, 0);
  const answer = first === 1 ? [sum >> 8, sum & 255] : first === 2 ? [Math.max(...data)] : first === 3 ? data.reverse() : undefined;
  return answer ? write([first, ...answer]) : '!OP';
}`;
const hidden: Agreed = {
  rules:
    'A question is base64 of `ADD` and two whole numbers, with a space before each. The answer is base64 of `IS`, a space and their sum. All else is answered `!Q`.',
  cases: [[12, 30] as const, [700, 45] as const].map(([a, b]): [string, string] => [
    Buffer.from(`ADD ${a} ${b}`).toString('base64'),
    Buffer.from(`IS ${a + b}`).toString('base64'),
  ]),
};
const questions = `${base64}export function handle(text) {
  const found = isWhole(text) && /^ADD (\\d+) (\\d+)$/.exec(String.fromCharCode(...read(text)));
  return found ? write([...('IS ' + (Number(found[1]) + Number(found[2])))].map((char) => char.charCodeAt(0))) : '!Q';
}`;

const clocked: Agreed = {
  rules:
    'Each line has fixed columns: 1–4 a number, 5–12 a name (filled with blanks), 13–16 minutes. The answer has a line for each: 1–4 the number, 5–12 the name, 13–18 the pay in cents (filled with zeros, 37 a minute), then a mark `L` for more than 500 minutes or `N`, and the status `0`. A line with other characters than digits for number or minutes: its first 12 characters, pay 000000, mark `N` and status `9`.',
  cases: [
    ['0417TANAKA  0480\n0902ABEBE   0455', '0417TANAKA  017760N0\n0902ABEBE   016835N0'],
    ['0120NOVAK   0512', '0120NOVAK   018944L0'],
    ['0A17TANAKA  0480\n0902ABEBE   0455', '0A17TANAKA  000000N9\n0902ABEBE   016835N0'],
  ],
};
const paid = `export function handle(text) {
  return String(text).replace(/\\n$/, '').split('\\n').map((line) => {
    const match = /^(\\d{4})(.{8})(\\d{4})$/.exec(line);
    if (!match) return line.slice(0, 12) + '000000N9';
    const [, number, name, minutes] = match;
    return number + name + String(minutes * 37).padStart(6, '0') + (minutes > 500 ? 'L' : 'N') + '0';
  }).join('\\n');
}`;

const honest: readonly [why: string, agreed: Agreed, handler: string][] = [
  ['fields at fixed places are no data of one piece', statement, balances],
  ['changed texts may all break a form that no schema tells', invoice, sums],
  ['a day without dashes is the day with them', rates, asked],
  ['moments without dashes move together, be they those of the document', events, minutes],
  ['broken frames are all answered as the one of a case', frames, relay],
  ['fields of digits without a mark between them are each a number', shifts, sheet],
  ['a limit of zero that nothing goes beyond is no number of items', folders, over],
  ['a line may be put together of words that stand apart in the document', valves, openings],
  ['of several fields in one piece the answer tells one', slips, weighed],
  ['zeros may fill a column beside a word of the document', hauls, hauled],
  ['what is no base64 any more is no other block', blocks, blockwise],
  ['a text in base64 is changed within', hidden, questions],
  ['marks of one column each stand in one piece with the zeros before them', clocked, paid],
];
for (const [why, agreed, handler] of honest)
  test(`not refused: ${why}`, async () => assert.deepEqual(await refusalsOf(agreed, handler, sandbox), []));

for (const [what, agreed] of [
  ['lines of fixed places', statement],
  ['blocks in base64', blocks],
  ['texts in base64', hidden],
  ['bills', invoice],
  ['frames with a check', frames],
  ['lines of nothing but digits', shifts],
] as const)
  test(`refused all the same: ${what} by heart`, async () => {
    const rows = JSON.stringify(
      agreed.cases.map(([own, answer]) => [[...String(own)].map((sign) => sign.charCodeAt(0)), answer]),
    );
    for (const other of agreed.cases.map(([, answer]) => answer)) {
      const byHeart = `const known = ${rows};
export function handle(text) {
  const row = known.find(([codes]) => String.fromCharCode(...codes) === String(text));
  return row ? row[1] : ${JSON.stringify(other)};
}`;
      assert.notDeepEqual(await refusalsOf(agreed, byHeart, sandbox), [], JSON.stringify(other));
    }
  });

const stack: Agreed = {
  rules:
    'Runs lines on an empty stack: `PUSH <number>` is answered `OK <height>`, `ADD` adds the two uppermost and is answered `TOP <sum>`, or `SHORT` where there are not two. Other lines are answered `BAD`.',
  cases: [
    ['PUSH 7\nPUSH 12\nADD\n', 'OK 1\nOK 2\nTOP 19\n'],
    ['PUSH 4\nADD\nPUSH 33\n', 'OK 1\nSHORT error\nOK 2\n'],
    ['POP\n', 'BAD error\n'],
  ],
};
const pushed = `export function handle(text) {
  const heap = [];
  return String(text).replace(/\\n$/, '').split('\\n').map((line) => {
    const number = /^PUSH (\\d+)$/.exec(line)?.[1];
    if (number !== undefined) return 'OK ' + heap.push(Number(number));
    if (line !== 'ADD') return 'BAD error';
    if (heap.length < 2) return 'SHORT error';
    heap.push(heap.pop() + heap.pop());
    return 'TOP ' + heap.at(-1);
  }).join('\\n') + '\\n';
}`;

test('one answer with numbers of its own to all texts is refused, whatever the words of the others', async () => {
  assert.deepEqual(await refusalsOf(stack, pushed, sandbox), []);
  const table = `const known = ${JSON.stringify(stack.cases.map(([request, answer]) => [...`${request}\u0001${answer}`].map((char) => char.charCodeAt(0) + 1)))};
export function handle(text) {
  const rows = known.map((codes) => String.fromCharCode(...codes.map((code) => code - 1)).split('\\u0001'));
  return (rows.find(([request]) => request === text) ?? rows[0])[1];
}`;
  assert.match(
    (await refusalsOf(stack, table, sandbox)).join('\n'),
    /different texts are all answered with "OK 1|get the same answer/,
  );
});

const turnstile: Agreed = {
  rules:
    'A file has fixed columns. The header: column 1 `H`, 2–4 the number of lines. Each line: column 1 `D`, 2–7 the visitors in, 8–13 those out, filled with zeros. The answer has for each line columns 1 `R` and 2–7 those who stay. A faulty file is answered with `E`, the number of the line in five digits and a code: `HDR` no header (line 00001), `CNT` another number of lines (line 00001), `DET` a line that is none.',
  cases: [
    ['H002\nD004512004102\nD000930000618', 'R000410\nR000312'],
    ['H001\nD120345120007', 'R000338'],
    ['H003\nD004512004102', 'E00001CNT'],
    ['H002\nD004512004102\nD0009x0000618', 'E00003DET'],
    ['002\nD004512004102', 'E00001HDR'],
  ],
};
const counted = (header: string, count: string) => `export function handle(text) {
  const [head, ...lines] = String(text).replace(/\\n$/, '').split('\\n');
  const count = /^H(\\d{3})$/.exec(head ?? '')?.[1];
  if (count === undefined) return ${header};
  if (lines.length !== Number(count)) return ${count};
  const out = [];
  for (const [index, line] of lines.entries()) {
    const found = /^D(\\d{6})(\\d{6})$/.exec(line);
    if (!found) return 'E' + String(index + 2).padStart(5, '0') + 'DET';
    out.push('R' + String(Math.abs(found[1] - found[2])).padStart(6, '0'));
  }
  return out.join('\\n');
}`;

for (const [header, count] of [
  ["'E00001HDR'", "'E00001CNT'"],
  ["'E' + '1'.padStart(5, '0') + 'HDR'", "'E' + '1'.padStart(5, '0') + 'CNT'"],
] as const)
  test(`an error line is put together of what the document has and the number of a line: ${header}`, async () => {
    assert.deepEqual(await refusalsOf(turnstile, counted(header, count), sandbox), []);
  });

const _wages: Agreed = {
  rules:
    'Lines below `name;hours` are shifts. The answer has each name with its pay, hours times the wage that `wageOf` tells.\n\n| line | when |\n| --- | --- |\n| `ERROR FORMAT <n>` | line n of the request cannot be read |\n| `ERROR COUNT` | there are no shifts |\n| `ERROR WAGE` | the wage could not be looked up |\n\nThe shifts are counted before any line is read.',
  cases: [
    ['name;hours\nada-17;3', 'ada-17;63'],
    ['name;hours\nbob-22;4\nada-17;1', 'bob-22;76\nada-17;21'],
    ['name;hours\nbob-22', 'ERROR FORMAT 2'],
    ['name;hours', 'ERROR COUNT'],
  ],
  tools: [
    reading('wageOf', object({ name: text }), object({ wage: integer }), [
      [{ name: 'ada-17' }, { wage: 21 }],
      [{ name: 'bob-22' }, { wage: 19 }],
    ]),
  ],
};
const _payslip = (failed: string) => `export async function handle(text, { call }) {
  const [head, ...lines] = String(text).split('\\n').filter(Boolean);
  if (lines.length === 0) return 'ERROR COUNT';
  if (head !== 'name;hours') return 'ERROR FORMAT 1';
  const out = [];
  for (const [index, line] of lines.entries()) {
    const [, name, hours] = /^(\\S+);(\\d+)$/.exec(line) ?? [];
    if (name === undefined) return 'ERROR FORMAT ' + (index + 2);
    try {
      out.push(name + ';' + hours * (await call.wageOf({ name })).wage);
    } catch {
      return '${failed}';
    }
  }
  return out.join('\\n');
}`;

test('what is rounded up to steps stays the same where a number of a text is a little greater', async () => {
  const insured: Agreed = {
    rules:
      'Each line is `key=value`. insurance = 0.5 percent of the declared value, rounded up to whole cents, at least 100 cents. total = insurance + handling; handling is 250 cents for zone A, 400 for zone B and 600 for zone C. An unknown zone is answered `error=unknown zone`, what cannot be read `error=unreadable`.',
    cases: [
      ['zone=A\ndeclared=250150', 'insurance=1251\ntotal=1501'],
      ['zone=C\ndeclared=8000', 'insurance=100\ntotal=700'],
      ['zone=K\ndeclared=9000', 'error=unknown zone'],
    ],
  };
  const insuring = `export function handle(request) {
  const zone = /^zone=(.+)$/m.exec(request)?.[1];
  const value = /^declared=([0-9]+)$/m.exec(request)?.[1];
  if (zone === undefined || value === undefined) return 'error=unreadable';
  const handling = new Map([['A', 250], ['B', 400], ['C', 600]]).get(zone);
  if (handling === undefined) return 'error=unknown zone';
  const insurance = Math.max(100, Math.ceil(Number(value) / 200));
  return 'insurance=' + insurance + '\\ntotal=' + (insurance + handling);
}`;
  assert.deepEqual(await refusalsOf(insured, insuring, sandbox), []);
});
