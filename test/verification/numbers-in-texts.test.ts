import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, refusalsOf, warningsOf } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const servers = (range: string): Agreed => ({
  rules: `Cada linha é \`chave=valor\`. O valor de \`porta\` é um inteiro ${range}. A resposta é \`bom\` ou, com o número da linha, \`mau 1\`.`,
  cases: [
    ['porta=7781\nnome=alfa', 'bom'],
    ['nome=beta\nporta=80', 'mau 2'],
    ['porta=91', 'mau 1'],
  ],
});
const checking = (isGood: string) => `export function handle(text) {
  for (const [index, line] of String(text).split('\\n').entries()) {
    const porta = Number(/^porta=(\\d+)$/.exec(line)?.[1] ?? 2000);
    if (!(${isGood})) return 'mau ' + (index + 1);
  }
  return 'bom';
}`;

for (const range of [
  'de 1024 a 65535',
  'from 1024 to 65535',
  'von 1024 bis 65535',
  'от 1024 до 65535',
  '为 1024 至 65535',
]) {
  test(`both numbers of a range belong to it: ${range}`, async () => {
    assert.deepEqual(await refusalsOf(servers(range), checking('porta >= 1024 && porta <= 65535'), sandbox), []);
    for (const [wrong, where] of [
      ['porta > 1024 && porta <= 65535', /^thresholds: .*changes only behind porta 1024/],
      ['porta >= 1024 && porta < 65535', /^thresholds: .*changes before porta 65535/],
    ] as const)
      assert.match((await refusalsOf(servers(range), checking(wrong), sandbox)).join('\n'), where);
  });
}

test('what is no range, or leaves its ends open, says nothing of them', async () => {
  for (const range of ['acima de 1023, mas não de 80 ou 91', 'entre 1024 e 65535', 'de 1024 a 65535 (exclusive)'])
    assert.deepEqual(await refusalsOf(servers(range), checking('porta > 1024 && porta < 65535'), sandbox), [], range);
});

test('the last number of hours, and of what is measured, may be the first out of it', async () => {
  const open: Agreed = {
    rules: 'A line is `hour=<hour>`. The answer is `open` from 8 to 18 hours, and `shut` otherwise.',
    cases: [
      ['hour=9', 'open'],
      ['hour=21', 'shut'],
    ],
  };
  const hours = `export function handle(text) {
  const hour = Number(/\\d+/.exec(text)?.[0] ?? 0);
  return hour >= 8 && hour < 18 ? 'open' : 'shut';
}`;
  assert.deepEqual(await refusalsOf(open, hours, sandbox), []);
  const abutting: Agreed = {
    rules: 'A line is `step=<number>`: from 1 to 8 the answer is `low`, from 8 to 18 `mid`, and `none` otherwise.',
    cases: [
      ['step=9', 'mid'],
      ['step=3', 'low'],
      ['step=21', 'none'],
    ],
  };
  const steps = `export function handle(text) {
  const step = Number(/\\d+/.exec(text)?.[0] ?? 0);
  return step >= 1 && step < 8 ? 'low' : step >= 8 && step < 18 ? 'mid' : 'none';
}`;
  assert.deepEqual(await refusalsOf(abutting, steps, sandbox), []);
  const weight: Agreed = {
    rules: 'A line is `kg=<weight>`. The answer is `light` from 2 to 7 kg, and `heavy` otherwise.',
    cases: [
      ['kg=2.5', 'light'],
      ['kg=21.4', 'heavy'],
    ],
  };
  const weighed = hours
    .replace(/\bhour\b/g, 'kg')
    .replace('\\d+', '[\\d.]+')
    .replace('>= 8', '>= 2')
    .replace('< 18', '< 7');
  const said = weighed.replace("'open'", "'light'").replace("'shut'", "'heavy'");
  assert.deepEqual(await refusalsOf(weight, said, sandbox), []);
});

