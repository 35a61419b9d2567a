import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BuildFailure, type BuildOptions, type Message, type OnResolveArgs, type Plugin, stop } from 'esbuild';
import { build, transform } from './bundler.ts';
import type { BundleResult } from './contract.ts';
import { policy } from './policy.ts';
import { childrenNamed, cpuOf, residentMbOf } from './processes.ts';
import { SandboxError } from './sandbox-error.ts';
import { tooDeepAt } from './source-nesting.ts';

type ExportName = 'handle' | 'perform';
type Fault = Extract<BundleResult, { ok: false }>['faults'][number];

const candidate = 'handler.ts';
const entry = 'entry.js';
/** The only module that a candidate may import; it has only types. */
const typesModule = './types';

/** The digest of a bundle: SHA-256 of its UTF-8 text as 64 lower-case hex digits. */
export function bundleDigest(bundle: string): string {
  return hash('sha256', bundle);
}

/**
 * Bundles the TypeScript of a candidate into one self-contained ES module whose only export is `exportName`. It can
 * import only `./types`, which gives only types. Nothing is read from the disk, and nothing of the candidate is run. If
 * it cannot be bundled, resolves to its faults with their positions in the source. Rejects with `PLATFORM_SANDBOX_LOST`
 * if the bundler cannot bundle even a known-good module.
 */
export async function bundleHandler(source: string, exportName: ExportName): Promise<BundleResult> {
  const fault = sizeFault(source) ?? nestingFault(source);
  if (fault) return { ok: false, faults: [fault] };
  const built = await buildWatched(source, exportName);
  if (!('bundle' in built)) return { ok: false, faults: built };
  const bytes = Buffer.byteLength(built.bundle);
  if (bytes > policy.maxBundleBytes.default) {
    return {
      ok: false,
      faults: [
        { message: `Cannot bundle handler: ${bytes} bytes of bundle, wanted at most ${policy.maxBundleBytes.default}` },
      ],
    };
  }
  return { ok: true, ...built, digest: bundleDigest(built.bundle) };
}

function sizeFault(source: string): Fault | undefined {
  const bytes = Buffer.byteLength(source);
  if (bytes <= policy.maxSourceBytes.default) return undefined;
  return {
    message: `Cannot bundle handler: ${bytes} bytes of source, wanted at most ${policy.maxSourceBytes.default}`,
  };
}

/** esbuild recurses on nesting and crashes on it, so the depth is checked first. */
function nestingFault(source: string): Fault | undefined {
  const at = tooDeepAt(source);
  if (at === undefined) return undefined;
  const before = source.slice(0, at).split('\n');
  return {
    message: `Cannot bundle handler: nested too deeply, wanted at most ${policy.maxNesting.default} levels`,
    line: before.length,
    column: (before.at(-1) ?? '').length + 1,
  };
}

/** A build ended without a word from esbuild. Its message, if any, says what is wrong with the source. */
class EsbuildStopped extends Error {}

/** A build under way. */
interface Build {
  giveUp(fault?: string): void;
  /** Processor time that esbuild had used at the first look during this build, in milliseconds. */
  cpuSince: number | undefined;
}

const underWay = new Set<Build>();

async function buildWatched(
  source: string,
  exportName: ExportName,
): Promise<{ bundle: string; map: string } | Fault[]> {
  for (let attempt = 1; ; attempt += 1) {
    let late = false;
    const build: Build = { giveUp() {}, cpuSince: undefined };
    const stopped = new Promise<never>((_, reject) => {
      build.giveUp = (fault) => reject(new EsbuildStopped(fault));
    });
    underWay.add(build);
    poll ??= setInterval(look, policy.memoryPollMs.default);
    let extended = 0;
    const timer = setInterval(() => {
      const cpu = cpuOfEsbuild();
      // As with a cell: without processor time it gets more time.
      if (cpu - (build.cpuSince ?? 0) < policy.bundleMs.default / 4 && extended < 2) {
        extended += 1;
        return;
      }
      // A build cannot be cancelled. Only esbuild as a whole can be stopped, and it starts again by itself.
      late = true;
      stopEsbuild();
    }, policy.bundleMs.default);
    try {
      return await Promise.race([buildOnce(source, exportName), stopped]);
    } catch (error) {
      const { errors } = error as Partial<BuildFailure>;
      if (errors) return errors.map((message) => faultOf(message, exportName));
      if (late)
        return [
          {
            message: `Cannot bundle handler: took longer than ${policy.bundleMs.default} ms, wanted a source that bundles in time`,
          },
        ];
      if (error instanceof EsbuildStopped && error.message) return [{ message: error.message }];
      if (!(error instanceof EsbuildStopped)) stopEsbuild();
      if (attempt < 3) continue;
      if (!(await bundlesAnything())) {
        const message = 'Cannot bundle handler: the bundler fails on a known-good module too, wanted one that works';
        throw new SandboxError('PLATFORM_SANDBOX_LOST', message, { cause: error });
      }
      // The first time another source may have crashed esbuild. A source with which it always crashes is at fault.
      return [{ message: 'Cannot bundle handler: the bundler crashes on it, wanted a source that it can read' }];
    } finally {
      clearInterval(timer);
      underWay.delete(build);
      if (underWay.size === 0) {
        clearInterval(poll);
        poll = undefined;
      }
    }
  }
}

