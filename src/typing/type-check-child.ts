/**
 * CHILD PROCESS of type-checker.ts: one warm TypeScript server, asked one module at a time. This is the only file that knows TypeScript's API,
 * whose name is still `unstable` and changes between versions.
 *
 * The API blocks its thread, so it runs on a thread of its own: the main thread stays free to end the whole process group when the parent is gone.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { API, type Diagnostic, type Project } from 'typescript/unstable/sync';

/** What the parent asks. */
export interface CheckRequest {
  id: number;
  source: string;
  types: string;
}

/** One diagnostic as the parent gets it; `offset` in UTF-16 units. */
export interface RawFault {
  file: 'handler' | 'contract';
  offset: number;
  code: number;
  message: string;
}

/** What the parent is told: that the server is warm, or the faults of one module. */
export type CheckReply = { ready: true } | { id: number; faults: RawFault[] };

const ROOT = '/module';
const HANDLER = `${ROOT}/handler.ts`;
const TYPES = `${ROOT}/types.d.ts`;
const CONTRACT = `${ROOT}/contract.ts`;
const CONFIG = `${ROOT}/tsconfig.json`;

const COMPILER_OPTIONS = {
  strict: true,
  target: 'es2023',
  lib: ['es2023'],
  module: 'esnext',
  moduleResolution: 'bundler',
  moduleDetection: 'force',
  types: [],
  noEmit: true,
};

/** The most of a message that is passed on: a diagnostic can print whole types. */
const MAX_MESSAGE_CHARACTERS = 1_000;
const MAX_FAULTS = 20;

if (isMainThread) relay();
else serve();

/** Passes messages between the parent and the thread that checks; ends everything once the parent has gone. */
function relay(): void {
  const thread = new Worker(new URL(import.meta.url));
  thread.on('message', (reply: CheckReply) => process.send?.(reply));
  thread.on('error', () => process.exit(1));
  thread.on('exit', () => process.exit(1));
  process.on('message', (request: CheckRequest) => thread.postMessage(request));
  process.on('disconnect', () => process.kill(-process.pid, 'SIGKILL'));
}

function serve(): void {
  const files = new Map<string, string>([
    [CONFIG, JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files: ['handler.ts', 'contract.ts', 'types.d.ts'] })],
  ]);
  const library = libraryReader();
  const api = new API({
    cwd: ROOT,
    // Every callback answers for good: `undefined` would make the server look on the real disk, and a host file's text could come out in a diagnostic.
    fs: {
      readFile: (path) => files.get(path) ?? library(path),
      fileExists: (path) => files.has(path) || library(path) !== null,
      directoryExists: (path) => path === ROOT,
      getAccessibleEntries: () => ({ files: [], directories: [] }),
      realpath: (path) => path,
    },
  });
  let opened = false;

  const check = (source: string, types: string): RawFault[] => {
    files.set(HANDLER, source);
    files.set(TYPES, types);
    files.set(CONTRACT, contractFor(types));
    const snapshot = api.updateSnapshot(
      opened ? { fileChanges: { changed: [HANDLER, TYPES, CONTRACT] } } : { openProjects: [CONFIG] },
    );
    opened = true;
    try {
      const project = snapshot.getProject(CONFIG);
      if (project === undefined) throw new Error('Cannot check module: no project, wanted the one just opened');
      return faultsOf(project);
    } finally {
      snapshot.dispose();
    }
  };

  check('export {};', 'export {};');
  const port = parentPort;
  port?.on('message', ({ id, source, types }: CheckRequest) => port.postMessage({ id, faults: check(source, types) }));
  port?.postMessage({ ready: true } satisfies CheckReply);
}

function faultsOf({ program }: Project): RawFault[] {
  const syntactic = program.getSyntacticDiagnostics(HANDLER);
  const found: [RawFault['file'], readonly Diagnostic[]][] =
    // A module that cannot be parsed has no types worth reporting.
    syntactic.length > 0
      ? [['handler', syntactic]]
      : [
          ['handler', program.getSemanticDiagnostics(HANDLER)],
          ['contract', program.getSemanticDiagnostics(CONTRACT)],
        ];
  return found
    .flatMap(([file, diagnostics]) =>
      diagnostics.map((one) => ({
        file,
        offset: one.pos,
        code: one.code,
        message: messageOf(one).slice(0, MAX_MESSAGE_CHARACTERS),
      })),
    )
    .slice(0, MAX_FAULTS);
}

/** A diagnostic's text with its explanation, innermost last. */
function messageOf(diagnostic: Diagnostic): string {
  return [diagnostic.text, ...(diagnostic.messageChain ?? []).map(messageOf)].join('\n');
}

/** A module that compiles only where `./handler` exports what `./types` wants of it. */
function contractFor(types: string): string {
  const wanted = /^export type (Handle|Perform) = /m.exec(types)?.[1];
  if (wanted === undefined) return 'export {};\n';
  const name = wanted.toLowerCase();
  return `import { ${name} } from './handler';\nimport type { ${wanted} } from './types';\nexport const contract: ${wanted} = ${name};\n`;
}

/** Reads TypeScript's own declaration files and no other file. */
function libraryReader(): (path: string) => string | null {
  const require = createRequire(import.meta.resolve('typescript/package.json'));
  const directory = join(
    dirname(require.resolve(`@typescript/typescript-${process.platform}-${process.arch}/package.json`)),
    'lib',
  );
  const texts = new Map<string, string | null>();
  return (path) => {
    if (dirname(path) !== directory || !/[\\/]lib(\.[a-z0-9]+)*\.d\.ts$/.test(path)) return null;
    let text = texts.get(path);
    if (text === undefined) {
      try {
        text = readFileSync(path, 'utf8');
      } catch {
        text = null;
      }
      texts.set(path, text);
    }
    return text;
  };
}
