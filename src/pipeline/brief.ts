import type { Agreement } from '../contract/agreement.ts';
import type { Prompt } from '../contract/completion.ts';
import type { Amendment, Finding } from '../contract/finding.ts';
import type { HandlerRecord } from '../contract/handler.ts';
import type { Job } from '../contract/job.ts';
import { Surface } from '../hosting/surface.ts';
import { renderPrompt } from '../prompting/render-prompt.ts';
import { sanitiseSchema } from '../schemas/sanitise-schema.ts';
import { declareTypes } from '../typing/types-from-schemas.ts';
import type { Subject } from '../verification/subject.ts';

/** A job that preflight cleared: schemas sanitised and amended, nothing in the way of generating. */
export interface Cleared {
  job: Job;
  agreement: Agreement;
  amendments: Amendment[];
  warnings: Finding[];
}

/** What every candidate of a job is made from and held to. */
export interface Brief {
  cleared: Cleared;
  exportName: 'handle' | 'perform';
  /** The text of `./types`. */
  types: string;
  prompt: Prompt;
  surface: Surface;
  subject: Subject;
  /** The schemas of the surface, as they go into the handler record. */
  schemas: Pick<
    HandlerRecord,
    'requestSchema' | 'responseSchema' | 'taskInputSchema' | 'taskOutputSchema' | 'toolSchemas'
  >;
}

/** Derives types, prompt and the measure of success from a cleared job. Throws `DEFECT_SCHEMA_NOT_CLEARED` for a schema preflight let through. */
export async function brief(cleared: Cleared): Promise<Brief> {
  const { job, agreement, amendments } = cleared;
  const { role, loose } = job;
  const { payload } = agreement;
  const clean = <T>(schema: T) => (schema === undefined ? undefined : sanitiseSchema(schema as never).schema);
  const tools = job.tools.map((tool) => ({
    ...tool,
    ...(tool.inputSchema === undefined ? {} : { inputSchema: sanitiseSchema(tool.inputSchema).schema }),
    ...(tool.outputSchema === undefined ? {} : { outputSchema: sanitiseSchema(tool.outputSchema).schema }),
  }));
  const taskInputSchema = clean(job.task?.inputSchema);
  const taskOutputSchema = clean(job.task?.outputSchema);
  const schemas = {
    requestSchema: agreement.requestSchema?.schema ?? null,
    responseSchema: agreement.responseSchema?.schema ?? null,
    ...(taskInputSchema === undefined ? {} : { taskInputSchema }),
    ...(taskOutputSchema === undefined ? {} : { taskOutputSchema }),
    toolSchemas: Object.fromEntries(
      tools.map(({ name, inputSchema, outputSchema, annotations }) => [
        name,
        {
          ...(inputSchema === undefined ? {} : { inputSchema }),
          ...(outputSchema === undefined ? {} : { outputSchema }),
          readOnly: annotations?.readOnlyHint === true,
        },
      ]),
    ),
  };
  const types = await declareTypes({
    role,
    payload,
    requestSchema: agreement.requestSchema?.schema,
    responseSchema: agreement.responseSchema?.schema,
    taskInputSchema,
    taskOutputSchema,
    tools,
  });
  const surface = new Surface({ role, ...schemas });
  const task = job.task;
  return {
    cleared,
    exportName: role === 'provider' ? 'handle' : 'perform',
    types,
    prompt: renderPrompt({
      role,
      agreement,
      types,
      cases: agreement.cases,
      tools,
      task,
      loose,
      amendments,
      baseProtocols: job.baseProtocols,
    }),
    surface,
    subject: {
      role,
      payload,
      agreement,
      requestSchema: schemas.requestSchema,
      responseSchema: schemas.responseSchema,
      tools,
      loose,
      cases: agreement.cases,
      surface,
      ...(task === undefined ? {} : { task }),
    },
    schemas,
  };
}
