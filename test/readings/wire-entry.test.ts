import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { loadEntry } from '../../src/readings/load-reading.ts';
import { storedEntry } from '../../src/readings/wire-entry.ts';

const inputs: Record<number, Json> = { 1: { a: 1, list: ['x', 'y'], deep: {} }, 2: 'a text' };
const inputOf = (testCase: number): Json | undefined => inputs[testCase];
const acts = ['put', 'post'];

const stored = (line: JsonObject): JsonObject => storedEntry({ of: [1], claim: 'c', base: 1, ...line }, inputOf, acts);

/** The line of a reader and its stored form; of `expect` alone where the first has members of it. */
const requests: [written: JsonObject, request: Json | undefined][] = [
  [{ set: { '/a': 2 } }, [{ op: 'replace', path: '/a', value: 2 }]],
  [{ set: { '/b': 2 } }, [{ op: 'add', path: '/b', value: 2 }]],
  [{ set: { '/list/1': 'z' } }, [{ op: 'replace', path: '/list/1', value: 'z' }]],
  [{ set: { '/list/2': 'z' } }, [{ op: 'add', path: '/list/2', value: 'z' }]],
  [{ set: { '': 'whole' } }, [{ op: 'replace', path: '', value: 'whole' }]],
  [{ base: 0, set: { '': {} } }, [{ op: 'replace', path: '', value: {} }]],
  [
    { drop: ['/a', '/deep'] },
    [
      { op: 'remove', path: '/a' },
      { op: 'remove', path: '/deep' },
    ],
  ],
  [{ drop: '/a' }, [{ op: 'remove', path: '/a' }]],
  [
    { set: { '/a': null }, drop: ['/deep'] },
    [
      { op: 'replace', path: '/a', value: null },
      { op: 'remove', path: '/deep' },
    ],
  ],
  [{ request: [{ op: 'add', path: '/x', value: 1 }] }, [{ op: 'add', path: '/x', value: 1 }]],
  [{}, undefined],
];

const answers: [written: Json, stored: Json][] = [
  ['FAILED', [{ fail: 'FAILED' }]],
  ['TIMEOUT', [{ fail: 'TIMEOUT' }]],
  [{ fail: 'FAILED', message: 'm' }, [{ fail: 'FAILED', message: 'm' }]],
  [{ output: null }, [{ output: null }]],
  [{ set: {} }, [{ patch: [] }]],
  [
    { set: { '/a': 1 }, drop: ['/b'] },
    [
      {
        patch: [
          { op: 'add', path: '/a', value: 1 },
          { op: 'remove', path: '/b' },
        ],
      },
    ],
  ],
  [{ set: { '/rows/0': 1 } }, [{ patch: [{ op: 'replace', path: '/rows/0', value: 1 }] }]],
  [
    ['FAILED', { set: {} }],
    [{ fail: 'FAILED' }, { patch: [] }],
  ],
  [{ output: 1, when: { '/a': 2 }, times: 3 }, [{ output: 1, times: 3, when: [{ at: '/a', equals: 2 }] }]],
  [{ output: 1, when: [{ at: '/a', present: true }] }, [{ output: 1, when: [{ at: '/a', present: true }] }]],
];