/** The canary of the bundler: whether esbuild still bundles a known-good module in time. */
async function bundlesAnything(): Promise<boolean> {
  const inTime = new AbortController();
  const late = sleep(policy.bundleMs.default, false, { signal: inTime.signal }).catch(() => false);
  const built = buildOnce('export const handle = () => null;', 'handle').then(
    (result) => 'bundle' in result,
    () => false,
  );
  const isSound = await Promise.race([built, late]);
  inTime.abort();
  return isSound;
}

let poll: NodeJS.Timeout | undefined;
/** Processes of esbuild that were told to end and may still be ending. */
let ended: ReadonlySet<number> = new Set();

/** esbuild computes the texts of an enumeration: some twenty that double one another take all memory of the machine. */
function look(): void {
  const cpu = cpuOfEsbuild();
  for (const build of underWay) build.cpuSince ??= cpu;
  for (const pid of childrenNamed('esbuild')) {
    if (ended.has(pid) || !((residentMbOf(pid) ?? 0) > policy.bundlerMemoryMb.default)) continue;
    // With several builds it is unknown which one took it: all are repeated.
    stopEsbuild(
      underWay.size === 1
        ? `Cannot bundle handler: took more than ${policy.bundlerMemoryMb.default} MB of memory, wanted less`
        : undefined,
    );
  }
}

/** Processor time of esbuild for all builds, in milliseconds; infinite if the system does not say. */
function cpuOfEsbuild(): number {
  const pids = childrenNamed('esbuild');
  return pids.length === 0 ? Number.POSITIVE_INFINITY : pids.reduce((sum, pid) => sum + (cpuOf(pid) ?? 0), 0);
}

/**
 * Ends esbuild with all its builds; the next build starts it again. esbuild leaves its callers waiting, so their builds
 * are rejected here, with `fault` as message.
 */
export function stopEsbuild(fault?: string): void {
  ended = new Set(childrenNamed('esbuild'));
  stop();
  for (const { giveUp } of underWay) giveUp(fault);
}

async function buildOnce(source: string, exportName: ExportName): Promise<{ bundle: string; map: string } | Fault[]> {
  const options = {
    stdin: { contents: `export { ${exportName} } from '${candidate}';`, sourcefile: entry, loader: 'js' },
    absWorkingDir: '/',
    bundle: true,
    charset: 'utf8',
    format: 'esm',
    legalComments: 'none',
    logLevel: 'silent',
    metafile: true,
    outfile: '/bundle.js',
    platform: 'neutral',
    sourcemap: 'external',
    sourcesContent: false,
    supported: { 'top-level-await': false, 'import-meta': false },
    target: 'es2024',
    write: false,
  } as const satisfies BuildOptions;
  if (mayLoad.test(source)) {
    const pattern = await patternFault(source, options);
    if (pattern) return [pattern];
  }
  if (foreignImport.test(source)) {
    // esbuild drops unused imports before it resolves them. They are wrong too, so here all are kept.
    const anyExport = 'module.exports = {};';
    const tsconfigRaw = { compilerOptions: { verbatimModuleSyntax: true } };
    await build({ ...options, plugins: [closedResolver(source, anyExport)], tsconfigRaw });
  }
  // Without `tsconfigRaw` esbuild looks for a tsconfig.json on the disk.
  const plugins = [closedResolver(source, 'export {};')];
  const { metafile, outputFiles, warnings } = await build({ ...options, plugins, tsconfigRaw: '{}' });
  if (Object.keys(metafile.inputs).some((input) => !ownInputs.has(input))) return [{ message: reachesBeyond }];
  const undefinedImports = warnings.filter(({ id }) => id === 'import-is-undefined');
  if (undefinedImports.length > 0) return undefinedImports.map((message) => faultOf(message, exportName));
  const textOf = (ending: string) => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? '';
  return { bundle: textOf('.js'), map: mapOf(textOf('.map')) };
}

/** The only inputs of a bundle, as esbuild names them. */
const ownInputs: ReadonlySet<string> = new Set([entry, `candidate:${candidate}`, 'types:types']);
const reachesBeyond = 'Cannot bundle handler: it would contain more than its own source, wanted nothing else';

/**
 * Finds a word that may load something at run time: `require`, or an `import` that is not a statement. Escapes
 * can spell either.
 */
