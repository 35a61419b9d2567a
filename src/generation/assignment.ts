import type { Prompt } from '../contract/completion.ts';
import type { Requirements } from '../job/requirements.ts';
import { renderPrompt } from '../prompting/render-prompt.ts';
import { fittingTypes } from '../typing/fitting-types.ts';
import type { TypeChecker } from '../typing/type-checker.ts';
import type { CheckFact } from '../verification/checks.ts';
import type { Tested } from './lane-candidate.ts';

/** What a candidate is written from, besides the requirements. */
export interface Assignment extends Requirements {
  /** The text of `./types`. */
  types: string;
  prompt: Prompt;
  /**
   * Finds further faults of a candidate that passed cases and checks; set if a peer complained about the
   * handler.
   */
  faultsOf?(tested: Tested): Promise<CheckFact[]>;
}

/** The service that says whether declarations can be type-checked. */
type TypesServices = { typeChecker: Pick<TypeChecker, 'admits'> };

/** The text of `./types` for a handler. Rejects with `PLATFORM_TYPE_CHECKER` if the type checker fails. */
export function typesFor(
  { cleared: { agreement, job }, schemas, subject }: Requirements,
  { typeChecker }: TypesServices,
): Promise<string> {
  const { role, payload, tools } = subject;
  const sources = {
    role,
    payload,
    requestSchema: agreement.requestSchema?.schema,
    responseSchema: agreement.responseSchema?.schema,
    taskInputSchema: schemas.taskInputSchema,
    taskOutputSchema: schemas.taskOutputSchema,
    tools,
  };
  return fittingTypes(sources, typeChecker, { owner: { tenant: job.tenant, job: agreement.protocolHash } });
}

/** Derives the types and the first prompt. Rejects as `typesFor` does. */
export async function assignmentFor(requirements: Requirements, services: TypesServices): Promise<Assignment> {
  const { cleared, subject } = requirements;
  const { agreement, amendments, job } = cleared;
  const { role, tools, cases, loose, task } = subject;
  const types = await typesFor(requirements, services);
  const prompt = renderPrompt({
    role,
    agreement,
    types,
    cases,
    tools,
    task,
    loose,
    amendments,
    baseProtocols: job.baseProtocols,
  });
  return { ...requirements, types, prompt };
}
