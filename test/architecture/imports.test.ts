import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { parseSync } from 'oxc-parser';

const root = join(import.meta.dirname, '../..');

const verificationStandsOn = [
  'src/kernel',
  'src/lexicon',
  'src/contract',
  'src/schemas',
  'src/documents',
  'src/analysis',
];

/** What the work on a job stands on, whatever its kind. */
const jobStandsOn = [
  'src/kernel',
  'src/contract',
  'src/schemas',
  'src/documents',
  'src/families',
  'src/analysis',
  'src/prompting',
  'src/readings',
  'src/verification',
  'src/verification/checks',
  'src/telemetry',
  'src/completion',
  'src/typing',
  'src/hosting',
  'types of sandbox/contract.ts',
];

const queueRooms = ['redis', 'jobs', 'kept', 'intake', 'running', 'keeper', 'operator'].map((room) => `queues/${room}`);

/**
 * Which area may import which others: a folder of src/, a file directly in it, a folder of the root, or a folder named
 * here. Within an area everything may import everything, but not in a circle. `types of <file>` allows `import type`
 * from that file alone, `everything` all of src, sandbox and queues.
 */
const table: Record<string, string[]> = {
  sandbox: [],
  'sandbox/guest': [],
  queues: [...queueRooms],
  'queues/redis': [],
  'queues/jobs': ['queues/redis'],
  'queues/kept': ['queues/redis', 'queues/jobs'],
  'queues/intake': ['queues/redis', 'queues/jobs'],
  'queues/running': ['queues/redis', 'queues/jobs', 'queues/intake'],
  'queues/keeper': ['queues/redis', 'queues/jobs', 'queues/intake', 'queues/running'],
  'queues/operator': ['queues/redis', 'queues/jobs', 'queues/intake', 'queues/kept', 'queues/keeper'],
  'src/kernel': [],
  'src/lexicon': [],
  'src/contract': ['src/kernel', 'types of sandbox/contract.ts'],
  'src/schemas': ['src/kernel', 'src/contract'],
  'src/documents': ['src/kernel', 'src/lexicon', 'src/contract', 'src/schemas'],
  'src/service-descriptions': ['src/kernel', 'src/contract', 'src/schemas', 'src/documents'],
  'src/families': [
    'src/kernel',
    'src/contract',
    'src/lexicon',
    'src/schemas',
    'src/documents',
    'src/service-descriptions',
  ],
  'src/analysis': ['src/kernel', 'src/lexicon', 'src/contract', 'src/schemas', 'src/documents', 'src/families'],
  'src/prompting': ['src/kernel', 'src/contract', 'src/schemas', 'src/documents', 'types of sandbox/contract.ts'],
  'src/verification': [
    ...verificationStandsOn,
    'src/verification/source',
    'src/verification/worlds',
    'src/verification/checks',
    'src/verification/exchanges',
    'types of sandbox/contract.ts',
  ],
  'src/verification/exchanges': [...verificationStandsOn, 'src/verification'],
  'src/verification/source': [...verificationStandsOn, 'src/verification'],
  'src/verification/worlds': [...verificationStandsOn, 'src/verification', 'src/verification/source'],
  'src/verification/checks': [
    ...verificationStandsOn,
    'src/verification',
    'src/verification/source',
    'src/verification/worlds',
    'types of sandbox/contract.ts',
  ],
  'src/readings': ['src/kernel', 'src/contract', 'src/schemas', 'src/documents', 'src/verification'],
  'src/typing': ['src/kernel', 'src/contract', 'src/schemas', 'src/prompting'],
  'src/telemetry': ['src/kernel', 'src/contract', 'queues', 'types of sandbox/contract.ts'],
  'src/completion': ['src/kernel', 'src/contract', 'src/telemetry'],
  'src/scripted-model': ['src/kernel', 'src/contract', 'src/completion', 'src/package-file.ts'],
  'src/fetching': ['src/kernel', 'src/contract'],
  'src/intake': ['src/kernel', 'src/contract', 'src/families', 'src/job', 'queues'],
  'src/hosting': ['src/kernel', 'src/contract', 'src/schemas', 'sandbox'],
  'src/job': jobStandsOn,
  'src/handlers': [...jobStandsOn, 'src/job', 'queues'],
  'src/deriving': [...jobStandsOn, 'src/job', 'src/handlers'],
  'src/generation': [...jobStandsOn, 'src/job', 'src/handlers', 'src/deriving', 'src/version.ts'],
  'src/kinds': [...jobStandsOn, 'src/verification/worlds', 'src/job', 'src/handlers', 'src/deriving', 'src/generation'],
  'src/pipeline': [
    ...jobStandsOn,
    'src/intake',
    'src/job',
    'src/handlers',
    'src/deriving',
    'src/generation',
    'src/kinds',
    'queues',
  ],
  'src/config.ts': ['src/kernel'],
  'src/package-file.ts': [],
  'src/version.ts': ['src/package-file.ts'],
  'src/live-limits.ts': ['src/kernel', 'src/config.ts', 'queues'],
  'src/worker': ['everything'],
  'src/operator': ['everything'],
  'src/client': ['everything'],
  'src/index.ts': ['everything'],
  'src/sandbox-door.ts': ['everything'],
  'src/main.ts': ['everything'],
};