const mayLoad = /\brequire|\\u|\bimport\b(?!\s+type\b|\s*["'{*])/;

/**
 * Finds in the output of esbuild something loaded by a name that is neither a literal nor one word. Strings that look
 * like it are refused too.
 */
const loadByPattern =
  /\b(?:import|require)(?:\.\w+)?(?:\?\.)?\((?!\s*(?:(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')\s*[,)]|[\w$]*\)))/;

/**
 * If a name is made at run time, esbuild takes it for a pattern and puts in all files on the disk that match, without
 * asking any resolver. So such a source is never bundled. It is checked in the form that esbuild prints, without
 * escapes and needless spaces.
 */
async function patternFault(
  source: string,
  { charset, format, supported, target }: BuildOptions,
): Promise<Fault | undefined> {
  const { code } = await transform(withoutSourceMap(source), {
    ...(charset ? { charset } : {}),
    ...(format ? { format } : {}),
    ...(supported ? { supported } : {}),
    ...(target ? { target } : {}),
    legalComments: 'none',
    loader: 'ts',
    logLevel: 'silent',
    tsconfigRaw: '{}',
  });
  const found = loadByPattern.exec(code)?.[0];
  return found === undefined
    ? undefined
    : {
        message: `Cannot bundle handler: ${found}…) of a name made at run time, wanted only types from "${typesModule}"`,
      };
}

/** Finds an import of anything but the types. Matches in strings and comments do no harm. */
const foreignImport = /\b(?:from|import)\s*['"](?!\.\/types['"])/;

/** Resolves nothing but the candidate and its types, so that esbuild never looks at the disk or the network. */
function closedResolver(source: string, types: string): Plugin {
  return {
    name: 'closed-resolver',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /.*/ }, (request) => {
        if (request.path === candidate && request.importer === entry)
          return { path: candidate, namespace: 'candidate' };
        if (isTypesImport(request)) return { path: 'types', namespace: 'types' };
        return {
          errors: [
            {
              text: `Cannot import ${JSON.stringify(request.path.slice(0, 200))}: wanted only types from "${typesModule}"`,
            },
          ],
        };
      });
      onLoad({ filter: /.*/, namespace: 'candidate' }, () => ({ contents: withoutSourceMap(source), loader: 'ts' }));
      onLoad({ filter: /.*/, namespace: 'types' }, () => ({ contents: types, loader: 'ts' }));
    },
  };
}

function isTypesImport(request: OnResolveArgs): boolean {
  return request.path === typesModule && request.kind === 'import-statement' && Object.keys(request.with).length === 0;
}

/**
 * esbuild would follow a source map that the candidate names. Another spelling of the same length keeps all columns.
 */
function withoutSourceMap(source: string): string {
  return source.replace(/([#@]\s*)sourceMappingURL/g, '$1sourceMappingUrl');
}

/** The source map, with the candidate under its own name. */
function mapOf(text: string): string {
  const map = JSON.parse(text) as { sources: string[] };
  return JSON.stringify({ ...map, sources: map.sources.map((name) => name.replace(/^candidate:/, '')) });
}

function faultOf({ text, location }: Message, exportName: ExportName): Fault {
  if (location?.file === entry)
    return {
      message: `Cannot bundle handler: it has no export "${exportName}", wanted a function of that name`,
      missingExport: true,
    };
  // A message about another file would reveal something of the host.
  if (location && location.file !== '<stdin>' && !ownInputs.has(location.file)) return { message: reachesBeyond };
  const name =
    /No matching export in "types:types" for import "([^"]*)"|Import "([^"]*)" will always be undefined/.exec(text);
  const message = name
    ? `Cannot import "${name[1] ?? name[2]}" as a value: wanted only types from "${typesModule}"`
    : text;
  if (!location) return { message };
  // esbuild counts columns in bytes.
  const column = Buffer.from(location.lineText).subarray(0, location.column).toString().length + 1;
  return { message, line: location.line, column };
}

/** How the bundler ends a module: its only export and nothing after it. */
const exportTail = /\nexport \{\n {2}(?:[\w$]+ as )?(?:handle|perform)\n\};\n$/;

/**
 * Brings any ES module into the form that the bundler gives and cells load. A module that has it already stays as it
 * is. If it cannot be bundled, resolves to its faults.
 */
export async function normalizeBundle(bundle: string, exportName: ExportName): Promise<{ bundle: string } | Fault[]> {
  const tail = exportTail.exec(bundle)?.[0];
  const body = tail && bundle.slice(0, -tail.length);
  const isNormal =
    body !== undefined && tail?.includes(exportName) && !/<!--|-->|(?:^|\n)[^\S\n]*(?:import|export)\b/.test(body);
  if (isNormal) return { bundle };
  const built = await bundleHandler(bundle, exportName);
  return built.ok ? { bundle: built.bundle } : built.faults;
}
