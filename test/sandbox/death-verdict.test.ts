import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Death } from '../../sandbox/death.ts';
import { traceDeath, verdictOn } from '../../sandbox/death-verdict.ts';
import { resolveLimits } from '../../sandbox/index.ts';

const exit: Death = { cause: 'exit', frame: undefined, run: undefined, grownMb: 0, heldMb: 0 };
const limits = resolveLimits({ memoryMb: 64, watchdogMs: 3_000 });

/** Runs 7 to 9 as letters; frame 4 holds all of them, frame 5 an answer to `b` alone. */
const sent = {
  first: 7,
  unfinished: ['a', 'b', 'c'],
  frames: new Map([
    [4, undefined],
    [5, 'b'],
  ]),
};

const traces: [
  what: string,
  death: Partial<Death>,
  unfinished: (string | undefined)[],
  isOurs: boolean,
  culprit?: string,
][] = [
  ['an idle cell', {}, ['a', 'b', 'c'], false],
  ["a frame of another sender's", { frame: 3 }, ['a', 'b', 'c'], false],
  ["a run of another sender's", { run: 6, frame: 4 }, ['a', 'b', 'c'], false],
  ['a run that has its report', { run: 8, frame: 5 }, ['a', undefined, 'c'], false],
  ['the run that the cell names', { run: 9, frame: 4 }, ['a', 'b', 'c'], true, 'c'],
  ['a frame of several runs', { frame: 4 }, ['a', 'b', 'c'], true],
  ['a frame about one run', { frame: 5 }, ['a', 'b', 'c'], true, 'b'],
  ['a frame of several runs of which one is left', { frame: 4 }, [undefined, 'b', undefined], true],
  ['a frame of several of a run that was sent alone', { frame: 4 }, ['a'], true, 'a'],
  ['a forged frame while several are left', { cause: 'frame' }, ['a', 'b', undefined], true],
  ['a forged frame while one is left', { cause: 'frame' }, [undefined, 'b', undefined], true, 'b'],
  ["a forged frame at another sender's run", { cause: 'frame', run: 6 }, ['a', undefined, undefined], true, 'a'],
];

for (const [what, death, unfinished, isOurs, culprit] of traces)
  test(`a death over ${what} is traced to ${culprit ?? (isOurs ? 'nobody yet' : 'none of ours')}`, () => {
    assert.deepEqual(traceDeath({ ...exit, ...death }, { ...sent, unfinished }), { isOurs, culprit });
  });

const verdicts: [what: string, death: Partial<Death>, deaths: number, end: string | undefined][] = [
  ['an exit may come from outside', {}, 1, undefined],
  ['a second exit is its own doing', {}, 2, 'killed'],
  ['an exit after it grew beyond half its memory', { grownMb: 33 }, 1, 'out-of-memory'],
  ['an exit of a cell that others had filled', { heldMb: 33 }, 1, undefined],
  ['a second exit with as much held', { heldMb: 33 }, 2, 'out-of-memory'],
  ['too much memory in the cell', { cause: 'memory' }, 1, undefined],
  ['too much memory again', { cause: 'memory' }, 2, 'out-of-memory'],
  ['a cell that we ended', { cause: 'closed' }, 1, undefined],
  ['a cell that we ended while it had grown', { cause: 'closed', grownMb: 129 }, 1, undefined],
  ['a late cell', { cause: 'watchdog' }, 1, 'killed'],
  ['a late cell full of garbage', { cause: 'watchdog', grownMb: 127 }, 1, 'killed'],
  ['a late cell that grew beyond twice its memory', { cause: 'watchdog', grownMb: 129 }, 1, 'out-of-memory'],
  ['a late cell that held as much', { cause: 'watchdog', heldMb: 129 }, 2, 'killed'],
  ['a forged frame', { cause: 'frame' }, 1, 'killed'],
  ['a forged frame of a grown cell', { cause: 'frame', grownMb: 500 }, 1, 'killed'],
];

for (const [what, death, deaths, end] of verdicts)
  test(`${what}: ${end ?? 'made again'}`, () => {
    assert.equal(verdictOn({ ...exit, ...death }, limits, deaths)?.end, end);
  });
