import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DEFAULT_PREFIX, keysOf, kinds } from '../../queues/index.ts';

const folder = join(import.meta.dirname, '../../queues');
const text = readFileSync(join(folder, 'asyncapi.yaml'), 'utf8');
const schemas = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'));

test('the addresses are the keys of the queue', () => {
  const addresses = [...text.matchAll(/^ {4}address: '(.+)'$/gm)].map(([, address = '']) =>
    address.replace('{prefix}', DEFAULT_PREFIX),
  );
  const keys = keysOf();
  assert.deepEqual(addresses, [
    keys.queue,
    keys.intake,
    keys.outcomes('{replyTo}'),
    keys.outcome('{jobId}'),
    keys.cancel('{jobId}'),
  ]);
});

test('every kind of job has its message, by the schema that workers check it with', () => {
  const { $defs } = schemas('job.schema.json');
  for (const kind of kinds) {
    assert.match(text, new RegExp(`\\./job\\.schema\\.json#/\\$defs/${kind}'`), kind);
    assert.ok($defs[kind], kind);
  }
  assert.match(text, /enum: \[generate, review, verify, fix, observe\]/);
});

test('every reference leads somewhere', () => {
  for (const [, file = '', path = ''] of text.matchAll(/\$ref: '\.\/([\w.]+)(?:#([^']*))?'/g)) {
    const found = path
      .split('/')
      .filter(Boolean)
      .reduce((value, name) => value?.[name], schemas(file));
    assert.ok(found, `${file}#${path}`);
  }
  for (const [, section, name] of text.matchAll(/\$ref: '#\/(channels|components\/messages)\/(\w+)'/g)) {
    assert.match(text, new RegExp(`^ {${section === 'channels' ? 2 : 4}}${name}:$`, 'm'), name);
  }
});

test('the fields of an outcome entry are those that the script adds', () => {
  const script = readFileSync(join(folder, 'publish-outcome.lua'), 'utf8');
  const added = [...(script.split("'*',")[1] ?? '').matchAll(/'(\w+)', (?:ARGV|')/g)].map(([, name]) => name);
  const required = /^ {4}outcomeEntry:\n(?:.*\n){3} {8}required: \[(.*)\]/m.exec(text)?.[1]?.split(', ');
  assert.deepEqual(required, added);
});
