import type { HandlerFailure } from '../../sandbox/contract.ts';
import type { HandlerRecord, InteractionSchemas } from '../contract/handler.ts';
import type { Role } from '../contract/job.ts';
import type { SchemaIssue } from '../contract/trial.ts';
import { CodedError } from '../kernel/errors.ts';
import type { Json } from '../kernel/json.ts';
import { validatorOf } from '../schemas/validator-of.ts';

/** The schemas of everything that crosses between a handler and its host. A schema of `null` allows anything. */
export interface SurfaceSchemas {
  role: Role;
  requestSchema: Json;
  responseSchema: Json;
  interactions?: readonly InteractionSchemas[];
  taskOutputSchema?: Json;
  toolSchemas: HandlerRecord['toolSchemas'];
}

type Validate = (value: Json) => SchemaIssue[];

/**
 * The compiled surface of a handler. The host validates with it in both directions and fails closed (docs/handler.md).
 * Throws `DEFECT_SCHEMA_NOT_CLEARED` for a schema that does not compile: the preflight has refused those before.
 */
export class Surface {
  readonly role: Role;
  /**
   * All tools that a handler sees, also those that it may not use: it must see the same tools in live use as when it
   * was verified.
   */
  readonly toolNames: readonly string[];
  readonly #request: Validate;
  readonly #result: Validate;
  readonly #response: Validate;
  readonly #interactions: readonly { request: Validate; reply: Validate }[];
  readonly #tools: ReadonlyMap<string, { input: Validate; output: Validate }>;

  /** `usable` has the names of the tools that the handler may use; default: all. */
  constructor(schemas: SurfaceSchemas, usable: readonly string[] = Object.keys(schemas.toolSchemas)) {
    this.role = schemas.role;
    this.#request = compile(schemas.requestSchema);
    this.#response = compile(schemas.responseSchema);
    this.#result = schemas.role === 'provider' ? this.#response : compile(schemas.taskOutputSchema ?? null);
    this.#interactions = (schemas.interactions ?? []).map(({ request, reply }) => ({
      request: compile(request),
      reply: compile(reply),
    }));
    this.#tools = new Map(
      usable.map((name) => {
        const tool = Object.hasOwn(schemas.toolSchemas, name) ? schemas.toolSchemas[name] : undefined;
        return [name, { input: compile(tool?.inputSchema ?? null), output: compile(tool?.outputSchema ?? null) }];
      }),
    );
    this.toolNames = [...new Set([...usable, ...Object.keys(schemas.toolSchemas)])].sort();
  }

  /** What rejects a call of a tool that the handler may not use; `undefined` if it may. */
  refusalOf(name: string): HandlerFailure | undefined {
    if (this.#tools.has(name)) return undefined;
    return { code: 'FAILED', message: `${name} is not one of the tools that the verified code used` };
  }

  /** Faults of a result of the handler: the response to this request (provider) or the output of a task (requester). */
  resultIssues(value: Json, input?: Json): SchemaIssue[] {
    return this.role === 'provider' ? this.responseIssues(value, input) : this.#result(value);
  }

  /** Faults of a request by the agreed schema. */
  requestIssues(value: Json): SchemaIssue[] {
    return this.#request(value);
  }

  /**
   * Faults of a response by the agreed schema and, if the request is given, by the schemas of the replies to such a
   * request.
   */
  responseIssues(value: Json, request?: Json): SchemaIssue[] {
    const issues = this.#response(value);
    if (issues.length > 0 || request === undefined) return issues;
    // Any reply may follow a request that matches no interaction.
    const replies = this.#interactions
      .filter((one) => one.request(request).length === 0)
      .map(({ reply }) => reply(value));
    if (replies.length === 0 || replies.some((found) => found.length === 0)) return [];
    return replies.toSorted((one, other) => one.length - other.length)[0] ?? [];
  }

  /** Faults of a tool's input; none for a tool that the handler may not use, since nobody calls that. */
  toolInputIssues(name: string, value: Json): SchemaIssue[] {
    return this.#tools.get(name)?.input(value) ?? [];
  }

  /** Faults of a tool's output. */
  toolOutputIssues(name: string, value: Json): SchemaIssue[] {
    return this.#tools.get(name)?.output(value) ?? [];
  }
}

/** The surface of a stored handler, which may use only the tools that its verified code used. */
export function storedSurface(
  { role, tools }: Pick<HandlerRecord, 'role' | 'tools'>,
  schemas: Omit<SurfaceSchemas, 'role'>,
): Surface {
  return new Surface({ ...schemas, role }, tools);
}

/** The failure that a handler gets for a value that breaks a schema on its way in or out. */
export function invalidFailure(what: string, issues: readonly SchemaIssue[]): HandlerFailure {
  const first = issues[0];
  return {
    code: 'INVALID',
    message: `${what} breaks its schema at "${first?.pointer ?? ''}": ${first?.message ?? 'invalid'}`,
  };
}

function compile(schema: Json): Validate {
  if (schema === null) return () => [];
  const validator = validatorOf(schema);
  if (!validator.ok) {
    throw new CodedError(
      'DEFECT_SCHEMA_NOT_CLEARED',
      `Cannot compile schema: ${validator.faults[0]?.message ?? 'unknown fault'}, wanted one that preflight cleared`,
    );
  }
  return validator.validate;
}
