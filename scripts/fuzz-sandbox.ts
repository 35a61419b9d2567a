import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundleHandler, createSandbox, type Run } from '../sandbox/index.ts';

/**
 * Mutates hostile and sound handlers for some minutes and runs them. The parent process must survive, its memory must
 * not grow, and a sound handler must pass after each mutant. Exits with code 1 and prints the seed of the first mutant
 * that breaks a rule.
 */
const { values } = parseArgs({
  // `npm run fuzz -- sandbox` names the target; so far there is no other.
  allowPositionals: true,
  options: { minutes: { type: 'string', default: '1' }, seed: { type: 'string', default: `${Date.now()}` } },
});
const untilMs = Date.now() + Number(values.minutes) * 60_000;

/** Random numbers that depend only on the seed, so that a failure can be reproduced (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const hostileFolder = join(import.meta.dirname, '../test/sandbox/hostile');
/** The sources of all attacks in the tests. */
const corpus = readdirSync(hostileFolder)
  .filter((name) => name.endsWith('.test.ts'))
  .flatMap((name) => {
    const [, text] =
      /source:\s*(['"`])?([\s\S]*?)\1,\n\s*ends/.exec(readFileSync(join(hostileFolder, name), 'utf8'))?.slice(1) ?? [];
    return text ? [text.replaceAll('\\n', '\n').replaceAll('\\\\', '\\').replaceAll('\\`', '`')] : [];
  });
const sound = `export async function handle(request: { n: number[] }, context: any) {
  const { factor } = await context.call.look({ all: request.n.length });
  return { sum: request.n.reduce((sum, one) => sum + one, 0) * factor, clean: Object.keys(Object.prototype).length === 0 };
}`;
const spices = [
  'for (;;);',
  'throw { get message() { for (;;); } };',
  'Promise.reject(new Proxy({}, {}));',
  'await null;',
  'return context;',
  'globalThis.mark = 1;',
  'Object.prototype.mark = 1;',
  'Array.prototype.push = null as any;',
  'Promise.prototype.then = null as any;',
  'context.log(globalThis);',
  'await context.call.look(globalThis);',
  'return new Proxy({}, {});',
  '"x".repeat(2 ** 28);',
  'new Array(2 ** 31);',
  'Error.prepareStackTrace = () => { throw 1; };',
  '10n ** 100_000n;',
];

function mutate(source: string, chance: () => number): string {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(chance() * list.length)] as T;
  let mutant = source;
  const changes = 1 + Math.floor(chance() * 4);
  for (let change = 0; change < changes; change += 1) {
    const at = Math.floor(chance() * mutant.length);
    const other = pick(corpus);
    switch (Math.floor(chance() * 6)) {
      case 0:
        mutant = mutant.replace(/\{/g, (brace) => (chance() < 0.3 ? `{ ${pick(spices)} ` : brace));
        break;
      case 1:
        mutant = mutant.slice(0, at) + mutant.slice(at + Math.floor(chance() * 20));
        break;
      case 2:
        mutant = mutant.slice(0, at) + other.slice(Math.floor(chance() * other.length)).slice(0, 80) + mutant.slice(at);
        break;
      case 3:
        mutant = mutant.replace(/\b\d[\d_]*\b/g, (number) =>
          chance() < 0.5 ? pick(['0', '-1', '2 ** 53', '2 ** 32 - 1', 'NaN', '1e308']) : number,
        );
        break;
      case 4: {
        const lines = mutant.split('\n');
        lines.splice(Math.floor(chance() * lines.length), 0, pick(spices));
        mutant = lines.join('\n');
        break;
      }
      default:
        mutant = mutant.replace(/=> /g, (arrow) =>
          chance() < 0.4 ? `${arrow} (${pick(['async ', ''])}() => { ${pick(spices)} })() ?? ` : arrow,
        );
    }
  }
  return mutant;
}

const run = (input: unknown): Run => ({
  input: JSON.stringify(input),
  seed: 'fuzz',
  nowMs: 0,
  tools: ['look', 'store'],
  send: true,
});
const answer = async () => ({ output: '{"factor":2}' });

const ends = new Map<string, number>();
const sandbox = await createSandbox({ cells: 1 });
const bundledSound = await bundleHandler(sound, 'handle');
if (!bundledSound.ok) throw new Error('the sound handler cannot be bundled');
const soundHandler = await sandbox.load(bundledSound.bundle, 'handle');
const residentMb = () => process.memoryUsage.rss() / 1_048_576;
let mutants = 0;
let firstMb = 0;
let failed = false;
/**
 * Most megabytes that the parent may grow after the first 200 mutants: V8 keeps some memory in reserve, but no more for
 * the next thousand.
 */
const maxGrownMb = 100;

for (let seed = Number(values.seed); Date.now() < untilMs && !failed; seed += 1) {
  const chance = seededRandom(seed);
  const source = chance() < 0.3 ? sound : (corpus[Math.floor(chance() * corpus.length)] ?? sound);
  const bundled = await bundleHandler(mutate(source, chance), 'handle');
  mutants += 1;
  let end = 'refused';
  if (bundled.ok) {
    const handler = await sandbox.load(bundled.bundle, 'handle', { stepMs: 150, watchdogMs: 400, memoryMb: 32 });
    const reports = await handler.runAll([run({ n: [1, 2] }), run({ n: [] })], answer);
    await handler.close();
    end = reports.map((report) => report.end).join(' ');
  }
  ends.set(end, (ends.get(end) ?? 0) + 1);
  const after = await soundHandler.run(run({ n: [1, 2, 3] }), answer);
  if (after.value !== '{"sum":12,"clean":true}' || Object.keys(Object.prototype).length > 0) {
    console.error(`seed ${seed}: the sound handler then ended with ${after.end} ${after.value} ${after.message}`);
    failed = true;
  }
  if (mutants === 200) firstMb = residentMb();
}

console.log(`${mutants} mutants of ${corpus.length} attacks, first seed ${values.seed}`);
for (const [end, count] of [...ends].sort((one, other) => other[1] - one[1]))
  console.log(`${String(count).padStart(6)}  ${end}`);
if (firstMb > 0 && residentMb() - firstMb > maxGrownMb) {
  console.error(`the parent's memory grew by more than ${maxGrownMb} MB`);
  failed = true;
}
const { killedCells } = sandbox.stats();
console.log(
  `${killedCells} cells killed; the parent's resident memory ${firstMb ? `went from ${firstMb.toFixed(0)} to ` : 'is '}${residentMb().toFixed(0)} MB`,
);
await sandbox.close();
process.exitCode = failed ? 1 : 0;
