import { compile } from 'json-schema-to-typescript';
import type { Role, Tool } from '../contract/job.ts';
import { isObject, type Json } from '../kernel/json.ts';
import { projectSchema } from './project-schema.ts';

/** What the declarations behind `./types` are made of. Schemas are taken as sanitised: no external reference is left in them. */
export interface TypeSources {
  role: Role;
  payload: 'json' | 'text';
  /** `undefined` = the agreement has none: the payload is `any`. */
  requestSchema?: Json | undefined;
  responseSchema?: Json | undefined;
  taskInputSchema?: Json | undefined;
  taskOutputSchema?: Json | undefined;
  tools: readonly Pick<Tool, 'name' | 'description' | 'inputSchema' | 'outputSchema'>[];
}

/** Names that the module declares itself; no schema may take one. */
const RESERVED_NAMES = ['Request', 'Response', 'Task', 'Result', 'Context', 'HandlerError', 'Handle', 'Perform'] as const;

/**
 * The text of `./types` for one agreement: `Request`, `Response`, `Context` and `HandlerError`, for a requester also `Task` and `Result`, and
 * `Handle` or `Perform`, the signature that the module must export. It is always valid TypeScript whatever the schemas hold: a schema that
 * cannot be expressed becomes `any`. Touches neither disk nor network. The same sources give the same text.
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
  return `${parts.join('\n\n')}\n`;
}

/** One exported declaration with the ones it needs, under names that nobody has yet. */
async function declareType(name: string, schema: Json | undefined, taken: Set<string>): Promise<string> {
  const anything = `export type ${name} = any;`;
  if (schema === undefined || schema === true || (isObject(schema) && Object.keys(schema).length === 0)) return anything;
  const takenBefore = [...taken];
  const projected = projectSchema(schema, (wanted) => freshName(`${name}${wanted}`, taken));
  try {
    // Formatting parses the text, so that a declaration which is no TypeScript ends in the fallback too.
    const text = await compile(projected.schema, name, {
      bannerComment: '',
      format: true,
      ignoreMinAndMaxItems: true,
      enableConstEnums: false,
      declareExternallyReferenced: true,
      unreachableDefinitions: false,
      $refOptions: { resolve: { external: false, file: false, http: false } },
      style: { singleQuote: true, printWidth: 100 },
    });
    const restored = projected.restore(text).trim();
    return declaresExactly(restored, name, takenBefore) ? restored : anything;
  } catch {
    return anything;
  }
}

/** Says whether a text declares the name wanted and none that somebody else has. */
function declaresExactly(text: string, name: string, takenBefore: readonly string[]): boolean {
  const names = [...text.matchAll(/^export (?:interface|type|enum|const enum) ([A-Za-z0-9_$]+)/gm)].map((match) => match[1]);
  return (
    names.filter((one) => one === name).length === 1 &&
    new Set(names).size === names.length &&
    names.every((one) => one === name || (one !== undefined && !takenBefore.includes(one)))
  );
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

/** A description as a comment that it cannot break out of; empty where there is none. */
function comment(description: string | undefined, indent: string): string {
  const line = description === undefined ? '' : plainLine(description);
  return line === '' ? '' : `${indent}/** ${line} */\n`;
}

/** Hostile text as one line that is safe inside a block comment. */
export function plainLine(text: string): string {
  return text
    .slice(0, 400)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replaceAll('*/', '* /')
    .trim();
}
