import type { Prompt } from '../contract/completion.ts';
import type { Requirements } from '../job/requirements.ts';
import { renderPrompt } from '../prompting/render-prompt.ts';
import { declareTypes } from '../typing/types-from-schemas.ts';
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

/** The text of `./types` for a handler that is held to a requirements. */
export function typesFor({ cleared: { agreement }, schemas, subject }: Requirements): Promise<string> {
  const { role, payload, tools } = subject;
  return declareTypes({
    role,
    payload,
    requestSchema: agreement.requestSchema?.schema,
    responseSchema: agreement.responseSchema?.schema,
    taskInputSchema: schemas.taskInputSchema,
    taskOutputSchema: schemas.taskOutputSchema,
    tools,
  });
}

/** Derives types and the first prompt. */
export async function assignmentFor(requirements: Requirements): Promise<Assignment> {
  const { cleared, subject } = requirements;
  const { agreement, amendments, job } = cleared;
  const { role, tools, cases, loose, task } = subject;
  const types = await typesFor(requirements);
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
