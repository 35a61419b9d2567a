import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, object, reading, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const crews = (rule: string): Agreed => ({
  rules: `A line is a name and its watches, parted by a comma. The answer has the names with twice the watches. ${rule}`,
  cases: [
    ['Ada,12\nBo,7', 'Ada,24\nBo,14'],
    ['"Meier, Jo",31\nLi,5', '"Meier, Jo",62\nLi,10'],
  ],
});
const doubled = (quote: string) => `export function handle(request) {
  return String(request).split('\\n').map((line) => {
    const [, quoted, plain, watches] = /^(?:"((?:[^"]|"")*)"|([^",]*)),(\\d+)$/.exec(line) ?? [];
    const name = quoted === undefined ? plain : quoted.replaceAll('""', '"');
    return (${quote}) + ',' + 2 * Number(watches ?? 0);
  }).join('\\n');
}`;
const [quotesAll, quotesCommas] = [
  `/[",]/.test(name) ? '"' + name.replaceAll('"', '""') + '"' : name`,
  `/,/.test(name) ? '"' + name + '"' : name`,
];

for (const rule of [
  'Names with a comma or a quote are quoted as in RFC 4180.',
  'Names with a comma or a quote stand in double quotes, with quotes in them doubled.',
  'Namen mit Komma oder Anführungszeichen stehen in Anführungszeichen, Anführungszeichen darin werden verdoppelt.',
  '含逗号或引号的姓名用引号括起，其中的引号双写。',
])
  test(`quotes in a field are doubled: ${rule}`, async () => {
    assert.deepEqual(await refusalsOf(crews(rule), doubled(quotesAll), sandbox), []);
    assert.match(
      (await refusalsOf(crews(rule), doubled(quotesCommas), sandbox)).join('\n'),
      /^generated-requests: case \d with ".*": this is written as it stands, though "/m,
    );
  });

test('quotes in a field may stay where nothing is said of them, or no answer has any', async () => {
  assert.deepEqual(await refusalsOf(crews(''), doubled(quotesCommas), sandbox), []);
  const [rule] = ['Names of the request are quoted as in RFC 4180; the answer has them as they are.'];
  const bare: Agreed = {
    ...crews(rule),
    cases: [
      ['Ada,12\nBo,7', 'Ada,24\nBo,14'],
      ['"Li",31', 'Li,62'],
    ],
  };
  assert.deepEqual(await refusalsOf(bare, doubled('name'), sandbox), []);
});

const shelves: Agreed = {
  rules:
    'The request is the number of a book, the answer `<book><title>its title</title></book>`. Where there is no such book: `<none/>`. The signs `&` and `<` are escaped.',
  cases: [
    ['B-4401', '<book><title>Ships and Knots</title></book>'],
    ['B-4402', '<book><title>Salt &amp; Rope</title></book>'],
    ['B-0000', '<none/>'],
  ],
  tools: [
    reading('titleOf', object({ book: text }), { type: ['string', 'null'] }, [
      [{ book: 'B-4401' }, 'Ships and Knots'],
      [{ book: 'B-4402' }, 'Salt & Rope'],
      [{ book: 'B-0000' }, null],
    ]),
  ],
};
const titled = (escaping: string) => `export async function handle(request, { call }) {
  const title = await call.titleOf({ book: String(request) });
  return title === null ? '<none/>' : '<book><title>' + title${escaping} + '</title></book>';
}`;

test('what a tool tells is escaped as the document has it', async () => {
  assert.deepEqual(await refusalsOf(shelves, titled(`.replaceAll('&', '&amp;').replaceAll('<', '&lt;')`), sandbox), []);
  assert.match(
    (await refusalsOf(shelves, titled(`.replaceAll('&', '&amp;')`), sandbox)).join('\n'),
    /^generated-requests: case 1 with "Ships and Knots <b": this is written as it stands, though "/m,
  );
});

test('a text of a tool that has signs itself is told with others', async () => {
  const known: [string, string][] = [
    ['B-4401', 'Fish & Chips'],
    ['B-4402', 'Salt & Rope'],
  ];
  const signed: Agreed = {
    ...shelves,
    cases: known.map(([book, title]) => [book, `<book><title>${title.replace('&', '&amp;')}</title></book>`]),
    tools: [
      reading(
        'titleOf',
        object({ book: text }),
        { type: ['string', 'null'] },
        known.map(([book, title]) => [{ book }, title]),
        null,
      ),
    ],
  };
  assert.deepEqual(await refusalsOf(signed, titled(`.replaceAll('&', '&amp;').replaceAll('<', '&lt;')`), sandbox), []);
  assert.match(
    (await refusalsOf(signed, titled(`.replaceAll('&', '&amp;')`), sandbox)).join('\n'),
    /^generated-requests: case 1 with " Chips <b": this is written as it stands, though "/m,
  );
});

test('a comma alone is reason enough for quotes', async () => {
  const rule = 'Names with a comma or a quote are quoted as in RFC 4180.';
  const always = `'"' + name.replaceAll('"', '""') + '"'`;
  const quotedNames: Agreed = {
    ...crews(rule),
    cases: [
      ['Ada,12\nBo,7', '"Ada",24\n"Bo",14'],
      ['"Meier, Jo",31\nLi,5', '"Meier, Jo",62\n"Li",10'],
    ],
  };
  assert.deepEqual(await refusalsOf(quotedNames, doubled(always), sandbox), []);
  assert.match(
    (await refusalsOf(crews(rule), doubled(quotesAll.replace('[",]', '"|, ')), sandbox)).join('\n'),
    /^generated-requests: case 1 with "Ada,z": this is written as it stands, though "/m,
  );
});

const asked: Agreed = {
  rules:
    'The request has a line `name;parameter` for the sample, the answer its value. A name with a semicolon or a double quote is enclosed in double quotes, with inner double quotes doubled.',
  cases: [
    ['well 7;iron', '0.31'],
    ['"north; old";iron', '0.47'],
  ],
  task: {
    description: 'The iron in a sample; null where the laboratory does not answer.',
    inputSchema: object({ name: text }),
    outputSchema: object({ value: { type: ['number', 'null'] } }),
    examples: [
      { testCase: 1, input: { name: 'well 7' }, output: { value: 0.31 } },
      { testCase: 2, input: { name: 'north; old' }, output: { value: 0.47 } },
    ],
  },
};
const asking = (quote: string) => `export async function perform({ name }, { send }) {
  const answer = await send((${quote}) + ';iron').catch(() => null);
  return { value: answer !== null && /^\\d+\\.\\d+$/.test(answer) ? Number(answer) : null };
}`;

test('a requester doubles the quotes of what the task has', async () => {
  const all = `/[";]/.test(name) ? '"' + name.replaceAll('"', '""') + '"' : name`;
  assert.deepEqual(await refusalsOf(asked, asking(all), sandbox), []);
  assert.match(
    (await refusalsOf(asked, asking(`/;/.test(name) ? '"' + name + '"' : name`), sandbox)).join('\n'),
    /^generated-requests: case 1 with "well 7.*: this is written as it stands, though "/m,
  );
});