test('a number of so many digits in all cases is not made one of fewer', async () => {
  const tanks: Agreed = {
    rules:
      'A line is `tank=<letters> level=<three digits>`. The answer is `pump` with what the level has above 100. All other lines are answered `bad`.',
    cases: [
      ['tank=KB level=481', 'pump 381'],
      ['tank=KC level=100', 'pump 000'],
      ['tank=KD level', 'bad'],
    ],
  };
  const levels = `export function handle(text) {
  const level = /^tank=[A-Z]+ level=(\\d{3})$/.exec(text)?.[1];
  return level === undefined ? 'bad' : 'pump ' + String(Math.max(0, Number(level) - 100)).padStart(3, '0');
}`;
  assert.deepEqual(await refusalsOf(tanks, levels, sandbox), []);
});

test('the sign of a number is no word of an answer', async () => {
  const rests: Agreed = {
    rules:
      'A line is `by=<number>`. The answer is `rest` and how much the number by is above 50, below zero where it is not.',
    cases: [
      ['by=48', 'rest -2'],
      ['by=7', 'rest -43'],
      ['by=150', 'rest 100'],
    ],
  };
  const rest = `export function handle(text) {
  return 'rest ' + (Number(/-?\\d+/.exec(text)?.[0] ?? 50) - 50);
}`;
  assert.deepEqual(await refusalsOf(rests, rest, sandbox), []);
});

const dimmer: Agreed = {
  rules:
    'A message has a line `key=value` for each key: cmd is `set`, with the level and to, or `fade`, with steps as well, a number from 2 to 20. The answer to `set` is `level=` with to, that to `fade` is `path=` with the level after each step, rounded down.',
  cases: [
    ['cmd=set\nlevel=40\nto=75', 'level=75'],
    ['cmd=fade\nlevel=20\nto=100\nsteps=3', 'path=46,73,100'],
    ['cmd=fade\nlevel=90\nto=11\nsteps=4', 'path=70,50,30,11'],
  ],
};
const fades = `export function handle(text) {
  const { cmd, level, to, steps } = Object.fromEntries(String(text).split('\\n').map((line) => line.split('=')));
  if (cmd !== 'fade') return 'level=' + to;
  const at = (nth) => Math.floor((Number(level) * (steps - nth) + Number(to) * nth) / steps);
  return 'path=' + Array.from({ length: Number(steps) || 0 }, (_, index) => at(index + 1)).join(',');
}`;

test('small numbers that were worked out of numbers among words of the document follow these', async () => {
  assert.deepEqual(await refusalsOf(dimmer, fades, sandbox), []);
});

test('a price that words tell by numbers of the document may stay whatever the numbers of the request are', async () => {
  const agreed: Agreed = {
    rules:
      'A message has a line `key=value` for order, row, zone and class. zone `north` costs 12, zone `south` 17; class `first` adds 9, class `second` 4. The answer is `order=` with the order and `price=` with the sum.',
    cases: [
      ['order=4417\nrow=3\nseat=8\nzone=north\nclass=first', 'order=4417\nprice=21'],
      ['order=5120\nrow=6\nseat=2\nzone=south\nclass=first', 'order=5120\nprice=26'],
    ],
  };
  const priced = `export function handle(text) {
  const { order, zone, class: kind } = Object.fromEntries(String(text).split('\\n').map((line) => line.split('=')));
  return 'order=' + order + '\\nprice=' + ((zone === 'south' ? 17 : 12) + (kind === 'second' ? 4 : 9));
}`;
  assert.deepEqual(await refusalsOf(agreed, priced, sandbox), []);
});

const parcels = (rule: string): Agreed => ({
  rules: `A parcel is \`<gramm>500</gramm>\` with its weight; the answer is \`NORMAL\` or \`SCHWER\`. ${rule}`,
  cases: [
    ['<gramm>480</gramm>', 'NORMAL'],
    ['<gramm>3100</gramm>', 'SCHWER'],
  ],
});
const weighing = (isHeavy: string) => `export function handle(text) {
  const gramm = Number(/^<gramm>(\\d+)<.gramm>$/.exec(text)?.[1] ?? 0);
  return ${isHeavy} ? 'SCHWER' : 'NORMAL';
}`;

