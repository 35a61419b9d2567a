import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Amendment } from '../../src/contract/finding.ts';
import type { Job, Tool } from '../../src/contract/job.ts';
import { handlerKey } from '../../src/handlers/handler-key.ts';
import type { Cleared } from '../../src/job/requirements.ts';

const tool = (name: string, more: Partial<Tool> = {}): Tool => ({ name, description: `does ${name}`, ...more }) as Tool;
const task = { description: 'what we want', inputSchema: { type: 'object' }, outputSchema: { type: 'string' } };
const amendment: Amendment = { of: 'responseSchema', patch: [{ op: 'remove', path: '/required/0' }] };
const bases = { 'uri:a': { content: 'A' }, 'uri:b': { content: 'B' } };

function cleared(job: Partial<Job> = {}, more: { agreement?: object; amendments?: Amendment[] } = {}): Cleared {
  return {
    job: {
      tenant: 't',
      family: 'anp',
      role: 'provider',
      tools: [tool('one'), tool('two')],
      baseProtocols: bases,
      ...job,
    },
    agreement: { protocolHash: 'h', payload: 'json', ...more.agreement },
    amendments: more.amendments ?? [],
    warnings: [],
  } as unknown as Cleared;
}

const plain = handlerKey(cleared());

test('a key does not depend on the order of tools and base protocols, on cases, nor on examples', () => {
  const [one, two] = [tool('one'), tool('two')];
  const examples = [{ input: 1, output: 2 }];
  for (const job of [
    { tools: [two, one] },
    { baseProtocols: { 'uri:b': { content: 'B' }, 'uri:a': { content: 'A' } } },
    { tools: [{ ...one, examples, otherwise: { output: null } }, two] },
    { tools: [tool('one', { annotations: { readOnlyHint: false } }), two] },
    { testCases: [{ request: 1, response: 2 }], loose: [{ pointer: '/a', as: 'id' as const }], negotiationId: 'other' },
  ])
    assert.equal(handlerKey(cleared(job as Partial<Job>)), plain, JSON.stringify(job));
  const withTask = handlerKey(cleared({ task } as Partial<Job>));
  const task2 = { ...task, examples: [{ testCase: 1, input: 1, output: 2 }] };
  assert.equal(handlerKey(cleared({ task: task2 } as Partial<Job>)), withTask);
});

test('a key depends on everything that a handler is made from', () => {
  const others: Cleared[] = [
    cleared({ tenant: 'other' }),
    cleared({ family: 'agora' }),
    cleared({ role: 'requester' }),
    cleared({}, { agreement: { protocolHash: 'other' } }),
    cleared({}, { agreement: { payload: 'text' } }),
    cleared({}, { amendments: [amendment] }),
    cleared({ baseProtocols: { ...bases, 'uri:b': { content: 'C' } } }),
    cleared({ baseProtocols: { 'uri:a': { content: 'A' }, 'uri:c': { content: 'B' } } }),
    cleared({ tools: [tool('one')] }),
    cleared({ tools: [tool('one'), tool('three')] }),
    cleared({ tools: [tool('one', { description: 'does another thing' }), tool('two')] }),
    cleared({ tools: [tool('one', { inputSchema: { type: 'object' } }), tool('two')] }),
    cleared({ tools: [tool('one', { outputSchema: { type: 'object' } }), tool('two')] }),
    cleared({ tools: [tool('one', { annotations: { readOnlyHint: true } }), tool('two')] }),
    cleared({ task } as Partial<Job>),
    cleared({ task: { ...task, description: 'another' } } as Partial<Job>),
    cleared({ task: { ...task, inputSchema: {} } } as Partial<Job>),
    cleared({ task: { ...task, outputSchema: {} } } as Partial<Job>),
  ];
  const keys = others.map((one) => handlerKey(one));
  assert.equal(new Set([plain, ...keys]).size, others.length + 1);
});
