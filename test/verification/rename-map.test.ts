import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../src/kernel/json.ts';
import { decodedText, leavesOf } from '../../src/verification/scalar-kinds.ts';
import type { Subject } from '../../src/verification/subject.ts';
import { Vocabulary } from '../../src/verification/vocabulary.ts';
import { dataOf } from '../../src/verification/worlds/datum.ts';
import type { Reach } from '../../src/verification/worlds/fresh-text.ts';
import { RenameMap } from '../../src/verification/worlds/rename-map.ts';
import { SeededRandom } from '../../src/verification/worlds/seeded-random.ts';
import { runsOf } from '../../src/verification/worlds/text-runs.ts';

function vocabularyOf(text: string, part: Partial<Subject> = {}): Vocabulary {
  return new Vocabulary({
    role: 'provider',
    payload: 'json',
    agreement: { text, language: 'en', schemas: [] },
    trialSeed: 'seed',
    requestSchema: null,
    responseSchema: null,
    tools: [],
    loose: [],
    cases: [],
    surface: {
      requestIssues: () => [],
      responseIssues: () => [],
      resultIssues: () => [],
      toolInputIssues: () => [],
      toolOutputIssues: () => [],
    },
    ...part,
  });
}

function renamed(value: Json, document = 'A protocol.', reach: Reach = 'far'): Json {
  const vocabulary = vocabularyOf(document);
  return new RenameMap(
    dataOf(leavesOf(value), vocabulary),
    vocabulary,
    runsOf([value]),
    new SeededRandom('test'),
    reach,
  ).json(value);
}

test('ids, names, prices and dates change and keep their shape; small integers, booleans and null stay', () => {
  const before = {
    id: 'ORD-10023',
    name: 'Copper Kettle',
    price: 84.5,
    day: '2025-03-14',
    at: '2025-03-14T10:00:00Z',
    n: 7,
    yes: true,
    none: null,
  };
  const after = renamed(before) as typeof before;
  assert.match(after.id, /^ORD-\d{5}$/);
  assert.match(after.name, /^C[a-z]{5} K[a-z]{5}$/);
  assert.match(String(after.price), /^\d{2}(?:\.\d)?$/);
  for (const key of ['id', 'name', 'price', 'day', 'at'] as const) assert.notEqual(after[key], before[key], key);
  assert.equal(Date.parse(after.day) - Date.parse(before.day), 364 * 86_400_000);
  assert.equal(after.at, `${after.day}T10:00:00Z`);
  assert.deepEqual([after.n, after.yes, after.none], [7, true, null]);
});

test('one datum becomes one fresh value wherever it stands and in whatever letter case', () => {
  const after = renamed({
    a: 'Ada Byron',
    upper: 'BYRON, Ada',
    parts: ['Ada', 'Byron'],
    text: 'For Ada Byron: 12345',
    id: 'P12345',
    number: 12345,
  }) as Record<string, string>;
  const [first, last] = after.a?.split(' ') ?? [];
  assert.equal(after.upper, `${last?.toUpperCase()}, ${first}`);
  assert.deepEqual(after.parts, [first, last]);
  assert.equal(after.text, `For ${after.a}: ${after.number}`);
  assert.equal(after.id, `P${after.number}`);
});

test('words of the document, shared constants and common knowledge are no data; samples in the document are', () => {
  const document =
    'The state is shipped. Codes like `E1001` name errors, e.g. P-777.\n\n```json\n{"id": "K-4711", "city": "Lindau"}\n```\n';
  const vocabulary = vocabularyOf(document);
  const kinds = (value: Json) => dataOf(leavesOf(value), vocabulary).map(({ value: datum }) => datum);
  assert.deepEqual(kinds(['shipped', 'E1001', 'SHA-256', 'application/json', 'Europe/Berlin', 1000, 273.15]), []);
  assert.deepEqual(kinds(['K-4711', 'P-777', 'delivered']), ['K-4711', 'P-777', 'delivered']);
  const twice = [1, 2].map((testCase) => ({
    testCase,
    request: { api: 'v7x', id: `Q-${testCase}00` },
    response: null,
    expected: '',
    negative: false,
  }));
  const shared = vocabularyOf('', { cases: twice });
  assert.ok(shared.hasText('v7x'));
  assert.ok(!shared.hasText('Q-100'));
});

test('hex stays hex, check digits stay right, base64 holds renamed text, and other scripts keep theirs', () => {
  const before = {
    hash: '9f3c7a21be',
    card: '4111111111111111',
    isbn: '9783161484100',
    iban: 'DE89370400440532013000',
    data: Buffer.from('hello Ada 4242').toString('base64'),
    city: '哈尔滨',
  };
  const after = renamed(before) as typeof before;
  for (const key of Object.keys(before) as (keyof typeof before)[]) assert.notEqual(after[key], before[key], key);
  assert.match(after.hash, /^[0-9a-f]{10}$/);
  const weigh = (text: string, weight: (index: number) => number, fold = (value: number) => value) =>
    [...text].reverse().reduce((sum, digit, index) => sum + fold(Number(digit) * weight(index)), 0);
  assert.equal(
    weigh(
      after.card,
      (index) => (index % 2) + 1,
      (value) => (value > 9 ? value - 9 : value),
    ) % 10,
    0,
    after.card,
  );
  assert.equal(weigh(after.isbn, (index) => (index % 2 === 0 ? 1 : 3)) % 10, 0, after.isbn);
  const moved = (after.iban.slice(4) + after.iban.slice(0, 4)).replace(/[A-Z]/g, (letter) =>
    String(letter.charCodeAt(0) - 55),
  );
  assert.equal(BigInt(moved) % 97n, 1n, after.iban);
  assert.match(decodedText(after.data) ?? '', /^h[a-z]{4} A[a-z]{2} 4\d{3}$/);
  assert.match(after.city, /^\p{Script=Han}{3}$/u);
});