for (const rule of [
  'SCHWER: mehr als 1250 Gramm.',
  'NORMAL: höchstens 1250 Gramm.',
  'SCHWER : plus de 1250 grammes.',
  'NORMAL: hasta 1250 gramos.',
  'SCHWER: pesa más de 1250 gramos.',
])
  test(`the side of a number is read in other languages, and in elements: ${rule}`, async () => {
    assert.deepEqual(await refusalsOf(parcels(rule), weighing('gramm > 1250'), sandbox), []);
    assert.match(
      (await refusalsOf(parcels(rule), weighing('gramm >= 1250'), sandbox)).join('\n'),
      /^thresholds: .*changes before gramm 1250/,
    );
  });

for (const rule of [
  'SCHWER: ab 1250 Gramm.',
  'SCHWER: 1250 Gramm oder mehr.',
  'NORMAL: weniger als 1250 Gramm.',
  'NORMAL : moins de 1250 grammes.',
  'SCHWER: a partir de 1250 gramos.',
  'SCHWER: 1250 gramos o más.',
])
  test(`a number that begins what it bounds is read in other languages: ${rule}`, async () => {
    assert.deepEqual(await refusalsOf(parcels(rule), weighing('gramm >= 1250'), sandbox), []);
    assert.match(
      (await refusalsOf(parcels(rule), weighing('gramm > 1250'), sandbox)).join('\n'),
      /^thresholds: .*changes only behind gramm 1250/,
    );
  });

test('digits of a number of another form, and a limit that is hedged, have no side', async () => {
  for (const rule of [
    'SCHWER: mindestens 1250,5 Gramm.',
    'SCHWER: ab 1250 Gramm zuzüglich Karton.',
    'SCHWER: a partir de unos 1250 gramos.',
  ])
    assert.deepEqual(await refusalsOf(parcels(rule), weighing('gramm > 1250'), sandbox), [], rule);
});

test('what introduces a list tells what the numbers of its items are of', async () => {
  const rated = (from: string): Agreed => ({
    rules: `准时率 \`onTime\`（百分比）：\n\n- 98 及以上：A 级\n- ${from}、不足 98：B 级\n- 其余：C 级\n\n请求为 \`onTime=97 age=3\`。`,
    cases: [
      ['onTime=99 age=3', 'A'],
      ['onTime=96 age=7', 'B'],
      ['onTime=51 age=7', 'C'],
    ],
  });
  const rating = (b: string) => `export function handle(text) {
  const rate = Number(/onTime=(\\d+)/.exec(text)?.[1] ?? 0);
  return rate >= 98 ? 'A' : ${b} ? 'B' : 'C';
}`;
  assert.deepEqual(await refusalsOf(rated('95 及以上'), rating('rate >= 95'), sandbox), []);
  assert.match(
    (await refusalsOf(rated('95 及以上'), rating('rate > 95'), sandbox)).join('\n'),
    /^thresholds: .*changes only behind onTime 95/,
  );
});

test('a plain number of an answer that is a text follows the numbers of the prose', async () => {
  const sums: Agreed = {
    rules:
      'A line has pieces and a price, as `pieces=5 price=7`; the answer is their product, as `sum 35`. From 14 pieces on, the sum is 10 % less.',
    cases: [
      ['pieces=5 price=7', 'sum 35'],
      ['pieces=30 price=8', 'sum 216'],
    ],
  };
  const summing = (isMany: string) => `export function handle(text) {
  const [, pieces, price] = (/pieces=(\\d+) price=(\\d+)/.exec(text) ?? []).map(Number);
  if (!price) return 'bad';
  const sum = pieces * price;
  return 'sum ' + (${isMany} ? (sum * 90) / 100 : sum);
}`;
  assert.deepEqual(await refusalsOf(sums, summing('pieces >= 14'), sandbox), []);
  assert.match(
    (await warningsOf(sums, summing('pieces > 14'), sandbox)).join('\n'),
    /^thresholds: .*changes only behind pieces 14/,
  );
});
