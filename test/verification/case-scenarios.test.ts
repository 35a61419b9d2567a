import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Case } from '../../src/contract/agreement.ts';
import type { Observation } from '../../src/contract/trial.ts';
import type { Json } from '../../src/kernel/json.ts';
import { casePeer } from '../../src/verification/case-peer.ts';
import { caseScenarios } from '../../src/verification/case-scenarios.ts';
import { caseDifferences, judgeCases } from '../../src/verification/judge-cases.ts';
import { ownLoosePlaces } from '../../src/verification/own-loose-places.ts';
import { runnableCases, unrunnableCases } from '../../src/verification/runnable-cases.ts';
import type { Subject } from '../../src/verification/subject.ts';

const anything = {
  requestIssues: () => [],
  responseIssues: () => [],
  resultIssues: () => [],
  toolInputIssues: () => [],
  toolOutputIssues: () => [],
};

function caseOf(testCase: number, request: Json, response: Json): Case {
  return { testCase, request, response, expected: '', negative: false };
}

function subjectOf(part: Partial<Subject>): Subject {
  return {
    role: 'provider',
    payload: 'json',
    agreement: { text: 'A protocol.', language: 'en', schemas: [] },
    requestSchema: null,
    responseSchema: null,
    tools: [],
    loose: [],
    cases: [],
    surface: anything,
    trialSeed: 'seed',
    ...part,
  };
}

function returned(value: Json, part: Partial<Observation> = {}): Observation {
  return {
    end: 'returned',
    value,
    issues: [],
    logs: [],
    calls: [],
    sends: [],
    order: [],
    issuedIds: [],
    durationMs: 0,
    cpuMs: 0,
    ...part,
  };
}

test('a provider passes with the response as a JSON value, and fails with every place that differs', () => {
  const subject = subjectOf({ cases: [caseOf(1, { q: 1 }, { a: 1, b: [2, 3] })] });
  assert.deepEqual(judgeCases(subject, [returned({ b: [2, 3], a: 1 })]), [
    { testCase: 1, passed: true, differences: [] },
  ]);
  const [report] = judgeCases(subject, [returned({ a: 2, b: [2] })]);
  assert.equal(report?.passed, false);
  assert.deepEqual(
    report?.differences.map(({ path, in: place }) => [path, place]),
    [
      ['/a', 'response'],
      ['/b/1', 'response'],
    ],
  );
});

test('a run that does not return fails its case and says how it ended', () => {
  const subject = subjectOf({ cases: [caseOf(3, {}, {})] });
  const seen: Observation = {
    ...returned(null),
    end: 'threw',
    message: 'TypeError: no',
    position: { line: 7, column: 1, text: 'x.y' },
  };
  delete seen.value;
  const [report] = judgeCases(subject, [seen]);
  assert.deepEqual(report, {
    testCase: 3,
    passed: false,
    differences: [{ path: '', in: 'run', message: 'the run ended as "threw": TypeError: no at line 7: x.y' }],
  });
});

test('an answer that its schema does not allow fails even where it equals the case', () => {
  const subject = subjectOf({ cases: [caseOf(1, {}, { a: null })] });
  const issues = [
    {
      pointer: '/a',
      schemaPointer: '/properties/a/type',
      keyword: 'type',
      message: 'wanted a string',
      expected: 'string',
      actual: null,
    },
  ];
  assert.equal(judgeCases(subject, [returned({ a: null }, { issues })])[0]?.passed, false);
});

test('a loose text may be any text but an empty one', () => {
  const subject = subjectOf({ cases: [caseOf(1, {}, { note: 'Hello' })], loose: [{ pointer: '/note', as: 'text' }] });
  assert.equal(caseScenarios(subject).length, 1);
  assert.equal(judgeCases(subject, [returned({ note: 'Good day' })])[0]?.passed, true);
  for (const note of ['', '  ', 7, null])
    assert.equal(judgeCases(subject, [returned({ note })])[0]?.passed, false, JSON.stringify(note));
  assert.equal(judgeCases(subject, [returned({})])[0]?.passed, false, 'left out');
});

