import type { Finding } from '../contract/finding.ts';
import type { HandlerRecord } from '../contract/handler.ts';
import type { Kind } from '../contract/job.ts';
import type { Verdict } from '../contract/outcome.ts';
import { codeGeneration } from '../families/anp/encode.ts';
import { type Code, codeOf } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/json.ts';

/** How a job ends: the part of its outcome that the stages decide. */
export interface Conclusion {
  verdict: Verdict;
  /** Those that come after what was announced. */
  messages: JsonObject[];
  findings: Finding[];
  proposals?: JsonObject[];
  handler?: HandlerRecord;
  /** Work that goes on after the outcome is out: what the handler turned out to be in the rest of the reading. */
  later?: () => Promise<LaterEnd | null>;
}

/** A verified handler, and the work on its reading that goes on after the outcome, where there is any. */
export interface Solved extends Pick<Conclusion, 'later'> {
  handler: HandlerRecord;
}

/** A handler that was withdrawn after its outcome, and the one in its place, where one could be made. */
export interface LaterEnd {
  withdrawn: HandlerRecord;
  handler: HandlerRecord | null;
}

/** Thrown by a stage where a job leaves the main path, with the end it comes to (docs/pipeline.md, the exits on the left). */
export class Leave extends Error {
  override readonly name = 'Leave';
  readonly conclusion: Conclusion;

  constructor(conclusion: Conclusion) {
    super(`the job ends as ${conclusion.verdict}`);
    this.conclusion = conclusion;
  }
}

/** A finding about the job as a whole. */
export function jobFinding(code: Code, message: string): Finding {
  return { code, severity: 'error', in: 'job', message };
}

/** The messages of a job that ends with `error`: none where nobody waits for one. */
export function errorMessages({ kind }: { kind: Kind | null }): JsonObject[] {
  return kind === 'review' || kind === 'observe' ? [] : [codeGeneration('error')];
}

/** The end of a job whose peer will not wait any longer, with what went wrong last, where something did. */
export function deadlinePassed({ job }: { job: { kind: Kind } }, error?: unknown): Conclusion {
  const code = codeOf(error);
  const cause =
    code === undefined || code === 'PLATFORM_DEADLINE' || !(error instanceof Error)
      ? ''
      : ` (${code}: ${error.message})`;
  return {
    verdict: 'error',
    messages: errorMessages(job),
    findings: [
      jobFinding('PLATFORM_DEADLINE', `Cannot finish job: the peer's deadline is reached, wanted more time${cause}`),
    ],
  };
}
