import type { Finding } from '../contract/finding.ts';
import type { HandlerRecord } from '../contract/handler.ts';
import type { Kind } from '../contract/job.ts';
import type { Verdict } from '../contract/outcome.ts';
import type { Language, Said } from '../contract/said.ts';
import { type Code, codeOf } from '../kernel/errors.ts';

/** How a job ends: the part of its outcome that the stages decide. What is said to the peer follows from it. */
export interface Conclusion {
  verdict: Verdict;
  findings: Finding[];
  /** The language of the agreement, where there is anything to be said in it. */
  language?: Language;
  /** Why the peer's complaint is rejected. */
  rejected?: Finding;
  /** Counter-offers, for whoever asked for the job. */
  proposals?: Said[];
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
export class EarlyEnd extends Error {
  override readonly name = 'EarlyEnd';
  readonly conclusion: Conclusion;

  constructor(conclusion: Conclusion) {
    super(`the job ends as ${conclusion.verdict}`);
    this.conclusion = conclusion;
  }

  /** The end of a job that comes to nothing. */
  static failed(...findings: Finding[]): EarlyEnd {
    return new EarlyEnd({ verdict: 'error', findings });
  }
}

/** A finding about the job as a whole, or about a place in its data. */
export function jobFinding(code: Code, message: string, pointer?: string): Finding {
  return { code, severity: 'error', in: 'job', message, ...(pointer === undefined ? {} : { pointer }) };
}

/** What an end says to the peer, beside what was announced before it. */
export function saidOf({ verdict, findings, rejected, handler }: Conclusion, kind: Kind | null): Said[] {
  // Nobody waits for an answer to these.
  const isSilent = kind === 'review' || kind === 'observe';
  switch (verdict) {
    case 'generated':
      return [{ what: 'generated', ...(handler === undefined ? {} : { handler }) }];
    case 'error':
      return isSilent ? [] : [{ what: 'failed' }];
    case 'disputed': {
      const faults = findings.filter((finding) => finding.severity === 'error' && finding.in !== 'job');
      return kind === 'review' ? [] : [{ what: 'dispute', findings: faults }];
    }
    case 'clean':
      return rejected === undefined ? [] : [{ what: 'complaint-rejected', findings: [rejected] }];
  }
}

/** The end of a job whose peer will not wait any longer, with what went wrong last, where something did. */
export function deadlinePassed(error?: unknown): Conclusion {
  const code = codeOf(error);
  const cause =
    code === undefined || code === 'PLATFORM_DEADLINE' || !(error instanceof Error)
      ? ''
      : ` (${code}: ${error.message})`;
  const message = `Cannot finish job: the peer's deadline is reached, wanted more time${cause}`;
  return { verdict: 'error', findings: [jobFinding('PLATFORM_DEADLINE', message)] };
}