test('a loose text may be as empty as the case has it', () => {
  for (const none of ['', null]) {
    const cases = [caseOf(1, {}, { ok: false, note: none })];
    const subject = subjectOf({ cases, loose: [{ pointer: '/note', as: 'text' }] });
    const passes = (note: Json) => judgeCases(subject, [returned({ ok: false, note })])[0]?.passed;
    assert.deepEqual([none, passes(none), passes('Sorry.'), passes(' ')], [none, true, true, false]);
  }
});

test('loose ids and times must change with another seed and clock', () => {
  const loose = [
    { pointer: '/id', as: 'id' as const },
    { pointer: '/at', as: 'time' as const },
  ];
  const subject = subjectOf({
    cases: [caseOf(1, {}, { id: 'x', at: '2020-01-01' }), caseOf(2, {}, { error: 'no' })],
    loose,
  });
  const [first, second, other] = caseScenarios(subject);
  assert.equal(caseScenarios(subject).length, 3, 'only the case that has such a place is run twice');
  assert.notEqual(first?.seed, second?.seed);
  assert.notEqual(first?.nowMs, second?.nowMs);
  assert.notEqual(first?.seed, other?.seed);
  const failing = returned({ error: 'no' });
  const verdict = (a: Json, b: Json) => judgeCases(subject, [returned(a), returned(b), failing])[0];
  assert.equal(verdict({ id: 'aaa', at: '2026-01-15' }, { id: 'bbb', at: '2026-02-17' })?.passed, true);
  assert.deepEqual(
    verdict({ id: 'aaa', at: '2026-01-15' }, { id: 'aaa', at: '2026-02-17' })?.differences.map(({ path }) => path),
    ['/id'],
  );
  assert.deepEqual(
    verdict({ id: 'aaa', at: '2026-01-15' }, { id: 'bbb', at: '2026-01-15' })?.differences.map(({ path }) => path),
    ['/at'],
  );
});

test('where a case has no moment and no id, none need be fresh', () => {
  const loose = [
    { pointer: '/id', as: 'id' as const },
    { pointer: '/at', as: 'time' as const },
  ];
  for (const [id, at] of [
    [null, null],
    ['', ''],
    [0, 0],
    [-1, -1],
  ]) {
    const refusal = { ok: false, id: id ?? null, at: at ?? null };
    const subject = subjectOf({ cases: [caseOf(1, {}, refusal)], loose });
    const answers = caseScenarios(subject).map(() => returned(refusal));
    assert.equal(judgeCases(subject, answers)[0]?.passed, true, JSON.stringify(refusal));
  }
});

const task = {
  description: 'The price of an article.',
  examples: [
    { testCase: 1, input: { article: 'A-1' }, output: { price: 5, id: 'm-17' } },
    { testCase: 2, input: { article: 'A-2' }, output: { price: 6, id: 'm-18' } },
  ],
};
const buyer = subjectOf({
  role: 'requester',
  task,
  loose: [{ pointer: '/messageId', as: 'id' }],
  cases: [
    caseOf(1, { messageId: 'm-17', article: 'A-1' }, { messageId: 'm-17', price: 5 }),
    caseOf(2, { messageId: 'm-18', article: 'A-2' }, { messageId: 'm-18', price: 6 }),
    caseOf(3, { messageId: 'm-19', article: 'A-3' }, { messageId: 'm-19', price: 7 }),
  ],
});

