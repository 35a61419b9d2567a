import type { Agreement, Case } from '../contract/agreement.ts';
import type { Loose, Role, Task, Tool } from '../contract/job.ts';
import type { SchemaIssue } from '../contract/trial.ts';
import type { Json } from '../kernel/json.ts';
import { hasWord, leavesOf } from './scalar-kinds.ts';

/** The compiled schemas of a handler's surface; a place without a schema allows anything. `Surface` in src/hosting is one. */
export interface SurfaceIssues {
  requestIssues(value: Json): SchemaIssue[];
  /** With the request: of the replies that may follow it. */
  responseIssues(value: Json, request?: Json): SchemaIssue[];
  /** Of what the handler returns: a response (provider) or a task's output (requester). */
  resultIssues(value: Json, input?: Json): SchemaIssue[];
  toolInputIssues(name: string, value: Json): SchemaIssue[];
  toolOutputIssues(name: string, value: Json): SchemaIssue[];
}

/** What a candidate is judged against: the facts of the agreement and what our agent brings along. */
export interface Subject {
  role: Role;
  payload: 'json' | 'text';
  agreement: Pick<Agreement, 'text' | 'language' | 'schemas'> & Partial<Pick<Agreement, 'bases'>>;
  /** Sanitised and amended; `null` where the agreement has none. */
  requestSchema: Json;
  responseSchema: Json;
  tools: readonly Tool[];
  task?: Task;
  loose: readonly Loose[];
  cases: readonly Case[];
  surface: SurfaceIssues;
  /** What a trial of it draws from: whatever a handler could know a trial by otherwise. */
  trialSeed: string;
  /** What the clock of a trial says, in milliseconds since 1970; default `defaultTrialNowMs`. */
  nowMs?: number;
}

/** What the clock of a trial says unless the subject has its own: 2026-01-15, noon UTC. */
export const defaultTrialNowMs = Date.UTC(2026, 0, 15, 12);

/** A candidate as the checks see it: its TypeScript, and the JavaScript that the sandbox runs. */
export interface CandidateCode {
  source: string;
  bundle: string;
}

/** Whether a tool declares that it changes nothing. */
export function isReadOnly({ tools }: Pick<Subject, 'tools'>, name: string): boolean {
  return tools.find((tool) => tool.name === name)?.annotations?.readOnlyHint === true;
}

/** Whether an example of a tool asks for nothing but what stands in a request. */
export function isMeantFor(examples: readonly { input: Json }[], request: Json): boolean {
  const asked = leavesOf(request)
    .map(({ value }) => String(value))
    .join('\n');
  return examples.some(({ input }) => {
    const leaves = leavesOf(input);
    return leaves.length > 0 && leaves.every(({ value }) => hasWord(asked, String(value)));
  });
}