/** Areas that compute from what they are given alone: no built-in but these, no package that does IO. */
const pureAreas = [
  'src/kernel',
  'src/lexicon',
  'src/contract',
  'src/schemas',
  'src/documents',
  'src/service-descriptions',
  'src/families',
  'src/analysis',
  'src/prompting',
  'src/readings',
  'src/verification',
  'src/verification/exchanges',
  'src/verification/source',
  'src/verification/worlds',
  'src/verification/checks',
];
const pureBuiltins = ['node:crypto', 'node:util', 'node:buffer'];
const impurePackages = ['bullmq', 'esbuild', 'ioredis', 'isolated-vm', 'js-redis-server', 'pino', 'typescript'];

/** Nothing that is shipped may import what starts it; `client` and `operator` are for people, not for other areas. */
const ends = ['src/main.ts', 'src/operator', 'src/client', 'src/index.ts', 'src/sandbox-door.ts'];

interface Import {
  from: string;
  /** Path from the root, or the specifier of a package or built-in. */
  to: string;
  relative: boolean;
  typeOnly: boolean;
}

const files = globSync('{src,sandbox,queues}/**/*.ts', { cwd: root }).sort();
const imports = files.flatMap(importsOf);

test('the sources are read', () => {
  assert.ok(files.length > 20, `found ${files.length} files`);
  assert.ok(imports.some(({ typeOnly }) => typeOnly));
  assert.ok(imports.some(({ relative }) => !relative));
});

test('every area stands in the import table', () => {
  assert.deepEqual(
    [...new Set(files.map(areaOf))].filter((area) => table[area] === undefined),
    [],
  );
});

test('every area keeps to the import table', () => {
  assert.deepEqual(imports.filter((one) => one.relative && !isAllowed(one)).map(describe), []);
});

test('pure areas load nothing that does IO', () => {
  for (const area of pureAreas) {
    for (const to of table[area] ?? [])
      assert.ok(to.startsWith('types of ') || pureAreas.includes(to), `${area} → ${to}`);
  }
  const faults = imports.filter(({ from, to, relative, typeOnly }) => {
    if (relative || typeOnly || !pureAreas.includes(areaOf(from))) return false;
    return isBuiltin(to) ? !pureBuiltins.includes(to) : impurePackages.includes(to.split('/')[0] ?? to);
  });
  assert.deepEqual(faults.map(describe), []);
});

test('a family of agreements imports no other family', () => {
  const familyOf = (path: string) => /^src\/families\/([^/]+)\//.exec(path)?.[1];
  const faults = imports.filter(({ from, to }) => {
    const [own, other] = [familyOf(from), familyOf(to)];
    return own !== undefined && other !== undefined && own !== other;
  });
  assert.deepEqual(faults.map(describe), []);
});