const expectations: [written: JsonObject, expect: JsonObject][] = [
  [
    { answer: { '/a': 1, '/b': null } },
    {
      answer: [
        { at: '/a', equals: 1 },
        { at: '/b', equals: null },
      ],
    },
  ],
  [{ answer: { '': { a: 1 } } }, { answer: [{ at: '', equals: { a: 1 } }] }],
  [{ same: true }, { answer: [{ sameAsBase: true }] }],
  [
    { absent: ['/a', '/b'] },
    {
      answer: [
        { at: '/a', absent: true },
        { at: '/b', absent: true },
      ],
    },
  ],
  [{ absent: '/a' }, { answer: [{ at: '/a', absent: true }] }],
  [{ check: [{ at: '/a', oneOf: [1] }] }, { answer: [{ at: '/a', oneOf: [1] }] }],
  [{ check: { at: '/a', length: 3 } }, { answer: [{ at: '/a', length: 3 }] }],
  [
    { answer: { '/a': 1 }, absent: ['/b'] },
    {
      answer: [
        { at: '/a', equals: 1 },
        { at: '/b', absent: true },
      ],
    },
  ],
  [
    { calls: { get: 2, put: { atMost: 1 } } },
    {
      calls: [
        { tool: 'get', times: 2 },
        { tool: 'put', atMost: 1 },
      ],
    },
  ],
  [
    { acts: 0 },
    {
      calls: [
        { tool: 'put', times: 0 },
        { tool: 'post', times: 0 },
      ],
    },
  ],
  [
    { calls: { put: 1 }, acts: 0 },
    {
      calls: [
        { tool: 'put', times: 1 },
        { tool: 'post', times: 0 },
      ],
    },
  ],
  [
    { calls: [{ tool: 'post', atLeast: 1 }], acts: 0 },
    {
      calls: [
        { tool: 'post', atLeast: 1 },
        { tool: 'put', times: 0 },
      ],
    },
  ],
  [{ with: { put: { '/a': 1 } } }, { calls: [{ tool: 'put', input: [{ at: '/a', equals: 1 }] }] }],
  [
    { with: { put: [{ '/a': 1 }, { '/a': 2 }] } },
    {
      calls: [
        { tool: 'put', nth: 1, input: [{ at: '/a', equals: 1 }] },
        { tool: 'put', nth: 2, input: [{ at: '/a', equals: 2 }] },
      ],
    },
  ],
  [{ sends: 2 }, { sends: [{ times: 2 }] }],
  [{ sends: { atMost: 2 } }, { sends: [{ atMost: 2 }] }],
  [{ sent: { '/a': 1 } }, { sends: [{ input: [{ at: '/a', equals: 1 }] }] }],
  [{ sends: 1, sent: [{ '/a': 1 }] }, { sends: [{ times: 1 }, { nth: 1, input: [{ at: '/a', equals: 1 }] }] }],
  [{ order: [['get', 'put']] }, { order: [['get', 'put']] }],
  [{ never: ['ZQX', { value: 7, in: ['logs'] }] }, { never: [{ value: 'ZQX' }, { value: 7, in: ['logs'] }] }],
  [{ never: 'ZQX' }, { never: [{ value: 'ZQX' }] }],
  [{ alike: 'other' }, { alike: { to: 'other' } }],
  [{ alike: 2 }, { alike: { to: 2 } }],
  [{ alike: { to: 'x', in: ['answer'] } }, { alike: { to: 'x', in: ['answer'] } }],
  [
    { anyOf: [{ answer: { '/a': 1 } }, { calls: { put: 0 } }] },
    { anyOf: [{ answer: [{ at: '/a', equals: 1 }] }, { calls: [{ tool: 'put', times: 0 }] }] },
  ],
  [
    { end: 'any', answer: { '/a': 1 } },
    { answer: [{ at: '/a', equals: 1 }], end: 'any' },
  ],
  [
    { expect: { answer: [{ at: '/a', present: true }], end: 'any' } },
    { answer: [{ at: '/a', present: true }], end: 'any' },
  ],
];

describe('the short form of a reader is stored in full form:', () => {
  for (const [written, request] of requests)
    test(JSON.stringify(written), () => {
      assert.deepEqual(stored({ ...written, answer: { '/a': 1 } }).request, request);
    });
  for (const [written, full] of answers)
    test(`tool ${JSON.stringify(written)}`, () => {
      assert.deepEqual(stored({ tools: { get: written } }).tools, { get: full });
      assert.deepEqual(stored({ peer: written }).peer, full);
    });
  for (const [written, expect] of expectations)
    test(JSON.stringify(written), () => {
      const entry = stored(written);
      assert.deepEqual(entry.expect, expect);
      assert.notEqual(loadEntry(entry, [{ number: 1, of: 'document', text: 'Words.', start: 0, end: 6 }]), 'form');
    });
});

test('an entry in the stored form stays unchanged', () => {
  const entry = {
    id: 'x',
    of: [1],
    claim: 'c',
    base: 1,
    request: [{ op: 'remove', path: '/a' }],
    broken: true,
    tools: { get: [{ output: 1 }] },
    expect: { answer: [{ at: '/a', equals: 1 }], calls: [{ tool: 'put', times: 0 }], order: [{ last: 'put' }] },
  };
  assert.deepEqual(storedEntry(entry, inputOf, acts), entry);
});

test('a single unit, a missing claim and a missing base are completed; a value that is no object stays unchanged, to be dropped', () => {
  const entry = storedEntry({ of: 4, answer: { '/a': 1 } }, inputOf, acts);
  assert.deepEqual([entry.of, entry.base, typeof entry.claim], [[4], 0, 'string']);
  for (const odd of [null, 7, 'text', [], true] as Json[]) {
    const line: JsonObject = {
      of: [1],
      tools: odd,
      peer: odd,
      calls: odd,
      with: odd,
      sent: odd,
      anyOf: odd,
      never: odd,
      alike: odd,
      set: odd,
      drop: odd,
    };
    const result = loadEntry(storedEntry(line, inputOf, acts), []);
    assert.equal(typeof result, 'string', JSON.stringify(result));
  }
});
