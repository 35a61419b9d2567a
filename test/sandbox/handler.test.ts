import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  bundleHandler,
  createSandbox,
  type LoadedHandler,
  type OnCall,
  type Run,
  type Sandbox,
} from '../../sandbox/index.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 2 });
});
after(() => sandbox.close());

async function load(source: string, exportName: 'handle' | 'perform' = 'handle', limits = {}): Promise<LoadedHandler> {
  const bundled = await bundleHandler(source, exportName);
  assert.ok(bundled.ok, JSON.stringify(bundled));
  return sandbox.load(bundled.bundle, exportName, limits);
}

const run = (input: unknown, rest: Partial<Run> = {}): Run => ({
  input: JSON.stringify(input),
  seed: 'seed',
  nowMs: 1_000,
  tools: ['look', 'store'],
  send: false,
  ...rest,
});
const echo: OnCall = async ({ tool, input }) => ({ output: JSON.stringify({ tool, input: JSON.parse(input) }) });

test('a handler may return a value or a promise', async () => {
  for (const source of [
    'export const handle = (n: number) => n + 1;',
    'export async function handle(n: number) { return n + 1; }',
  ]) {
    const { end, value, durationMs, cpuMs } = await (await load(source)).run(run(41), echo);
    assert.deepEqual([end, value], ['returned', '42']);
    assert.ok(durationMs >= 0 && cpuMs >= 0);
  }
});

test('calls are answered, reported in order and may run at the same time', async () => {
  const handler = await load(`export async function handle(_: any, context: any) {
    const [one, two] = await Promise.all([context.call.look({ n: 1 }), context.call.store({ n: 2 })]);
    return [one.input.n, two.input.n, two.tool];
  }`);
  let together = 0;
  let most = 0;
  const report = await handler.run(run(null), async (call) => {
    together += 1;
    most = Math.max(most, together);
    for (let n = 0; n < 400 && most < 2; n += 1) await new Promise((resolve) => setTimeout(resolve, 5));
    together -= 1;
    return echo(call, AbortSignal.abort(), run(null));
  });
  assert.equal(report.value, '[1,2,"store"]', report.message);
  assert.equal(most, 2);
  assert.deepEqual(
    report.calls.map(({ tool, input, answer }) => [tool, input, answer && 'output' in answer]),
    [
      ['look', '{"n":1}', true],
      ['store', '{"n":2}', true],
    ],
  );
});

test('prepared answers never leave the cell, and are matched by canonical JSON', async () => {
  const handler = await load(`export const handle = async (_: any, context: any) => [
    await context.call.look({ b: 1, a: 1.0 }),
    await context.call.look({ c: 1 }).catch((error: any) => [error instanceof Error, error.name, error.code, error.message]),
  ];`);
  const answers = {
    look: {
      '{"a":1,"b":1}': { output: '"found"' },
      '{"c":1}': { error: { code: 'TIMEOUT', message: 'late' } as const },
    },
  };
  const report = await handler.run(run(null, { answers }), () => assert.fail('asked outside'));
  assert.equal(report.value, '["found",[true,"HandlerError","TIMEOUT","late"]]', report.message);
  assert.equal(report.calls.length, 2);
});

test('prepared answers come after everything that a run can do without them, like answers from outside', async () => {
  const handler = await load(`export const handle = async (request: any, context: any) => {
    const order: string[] = [];
    const call = context.call.look({ n: 1 }).then(() => order.push('answer'));
    const hops = async () => { for (let hop = 0; hop < 20; hop += 1) await null; order.push('hops'); };
    await Promise.all([call, hops()]);
    Promise.reject(new Error('nobody hears of it'));
    await context.call.look({ n: 1 });
    return order;
  };`);
  const answers = { look: { '{"n":1}': { output: '1' } } };
  const values = (await handler.runAll([run(null, { answers }), run(null)], echo)).map(({ value }) => value);
  assert.deepEqual(values, ['["hops","answer"]', '["hops","answer"]']);
});

