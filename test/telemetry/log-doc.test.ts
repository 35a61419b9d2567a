import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseSync, Visitor } from 'oxc-parser';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** The lines of the table in docs/operations.md. */
function documented(): string[] {
  const [, table = ''] = read('docs/operations.md').split('| line (`msg`) | means |');
  const rows = table.split('\n\n')[0]?.split('\n') ?? [];
  return rows.flatMap((row) => {
    const [, first = ''] = row.split('|');
    return [...first.replaceAll(/\([^)]*\)/g, '').matchAll(/`([\w -]+)`/g)].map(([, name]) => name ?? '');
  });
}

/** The literals of a union type, taken from its source. */
function literalsOf(path: string, from: string, to: string, pattern: RegExp): string[] {
  const source = read(path);
  const part = source.slice(source.indexOf(from), source.indexOf(to, source.indexOf(from)));
  return [...part.matchAll(pattern)].map(([, name]) => name ?? '');
}

/** The messages of all calls of the log in the sources, and the places where a message is computed. */
function logged(): { messages: string[]; computed: string[] } {
  const messages: string[] = [];
  const computed: string[] = [];
  for (const path of globSync('src/**/*.ts', { cwd: root })) {
    const { program } = parseSync(path, read(path));
    const visitor = new Visitor({
      CallExpression(call) {
        const { callee, arguments: given } = call;
        if (callee.type !== 'MemberExpression') return;
        const { object } = callee;
        const name = object.type === 'Identifier' ? object.name : '';
        if (name !== 'log' || (callee.property.type === 'Identifier' && callee.property.name === 'write')) return;
        const message = given.at(-1);
        if (message?.type === 'Literal' && typeof message.value === 'string') messages.push(message.value);
        else computed.push(path);
      },
    });
    visitor.visit(program);
  }
  return { messages, computed };
}

test('docs/operations.md has every line that a worker logs, and no other', () => {
  const events = literalsOf('queues/redis/queue-event.ts', 'event: /**', 'jobId?', /\| '([\w-]+)'/g);
  const life = literalsOf('src/contract/history.ts', 'export type LifeEvent', '/** A fault of', /\btype: '([\w-]+)'/g);
  const { messages, computed } = logged();
  assert.ok(events.includes('taken') && life.includes('ended') && messages.includes('ready'));
  // Only these two write events, whose names are counted above.
  assert.deepEqual([...new Set(computed)].sort(), ['src/telemetry/log.ts', 'src/worker/compose-recorder.ts']);
  const all = [...new Set([...events, ...life, ...messages])].sort();
  assert.deepEqual(documented().toSorted(), all);
});
