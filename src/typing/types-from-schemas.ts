import type { Role, Tool } from '../contract/job.ts';
import { escapeInvisible } from '../kernel/invisible-characters.ts';
import type { Json } from '../kernel/json.ts';
import type { GeneratorSchema } from './generator-schema.ts';
import { plainLine } from './plain-line.ts';
import { projectSchema } from './project-schema.ts';

/** The sources of the declarations in `./types`. Schemas must be sanitised: without external references. */
export interface TypeSources {
  role: Role;
  payload: 'json' | 'text';
  /** `null` or absent = the agreement has no schema, and the payload is `any`. */
  requestSchema?: Json | undefined;
  responseSchema?: Json | undefined;
  taskInputSchema?: Json | undefined;
  taskOutputSchema?: Json | undefined;
  tools: readonly Pick<Tool, 'name' | 'description' | 'inputSchema' | 'outputSchema'>[];
}

/** Names that the module itself declares; no schema may use them. */
const RESERVED_NAMES = [
  'Request',
  'Response',
  'Task',
  'Result',
  'Context',
  'HandlerError',
  'Handle',
  'Perform',
] as const;

/**
 * The text of `./types` for one agreement: `Request`, `Response`, `Context` and `HandlerError`, for a requester also
 * `Task` and `Result`, and `Handle` or `Perform`, the signature that the module must export. Always valid TypeScript: a
 * schema that cannot be expressed becomes `any`. Uses neither disk nor network. Deterministic.
 */
export async function declareTypes(sources: TypeSources): Promise<string> {
  const taken = new Set<string>(RESERVED_NAMES);
  const parts: string[] = [];
  const declare = async (name: string, schema: Json | undefined): Promise<void> => {
    parts.push(await declareType(name, schema, taken));
  };

  if (sources.payload === 'text') {
    parts.push('export type Request = string;', 'export type Response = string;');
  } else {
    await declare('Request', sources.requestSchema);
    await declare('Response', sources.responseSchema);
  }
  if (sources.role === 'requester') {
    await declare('Task', sources.taskInputSchema);
    await declare('Result', sources.taskOutputSchema);
  }

  const methods: string[] = [];
  for (const tool of sources.tools) {
    const base = tool.name.charAt(0).toUpperCase() + tool.name.slice(1);
    const input = freshName(`${base}Input`, taken);
    const output = freshName(`${base}Output`, taken);
    await declare(input, tool.inputSchema);
    await declare(output, tool.outputSchema);
    methods.push(`${comment(tool.description, '    ')}    ${tool.name}(input: ${input}): Promise<${output}>;`);
  }

  parts.push(contextDeclaration(sources.role, methods));
  parts.push(
    sources.role === 'provider'
      ? 'export type Handle = (request: Request, context: Context) => Response | Promise<Response>;'
      : 'export type Perform = (task: Task, context: Context) => Result | Promise<Result>;',
  );
  return escapeInvisible(`${parts.join('\n\n')}\n`);
}

/** One exported declaration with the ones it needs, under unused names. */
async function declareType(name: string, schema: Json | undefined, taken: Set<string>): Promise<string> {
  if (schema === undefined) return `export type ${name} = any;`;
  const projection = projectSchema(schema, name, (wanted) => freshName(`${name}${wanted}`, taken));
  const texts: string[] = [];
  for (const { name: declared, body } of projection.declarations) {
    const text = await generate(body);
    texts.push(projection.restore(text.replace(HEAD, `export $1 ${declared}`)));
  }
  return texts.join('\n\n');
}

const HEAD = /^export (type|interface) Subject\b/m;

/** Most cached declarations, by the text of their body. An agent's tools are the same in all its agreements. */
const maxCached = 500;

/** Longest body whose declaration is cached, in UTF-16 units. */
const maxCachedCharacters = 16 * 1024;

const cache = new Map<string, Promise<string>>();

function generate(body: GeneratorSchema): Promise<string> {
  const key = JSON.stringify(body);
  const text = cache.get(key) ?? generateNow(body);
  if (key.length > maxCachedCharacters) return text;
  cache.delete(key);
  cache.set(key, text);
  for (const oldest of cache.keys()) {
    if (cache.size <= maxCached) break;
    cache.delete(oldest);
  }
  return text;
}

/** The declaration of one body as the library prints it, named `Subject`; `any` if the library cannot print it. */
async function generateNow(body: GeneratorSchema): Promise<string> {
  const anything = 'export type Subject = any';
  if (body.tsType === 'any') return anything;
  try {
    // Loaded on first use: it loads a formatter, and most processes declare no types.
    const { compile } = await import('json-schema-to-typescript');
    const text = await compile(body, 'Subject', {
      bannerComment: '',
      // Formatting takes a hundred times longer than everything else.
      format: false,
      ignoreMinAndMaxItems: true,
      $refOptions: { resolve: { external: false, file: false, http: false } },
    });
    if (text.match(/^export /gm)?.length !== 1 || !HEAD.test(text)) return anything;
    const open = text
      .trim()
      // An interface is not assignable to `Record<string, unknown>`; an object type is.
      .replace(/^export interface Subject \{/m, 'export type Subject = {')
      // An interface value is assignable to an object type with an index signature only if that is `any`.
      .replace(/^(\s*\[k: string\]: )unknown$/gm, '$1any');
    return indented(open);
  } catch {
    return anything;
  }
}

/** Indents the library's unformatted text by depth. */
function indented(text: string): string {
  let depth = 0;
  return text
    .split('\n')
    .map((line) => {
      const isComment = /^\s*(\/\*\*|\*)/.test(line);
      if (!isComment && line.startsWith('}')) depth -= 1;
      const result = `${'  '.repeat(Math.max(0, depth))}${line}`;
      if (!isComment && line.endsWith('{')) depth += 1;
      return result;
    })
    .join('\n');
}

function contextDeclaration(role: Role, methods: readonly string[]): string {
  const send =
    role === 'requester'
      ? '\n  /** Sends a request to the peer and resolves to its response. Rejects with `HandlerError`. */\n  send(request: Request): Promise<Response>;'
      : '';
  const call = methods.length === 0 ? '{}' : `{\n${methods.join('\n')}\n  }`;
  return `/** What the promises of \`context.call\` and \`context.send\` reject with. */
export interface HandlerError extends Error {
  readonly code: 'FAILED' | 'TIMEOUT' | 'INVALID';
  readonly message: string;
}

/** Everything that a handler can reach outside itself. */
export interface Context {
  /** Our own tools. Each rejects with \`HandlerError\`. */
  readonly call: ${call};${send}
  /** Writes to the log of this run. */
  log(...values: unknown[]): void;
  /** A fresh message id: 16 lower-case letters and digits. */
  newId(): string;
  /** Milliseconds since 1970. */
  now(): number;
}`;
}

function freshName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let n = 2; taken.has(name); n += 1) name = `${wanted}${n}`;
  taken.add(name);
  return name;
}

/** A description as a comment that it cannot close; empty if there is none. */
function comment(description: string | undefined, indent: string): string {
  const line = description === undefined ? '' : plainLine(description);
  return line === '' ? '' : `${indent}/** ${line} */\n`;
}