test('what is one family’s stands in its folder alone', () => {
  const words = /candidateProtocols|codeGeneration|fixErrorNegotiation|testCasesNegotiation|Test Case/;
  const others = files.filter((file) => !file.startsWith('src/families/anp/'));
  // Both dialects of ANP have a member of this name.
  const ownWords = (file: string, text: string) =>
    file.startsWith('src/families/anp-negotiate/') ? text.replaceAll('candidateProtocols', '') : text;
  assert.deepEqual(
    others.filter((file) => words.test(ownWords(file, readFileSync(join(root, file), 'utf8')))),
    [],
  );
  const named = imports.filter(
    ({ from, to }) => /^src\/families\/[^/]+\//.test(to) && !from.startsWith('src/families/'),
  );
  assert.deepEqual(named.map(describe), [], 'families are named in their table alone');
});

test('no file imports itself by a detour', () => {
  assert.deepEqual(circles(), []);
});

/** The imports and re-exports of a file, dynamic ones and `import('…')` types included. */
function importsOf(from: string): Import[] {
  const source = readFileSync(join(root, from), 'utf8');
  const { module, errors } = parseSync(from, source);
  assert.deepEqual(errors, [], from);
  const found: [string, boolean][] = module.staticImports.map(({ moduleRequest, entries }) => [
    moduleRequest.value,
    entries.length > 0 && entries.every(({ isType }) => isType),
  ]);
  for (const { entries } of module.staticExports) {
    for (const { moduleRequest, isType } of entries) if (moduleRequest) found.push([moduleRequest.value, isType]);
  }
  for (const [, specifier] of source.matchAll(/\bimport\(\s*['"`]([^'"`]+)['"`]/g))
    found.push([specifier ?? '', false]);
  return found.map(([specifier, typeOnly]) => {
    const relative = specifier.startsWith('.');
    const to = relative ? normalize(join(dirname(from), specifier)) : specifier;
    return { from, to, relative, typeOnly };
  });
}

/** The longest area of the table that holds the path, else the folder that the table should have. */
function areaOf(path: string): string {
  const named = Object.keys(table)
    .filter((area) => path === area || path.startsWith(`${area}/`))
    .sort((one, other) => other.length - one.length)[0];
  return (
    named ??
    path
      .split('/')
      .slice(0, path.startsWith('src/') ? 2 : 1)
      .join('/')
  );
}

function isAllowed({ from, to, typeOnly }: Import): boolean {
  const [own, other] = [areaOf(from), areaOf(to)];
  if (own === other) return true;
  // What runs inside the isolate is the sandbox's own affair; it is loaded as text, but its names may be shared as
  // types.
  if (other === 'sandbox/guest') return own === 'sandbox';
  const allowed = table[own] ?? [];
  if (ends.includes(other) && !ends.includes(own)) return false;
  if (allowed.includes('everything')) return /^(src|sandbox|queues)\//.test(to);
  return allowed.includes(other) || (typeOnly && allowed.includes(`types of ${to}`));
}

/** Every circle of files, each once, as `a → b → a`. */
function circles(): string[] {
  const next = new Map(files.map((file) => [file, [] as string[]]));
  for (const { from, to } of imports) if (next.has(to)) next.get(from)?.push(to);
  const found = new Set<string>();
  const done = new Set<string>();
  const visit = (file: string, path: string[]): void => {
    const start = path.indexOf(file);
    if (start >= 0) {
      found.add([...path.slice(start), file].join(' → '));
      return;
    }
    if (done.has(file)) return;
    for (const to of next.get(file) ?? []) visit(to, [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  return [...found];
}

function describe({ from, to, typeOnly }: Import): string {
  return `${from} → ${to}${typeOnly ? ' (type)' : ''}`;
}
