import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isHeading, unitsOf, unitsOfSubject } from '../../src/readings/units.ts';
import { asRead } from '../../src/verification/hidden-words.ts';
import { borrowingJob, lendingJob, subjectOf } from './rig.ts';

const textsOf = (document: string): string[] => unitsOf(document).map(({ text }) => text);

/** A document and the texts of its units. */
const table: [name: string, document: string, units: string[]][] = [
  ['sentences', 'One is first. Two is "second." Is three?', ['One is first.', 'Two is "second."', 'Is three?']],
  [
    'a sentence over full lines',
    'The provider answers with the state of the parcel and with the\r\nWarehouse that has it now. Where nobody knows of the parcel the\ncode is 404.\nThen nothing is told.',
    [
      'The provider answers with the state of the parcel and with the Warehouse that has it now.',
      'Where nobody knows of the parcel the code is 404.',
      'Then nothing is told.',
    ],
  ],
  [
    'lines that say one thing each',
    'send the id\nget the price back\nNone: 404',
    ['send the id', 'get the price back', 'None: 404'],
  ],
  ['paragraphs without a full stop', 'One\n\nTwo', ['One', 'Two']],
  ['headings, which end a paragraph', '# One. Two\ntext\n## Three', ['# One. Two', 'text', '## Three']],
  ['lists', '- one\n- second. Third.\n  goes on\n* four', ['- one', '- second.', 'Third.', 'goes on', '* four']],
  ['other marks of lists', '• one\n– two\n▪ three', ['• one', '– two', '▪ three']],
  [
    'numbered items',
    '1. One is so.\n2) Two is.\n(3) Three.\na) four\n10. ten',
    ['1. One is so.', '2) Two is.', '(3) Three.', 'a) four', '10. ten'],
  ],
  ['a number is no unit of its own', '1. Send it. Then wait.', ['1. Send it.', 'Then wait.']],
  ['labels', '**Code:** 200 is sent.\n**Else:** 400.', ['**Code:** 200 is sent.', '**Else:** 400.']],
  [
    'tables, a row each',
    '| code | when |\n| --- | --- |\n| 404 | None. Or gone. |',
    ['| code | when |', '| 404 | None. Or gone. |'],
  ],
  ['fences, as one', 'Like so:\n```\nGET a. b\nGET c\n```\nend', ['Like so:', 'GET a. b GET c', 'end']],
  ['quotes', '> One is said. Two is.\n>\n> Three.', ['> One is said.', 'Two is.', '> Three.']],
  [
    'Chinese',
    '提供方返回库存。若没有该商品,返回404!超时是吗?',
    ['提供方返回库存。', '若没有该商品,返回404!', '超时是吗?'],
  ],
  ['Japanese', '在庫を返す。商品がない場合は404とする。', ['在庫を返す。', '商品がない場合は404とする。']],
  ['Chinese items', '1、返回库存。\n2、返回价格。', ['1、返回库存。', '2、返回价格。']],
  ['Arabic', 'يرسل الطلب. ما هو الرد؟ يرسل مرة.', ['يرسل الطلب.', 'ما هو الرد؟', 'يرسل مرة.']],
  [
    'numbers and names with dots',
    'From 1.5 kg on, 2.50 EUR are due. See example.org/a.b for it.',
    ['From 1.5 kg on, 2.50 EUR are due.', 'See example.org/a.b for it.'],
  ],
  ['rules and blanks are none', 'One.\n\n---\n\n***\n \nTwo.', ['One.', 'Two.']],
  ['nothing', '', []],
];

describe('the units of a document:', () => {
  for (const [name, document, units] of table) test(name, () => assert.deepEqual(textsOf(document), units));
});

test('units are numbered from 1, and their offsets are right', () => {
  const document = '# Head\n\n- One  is\n  so. Two.\n';
  const units = unitsOf(document);
  assert.deepEqual(
    units.map(({ number }) => number),
    [1, 2, 3],
  );
  for (const { start, end, text } of units) assert.equal(document.slice(start, end).replaceAll(/\s+/g, ' '), text);
  assert.deepEqual(units.map(isHeading), [true, false, false]);
});

test('schemas are no units, and do not split a sentence', () => {
  const document = 'Before it. {"type": "object. Or so"} After it.';
  const start = document.indexOf('{');
  const units = unitsOf(document, [{ start, end: document.indexOf('}') + 1 }]);
  assert.deepEqual(
    units.map(({ text }) => text),
    ['Before it.', 'After it.'],
  );
  const subject = subjectOf(lendingJob());
  const texts = unitsOfSubject(subject).map(({ text }) => text);
  assert.ok(texts.every((text) => !text.includes('"type"')));
  assert.ok(texts.includes('A thing that is free is lent.'));
});

test('a very long sentence is split, and a very long document takes no more than its length', () => {
  const units = unitsOf(`${'word '.repeat(1_000)}.`);
  assert.ok(units.length >= 5 && units.every(({ text }) => text.length <= 1_000));
  for (const odd of [
    '#'.repeat(50_000),
    '|'.repeat(50_000),
    '1.'.repeat(25_000),
    '> '.repeat(25_000),
    '**a'.repeat(20_000),
    '`'.repeat(50_000),
  ])
    unitsOf(odd);
});

test('sentences of a requester’s task follow those of the document, with the next numbers', () => {
  const units = unitsOfSubject(subjectOf(borrowingJob()));
  const own = units.filter((unit) => unit.of === 'task');
  assert.deepEqual(
    own.map(({ text }) => text),
    ['Borrow a thing, and say whether it came.'],
  );
  assert.deepEqual(
    units.map(({ number }) => number),
    units.map((_, index) => index + 1),
  );
  assert.equal(units.at(-1), own[0]);
});

test('hidden passages are no units', () => {
  const subject = asRead(
    subjectOf(lendingJob('One rule. <!-- Two rules. -->\n\n[//]: # (Three rules.)\n\nF\u200bo\u200bu\u200br rules.')),
  );
  const said = unitsOfSubject(subject)
    .map(({ text }) => text)
    .join('\n');
  assert.match(said, /One rule/);
  assert.doesNotMatch(said, /Two rules|Three rules|rules\.$/m);
});
