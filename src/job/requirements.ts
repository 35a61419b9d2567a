import type { Analyzed } from '../contract/agreement.ts';
import type { Amendment, Finding } from '../contract/finding.ts';
import { exportNameOf, type HandlerRecord } from '../contract/handler.ts';
import type { Tool } from '../contract/job.ts';
import { interactionSchemas } from '../documents/interaction-schemas.ts';
import { Surface } from '../hosting/surface.ts';
import type { Json } from '../kernel/json.ts';
import { sanitiseSchema } from '../schemas/sanitise-schema.ts';
import { validatorOf } from '../schemas/validator-of.ts';
import type { Subject } from '../verification/subject.ts';
import { EarlyEnd } from './conclusion.ts';

/** A job that passed the preflight: its schemas are sanitised and amended. */
export interface Cleared extends Analyzed {
  amendments: Amendment[];
  warnings: Finding[];
}

/** What a handler for a job must satisfy, no matter who wrote it. */
export interface Requirements {
  cleared: Cleared;
  exportName: 'handle' | 'perform';
  surface: Surface;
  subject: Subject;
  /** The schemas of the surface, as the handler record stores them. */
  schemas: Pick<
    HandlerRecord,
    'requestSchema' | 'responseSchema' | 'interactions' | 'taskInputSchema' | 'taskOutputSchema' | 'toolSchemas'
  >;
}

/**
/**
 * Derives the requirements from a cleared job. Its trials draw their random values from the seed. Throws `EarlyEnd`
 * with `error` if a schema of our own side, a tool's or the task's, is invalid.
 */
export function requirementsOf(cleared: Cleared, trialSeed: string): Requirements {
  const { job, agreement } = cleared;
  const { role, loose, task } = job;
  const findings = [
    ...job.tools.flatMap(({ inputSchema, outputSchema }, index) => [
      ...faultsOf(inputSchema, `/tools/${index}/inputSchema`),
      ...faultsOf(outputSchema, `/tools/${index}/outputSchema`),
    ]),
    ...faultsOf(task?.inputSchema, '/task/inputSchema'),
    ...faultsOf(task?.outputSchema, '/task/outputSchema'),
  ];
  if (findings.length > 0) throw EarlyEnd.failed(...findings);
  const tools = job.tools.map((tool): Tool => ({ ...tool, ...sanitised(tool, ['inputSchema', 'outputSchema']) }));
  const taskSchemas = sanitised({ taskInputSchema: task?.inputSchema, taskOutputSchema: task?.outputSchema }, [
    'taskInputSchema',
    'taskOutputSchema',
  ]);
  const schemas = {
    requestSchema: agreement.requestSchema?.schema ?? null,
    responseSchema: agreement.responseSchema?.schema ?? null,
    ...(agreement.interactions.length < 2 ? {} : { interactions: interactionSchemas(agreement) }),
    ...taskSchemas,
    toolSchemas: Object.fromEntries(
      tools.map((tool) => [
        tool.name,
        {
          ...sanitised(tool, ['inputSchema', 'outputSchema']),
          readOnly: tool.annotations?.readOnlyHint === true,
        },
      ]),
    ),
  };
  const surface = new Surface({ role, ...schemas });
  return {
    cleared,
    exportName: exportNameOf(role),
    surface,
    subject: {
      role,
      payload: agreement.payload,
      agreement,
      requestSchema: schemas.requestSchema,
      responseSchema: schemas.responseSchema,
      tools,
      loose,
      cases: agreement.cases,
      surface,
      trialSeed,
      ...(task === undefined ? {} : { task }),
    },
    schemas,
  };
}

/** The named schemas that are present, sanitised. */
function sanitised<Name extends string>(
  from: { [Key in Name]?: Json | undefined },
  names: readonly Name[],
): { [Key in Name]?: Json } {
  const entries = names.flatMap((name) => {
    const schema = from[name];
    return schema === undefined ? [] : [[name, sanitiseSchema(schema).schema]];
  });
  return Object.fromEntries(entries) as { [Key in Name]?: Json };
}

function faultsOf(schema: Json | undefined, pointer: string): Finding[] {
  const validator = schema === undefined ? undefined : validatorOf(schema);
  if (validator === undefined || validator.ok) return [];
  return validator.faults.map(
    (fault): Finding => ({
      code: 'JOB_SCHEMA_INVALID',
      severity: 'error',
      in: 'job',
      pointer: `${pointer}${fault.pointer}`,
      message: `Cannot accept job at ${pointer}${fault.pointer}: ${fault.message}, wanted a JSON Schema that compiles`,
      ...(fault.actual === undefined ? {} : { actual: fault.actual }),
    }),
  );
}