test('calls with prepared answers are all reported in their order, however the run ends', async () => {
  const handler = await load(
    `export const handle = async ({ ends }: any, context: any) => {
    for (let n = 0; n < 80; n += 1) await context.call.look({ n });
    if (ends === 'throws') throw new Error('enough');
    if (ends === 'loops') for (;;);
    return 1;
  };`,
    'handle',
    { stepMs: 500, watchdogMs: 30_000 },
  );
  const inputs = Array.from({ length: 80 }, (_, n) => `{"n":${n}}`);
  const some = inputs.filter((_, n) => n % 5 > 0);
  const answers = { look: Object.fromEntries(some.map((input) => [input, { output: `{"prepared":${input}}` }])) };
  for (const [ends, end] of [
    ['returns', 'returned'],
    ['throws', 'threw'],
    ['loops', 'timed-out'],
  ]) {
    const report = await handler.run(run({ ends }, { answers }), async ({ input }) => ({
      output: `{"asked":${input}}`,
    }));
    assert.equal(report.end, end, report.message);
    const wanted = inputs.map((input, n) => ({
      tool: 'look',
      input,
      answer: { output: n % 5 > 0 ? `{"prepared":${input}}` : `{"asked":${input}}` },
    }));
    assert.deepEqual(report.calls, wanted);
  }
  const allPrepared = { look: Object.fromEntries(inputs.map((input) => [input, { output: 'null' }])) };
  for (const ends of ['returns', 'loops']) {
    const report = await handler.run(run({ ends }, { answers: allPrepared }), () => assert.fail('asked outside'));
    assert.deepEqual(
      report.calls.map(({ input }) => input),
      inputs,
    );
  }
});

test('a prepared answer is for its tool and its run only', async () => {
  const handler = await load(
    'export const handle = async (_: any, context: any) => [await context.call.look({ n: 1 }), await context.call.store({ n: 1 })];',
  );
  const prepared = (output: string): Partial<Run> => ({ answers: { look: { '{"n":1}': { output } } } });
  const reports = await handler.runAll(
    [run(null, prepared('"one"')), run(null, prepared('"two"')), run(null), run(null, prepared('"one"'))],
    async ({ tool }) => ({ output: JSON.stringify(`${tool} outside`) }),
  );
  assert.deepEqual(
    reports.map(({ value }) => JSON.parse(value ?? '')),
    ['one', 'two', 'look outside', 'one'].map((first) => [first, 'store outside']),
  );
});

test('runs with different clocks that wait at the same time keep their own clock', async () => {
  const handler = await load(`export const handle = async (_: any, context: any) => {
    const told = () => [context.now(), Date.now(), +new Date(), Date.parse(Date() + 'Z')];
    const before = told();
    await context.call.look({});
    return [...before, ...told()];
  };`);
  const clocks = [5_000, 9_000, 5_000, 77_000, 9_000];
  const asked: (() => void)[] = [];
  const reports = await handler.runAll(
    clocks.map((nowMs) => run(null, { nowMs })),
    () =>
      new Promise((resolve) => {
        asked.push(() => resolve({ output: '1' }));
        // Answered when all wait, the last first.
        if (asked.length === clocks.length) for (const answer of asked.reverse()) answer();
      }),
  );
  for (const [index, { value, message }] of reports.entries())
    assert.deepEqual(new Set(JSON.parse(value ?? '[]')), new Set([clocks[index]]), message);
});

test('a ticking clock goes on with each answer from outside, and shows the same times when a run is made again', async () => {
  const handler = await load(`export async function handle(again: boolean, context: any) {
    const at = () => (context.now() === Date.now() ? context.now() : NaN);
    const seen = [at(), at()];
    await context.call.look(1);
    seen.push(at(), at());
    await Promise.all([context.call.look(2), context.call.look(3)]);
    seen.push(at());
    if (again) (Object.prototype as any).mark = 1;
    await context.call.look(4);
    return [...seen, at()];
  }`);
  const runs = [run(false), run(true, { ticksMs: [5] }), run(false, { ticksMs: [5] }), run(false, { ticksMs: [2, 3] })];
  const reports = await handler.runAll(runs, echo);
  const ticking = (one: number, other = one) =>
    [0, 0, one, one, 2 * one + other, 2 * one + 2 * other].map((ms) => 1_000 + ms);
  assert.deepEqual(
    reports.map(({ value, message }) => JSON.parse(value ?? JSON.stringify(message))),
    [ticking(0), ticking(5), ticking(5), ticking(2, 3)],
  );
});

