/**
 * CHILD PROCESS of type-checker.ts: one warm TypeScript server that checks a few modules at a time. The only file that
 * uses TypeScript's API, which is still named `unstable` and changes between versions.
 *
 * The API blocks its thread, so it runs in a worker thread. The main thread stays free to kill the whole process group
 * when the parent exits.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire, flushCompileCache } from 'node:module';
import { dirname, join } from 'node:path';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import type { Diagnostic, Project } from 'typescript/unstable/sync';
import { MAX_TOGETHER } from './together.ts';

/** A module with the declarations that it is checked against. */
export interface ModuleText {
  source: string;
  types: string;
  /**
   * Whether the declarations are checked: report their own faults, and those of the module that say they are too
   * complex.
   */
  ofTypes?: true;
}

/** A request from the parent: at most `MAX_TOGETHER` modules. */
export interface CheckRequest {
  id: number;
  modules: readonly ModuleText[];
}

/** One diagnostic as sent to the parent; `offset` in UTF-16 units. */
export interface RawFault {
  file: 'handler' | 'contract' | 'types';
  offset: number;
  code: number;
  message: string;
}

/** A reply to the parent: the server is warm, or the faults of each module. */
export type CheckReply = { ready: true } | { id: number; faults: RawFault[][] };

const ROOT = '/module';

/** The files of one module in a program: the handler, its declarations, and the contract that ties them. */
interface Place {
  directory: string;
  handler: string;
  types: string;
  contract: string;
}

/** A program with places for a number of modules. */
interface Program {
  config: string;
  places: Place[];
}

/** A single module does not pay for places that it does not need. */
const PROGRAMS = [programFor(1), programFor(MAX_TOGETHER)] as const;

const NOTHING: ModuleText = { source: 'export {};\n', types: 'export {};\n' };

const COMPILER_OPTIONS = {
  strict: true,
  target: 'es2023',
  noLib: true,
  module: 'esnext',
  moduleResolution: 'bundler',
  moduleDetection: 'force',
  types: [],
  noEmit: true,
  // With one thread per program, the globals would be built again for each.
  singleThreaded: true,
};

/** The version of TypeScript's library declarations. */
const LIBRARY = 'es2025';

/** TypeScript's `Omit` loses the declared members of a type with an index signature; mapping each member keeps them. */
const ORIGINAL_OMIT = 'type Omit<T, K extends keyof any> = Pick<T, Exclude<keyof T, K>>;';
const OMIT = 'type Omit<T, K extends keyof any> = { [P in keyof T as Exclude<P, K>]: T[P] };';

/** Longest message passed on; a diagnostic can print whole types. */
const MAX_MESSAGE_CHARACTERS = 1_000;
const MAX_FAULTS = 20;

if (isMainThread) relay();
else await serve();

/** Relays messages between the parent and the worker thread; kills the process group when the parent exits. */
function relay(): void {
  const thread = new Worker(new URL(import.meta.url));
  thread.on('message', (reply: CheckReply) => process.send?.(reply));
  // Node writes its compile cache, if there is one, at the end of a process, but this one is killed.
  thread.once('message', () => flushCompileCache());
  thread.on('error', () => process.exit(1));
  thread.on('exit', () => process.exit(1));
  process.on('message', (request: CheckRequest) => thread.postMessage(request));
  process.on('disconnect', () => process.kill(-process.pid, 'SIGKILL'));
}

async function serve(): Promise<void> {
  // Only this thread needs it.
  const { API } = await import('typescript/unstable/sync');
  const files = libraryFiles();
  const library = [...files.keys()];
  for (const { config, places } of PROGRAMS) {
    const all = [...library, ...places.flatMap(({ handler, types, contract }) => [handler, types, contract])];
    files.set(config, JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files: all }));
  }
  const directories = new Set(
    PROGRAMS.flatMap(({ config, places }) => [dirname(config), ...places.map(({ directory }) => directory)]),
  );
  const api = new API({
    cwd: ROOT,
    // Every callback returns a definite answer. `undefined` would make the server read the real disk, and text of a
    // host file could leak into a diagnostic.
    fs: {
      readFile: (path) => files.get(path) ?? null,
      fileExists: (path) => files.has(path),
      directoryExists: (path) => path === ROOT || directories.has(path),
      getAccessibleEntries: () => ({ files: [], directories: [] }),
      realpath: (path) => path,
    },
  });
  const put = (place: Place, { source, types }: ModuleText): string[] => {
    const texts = [
      [place.handler, source],
      [place.types, types],
      [place.contract, contractFor(types)],
    ] as const;
    return texts.flatMap(([path, text]) => {
      if (files.get(path) === text) return [];
      files.set(path, text);
      return [path];
    });
  };
  for (const { places } of PROGRAMS) for (const place of places) put(place, NOTHING);
  api.updateSnapshot({ openProjects: PROGRAMS.map(({ config }) => config) }).dispose();

  const check = (modules: readonly ModuleText[]): RawFault[][] => {
    const { config, places } = PROGRAMS[modules.length > 1 ? 1 : 0];
    // Unused places are cleared, so that no module is checked next to one from another request.
    const changed = places.flatMap((place, index) => put(place, modules[index] ?? NOTHING));
    const snapshot = api.updateSnapshot({ fileChanges: { changed } });
    try {
      const project = snapshot.getProject(config);
      if (project === undefined) throw new Error('Cannot check module: no project, wanted the one just opened');
      return modules.map(({ ofTypes }, index) => faultsOf(project, places[index] as Place, ofTypes));
    } finally {
      snapshot.dispose();
    }
  };

  check([NOTHING]);
  const port = parentPort;
  port?.on('message', ({ id, modules }: CheckRequest) => port.postMessage({ id, faults: check(modules) }));
  port?.postMessage({ ready: true } satisfies CheckReply);
  flushCompileCache();
}

