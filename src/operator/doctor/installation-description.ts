import { kinds } from '../../contract/job.ts';
import { withReferences } from '../../documents/schema-union.ts';
import { families } from '../../families/families.ts';
import { jobSchema } from '../../intake/job-schema.ts';
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';

/** What an operator says about an installation. */
export interface Installation {
  name: string;
  version: string;
  /** Where the description is published. */
  url?: string;
  did?: string;
  /** The name of the queue that takes its jobs. */
  queue: string;
}

/** The schema of outcomes, as it is published. */
export type OutcomeSchema = JsonObject & { $defs?: JsonObject };

/**
 * The agent description (ANP-07) of a worker installation: its one interface is OpenRPC with one method,
 * whose parameters are the kind and the members of a job and whose result is the outcome. It is not signed.
 */
export function installationDescription(about: Installation, outcomeSchema: OutcomeSchema): JsonObject {
  const { name, version, url, did } = about;
  const description = 'Turns agreed protocol documents into verified handlers, or says what contradicts in them.';
  return {
    protocolType: 'ANP',
    protocolVersion: '1.0.0',
    type: 'AgentDescription',
    ...(url === undefined ? {} : { url }),
    name,
    ...(did === undefined ? {} : { did }),
    description,
    version,
    securityDefinitions: { queue_sc: { scheme: 'redis-acl', in: 'auto', description: 'A user of the Redis server.' } },
    security: 'queue_sc',
    interfaces: [
      {
        type: 'StructuredInterface',
        name: 'jobs',
        protocol: 'openrpc',
        version,
        description: 'The jobs that workers take from the queue, and the outcomes that they publish.',
        content: interfaceOf(about, outcomeSchema),
      },
    ],
  };
}

function interfaceOf({ name, version, queue }: Installation, outcomeSchema: OutcomeSchema): JsonObject {
  const { $defs: parts, description = '' } = jobSchema(families) as unknown as JobSchema;
  const { $defs: outcomeParts = {}, $schema: _, $id: __, ...outcome } = outcomeSchema;
  const schemas = [
    ...Object.entries(parts)
      .filter(([part]) => SHARED.has(part))
      .map(([part, schema]) => [part, moved(schema, '')] as const),
    ...Object.entries(outcomeParts).map(([part, schema]) => [`outcome-${part}`, moved(schema, 'outcome-')] as const),
    ['outcome', moved(outcome, 'outcome-')] as const,
  ];
  return {
    openrpc: '1.3.2',
    info: { title: `${name}: jobs`, version, description },
    'x-queue': queue,
    methods: [submitMethod(parts)],
    components: { schemas: Object.fromEntries(schemas) },
  };
}

/** The parts of the job schema that are read here. */
interface JobSchema {
  description?: string;
  $defs: Record<string, JsonObject>;
}

/** The definitions of the job schema that members of jobs refer to. */
const SHARED: ReadonlySet<string> = new Set([
  'name',
  'jobId',
  'sha256',
  'case',
  'jsonSchema',
  'toolAnswer',
  'tool',
  'task',
]);

/**
 * The method that takes a job: its kind, which is the name of a job in the queue, and the members of its data.
 * Conditions that span several members, such as the task of a requester, are left out.
 */
function submitMethod({ data = {}, ...parts }: Record<string, JsonObject>): JsonObject {
  const required = new Set([data.required].flat());
  const members = Object.entries(isObject(data.properties) ? data.properties : {});
  const needs = kinds.flatMap((kind) => {
    const more = [parts[kind]?.required ?? []].flat();
    return more.length === 0 ? [] : [`${kind} also needs ${more.join(' and ')}`];
  });
  return {
    name: 'submit',
    description: `Puts a job on the queue; its outcome is published once, before timeoutMs is over. ${needs.join('; ')}.`,
    paramStructure: 'by-name',
    params: [
      { name: 'kind', required: true, schema: { enum: [...kinds] } },
      ...members.map(([name, schema]) => ({
        name,
        required: required.has(name),
        schema: name === 'agreement' ? agreementOf(schema) : moved(schema, ''),
      })),
    ],
    result: { name: 'outcome', schema: { $ref: '#/components/schemas/outcome' } },
  };
}

/** An agreement of any family. */
function agreementOf(schema: Json): JsonObject {
  const anyOf = families.map(({ name, schemas }) => ({ title: name, ...schemas.agreement }));
  return { ...(isObject(schema) ? schema : {}), anyOf };
}

/** A schema whose definitions are among the components. */
function moved(schema: Json, prefix: string): Json {
  return withReferences(schema, (reference) => reference.replace('#/$defs/', `#/components/schemas/${prefix}`));
}
