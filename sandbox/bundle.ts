import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BuildFailure, type BuildOptions, type Message, type OnResolveArgs, type Plugin, stop } from 'esbuild';
import { build, transform } from './bundler.ts';
import type { BundleResult } from './contract.ts';
import { policy } from './policy.ts';
import { childrenNamed, cpuOf, residentMbOf } from './processes.ts';
import { SandboxError } from './sandbox-error.ts';

type ExportName = 'handle' | 'perform';
type Fault = Extract<BundleResult, { ok: false }>['faults'][number];

const candidate = 'handler.ts';
const entry = 'entry.js';
/** The one module that a candidate may import; it has types alone. */
const typesModule = './types';

/** Digest under which a bundle is known: SHA-256 of its UTF-8 text, 64 lower-case hex digits. */
export function bundleDigest(bundle: string): string {
  return hash('sha256', bundle);
}

/**
 * Bundles the TypeScript of a candidate into one self-contained ES module whose only export is `exportName`. Nothing but `./types` can be
 * imported, and that gives types alone; nothing is read from the disk, and nothing of the candidate is run. Resolves to its faults, with
 * places in its source, where it cannot be bundled. Rejects with `PLATFORM_SANDBOX_LOST` where the bundler bundles nothing at all.
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

/** Prefix operators in a row nest as brackets do, and so do statements without brackets, arrows, labels, comparisons and the parts of a name space. */
const prefix =
  /[!~+-]\s{0,9}|\b(?:typeof|void|delete|await|new|else|do)\s{1,9}|\b(?:if|for|while|with)\s{0,9}\([^()]{0,99}\)\s{0,9}|(?<![\w$])[\w$]{1,99}\s{0,9}(?:=>|:|\.|<)\s{0,9}/;
const [eachPrefix, prefixChain] = [new RegExp(prefix, 'g'), new RegExp(`(?:${prefix.source})+`, 'g')];

/** esbuild recurses on nesting and dies of it, so that depth is looked at first; brackets in strings count too, which harms nobody. */
function nestingFault(source: string): Fault | undefined {
  let depth = 0;
  for (let at = 0; at < source.length; at += 1) {
    const character = source[at] as string;
    if ('([{'.includes(character)) depth += 1;
    else if (')]}'.includes(character)) depth = Math.max(0, depth - 1);
    if (depth > policy.maxNesting.default) return tooDeep(source, at);
  }
  const most = policy.maxNesting.default;
  for (const { 0: chain, index } of source.matchAll(prefixChain))
    if (chain.length >= most && (chain.match(eachPrefix)?.length ?? 0) >= most) return tooDeep(source, index);
  return undefined;
}

function tooDeep(source: string, at: number): Fault {
  const before = source.slice(0, at).split('\n');
  return {
    message: `Cannot bundle handler: nested too deeply, wanted at most ${policy.maxNesting.default} levels`,
    line: before.length,
    column: (before.at(-1) ?? '').length + 1,
  };
}

/** Why a build came to nothing without a word of esbuild's; its message, if any, is what is wrong with the source. */
class EsbuildStopped extends Error {}

