import type { Agreement, Case } from '../contract/agreement.ts';
import type { Loose, Role, Task, Tool } from '../contract/job.ts';
import type { SchemaIssue } from '../contract/trial.ts';
import type { Json } from '../kernel/json.ts';
import { hasWord, leavesOf } from './scalar-kinds.ts';

/**
 * Validation against the schemas of a handler's surface; a place without a schema allows anything. Implemented by
 * `Surface` in src/hosting.
 */
export interface SurfaceIssues {
  requestIssues(value: Json): SchemaIssue[];
  /** With `request`, also against the replies that may follow it. */
  responseIssues(value: Json, request?: Json): SchemaIssue[];
  /** Issues of the handler's result: a response (provider) or a task's output (requester). */
  resultIssues(value: Json, input?: Json): SchemaIssue[];
  toolInputIssues(name: string, value: Json): SchemaIssue[];
  toolOutputIssues(name: string, value: Json): SchemaIssue[];
}

/** What a candidate is judged by: the facts of the agreement, and our agent's tools and task. */
export interface Subject {
  role: Role;
  payload: 'json' | 'text';
  agreement: Pick<Agreement, 'text' | 'language' | 'schemas'> & Partial<Pick<Agreement, 'bases' | 'data'>>;
  /** Sanitised and amended; `null` if the agreement has none. */
  requestSchema: Json;
  responseSchema: Json;
  tools: readonly Tool[];
  task?: Task;
  loose: readonly Loose[];
  cases: readonly Case[];
  surface: SurfaceIssues;
  /** Seed of everything random in a trial, so that a handler cannot recognise one. */
  trialSeed: string;
  /** The trial's clock, in milliseconds since 1970; default `defaultTrialNowMs`. */
  nowMs?: number;
}

/** The default clock of a trial: 2026-01-15, noon UTC. */
export const defaultTrialNowMs = Date.UTC(2026, 0, 15, 12);

/** A candidate's code: its TypeScript, and the JavaScript that the sandbox runs. */
export interface CandidateCode {
  source: string;
  bundle: string;
}

/** Whether a tool declares itself read-only. */
export function isReadOnly({ tools }: Pick<Subject, 'tools'>, name: string): boolean {
  return tools.find((tool) => tool.name === name)?.annotations?.readOnlyHint === true;
}

/** Whether an example of a tool asks only for values of a request. */
export function isMeantFor(examples: readonly { input: Json }[], request: Json): boolean {
  const asked = leavesOf(request)
    .map(({ value }) => String(value))
    .join('\n');
  return examples.some(({ input }) => {
    const leaves = leavesOf(input);
    return leaves.length > 0 && leaves.every(({ value }) => hasWord(asked, String(value)));
  });
}
