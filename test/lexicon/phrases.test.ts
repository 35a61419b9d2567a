import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { phrases } from '../../src/lexicon/phrases.ts';
import { startCost } from '../cost.ts';

test('a phrase matches whole words in the alphabet of its language', () => {
  const down = phrases({ en: ['down|off'], de: ['fällt'], fr: ['échoué'], ru: ['сбой'], zh: ['失败'], signs: ['≥'] });
  for (const text of ['it is DOWN.', 'off', 'Es fällt', '(échoué)', 'Сбой!', '查询失败了', '5≥4'])
    assert.ok(down.test(text), text);
  for (const text of ['download', 'offer', 'gefällt', 'échouée', 'сбойный', 'fällt_1', '4off'])
    assert.ok(!down.test(text), text);
});

test('a star leaves the start or end of a word open', () => {
  const fails = phrases({ en: ['fail*'], de: ['*fehler*'], es: ['no pued* leer'], ru: ['(систем|служб)*'] });
  for (const text of ['a failure', 'Lesefehlern', 'no pueden leer', 'службами']) assert.ok(fails.test(text), text);
  for (const text of ['unfailing', 'no pueden leerlo', 'подсистем']) assert.ok(!fails.test(text), text);
});

test('the parts of a phrase with a gap are in one sentence, within the limit of characters', () => {
  const both = phrases({ en: ['both …20 fail'], de: ['fällt … aus'], zh: ['都…4失败'] });
  for (const text of ['both, it seems, fail', 'fällt der Dienst aus', '都会失败', '都失败'])
    assert.ok(both.test(text), text);
  for (const text of ['both of the many tools that fail', 'bothfail', 'both. They fail', '都可能会一起失败'])
    assert.ok(!both.test(text), text);
  assert.ok(both.test(`fällt ${'x'.repeat(58)} aus`));
  assert.ok(!both.test(`fällt ${'x'.repeat(59)} aus`));
});

test('no expression is slow on hostile text', async () => {
  const folder = join(import.meta.dirname, '../../src/lexicon');
  for (const file of globSync('*.ts', { cwd: folder })) {
    for (const [name, one] of Object.entries(await import(pathToFileURL(join(folder, file)).href))) {
      if (!(one instanceof RegExp)) continue;
      // Starts of matching texts, repeated, as words and as one.
      const words = [...new Set(one.source.replace(/\\./g, ' ').match(/\p{L}{2,}/gu))].slice(0, 60);
      for (const unit of ['a ', '是', '"', ' ', '| ', ...words, ...words.map((word) => `${word} `)]) {
        const text = unit.repeat(30_000 / unit.length);
        const cost = startCost();
        one.test(text);
        assert.ok(cost() < 300, `${name} takes long on ${unit.trim()}`);
      }
    }
  }
});

test('neighbouring phrases share word boundaries, which are slow to compile', () => {
  const { source } = phrases({ fr: ['échoue', 'est refusé', 'rejette'], de: ['scheitert', 'abgelehn*', 'verweigert'] });
  assert.equal(source.split('uf900').length - 1, 3);
});

test('a word ends where no letter or digit of any script follows', () => {
  const word = phrases({ de: ['wort'] });
  const scripts =
    /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
  const unlike: string[] = [];
  for (let code = 0; code < 0xa000; code += 1) {
    const char = String.fromCharCode(code);
    const isInWords = code < 0x2000 || code >= 0x3040;
    if (isInWords && /[\p{L}\p{Nd}_]/u.test(char) && scripts.test(char) && word.test(`${char}wort`)) unlike.push(char);
    const isUsual = code < 0x370 || (code >= 0x2000 && code < 0x2c00) || (code >= 0x3000 && code < 0x3020);
    const isMark = /[\p{P}\p{Sm}\p{Sc}\p{So}\p{Z}\p{Cc}]/u.test(char) && !/[\p{L}_]/u.test(char);
    if ((isUsual || '،؛؟۔；・'.includes(char)) && isMark && !word.test(`wort${char}`)) unlike.push(char);
  }
  assert.deepEqual(unlike, []);
});