test('a requester sends the request, and what it sent at loose places comes back in response and output', () => {
  const [one] = runnableCases(buyer);
  assert.ok(one);
  const peer = casePeer(runnableCases(buyer), buyer.cases, one);
  assert.deepEqual(peer({ messageId: 'fresh-1', article: 'A-1' }, 1), { response: { messageId: 'fresh-1', price: 5 } });
  assert.deepEqual(peer({ messageId: 'fresh-2', article: 'A-2' }, 2), { response: { messageId: 'fresh-2', price: 6 } });
  assert.ok('error' in peer({ messageId: 'fresh-3', article: 'nothing' }, 2));
  const run = (id: string, article: string, output: Json) =>
    returned(output, { sends: [{ request: { messageId: id, article }, issues: [] }] });
  const good = (id: string, nth: number) => run(id, `A-${nth}`, { price: 4 + nth, id });
  const observations = [good('f1', 1), good('f2', 1), good('f3', 2), good('f4', 2)];
  assert.deepEqual(
    judgeCases(buyer, observations).map(({ testCase, passed }) => [testCase, passed]),
    [
      [1, true],
      [2, true],
    ],
  );
  const wrong = [run('f1', 'A-9', { price: 5, id: 'f1' }), good('f2', 1), good('f3', 2), good('f3', 2)];
  const reports = judgeCases(buyer, wrong);
  assert.deepEqual(
    reports[0]?.differences.map(({ path, in: place }) => [path, place]),
    [['/article', 'request']],
  );
  assert.deepEqual(
    reports[1]?.differences.map(({ path, in: place }) => [path, place]),
    [['/messageId', 'request']],
    'the id did not change',
  );
});

test('what is loose in one of several requests of a task is loose in the cases of the others', () => {
  const [submit, poll] = [
    { op: 'submit', reference: 'r-4471', text: 'Hello' },
    { op: 'status', job: 'J-20' },
  ];
  const example = { input: { text: 'Hello' }, output: { state: 'done' } };
  const subject = subjectOf({
    role: 'requester',
    task: { description: 'A translation.', examples: [1, 2].map((testCase) => ({ testCase, ...example })) },
    loose: [{ pointer: '/reference', as: 'id' }],
    cases: [caseOf(1, submit, { job: 'J-20' }), caseOf(2, poll, { state: 'done' })],
  });
  const run = (reference: string) =>
    returned(
      { state: 'done' },
      { sends: [{ ...submit, reference }, poll].map((request) => ({ request, issues: [] })) },
    );
  const scenarios = caseScenarios(subject);
  assert.deepEqual(
    judgeCases(
      subject,
      scenarios.map((_, index) => run(`fresh-${index}`)),
    ).map(({ differences }) => differences),
    [[], []],
  );
});

test('a case without a task example is not run, and named', () => {
  assert.deepEqual(unrunnableCases(buyer), [3]);
  assert.deepEqual(
    runnableCases(buyer).map(({ testCase }) => testCase),
    [1, 2],
  );
});

test('nothing sent, and requests that no case has, fail a requester', () => {
  const silent = judgeCases(buyer, [returned({ price: 5 }), returned({ price: 5 }), returned({}), returned({})]);
  assert.match(silent[0]?.differences[0]?.message ?? '', /nothing was sent/);
  const chatty = returned(
    { price: 5, id: 'f1' },
    {
      sends: [
        { request: { messageId: 'f1', article: 'A-1' }, issues: [] },
        { request: { messageId: 'f2', article: 'X' }, issues: [] },
      ],
    },
  );
  assert.match(judgeCases(buyer, [chatty, chatty, chatty, chatty])[0]?.differences[0]?.message ?? '', /no case has/);
});

test('ids and times that nothing yields are loose by themselves', () => {
  const subject = subjectOf({
    role: 'requester',
    agreement: { text: 'Version 2.1 is meant.', language: 'en', schemas: [] },
    task: { description: '', examples: [{ testCase: 1, input: { ref: 'K-55' }, output: null }] },
    cases: [
      caseOf(
        1,
        {
          requestId: 'zz-81',
          sentAt: '2025-01-02T03:04:05Z',
          ts: 1_714_550_400,
          ref: 'K-55',
          versionId: '2.1',
          plain: 'word',
        },
        null,
      ),
    ],
  });
  assert.deepEqual(ownLoosePlaces(subject), [
    { testCase: 1, pointer: '/requestId', as: 'id' },
    { testCase: 1, pointer: '/sentAt', as: 'time' },
    { testCase: 1, pointer: '/ts', as: 'time' },
  ]);
  assert.deepEqual(ownLoosePlaces({ ...subject, role: 'provider' }), []);
});

