import { isHolding } from '../completion/completion-error.ts';
import type { Finding } from '../contract/finding.ts';
import type { HandlerRecord } from '../contract/handler.ts';
import type { Kind } from '../contract/job.ts';
import type { Verdict } from '../contract/outcome.ts';
import type { Language, Statement } from '../contract/statement.ts';
import { type Code, codeOf } from '../kernel/errors.ts';

/** How a job ends: the part of its outcome that the stages decide. The messages to the peer follow from it. */
export interface Conclusion {
  verdict: Verdict;
  findings: Finding[];
  /** The language of the agreement, for messages to the peer. */
  language?: Language;
  /** Why the peer's complaint is rejected. */
  rejected?: Finding;
  /** Counter-offers and further cases. The caller decides whether to send them. */
  proposals?: Statement[];
  handler?: HandlerRecord;
  /** Work that continues after the outcome is published: running the rest of the reading on the handler. */
  later?: () => Promise<LaterEnd | null>;
}

/** A verified handler, and the work on its reading that continues after the outcome. */
export interface Solved extends Pick<Conclusion, 'later'> {
  handler: HandlerRecord;
}

/** A handler that was withdrawn after its outcome, and its replacement; `null` if none could be made. */
export interface LaterEnd {
  withdrawn: HandlerRecord;
  handler: HandlerRecord | null;
}

/** Thrown by a stage to end the job early, with the conclusion (docs/pipeline.md, the exits on the left). */
export class EarlyEnd extends Error {
  override readonly name = 'EarlyEnd';
  readonly conclusion: Conclusion;

  constructor(conclusion: Conclusion) {
    super(`the job ends as ${conclusion.verdict}`);
    this.conclusion = conclusion;
  }

  /** The early end of a job with the verdict `error`. */
  static failed(...findings: Finding[]): EarlyEnd {
    return new EarlyEnd({ verdict: 'error', findings });
  }
}

/** A finding about the job as a whole, or about a place in its data. */
export function jobFinding(code: Code, message: string, pointer?: string): Finding {
  return { code, severity: 'error', in: 'job', message, ...(pointer === undefined ? {} : { pointer }) };
}

/** What a conclusion says to the peer, beyond earlier announcements. */
export function statementsOf({ verdict, findings, rejected, handler }: Conclusion, kind: Kind | null): Statement[] {
  // No peer waits for an answer to these.
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

/**
 * The conclusion of a job whose peer's deadline has passed, with the last fault, if there was one. A fault that an
 * operator could have mended until then is reported as it is.
 */
export function deadlinePassed(fault?: unknown): Conclusion {
  const code = codeOf(fault);
  const { message: why } = Object(fault) as { message?: unknown };
  const isKnown = code !== undefined && code !== 'PLATFORM_DEADLINE' && typeof why === 'string';
  if (isKnown && isHolding(code)) return { verdict: 'error', findings: [jobFinding(code, why)] };
  const cause = isKnown ? ` (${code}: ${why})` : '';
  const message = `Cannot finish job: the peer's deadline is reached, wanted more time${cause}`;
  return { verdict: 'error', findings: [jobFinding('PLATFORM_DEADLINE', message)] };
}
