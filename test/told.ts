import type { Job } from '../src/contract/job.ts';
import { type Conclusion, statementsOf } from '../src/job/conclusion.ts';
import type { JsonObject } from '../src/kernel/json.ts';
import { messagesOf } from '../src/pipeline/outcome-of.ts';

/** An end with the messages that its outcome has. */
export type Told = Omit<Conclusion, 'proposals'> & { messages: JsonObject[]; proposals?: JsonObject[] };

/** What the outcome of a job that ends so would say, in the words of its family. */
export function told(conclusion: Conclusion, kind: Job['kind'] | null, data: unknown): Told {
  const { proposals, ...rest } = conclusion;
  return {
    ...rest,
    messages: messagesOf(statementsOf(conclusion, kind), data, conclusion.language),
    ...(proposals === undefined ? {} : { proposals: messagesOf(proposals, data, conclusion.language) }),
  };
}
