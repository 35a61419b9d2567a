import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Schedule, type Turn } from '../../src/typing/schedule.ts';
import { MAX_TOGETHER } from '../../src/typing/together.ts';

interface Named extends Turn {
  name: string;
}

/** A module of a job of a tenant, named `tenant/job/n`. */
function turn(name: string, source = `// ${name}`): Named {
  const [tenant = '', job = ''] = name.split('/');
  return { name, source, owner: { tenant, job } };
}

function scheduleOf(...names: readonly string[]): Schedule<Named> {
  const schedule = new Schedule<Named>();
  for (const name of names) schedule.add(turn(name));
  return schedule;
}

const namesOf = (turns: readonly Named[]): string[] => turns.map(({ name }) => name);

/** A module that must be checked alone, so that each check is one turn. */
const byItself = 'declare const x: 1;';

test('tenants take turns, and so do the jobs of a tenant, in any order of arrival', () => {
  const schedule = new Schedule<Named>();
  for (const name of ['a/1/1', 'a/1/2', 'a/1/3', 'a/2/1', 'b/1/1', 'b/1/2', 'c/1/1'])
    schedule.add(turn(name, byItself));
  const order: string[] = [];
  for (let next = schedule.firstCheck(); next.length > 0; next = schedule.firstCheck()) order.push(...namesOf(next));
  assert.deepEqual(order, ['a/1/1', 'b/1/1', 'c/1/1', 'a/2/1', 'b/1/2', 'a/1/2', 'a/1/3']);
});

test('one program has modules of all owners, in turn, up to its limits', () => {
  const many = Array.from({ length: 2 * MAX_TOGETHER }, (_, n) => `a/1/${n}`);
  const schedule = scheduleOf(...many, 'b/1/1', 'c/1/1');
  const first = namesOf(schedule.firstCheck());
  assert.equal(first.length, MAX_TOGETHER);
  assert.ok(first.includes('b/1/1') && first.includes('c/1/1'));
  const long = scheduleOf('a/1/1');
  long.add(turn('b/1/1', '/'.repeat(200_000)));
  long.add(turn('c/1/1'));
  assert.deepEqual(namesOf(long.firstCheck()), ['a/1/1', 'c/1/1']);
  assert.deepEqual(namesOf(long.firstCheck()), ['b/1/1']);
});

test('after a program exceeds a limit, each module is checked alone, and only one that exceeds it again is suspect', () => {
  const schedule = scheduleOf('a/1/1', 'b/1/1', 'c/1/1');
  const program = schedule.firstCheck();
  schedule.failed(program, 'limit');
  assert.equal(schedule.lastCheck(), undefined);
  for (const name of ['a/1/1', 'b/1/1', 'c/1/1']) {
    const alone = schedule.firstCheck();
    assert.deepEqual(namesOf(alone), [name]);
    if (name === 'b/1/1') schedule.failed(alone, 'limit');
    else schedule.passed(alone[0] as Named);
  }
  assert.deepEqual(schedule.firstCheck(), []);
  assert.equal(schedule.lastCheck()?.name, 'b/1/1');
  assert.equal(schedule.lastCheck(), undefined);
});

/**
 * Checks waiting modules; those of `hostile` exceed every limit. Counts the failed first checks before all other
 * modules pass.
 */
function overrunsBefore(schedule: Schedule<Named>, hostile: string, sound: number): number {
  let overruns = 0;
  for (let passed = 0; passed < sound; ) {
    const program = schedule.firstCheck();
    assert.ok(program.length > 0, 'sound modules wait where nobody checks');
    if (program.some(({ owner }) => owner.tenant === hostile)) {
      overruns += 1;
      schedule.failed(program, 'limit');
      continue;
    }
    for (const one of program) schedule.passed(one);
    passed += program.length;
  }
  return overruns;
}

test('two hostile jobs cost others three first checks, however many modules they have', () => {
  const schedule = new Schedule<Named>();
  for (let n = 0; n < 40; n += 1) schedule.add(turn(`hostile/${n % 2}/${n}`));
  for (let n = 0; n < 20; n += 1) schedule.add(turn(`sound/${n}/1`));
  // One of a program, and one of each job alone.
  assert.equal(overrunsBefore(schedule, 'hostile', 20), 3);
});

test('a tenant with many hostile jobs costs others four first checks', () => {
  const schedule = new Schedule<Named>();
  for (let n = 0; n < 200; n += 1) schedule.add(turn(`hostile/${n}/1`));
  for (let n = 0; n < 20; n += 1) schedule.add(turn(`sound/${n}/1`));
  // One of a program, and three alone.
  assert.equal(overrunsBefore(schedule, 'hostile', 20), 4);
});

test('a suspect gets only last checks, in turn with other suspects, until one of its modules passes', () => {
  const schedule = new Schedule<Named>();
  for (const name of ['a/1/1', 'a/1/2', 'a/1/3', 'b/1/1']) schedule.add(turn(name, byItself));
  for (const [name] of [['a/1/1'], ['b/1/1']]) {
    const program = schedule.firstCheck();
    assert.deepEqual(namesOf(program), [name]);
    schedule.failed(program, 'limit');
  }
  assert.deepEqual(schedule.firstCheck(), []);
  const checks = [schedule.lastCheck(), schedule.lastCheck(), schedule.lastCheck()].map((one) => one?.name);
  assert.deepEqual(checks, ['a/1/2', 'b/1/1', 'a/1/3']);
  schedule.add(turn('a/1/4'));
  assert.deepEqual(schedule.firstCheck(), []);
  schedule.passed(turn('a/1/2'));
  assert.deepEqual(namesOf(schedule.firstCheck()), ['a/1/4']);
});

test('a module whose child died gets its last check, and its job is not suspect', () => {
  const schedule = scheduleOf('a/1/1');
  schedule.failed(schedule.firstCheck(), 'died');
  schedule.add(turn('a/1/2'));
  assert.deepEqual(namesOf(schedule.firstCheck()), ['a/1/2']);
  assert.equal(schedule.lastCheck()?.name, 'a/1/1');
});
