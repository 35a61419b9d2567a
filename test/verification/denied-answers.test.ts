import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, acting, object, reading, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const moves = (rule: string): Agreed => ({
  rules: `A domain moves to its new registrar if the transferCode of the request is that of the register, else it is refused. If a tool fails the result is later. ${rule}`,
  request: object({ id: text, domain: text, transferCode: text }),
  response: object({ id: text, result: { enum: ['moved', 'refused', 'later'] }, message: text }),
  loose: [{ pointer: '/message', as: 'text' }],
  tools: [
    reading('register', object({ domain: text }), object({ transferCode: text }), [
      [{ domain: 'lantern.example' }, { transferCode: 'Qx7-pp02' }],
      [{ domain: 'teapot.example' }, { transferCode: 'Zz1-900k' }],
    ]),
    acting('moveDomain', object({ domain: text }), object({ ticket: text }), [], { ticket: 'TK-1' }),
  ],
  cases: [
    [
      { id: 'm-1', domain: 'lantern.example', transferCode: 'Qx7-pp02' },
      { id: 'm-1', result: 'moved', message: 'done' },
    ],
    [
      { id: 'm-2', domain: 'teapot.example', transferCode: 'Aa0-0000' },
      { id: 'm-2', result: 'refused', message: 'wrong code' },
    ],
  ],
});
const moving = (message: string) => `export async function handle({ id: given, domain: name, transferCode }, { call }) {
  const id = String(given);
  const domain = String(name);
  let entry;
  try { entry = await call.register({ domain }); } catch { return { id, result: 'later', message: 'no register' }; }
  if (entry.transferCode !== transferCode) return { id, result: 'refused', message: 'wrong code' };
  try { await call.moveDomain({ domain }); } catch { return { id, result: 'later', message: ${message} }; }
  return { id, result: 'moved', message: 'done' };
}`;
const told = "'not moved with ' + transferCode";

for (const rule of [
  'The transferCode must never be part of an answer.',
  'A transfer code is at no time repeated in a response.',
  'Der transferCode darf nie in einer Antwort erscheinen.',
  'transferCode 任何时候都不得出现在响应中。',
])
  test(`what the document has in no answer is in none when a tool fails: ${rule}`, async () => {
    assert.deepEqual(await refusalsOf(moves(rule), moving("'not moved'"), sandbox), []);
    const refusals = await refusalsOf(moves(rule), moving(told), sandbox);
    assert.match(refusals.join('\n'), /leaks: case 1: the answer tells "transferCode"/);
  });

for (const rule of [
  '',
  'The transferCode is part of no answer unless something fails.',
  'The secret of the registrar is never part of an answer about a transferCode.',
])
  test(`what the document does not deny may be told: ${rule}`, async () =>
    assert.deepEqual(await refusalsOf(moves(rule), moving(told), sandbox), []));

const locks = (rule: string): Agreed => ({
  rules: `A domain that the register has is locked with lockDomain and then moved with moveDomain. If a tool fails, the result is later. ${rule}`,
  request: object({ id: text, domain: text }),
  response: object({ id: text, result: { enum: ['moved', 'later'] } }),
  tools: [
    acting('lockDomain', object({ domain: text }), object({ locked: { type: 'boolean' } }), [], { locked: true }),
    acting('moveDomain', object({ domain: text }), object({ ticket: text }), [], { ticket: 'TK-1' }),
  ],
  cases: [
    [
      { id: 'm-1', domain: 'lantern.example' },
      { id: 'm-1', result: 'moved' },
    ],
    [
      { id: 'm-2', domain: 'teapot.example' },
      { id: 'm-2', result: 'moved' },
    ],
  ],
});
const locking = (after: string) => `export async function handle({ id: given, domain: name }, { call }) {
  const id = String(given);
  const domain = String(name);
  try { await call.lockDomain({ domain }); } catch { ${after}return { id, result: 'later' }; }
  try { await call.moveDomain({ domain }); } catch { return { id, result: 'later' }; }
  return { id, result: 'moved' };
}`;
const moved = 'await call.moveDomain({ domain }).catch(() => null); ';

for (const rule of [
  'If lockDomain fails, do not call moveDomain.',
  'Si falla lockDomain, no se llama a moveDomain.',
  'lockDomain 失败：result 为 "later"，不得再调用 moveDomain。',
])
  test(`a tool that the document has not called after a failure is not called: ${rule}`, async () => {
    assert.deepEqual(await refusalsOf(locks(rule), locking(''), sandbox), []);
    const refusals = await refusalsOf(locks(rule), locking(moved), sandbox);
    assert.match(refusals.join('\n'), /moveDomain is called all the same/);
  });

for (const rule of [
  '',
  'If lockDomain fails, do not call lockDomain again before moveDomain.',
  'If moveDomain fails, do not call lockDomain.',
])
  test(`it may be called where the document does not deny it: ${rule}`, async () =>
    assert.deepEqual(await refusalsOf(locks(rule), locking(moved), sandbox), []));