test('a time that is loose by itself is that of the case, or comes from the clock', () => {
  const stay = subjectOf({
    role: 'requester',
    task: { description: '', examples: [{ testCase: 1, input: { from: '2026-03-28', nights: 5 }, output: 'booked' }] },
    cases: [caseOf(1, { from: '2026-03-28', until: '2026-04-02' }, 'ok')],
  });
  const run = (until: string) =>
    returned('booked', { sends: [{ request: { from: '2026-03-28', until }, response: 'ok', issues: [] }] });
  const passes = (...untils: string[]) => judgeCases(stay, untils.map(run)).every(({ passed }) => passed);
  assert.deepEqual(ownLoosePlaces(stay), [{ testCase: 1, pointer: '/until', as: 'time' }]);
  assert.ok(passes('2026-04-02', '2026-04-02'), 'worked out from the task');
  assert.ok(passes('2026-01-15', '2026-02-17'), 'from the clock');
  assert.ok(!passes('2099-01-01', '2099-01-01'), 'from nowhere');
});

test('a number by which a message is told from others is an id, whatever it is called', () => {
  const request = {
    auftragsnummer: 'A-551',
    orderNo: 'o-552',
    serie_nr: '553',
    numéro: 'n554',
    流水号: 'f555',
    piano: 'p9',
  };
  const subject = subjectOf({
    role: 'requester',
    task: { description: '', examples: [{ testCase: 1, input: {}, output: null }] },
    cases: [caseOf(1, request, null)],
  });
  assert.deepEqual(
    ownLoosePlaces(subject).map(({ pointer }) => pointer),
    ['/auftragsnummer', '/orderNo', '/serie_nr', '/numéro', '/流水号'],
  );
});

test('what comes back in the answer and is made of nothing that was given is an id, whatever it is called', () => {
  const request = { marke: 'MK-551', konto: 'DE893704', betrag: '37EUR', prüfsumme: 'a41f7', art: 'X200' };
  const own = (response: Json) =>
    ownLoosePlaces(
      subjectOf({
        role: 'requester',
        agreement: { text: 'Art is X200.', language: 'en', schemas: [] },
        task: { description: '', examples: [{ testCase: 1, input: { konto: 'DE89 3704' }, output: null }] },
        cases: [caseOf(1, request, response)],
      }),
    ).map(({ pointer }) => pointer);
  assert.deepEqual(own({ ...request, prüfsumme: null }), ['/marke']);
  assert.deepEqual(own({ ok: true }), []);
});

test('a word of a text that comes back in the answer and is made of nothing that was given is an id of its own', () => {
  const subject = subjectOf({
    role: 'requester',
    payload: 'text',
    task: { description: '', examples: [1, 2].map((testCase) => ({ testCase, input: { to: 'LAB7' }, output: null })) },
    cases: [
      caseOf(1, 'SEND t-8810 LAB7 v1x2', 'TAKEN t-8810 LAB7 bay-91 v1x2'),
      caseOf(2, 'ASK t-8811 bay-91 v1x2', 'GONE t-8811 bay-91 v1x2'),
    ],
  });
  assert.deepEqual(ownLoosePlaces(subject), [
    { testCase: 1, pointer: '', as: 'id', word: 1 },
    { testCase: 2, pointer: '', as: 'id', word: 1 },
  ]);
  const [one] = runnableCases(subject);
  assert.ok(one);
  const peer = casePeer(runnableCases(subject), subject.cases, one);
  assert.deepEqual(peer('SEND k42 LAB7 v1x2', 1, []), { response: 'TAKEN k42 LAB7 bay-91 v1x2' });
  const sent = (request: string) => returned(null, { sends: [{ request, issues: [] }] });
  assert.deepEqual(caseDifferences(subject, one, sent('SEND k42 LAB7 v1x2')), []);
  assert.deepEqual(caseDifferences(subject, one, sent('SEND k42 LAB8 v1x2'))[0]?.got, 'SEND k42 LAB8 v1x2');
});