test('a closed handler finishes the runs under way', { timeout: 120_000 }, async () => {
  const handler = await load(
    'export const handle = async (_: any, context: any) => [await context.call.look({ n: 1 })];',
  );
  const report = await handler.run(run(null), async () => {
    await handler.close();
    // Once another handler has run on the cell, the close is done there.
    const other = await load('export const handle = () => 1;');
    assert.equal((await other.run(run(null), echo)).end, 'returned');
    return { output: '"found"' };
  });
  assert.equal(report.value, '["found"]', report.message);
  await assert.rejects(handler.run(run(null), echo), { code: 'PLATFORM_SANDBOX_CLOSED' });
});

test('a request too large for a frame is refused, and the other runs are made', async () => {
  const handler = await load('export const handle = (request: any) => request.length;');
  const reports = await handler.runAll([run('short'), run('x'.repeat(17_000_000)), run('')], echo);
  assert.deepEqual(
    reports.map(({ end, value }) => [end, value]),
    [
      ['returned', '5'],
      ['refused', undefined],
      ['returned', '0'],
    ],
  );
});

test('only a requester has send, and it is reported without a tool', async () => {
  const handler = await load(
    'export const perform = async (task: any, context: any) => context.send ? context.send({ task }) : "none";',
    'perform',
  );
  const sent = await handler.run(run(1, { send: true }), echo);
  assert.equal(sent.value, '{"tool":null,"input":{"task":1}}');
  assert.equal(sent.calls[0]?.tool, null);
  assert.equal((await handler.run(run(1), echo)).value, '"none"');
});

test('clock, identifiers and random numbers depend only on the run', async () => {
  const handler = await load(
    'export const handle = (_: any, context: any) => [context.now(), Date.now(), context.newId(), context.newId(), Math.random()];',
  );
  const first = await handler.run(run(null), echo);
  assert.equal((await handler.run(run(null), echo)).value, first.value);
  const [now, date, one, two, chance] = JSON.parse(first.value ?? '[]');
  assert.deepEqual([now, date, [one, two]], [1_000, 1_000, first.issuedIds]);
  assert.match(one, /^[a-z0-9]{16}$/);
  assert.notEqual(one, two);
  assert.ok(chance >= 0 && chance < 1);
  const other = JSON.parse((await handler.run(run(null, { seed: 'another', nowMs: 5 }), echo)).value ?? '[]');
  assert.notEqual(other[2], one);
  assert.notEqual(other[4], chance);
  assert.equal(other[0], 5);
});

test('Math.random is seeded even if its name is put together at run time', async () => {
  const plain = await load('export const handle = () => [Math.random(), Math.random()];');
  const hidden = await load(
    `export const handle = (word: string) => [(Math as any)['ran' + word](), (globalThis as any).Math['ran' + word]()];`,
  );
  const wanted = await plain.run(run('dom'), echo);
  for (const found of await hidden.runAll([run('dom'), run('dom')], echo))
    assert.deepEqual([found.end, found.value], ['returned', wanted.value]);
});

test('runs of one clock are made together, and reported in the order asked', async () => {
  const handler = await load('export const handle = (_: any, context: any) => context.call.look(Date.now());');
  const clocks = [1_000, 5, 1_000, 5, 1_000];
  const made: number[] = [];
  const reports = await handler.runAll(
    clocks.map((nowMs) => run(null, { nowMs })),
    async (call) => {
      made.push(JSON.parse(call.input));
      return { output: call.input };
    },
  );
  assert.deepEqual(
    reports.map(({ value }) => Number(value)),
    clocks,
  );
  assert.deepEqual(made, [1_000, 1_000, 1_000, 5, 5]);
});