function programFor(modules: number): Program {
  const places = Array.from({ length: modules }, (): Place => {
    // A random name, so that no module can import another one.
    const directory = `${ROOT}/${randomUUID()}`;
    const file = (name: string) => `${directory}/${name}`;
    return { directory, handler: file('handler.ts'), types: file('types.d.ts'), contract: file('contract.ts') };
  });
  return { config: `${ROOT}/${modules}/tsconfig.json`, places };
}

function faultsOf({ program }: Project, { directory, handler, types, contract }: Place, ofTypes = false): RawFault[] {
  const syntactic = program.getSyntacticDiagnostics(handler);
  const found: [RawFault['file'], readonly Diagnostic[]][] =
    // A module that does not parse has no types worth reporting.
    syntactic.length > 0
      ? [['handler', syntactic]]
      : [
          ['handler', program.getSemanticDiagnostics(handler)],
          ['contract', program.getSemanticDiagnostics(contract)],
        ];
  if (ofTypes)
    found.push(['types', [...program.getSyntacticDiagnostics(types), ...program.getSemanticDiagnostics(types)]]);
  return found
    .flatMap(([file, diagnostics]) =>
      diagnostics
        .filter((one) => isFault(one) && (!ofTypes || file === 'types' || TOO_COMPLEX.has(one.code)))
        .map((one) => ({
          file,
          offset: one.pos,
          code: one.code,
          // The module must not see the random name.
          message: messageOf(one).replaceAll(directory, ROOT).slice(0, MAX_MESSAGE_CHARACTERS),
        })),
    )
    .slice(0, MAX_FAULTS);
}

/** A type instantiated too deeply, or with too many alternatives. */
const TOO_COMPLEX: ReadonlySet<number> = new Set([2589, 2590]);

/**
 * If all agreed shapes of a request are ruled out, its type is `never`. Invalid requests still arrive, so reading their
 * members is allowed.
 */
function isFault({ code, text, messageChain }: Diagnostic): boolean {
  return code !== 2339 || !text.endsWith("'never'.") || (messageChain ?? []).length > 0;
}

/** A diagnostic's text with its explanations, innermost last. */
function messageOf(diagnostic: Diagnostic): string {
  return [diagnostic.text, ...(diagnostic.messageChain ?? []).map(messageOf)].join('\n');
}

/** A module that compiles only if `./handler` exports what `./types` requires. */
function contractFor(types: string): string {
  const wanted = /^export type (Handle|Perform) = /m.exec(types)?.[1];
  if (wanted === undefined) return 'export {};\n';
  const name = wanted.toLowerCase();
  return `import { ${name} } from './handler';\nimport type { ${wanted} } from './types';\nexport const contract: ${wanted} = ${name};\n`;
}

/**
 * TypeScript's library declarations with `Omit` fixed, merged into few files. Every program binds its whole library,
 * and the more than eighty original files take twice the time.
 */
function libraryFiles(): Map<string, string> {
  const require = createRequire(import.meta.resolve('typescript/package.json'));
  const directory = join(
    dirname(require.resolve(`@typescript/typescript-${process.platform}-${process.arch}/package.json`)),
    'lib',
  );
  const texts = new Map<string, string>();
  const read = (name: string): void => {
    if (texts.has(name)) return;
    texts.set(name, '');
    const text = readFileSync(join(directory, `lib.${name}.d.ts`), 'utf8');
    for (const [, base] of text.matchAll(/^\/\/\/ <reference lib="([^"]+)" \/>/gm)) read(base as string);
    texts.set(name, text.replace(/^\/\/\/.*$/gm, '').replace(ORIGINAL_OMIT, OMIT));
  };
  read(LIBRARY);
  // An `export` would turn the whole merged file into a module, so such files stay separate.
  const files = new Map<string, string>();
  for (const [name, text] of texts) {
    const path = `${ROOT}/${/^export\b/m.test(text) ? name : 'globals'}.d.ts`;
    files.set(path, `${files.get(path) ?? ''}${text}\n`);
  }
  return files;
}