test('a key that the peer has told is sent back, and not loose', () => {
  const subject = subjectOf({
    role: 'requester',
    task: { description: '', examples: [1, 2, 3].map((testCase) => ({ testCase, input: {}, output: null })) },
    cases: [
      caseOf(1, { requestId: 'zz-81' }, { requestId: 'zz-81', jobKey: 'JK-5521' }),
      caseOf(2, { requestId: 'zz-82', jobKey: 'JK-5521' }, { requestId: 'zz-82' }),
      caseOf(3, { requestId: 'zz-83', jobKey: 'JK-7000' }, { requestId: 'zz-83' }),
    ],
  });
  assert.deepEqual(
    ownLoosePlaces(subject).map(({ testCase, pointer }) => `${testCase} ${pointer}`),
    ['1 /requestId', '2 /requestId', '3 /requestId', '3 /jobKey'],
  );
});

test('a request that one task has several times is answered by one case after the other, and sent no more often', () => {
  const subject = subjectOf({
    role: 'requester',
    task: {
      description: '',
      examples: [1, 2, 3].map((testCase) => ({ testCase, input: { job: 'J-1' }, output: { done: testCase < 4 } })),
    },
    cases: [
      caseOf(1, { submit: 'J-1' }, { state: 'new' }),
      caseOf(2, { poll: 'J-1' }, { state: 'busy' }),
      caseOf(3, { poll: 'J-1' }, { state: 'done' }),
    ],
  });
  const sent = [{ submit: 'J-1' }, { poll: 'J-1' }, { poll: 'J-1' }, { poll: 'J-1' }];
  for (const one of runnableCases(subject)) {
    const peer = casePeer(runnableCases(subject), subject.cases, one);
    assert.deepEqual(
      sent.map((request, index) => peer(request, index + 1, sent.slice(0, index))),
      ['new', 'busy', 'done', 'done'].map((state) => ({ response: { state } })),
    );
  }
  const differencesOf = (times: number) => {
    const sends = sent.slice(0, times).map((request) => ({ request, issues: [] }));
    const seen = returned({ done: true }, { sends });
    return judgeCases(subject, [seen, seen, seen]).flatMap(({ differences }) => differences);
  };
  assert.deepEqual(differencesOf(3), []);
  assert.match(differencesOf(4)[0]?.message ?? '', /more often than the cases have it/);
});

test('cases without an example of the task answer what is the very same, or one after the other', () => {
  const polls = (first: string, second: string) =>
    subjectOf({
      role: 'requester',
      task: { description: '', examples: [{ testCase: 1, input: { job: 'J-1' }, output: { done: true } }] },
      cases: [
        caseOf(1, { msgId: 'J-1-s', submit: 'J-1' }, { msgId: 'J-1-s', state: 'new' }),
        caseOf(2, { msgId: first, poll: 'J-1' }, { msgId: first, state: 'busy' }),
        caseOf(3, { msgId: second, poll: 'J-1' }, { msgId: second, state: 'done' }),
      ],
      loose: [{ pointer: '/msgId', as: 'id' }],
    });
  const answersTo = (subject: Subject, ids: readonly string[]) => {
    const [one] = runnableCases(subject);
    assert.ok(one);
    const peer = casePeer(runnableCases(subject), subject.cases, one);
    const sent = ids.map((msgId, index) => (index === 0 ? { msgId, submit: 'J-1' } : { msgId, poll: 'J-1' }));
    return sent.map((request, index) => peer(request, index + 1, sent.slice(0, index)));
  };
  const told = (ids: readonly string[], states: readonly string[]) =>
    ids.map((msgId, index) => ({ response: { msgId, state: states[index] } }));
  const subject = polls('J-1-p1', 'J-1-p2');
  for (const [ids, states] of [
    [
      ['J-1-s', 'J-1-p1', 'J-1-p2'],
      ['new', 'busy', 'done'],
    ],
    [
      ['J-1-s', 'J-1-p2', 'J-1-p1'],
      ['new', 'done', 'busy'],
    ],
    [
      ['f-01', 'f-02', 'f-03', 'f-04'],
      ['new', 'busy', 'done', 'done'],
    ],
  ] as const)
    assert.deepEqual(answersTo(subject, ids), told(ids, states));
});