test('identifiers and random numbers of many seeds have nothing in common', async () => {
  const handler = await load('export const handle = (_: any, context: any) => [context.newId(), Math.random()];');
  const reports = await handler.runAll(
    Array.from({ length: 300 }, (_, index) => run(null, { seed: `seed ${index}` })),
    echo,
  );
  const values = reports.map(({ value }) => JSON.parse(value ?? ''));
  assert.equal(new Set(values.map(([id]) => id)).size, 300);
  assert.equal(new Set(values.map(([, chance]) => chance)).size, 300);
  const mean = values.reduce((sum, [, chance]) => sum + chance, 0) / 300;
  assert.ok(mean > 0.4 && mean < 0.6, `${mean}`);
});

test('a live clock goes on from the time that it was set to', async () => {
  const handler = await load(
    `export const handle = async (_: any, context: any) => { const first = context.now(); await context.call.look({}); return [first, context.now(), Date.now()]; };`,
  );
  for (const nowMs of [5_000, Date.now()]) {
    const report = await handler.run(run(null, { nowMs, fixedClock: false }), async () => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      return { output: '0' };
    });
    const [first, second, date] = JSON.parse(report.value ?? '[]');
    assert.ok(first >= nowMs && first < nowMs + 60_000, `${first}`);
    assert.ok(second >= first + 20, `${second}`);
    assert.ok(Math.abs(date - second) < 1_000);
  }
});

test('a live run that is made again sees the same times, and its answers in the same steps', async () => {
  const handler = await load(`export async function handle(request: any, context: any) {
    const at = () => ({ at: context.now(), date: new Date().toISOString() });
    const slow = context.call.look(at()).then(() => context.call.look({ behind: 'slow', ...at() }));
    const fast = context.call.store(at()).then(() => context.call.store({ behind: 'fast', ...at() }));
    await Promise.all([slow, fast]);
    while (request === 'loops') {}
    if (request === 'throws') throw new Error('declined');
    return request;
  }`);
  const ends: unknown[] = [];
  for (const requests of [['throws'], ['sound', 'loops', 'sound']]) {
    let asked = 0;
    const answer: OnCall = async ({ tool, input }) => {
      asked += 1;
      // The run that waits longest is the one that loops: by then the others have ended or have all their answers.
      const isFirst = !input.includes('behind');
      await new Promise((resolve) => setTimeout(resolve, tool === 'look' && isFirst ? 60 : 20));
      return { output: '1' };
    };
    const reports = await Promise.all(
      requests.map((request) => handler.run(run(request, { nowMs: Date.now(), fixedClock: false }), answer)),
    );
    ends.push(...reports.map(({ end, message }) => (end === 'threw' ? message : end)), asked);
  }
  assert.deepEqual(ends, ['Error: declined', 4, 'returned', 'timed-out', 'returned', 12]);
});

test('the position of a throw is found in the bundle', async () => {
  const handler = await load(
    'export function handle(request: any) {\n  const inner = () => {\n    throw new TypeError("here");\n  };\n  return inner();\n}',
  );
  const { end, message, position } = await handler.run(run(null), echo);
  assert.deepEqual([end, message], ['threw', 'TypeError: here']);
  // One line of comment stands above the module in the bundle.
  assert.deepEqual(position, { line: 4, column: 11 });
});

