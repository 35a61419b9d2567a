import type { Finding } from '../contract/finding.ts';
import type { HandlerRecord } from '../contract/handler.ts';
import type { Verdict } from '../contract/outcome.ts';
import type { Code } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/json.ts';

/** How a job ends: the part of its outcome that the stages decide. */
export interface Conclusion {
  verdict: Verdict;
  messages: JsonObject[];
  findings: Finding[];
  proposals?: JsonObject[];
  handler?: HandlerRecord;
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

/** The ANP message that announces how code generation ended. */
export function codeGeneration(status: 'generated' | 'error'): JsonObject {
  return { action: 'codeGeneration', status };
}

/** A finding about the job as a whole. */
export function jobFinding(code: Code, message: string): Finding {
  return { code, severity: 'error', in: 'job', message };
}