test('a colour stays a colour, and the letters before the number of an id name its kind, with a space behind them as well', () => {
  for (const reach of ['far', 'near'] as const) {
    const colours = ['#8A9A5B', '#F2efe6', '#e0e', '#99a'];
    for (const [index, colour] of (renamed(colours, '', reach) as string[]).entries()) {
      assert.notEqual(colour, colours[index]);
      assert.match(colour, /^#[0-9a-fA-F]+$/);
      assert.equal(colour.length, colours[index]?.length);
    }
    assert.match(renamed('hlxj 204411-0', '', reach) as string, /^hlxj \d{6}-0$/);
  }
});

test('fresh values of one shape have the order of those that they replace', () => {
  for (const reach of ['far', 'near'] as const) {
    const ids = Array.from({ length: 12 }, (_, index) => `p-${110 + 7 * index}`);
    const after = renamed([...ids].reverse(), '', reach) as string[];
    assert.equal(new Set([...ids, ...after]).size, 24);
    assert.deepEqual([...after].reverse(), [...after].sort());
  }
});

test('short ids become none that stands anywhere in the data, and stay where all of their shape do', () => {
  const seats = { seats: ['A1', 'A2'], taken: ['A3', 'A4', 'B7'] };
  for (const reach of ['far', 'near'] as const) {
    const fresh = leavesOf(renamed(seats, 'Seats are booked.', reach)).map(({ value }) => String(value));
    assert.equal(new Set(fresh).size, 5);
    for (const seat of fresh) {
      assert.match(seat, /^[A-Z]\d$/);
      assert.ok(!['A1', 'A2', 'A3', 'A4', 'B7'].includes(seat), seat);
    }
  }
  const all = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'].flatMap((row) => [...'0123456789'].map((seat) => `${row}${seat}`));
  assert.deepEqual(renamed(all, 'Seats are booked.'), all);
});

test('a near value differs as little as it can, and the same seed gives the same values', () => {
  const after = renamed({ id: 'AB-77120' }, '', 'near') as { id: string };
  assert.match(after.id, /^AB-771\d\d$/);
  assert.deepEqual(renamed({ id: 'AB-77120' }), renamed({ id: 'AB-77120' }));
});

test('member names that are data are renamed, prototype names do no harm', () => {
  const value = JSON.parse('{"list": ["WH-1180"], "levels": {"WH-1180": 1440, "__proto__": "WH-1180"}}') as Json;
  const after = renamed(value) as { list: string[]; levels: Record<string, Json> };
  assert.ok(Object.hasOwn(after.levels, after.list[0] ?? ''));
  assert.ok(Object.hasOwn(after.levels, '__proto__'));
});

test('a map says beforehand what it changes: texts, numbers, times and member names', () => {
  const before = { id: 'ORD-10023', who: 'Ada Byron', price: 84.5, day: '2025-03-14', total: 12345, sister: 'ΣΟΦΙΑΣ' };
  const vocabulary = vocabularyOf('A protocol.');
  const data = dataOf(leavesOf(before), vocabulary);
  const others: Json[] = [
    'Ada',
    'ada',
    '10023',
    'x',
    7,
    12345,
    84.5,
    '2025-03-15',
    ['BYRON'],
    { Byron: 1 },
    null,
    'σοφιας',
    'ΣΟΦΙΑΣ',
  ];
  for (const some of [data, ...data.map((datum) => [datum])]) {
    const map = new RenameMap(some, vocabulary, runsOf([before]), new SeededRandom('test'), 'far');
    for (const value of [before, ...others]) {
      const changed = JSON.stringify(map.json(value)) !== JSON.stringify(value);
      assert.equal(map.changes(value), changed, JSON.stringify(value));
    }
    assert.ok(map.changes(before));
  }
  const all = new RenameMap(data, vocabulary, runsOf([before]), new SeededRandom('test'), 'far');
  // The lower case of the final letter differs if more letters follow.
  assert.ok(all.changes("ΣΟΦΙΑΣ'Α"));
});

test('numbers beside each other in a line are no datum of one piece', () => {
  const found = (value: string) => dataOf(leavesOf(value), vocabularyOf('A protocol.')).map((datum) => datum.value);
  assert.deepEqual(found('temp,room=a 121.5 1700000000\nhum,room=b 140.25 1700000060'), [
    'temp',
    'room',
    '121.5',
    '1700000000',
    'hum',
    '140.25',
    '1700000060',
  ]);
  assert.deepEqual(found('row 112.5 1700000060'), ['row', '112.5', '1700000060']);
  assert.deepEqual(found('Flat 7, Canal Street 1024'), ['Flat 7, Canal Street 1024']);
});

test('a short name that is spelled in two ways is no datum, a long number is', () => {
  const leaves = leavesOf([
    { plate: 'KL EV 77' },
    { plate: 'KLEV77' },
    { plate: 'KLMM6' },
    { track: 'jd-0146 0000' },
    { track: 'JD01460000' },
  ]);
  const found = dataOf(leaves, vocabularyOf('A protocol.')).map(({ value }) => value);
  assert.deepEqual(
    found.filter((value) => /77/.test(String(value))),
    [],
  );
  assert.ok(found.includes('KLMM6') && found.includes('JD01460000'));
});

test('no fresh id is one that is known already', () => {
  const taken = runsOf([{ client: 'CL-9', path: 'a/b.c' }]);
  for (const whole of ['cl', '9', 'cl-9', 'a/b.c']) assert.ok(taken.has(whole), whole);
});