test('code that changes built-ins works as usual, and no other run sees the change', async () => {
  const handler = await load(`export const handle = (n: number) => {
    const before = typeof (Array.prototype as any).last;
    (Array.prototype as any).last = function () { return this[this.length - 1]; };
    class Missing extends Error { constructor() { super('m'); this.name = 'Missing'; } }
    const counts: any = {};
    for (const word of ['constructor', 'toString', 'a']) counts[word] = 1;
    let name = '';
    try { throw new Missing(); } catch (error: any) { name = error.name; }
    return [before, ([1, n] as any).last(), name, Object.keys(counts)];
  };`);
  const reports = await handler.runAll([run(5), run(6)], echo);
  assert.deepEqual(
    reports.map(({ value }) => value),
    [
      '["undefined",5,"Missing",["constructor","toString","a"]]',
      '["undefined",6,"Missing",["constructor","toString","a"]]',
    ],
  );
});

test('the last match of a pattern is there for the run that matched it', async () => {
  const handler = await load(`export const handle = (n: number) => {
    let text = 'yyyy-' + n;
    if (/(y+)/.test(text)) text = text.replace((RegExp as any).$1, '2026');
    return [text, (RegExp as any).lastMatch, (RegExp as any).input];
  };`);
  const reports = await handler.runAll([run(1), run(2), run(3)], echo);
  assert.deepEqual(
    reports.map(({ value }) => JSON.parse(value ?? 'null')),
    [1, 2, 3].map((n) => [`2026-${n}`, 'yyyy', `yyyy-${n}`]),
  );
});

test('a swallowed failure reads the same in the realm that runs share', async () => {
  const handler = await load(`class NotFound extends Error {
    constructor(what: string) { super('no ' + what); this.name = 'NotFound'; }
  }
  export const handle = (n: number) => { try { throw new NotFound('x'); } catch (error: any) { return { error: error.name + ': ' + error.message, n, text: String(error) }; } };`);
  const reports = await handler.runAll([run(1), run(2), run(3)], echo);
  assert.deepEqual(
    reports.map(({ value }) => JSON.parse(value ?? '').text),
    ['NotFound: no x', 'NotFound: no x', 'NotFound: no x'],
  );
});

test('the reports of a batch are in order, however each run ends', async () => {
  const handler = await load(
    `export const handle = async (n: number, context: any) => {
      if (n % 7 === 3) throw new Error('three');
      if (n === 20) for (;;);
      if (n === 30) return new Promise(() => {});
      if (n % 5 === 1) return (await context.call.look({ n })).input.n;
      return n;
    };`,
    'handle',
    { stepMs: 300 },
  );
  const reports = await handler.runAll(
    Array.from({ length: 150 }, (_, n) => run(n)),
    echo,
  );
  for (const [n, { end, value, calls }] of reports.entries()) {
    const wanted = n % 7 === 3 ? 'threw' : n === 20 || n === 30 ? 'timed-out' : 'returned';
    assert.equal(end, wanted, `run ${n}`);
    if (wanted === 'returned') assert.equal(value, String(n));
    assert.equal(calls.length, wanted === 'returned' && n % 5 === 1 ? 1 : 0);
  }
});

test('the host is asked once even if a run is made again', async () => {
  // It throws in the end, and what throws in the shared realm is made again in one of its own.
  const handler = await load(
    `export const handle = async (n: number, context: any) => { await context.call.look({ n }); await context.call.store({ n }); throw new Error('end'); };`,
  );
  const asked: string[] = [];
  const reports = await handler.runAll([run(1), run(2)], async (call, signal, made) => {
    asked.push(`${call.tool} ${call.input}`);
    return echo(call, signal, made);
  });
  assert.deepEqual(
    reports.map(({ end, calls }) => [end, calls.length]),
    [
      ['threw', 2],
      ['threw', 2],
    ],
  );
  assert.deepEqual(asked.sort(), ['look {"n":1}', 'look {"n":2}', 'store {"n":1}', 'store {"n":2}']);
});

