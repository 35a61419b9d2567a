/**
 * CHILD PROCESS of type-checker.ts: one warm TypeScript server, asked a few modules at a time. This is the only file that knows TypeScript's API,
 * whose name is still `unstable` and changes between versions.
 *
 * The API blocks its thread, so it runs on a thread of its own: the main thread stays free to end the whole process group when the parent is gone.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { API, type Diagnostic, type Project } from 'typescript/unstable/sync';
import { MAX_TOGETHER } from './together.ts';

/** A module with the declarations that it is checked against. */
export interface ModuleText {
  source: string;
  types: string;
  /** Whether the declarations are what is checked: their own faults are wanted, and of the module's those that say they are too much. */
  ofTypes?: true;
}

/** What the parent asks: some modules, at most `MAX_TOGETHER`. */
export interface CheckRequest {
  id: number;
  modules: readonly ModuleText[];
}

/** One diagnostic as the parent gets it; `offset` in UTF-16 units. */
export interface RawFault {
  file: 'handler' | 'contract' | 'types';
  offset: number;
  code: number;
  message: string;
}

/** What the parent is told: that the server is warm, or the faults of each module. */
export type CheckReply = { ready: true } | { id: number; faults: RawFault[][] };

const ROOT = '/module';

/** Where one module of a program stands, with its declarations and what holds it to them. */
interface Place {
  directory: string;
  handler: string;
  types: string;
  contract: string;
}

/** A program with room for so many modules. */
interface Room {
  config: string;
  places: Place[];
}

/** A module by itself does not pay for places that it does not need. */
const ROOMS = [roomFor(1), roomFor(MAX_TOGETHER)] as const;

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
  // One thread for each program would make the globals of all of them anew.
  singleThreaded: true,
};

/** The version of TypeScript's own declarations. */
const LIBRARY = 'es2025';

/** TypeScript's `Omit` makes a type that admits further members forget its declared ones; over each member by itself it keeps them. */
const FORGETFUL_OMIT = 'type Omit<T, K extends keyof any> = Pick<T, Exclude<keyof T, K>>;';
const OMIT = 'type Omit<T, K extends keyof any> = { [P in keyof T as Exclude<P, K>]: T[P] };';

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
  const files = libraryFiles();
  const library = [...files.keys()];
  for (const { config, places } of ROOMS) {
    const all = [...library, ...places.flatMap(({ handler, types, contract }) => [handler, types, contract])];
    files.set(config, JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files: all }));
  }
  const directories = new Set(
    ROOMS.flatMap(({ config, places }) => [dirname(config), ...places.map(({ directory }) => directory)]),
  );
  const api = new API({
    cwd: ROOT,
    // Every callback answers for good: `undefined` would make the server look on the real disk, and a host file's text could come out in a diagnostic.
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
  for (const { places } of ROOMS) for (const place of places) put(place, NOTHING);
  api.updateSnapshot({ openProjects: ROOMS.map(({ config }) => config) }).dispose();

  const check = (modules: readonly ModuleText[]): RawFault[][] => {
    const { config, places } = ROOMS[modules.length > 1 ? 1 : 0];
    // What was there before is taken away: nobody's module is checked beside one that was not sent with it.
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
}

function roomFor(modules: number): Room {
  const places = Array.from({ length: modules }, (): Place => {
    // A name that no module can know, so that none can import what is another's.
    const directory = `${ROOT}/${randomUUID()}`;
    const file = (name: string) => `${directory}/${name}`;
    return { directory, handler: file('handler.ts'), types: file('types.d.ts'), contract: file('contract.ts') };
  });
  return { config: `${ROOT}/${modules}/tsconfig.json`, places };
}

function faultsOf({ program }: Project, { directory, handler, types, contract }: Place, ofTypes = false): RawFault[] {
  const syntactic = program.getSyntacticDiagnostics(handler);
  const found: [RawFault['file'], readonly Diagnostic[]][] =
    // A module that cannot be parsed has no types worth reporting.
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
        .filter((one) => isFault(one) && (!ofTypes || file === 'types' || TOO_MUCH.has(one.code)))
        .map((one) => ({
          file,
          offset: one.pos,
          code: one.code,
          // Where it stood beside others is no matter of the module's.
          message: messageOf(one).replaceAll(directory, ROOT).slice(0, MAX_MESSAGE_CHARACTERS),
        })),
    )
    .slice(0, MAX_FAULTS);
}

/** A type instantiated too deeply, and one of too many alternatives. */
const TOO_MUCH: ReadonlySet<number> = new Set([2589, 2590]);

/** What is left of a request when every agreed shape is ruled out is `never` to the compiler; one that breaks its schema is there all the same, and is read. */
function isFault({ code, text, messageChain }: Diagnostic): boolean {
  return code !== 2339 || !text.endsWith("'never'.") || (messageChain ?? []).length > 0;
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

/**
 * TypeScript's own declarations, `Omit` mended, as few files: every program binds all of its library, and the more than eighty that it comes
 * in take twice the time.
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
    texts.set(name, text.replace(/^\/\/\/.*$/gm, '').replace(FORGETFUL_OMIT, OMIT));
  };
  read(LIBRARY);
  // What says of itself that it is a module would make one of all that stands in its file.
  const files = new Map<string, string>();
  for (const [name, text] of texts) {
    const path = `${ROOT}/${/^export\b/m.test(text) ? name : 'globals'}.d.ts`;
    files.set(path, `${files.get(path) ?? ''}${text}\n`);
  }
  return files;
}
