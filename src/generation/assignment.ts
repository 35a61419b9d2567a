import type { Prompt } from '../contract/completion.ts';
import type { Requirements } from '../job/requirements.ts';
import { renderPrompt } from '../prompting/render-prompt.ts';
import { fittingTypes } from '../typing/fitting-types.ts';
import type { TypeChecker } from '../typing/type-checker.ts';
import type { CheckFact } from '../verification/checks.ts';
import type { Tested } from './lane-candidate.ts';

/** What a candidate is made from, beside what it is held to. */
export interface Assignment extends Requirements {
  /** The text of `./types`. */
  types: string;
  prompt: Prompt;
  /** What a candidate that passed cases and checks must not be seen to do beside; where a peer has complained of it. */
  faultsOf?(tested: Tested): Promise<CheckFact[]>;
}

/** Who says whether a module can be held to declarations. */
type Declarer = { typeChecker: Pick<TypeChecker, 'admits'> };

/** The text of `./types` for a handler that is held to requirements. Rejects with `PLATFORM_TYPE_CHECKER` where it cannot be looked at. */
export function typesFor(
  { cleared: { agreement, job }, schemas, subject }: Requirements,
  { typeChecker }: Declarer,
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

/** Derives types and the first prompt. Rejects as `typesFor` does. */
export async function assignmentFor(requirements: Requirements, services: Declarer): Promise<Assignment> {
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