test('answers sent together each reach their run, and a run that hangs on its answer delays no other', async () => {
  for (const hanging of [0, 7]) {
    const handler = await load(
      `export const handle = async (n: number, context: any) => {
        const [one, two] = await Promise.all([context.call.look(n), context.call.store(-n).catch((error: any) => error.message)]);
        if (n === ${hanging}) for (;;);
        return [one, two];
      };`,
      'handle',
      { stepMs: 200, watchdogMs: 5_000 },
    );
    const reports = await handler.runAll(
      Array.from({ length: 150 }, (_, n) => run(n + 1)),
      async ({ tool, input }) =>
        tool === 'look' ? { output: input } : { error: { code: 'FAILED', message: `no ${input}` } },
      AbortSignal.timeout(30_000),
    );
    for (const [index, { end, value }] of reports.entries()) {
      const n = index + 1;
      if (n === hanging) assert.equal(end, 'timed-out');
      else assert.deepEqual([end, value], ['returned', JSON.stringify([n, `no -${n}`])]);
    }
  }
});

test('if a run kills its cell, the others are still made, and its bundle is not run again', async () => {
  const handler = await load(
    `export const handle = async (n: number, context: any) => {
      await context.call.look({ n });
      if (n === 5) Array.prototype.indexOf.call({ length: 2 ** 53 - 1 } as any, 1);
      return n;
    };`,
    'handle',
    { stepMs: 300, watchdogMs: 900 },
  );
  const asked = new Map<string, number>();
  const reports = await handler.runAll(
    Array.from({ length: 12 }, (_, n) => run(n)),
    async (call, signal, made) => {
      asked.set(call.input, (asked.get(call.input) ?? 0) + 1);
      return echo(call, signal, made);
    },
  );
  assert.deepEqual(
    reports.map(({ end }) => end),
    Array.from({ length: 12 }, (_, n) => (n === 5 ? 'killed' : 'returned')),
  );
  assert.deepEqual([...asked.values()], new Array(12).fill(1));
  const again = await handler.run(run(1), echo);
  assert.equal(again.end, 'refused');
});

test('a host that cannot answer ends the run as killed, and the cell lives', async () => {
  const handler = await load('export const handle = (_: any, context: any) => context.call.look({});');
  const before = sandbox.stats().killedCells;
  const report = await handler.run(run(null), async () => {
    throw new Error('no way');
  });
  assert.equal(report.end, 'killed');
  assert.match(report.message ?? '', /no way/);
  assert.equal(sandbox.stats().killedCells, before);
});

test('an answer too large for a frame ends its run, and so do answers that are too long together', async () => {
  const handler = await load('export const handle = (_: any, context: any) => context.call.look(1);');
  const long = 'x'.repeat(40_000_000);
  const answers = [{ output: `"${long}"` }, { error: { code: 'FAILED' as const, message: long } }];
  for (const answer of answers) {
    const { end, message } = await handler.run(run(null), async () => answer);
    assert.equal(end, 'threw');
    assert.match(message ?? '', /exchanged more than/);
  }
  assert.equal((await handler.run(run(null), echo)).end, 'returned');
});

test('a host that throws at once is like one that rejects', async () => {
  const handler = await load('export const handle = (_: any, context: any) => context.call.look({});');
  const report = await handler.run(run(null), () => {
    throw new Error('at once');
  });
  assert.equal(report.end, 'killed');
  assert.match(report.message ?? '', /at once/);
});

test('an abort works while a run waits and while it computes', async () => {
  const waiting = await load('export const handle = (_: any, context: any) => context.call.look({});');
  const abort = new AbortController();
  let inner: AbortSignal | undefined;
  const pending = waiting.run(
    run(null),
    (_call, signal) => {
      inner = signal;
      abort.abort(new Error('enough'));
      return new Promise(() => {});
    },
    abort.signal,
  );
  await assert.rejects(pending, /enough/);
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.ok(inner?.aborted);
  const busy = await load('export const handle = () => { for (;;); };');
  await assert.rejects(busy.run(run(null), echo, AbortSignal.timeout(50)), { name: 'TimeoutError' });
  assert.equal((await waiting.run(run(null), echo)).end, 'returned');
});

