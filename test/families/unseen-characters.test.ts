import assert from 'node:assert/strict';
import { test } from 'node:test';
import { escapedLine, quoteJson, quoteText } from '../../src/kernel/quote.ts';
import { forTerminal, jsonForTerminal } from '../../src/operator/shell/for-terminal.ts';
import { visibleJson, visibleText as visibleToModels } from '../../src/prompting/visible-text.ts';
import { createLog } from '../../src/telemetry/log.ts';

const lines: string[] = [];
const log = createLog('info', { write: (line) => void lines.push(line) });

/** Every output that shows untrusted text. */
const SHOWN: Record<string, (text: string) => string> = {
  'a quotation for the peer': quoteText,
  'a quoted value for the peer': (text) => quoteJson([text]),
  'a text for the peer': escapedLine,
  'a text for the model': visibleToModels,
  'a value for the model': (text) => visibleJson([text]),
  'a text for a terminal': forTerminal,
  'a value for a terminal': (text) => jsonForTerminal([text]),
  'a line of the log': (text) => {
    log.info({ text }, text);
    return lines.pop()?.trimEnd() ?? '';
  },
};

const INVISIBLE = [
  // Control characters of both sets: escape, bell, backspace, carriage return, next line, control sequence introducer.
  0x00, 0x07, 0x08, 0x0b, 0x0d, 0x1b, 0x7f, 0x80, 0x85, 0x9b, 0x9d,
  // Bidirectional, zero-width, invisible operators, soft hyphen, separators.
  0x61c, 0x200e, 0x200f, 0x202a, 0x202e, 0x2066, 0x2069, 0x200b, 0x200d, 0x2060, 0x2064, 0xfeff, 0xad, 0x180e, 0x2028,
  0x2029,
  // Fillers, joiners, variation selectors, blank Braille, interlinear annotation, musical format, shorthand.
  0x34f, 0x115f, 0x17b4, 0x3164, 0xffa0, 0xfe00, 0xfe0e, 0xfe0f, 0xe0101, 0x180b, 0x2800, 0xfff9, 0xfffb, 0x1d173,
  0x1bca0,
  // Tags, private use, reserved characters, non-characters, lone surrogates.
  0xe0001, 0xe0041, 0xe007f, 0xe0fff, 0x2065, 0xfff0, 0xe000, 0x10fffd, 0xffff, 0x1fffe, 0xd800, 0xdfff,
];

test('no invisible or reordering character reaches a peer, a model, a log or a terminal', () => {
  for (const point of INVISIBLE) {
    const character = String.fromCodePoint(point);
    for (const [name, show] of Object.entries(SHOWN))
      assert.ok(!show(`a${character}b`).includes(character), `U+${point.toString(16)} in ${name}`);
  }
});

test('visible text stays unchanged everywhere', () => {
  for (const text of [
    '# 需求 商品',
    'ü é ñ ß',
    'العربية עברית',
    '👍🏽 ✔️ 1️⃣',
    'e\u0301',
    '　全角',
    'a < b -- c',
    '“x” — y…',
  ])
    for (const [name, show] of Object.entries(SHOWN)) assert.ok(show(text).includes(text), `${text} in ${name}`);
});

test('escaped values parse to the same values', () => {
  const text = INVISIBLE.map((point) => String.fromCodePoint(point)).join('x');
  for (const show of [(value: unknown) => visibleJson(value), (value: unknown) => jsonForTerminal(value, 2)])
    assert.deepEqual(JSON.parse(show({ [text]: [text] })), { [text]: [text] });
  log.info({ text });
  assert.equal(JSON.parse(lines.pop() ?? '').text, text);
});

test('a long quotation is cut between characters', () => {
  assert.doesNotMatch(quoteText(`${'a'.repeat(159)}😀😀`), /\\ud83d|[\ud800-\udfff](?![\udc00-\udfff])/);
});
