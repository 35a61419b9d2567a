import type { HandlerFailure } from '../../sandbox/contract.ts';
import type { HandlerRecord, InteractionSchemas } from '../contract/handler.ts';
import type { Role } from '../contract/job.ts';
import type { SchemaIssue } from '../contract/trial.ts';
import { CodedError } from '../kernel/errors.ts';
import type { Json } from '../kernel/json.ts';
import { validatorOf } from '../schemas/validator-of.ts';

/** What a handler offers and needs, by schema: everything its host has to hold it to. A schema of `null` allows anything. */
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
 * Throws `DEFECT_SCHEMA_NOT_CLEARED` for a schema that does not compile: preflight has refused those before.
 */
export class Surface {
  readonly role: Role;
  /** The tools that a handler sees, those that are not lent to it among them: what it was verified with and what it is run with look the same to it. */
  readonly toolNames: readonly string[];
  readonly #request: Validate;
  readonly #result: Validate;
  readonly #response: Validate;
  readonly #interactions: readonly { request: Validate; reply: Validate }[];
  readonly #tools: ReadonlyMap<string, { input: Validate; output: Validate }>;

  /** With the names of the tools that are lent to the handler; all of them, unless told otherwise. */
  constructor(schemas: SurfaceSchemas, lent: readonly string[] = Object.keys(schemas.toolSchemas)) {
    this.role = schemas.role;
    this.#request = compile(schemas.requestSchema);
    this.#response = compile(schemas.responseSchema);
    this.#result = schemas.role === 'provider' ? this.#response : compile(schemas.taskOutputSchema ?? null);
    this.#interactions = (schemas.interactions ?? []).map(({ request, reply }) => ({
      request: compile(request),
      reply: compile(reply),
    }));
    this.#tools = new Map(
      lent.map((name) => {
        const tool = Object.hasOwn(schemas.toolSchemas, name) ? schemas.toolSchemas[name] : undefined;
        return [name, { input: compile(tool?.inputSchema ?? null), output: compile(tool?.outputSchema ?? null) }];
      }),
    );
    this.toolNames = [...new Set([...lent, ...Object.keys(schemas.toolSchemas)])].sort();
  }

  /** What a call of a tool is rejected with that is not lent to the handler; `undefined` where it is. */
  refusalOf(name: string): HandlerFailure | undefined {
    if (this.#tools.has(name)) return undefined;
    return { code: 'FAILED', message: `${name} is none of the tools that the verified code used` };
  }

  /** Faults of what the handler returned for an input: a response (provider) or a task's output (requester). */
  resultIssues(value: Json, input?: Json): SchemaIssue[] {
    return this.role === 'provider' ? this.responseIssues(value, input) : this.#result(value);
  }

  /** Faults of a request against the agreed schema. */
  requestIssues(value: Json): SchemaIssue[] {
    return this.#request(value);
  }

  /** Faults of a response against the agreed schema; with the request, against the replies that may follow that one. */
  responseIssues(value: Json, request?: Json): SchemaIssue[] {
    const issues = this.#response(value);
    if (issues.length > 0 || request === undefined) return issues;
    // To a request that none knows, any reply may follow.
    const replies = this.#interactions
      .filter((one) => one.request(request).length === 0)
      .map(({ reply }) => reply(value));
    if (replies.length === 0 || replies.some((found) => found.length === 0)) return [];
    return replies.toSorted((one, other) => one.length - other.length)[0] ?? [];
  }

  /** Faults of a tool's input; a tool that is not of the surface has none: nobody calls it. */
  toolInputIssues(name: string, value: Json): SchemaIssue[] {
    return this.#tools.get(name)?.input(value) ?? [];
  }

  /** Faults of a tool's output. */
  toolOutputIssues(name: string, value: Json): SchemaIssue[] {
    return this.#tools.get(name)?.output(value) ?? [];
  }
}

/** The surface of a stored handler: no call of it is answered but of the tools that its verified code used. */
export function storedSurface(
  { role, tools }: Pick<HandlerRecord, 'role' | 'tools'>,
  schemas: Omit<SurfaceSchemas, 'role'>,
): Surface {
  return new Surface({ ...schemas, role }, tools);
}

/** The failure a handler meets where a value on its way in or out broke a schema. */
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