test('cancelled runs do not keep their cell for as long as each may last', async () => {
  const own = await createSandbox({ cells: 1 });
  try {
    const of = async (source: string) => {
      const bundled = await bundleHandler(source, 'handle');
      assert.ok(bundled.ok);
      return own.load(bundled.bundle, 'handle', { stepMs: 3_000 });
    };
    const looping = await of('export const handle = () => { for (;;); };');
    const other = await of('export const handle = (n: number) => n + 1;');
    const runs = Array.from({ length: 20 }, () => run(null));
    await assert.rejects(looping.runAll(runs, echo, AbortSignal.timeout(100)), { name: 'TimeoutError' });
    // All twenty would take a minute.
    const waited = AbortSignal.timeout(20_000);
    assert.equal((await other.run(run(41), echo, waited)).value, '42');
    // Nobody is blamed for it.
    await assert.rejects(looping.run(run(null), echo, AbortSignal.timeout(100)), { name: 'TimeoutError' });
  } finally {
    await own.close();
  }
});

test('a run that is working when other runs of its handler are cancelled is made again, and not blamed', async () => {
  const own = await createSandbox({ cells: 1 });
  try {
    const bundled = await bundleHandler(
      'export const handle = (most: number) => { let n = 0; while (n < most) n += 1; return n; };',
      'handle',
    );
    assert.ok(bundled.ok);
    const handler = await own.load(bundled.bundle, 'handle', { stepMs: 10_000 });
    const busy = handler.run(run(2_000_000_000), echo);
    const others = handler.runAll([run(1), run(2)], echo, AbortSignal.timeout(100));
    await assert.rejects(others, { name: 'TimeoutError' });
    const { end, value, message } = await busy;
    assert.deepEqual([end, value], ['returned', '2000000000'], message);
  } finally {
    await own.close();
  }
});

test('any ES module can be loaded, and one that cannot be loaded ends every run', async () => {
  const plain = await sandbox.load(
    'export const x = 1;\nexport const handle = (n) => n + x;\nexport default handle;',
    'handle',
  );
  assert.equal((await plain.run(run(1), echo)).value, '2');
  for (const [bundle, ends] of [
    ['export const handle = ', ['refused']],
    ['import fs from "node:fs"; export const handle = () => 1;', ['refused']],
    ['throw new Error("at the top");\nvar handle = 1;\nexport {\n  handle\n};\n', ['threw']],
    ['}); globalThis.x = 1; (function () {\nvar handle;\nexport {\n  handle\n};\n', ['threw', 'refused']],
  ] as const) {
    const broken = await sandbox.load(bundle, 'handle');
    const reports = await broken.runAll([run(1), run(2)], echo);
    for (const { end } of reports) assert.ok((ends as readonly string[]).includes(end), `${bundle}: ${end}`);
  }
});

test('limits are kept', async () => {
  const big = await load('export const handle = (n: number) => "x".repeat(n);', 'handle', { maxResultBytes: 1_000 });
  assert.equal((await big.run(run(900), echo)).end, 'returned');
  const over = await big.run(run(2_000), echo);
  assert.equal(over.end, 'threw');
  assert.match(over.message ?? '', /too large/);
  const calls = await load(
    'export const handle = async (n: number, context: any) => { for (let i = 0; i < n; i += 1) await context.call.look({ i }); return n; };',
    'handle',
    { maxCalls: 3 },
  );
  assert.equal((await calls.run(run(3), echo)).end, 'returned');
  const flood = await calls.run(run(4), echo);
  assert.deepEqual([flood.end, flood.calls.length], ['threw', 3]);
  const logs = await load(
    'export const handle = (n: number, context: any) => { for (let i = 0; i < n; i += 1) context.log("line ä", i, { i }, new Error("e"), undefined, 1n); return 0; };',
    'handle',
    { maxLogBytes: 200 },
  );
  assert.deepEqual((await logs.run(run(1), echo)).logs, ['line ä 0 {"i":0} Error: e undefined 1n']);
  const cut = (await logs.run(run(100), echo)).logs;
  assert.ok(Buffer.byteLength(cut.join('\n')) < 300);
  assert.match(cut.at(-1) ?? '', /cut at 200 bytes/);
});