/** A build that is on its way. */
interface Build {
  giveUp(fault?: string): void;
  /** Processor time that esbuild had used when it was first looked at during this build. */
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
      // As with a cell: one that got no processor time is given more of the clock.
      if (cpu - (build.cpuSince ?? 0) < policy.bundleMs.default / 4 && extended < 2) {
        extended += 1;
        return;
      }
      // A build cannot be called off; only the whole of esbuild can be stopped, and it starts again by itself.
      late = true;
      stopEsbuild();
    }, policy.bundleMs.default);
    try {
      return await Promise.race([buildOnce(source, exportName), stopped]);
    } catch (error) {
      const { errors } = error as Partial<BuildFailure>;
      if (errors) return errors.map((message) => faultOf(message, exportName));
      if (late) return [{ message: `Cannot bundle handler: took longer than ${policy.bundleMs.default} ms` }];
      if (error instanceof EsbuildStopped && error.message) return [{ message: error.message }];
      if (!(error instanceof EsbuildStopped)) stopEsbuild();
      if (attempt < 3) continue;
      if (!(await bundlesAnything())) {
        const message = 'Cannot bundle handler: the bundler comes to nothing with a known-good module either';
        throw new SandboxError('PLATFORM_SANDBOX_LOST', message, { cause: error });
      }
      // Another's source may have brought esbuild down; what brings it down again has itself to blame.
      return [{ message: 'Cannot bundle handler: the bundler does not survive it' }];
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

/** Whether esbuild still bundles what it should, and in time: the canary of the bundler. */
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
/** Processes of esbuild that were told to end, and may still be about it. */
let ended: ReadonlySet<number> = new Set();

/** esbuild works out what an enumeration's texts come to: some twenty that double one another are all the memory of the machine. */
function look(): void {
  const cpu = cpuOfEsbuild();
  for (const build of underWay) build.cpuSince ??= cpu;
  for (const pid of childrenNamed('esbuild')) {
    if (ended.has(pid) || !((residentMbOf(pid) ?? 0) > policy.bundlerMemoryMb.default)) continue;
    // Of several it is not known whose doing it was: they are made again.
    stopEsbuild(
      underWay.size === 1
        ? `Cannot bundle handler: took more than ${policy.bundlerMemoryMb.default} MB of memory`
        : undefined,
    );
  }
}

/** Processor time of esbuild, for all that it was asked for; endless where the system does not tell. */
function cpuOfEsbuild(): number {
  const pids = childrenNamed('esbuild');
  return pids.length === 0 ? Number.POSITIVE_INFINITY : pids.reduce((sum, pid) => sum + (cpuOf(pid) ?? 0), 0);
}

/** Ends esbuild and whatever it is at, and it starts again when it is next asked; it does not tell those who wait for it, so that they are told here. */
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
    // An import that is not used is dropped before it is resolved, unless all are kept; it is none the less wrong.
    const keptTypes = 'module.exports = {};';
    const tsconfigRaw = { compilerOptions: { verbatimModuleSyntax: true } };
    await build({ ...options, plugins: [closedResolver(source, keptTypes)], tsconfigRaw });
  }
  // Without a tsconfig of ours esbuild looks for a tsconfig.json on the disk.
  const plugins = [closedResolver(source, 'export {};')];
  const { metafile, outputFiles, warnings } = await build({ ...options, plugins, tsconfigRaw: '{}' });
  if (Object.keys(metafile.inputs).some((input) => !ownInputs.has(input))) return [{ message: reachesBeyond }];
  const undefinedImports = warnings.filter(({ id }) => id === 'import-is-undefined');
  if (undefinedImports.length > 0) return undefinedImports.map((message) => faultOf(message, exportName));
  const textOf = (ending: string) => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? '';
  return { bundle: textOf('.js'), map: mapOf(textOf('.map')) };
}

/** All that a bundle may be made of, as esbuild names it. */
const ownInputs: ReadonlySet<string> = new Set([entry, `candidate:${candidate}`, 'types:types']);
const reachesBeyond = 'Cannot bundle handler: it reaches for what is not its own';

/** Has a word that may load something while it runs: `require`, or an `import` that is no statement. Escapes can spell either. */
const mayLoad = /\brequire|\\u|\bimport\b(?!\s+type\b|\s*["'{*])/;

/** In what esbuild prints: something loaded by a name that is neither written out nor one word. Strings that read so are refused too. */
const loadByPattern =
  /\b(?:import|require)(?:\.\w+)?(?:\?\.)?\((?!\s*(?:(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')\s*[,)]|[\w$]*\)))/;

/**
 * Where a name is made while the program runs, esbuild takes it for a pattern and puts in whatever files of the disk are like it, without asking
 * any resolver. So such a source never comes to be bundled; it is looked at as esbuild prints it, with no escapes and no blanks.
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
        message: `Cannot bundle handler: ${found}…) of a name made while it runs, wanted nothing but types from "${typesModule}"`,
      };
}

/** Looks like an import of something else than the types; what it finds in strings and comments does no harm. */
const foreignImport = /\b(?:from|import)\s*['"](?!\.\/types['"])/;

/** Resolves nothing but the candidate and its types, so that esbuild never comes to look at a disk or a network. */
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
              text: `Cannot import ${JSON.stringify(request.path.slice(0, 200))}: wanted nothing but types from "${typesModule}"`,
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

/** esbuild would follow a source map that the candidate names; another spelling of the same length leaves every column where it is. */
function withoutSourceMap(source: string): string {
  return source.replace(/([#@]\s*)sourceMappingURL/g, '$1sourceMappingUrl');
}

/** The map with the candidate under its own name. */
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
  // Whatever is said of another file would tell of the host's.
  if (location && location.file !== '<stdin>' && !ownInputs.has(location.file)) return { message: reachesBeyond };
  const name =
    /No matching export in "types:types" for import "([^"]*)"|Import "([^"]*)" will always be undefined/.exec(text);
  const message = name
    ? `Cannot import "${name[1] ?? name[2]}" as a value: wanted nothing but types from "${typesModule}"`
    : text;
  if (!location) return { message };
  // esbuild counts columns in bytes.
  const column = Buffer.from(location.lineText).subarray(0, location.column).toString().length + 1;
  return { message, line: location.line, column };
}

/** How the bundler ends a module: the only export, and nothing after it. */
const exportTail = /\nexport \{\n {2}(?:[\w$]+ as )?(?:handle|perform)\n\};\n$/;

/**
 * Brings any ES module into the form that the bundler gives, which is what cells load. Modules that have it already are left alone.
 * Throws nothing because of the module: its faults are the result.
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
