import { styleText } from 'node:util';
import type { Outcome } from '../contract/outcome.ts';
import type { JobEvent } from '../telemetry/job-event.ts';
import { forTerminal } from './for-terminal.ts';

type Style = Parameters<typeof styleText>[0];

/** Writes the demo's story: coloured on a terminal, plain lines in a pipe. */
export class DemoView {
  readonly #out: NodeJS.WritableStream;

  constructor(out: NodeJS.WritableStream) {
    this.#out = out;
  }

  /** One line of text; what comes from elsewhere in it is made fit for a terminal. */
  line(text = '', style?: Style): void {
    const safe = forTerminal(text);
    this.#out.write(`${style ? styleText(style, safe, { stream: this.#out }) : safe}\n`);
  }

  /** The title of a chapter. */
  chapter(number: number, title: string): void {
    this.line();
    this.line(`${number}. ${title}`, 'bold');
  }

  /** A text of several lines, set in. */
  quote(text: string): void {
    for (const line of text.trimEnd().split('\n')) this.line(`     ${line}`, 'dim');
  }

  /** What happens to a job in the worker, as it happens. */
  event(event: JobEvent): void {
    switch (event.type) {
      case 'started':
        return this.line(`   worker takes the job (${event.kind})`);
      case 'prompted':
        return this.line(
          `   model is asked for ${event.repair ? `a repair, with what was seen to go wrong (completion ${event.attempt})` : `a handler (completion ${event.attempt})`}`,
        );
      case 'completed':
        return this.line(
          `   model answers: ${event.inputTokens} tokens in, ${event.outputTokens} out, ${milliseconds(event.durationMs)}`,
        );
      case 'refused':
        return this.line(
          `   candidate refused: ${event.code}, ${event.faults} fault${event.faults === 1 ? '' : 's'}`,
          'red',
        );
      case 'tried':
        return this.line(
          `   sandbox runs the cases: ${[...event.passed.map((one) => `case ${one} passed`), ...event.failed.map((one) => `case ${one} FAILED`)].join(', ') || 'there are none'}, ${milliseconds(event.durationMs)}`,
          event.failed.length > 0 ? 'red' : 'green',
        );
      case 'checked':
        return this.line(
          `   checks beyond the cases: ${event.passed.length} passed${event.warned.length > 0 ? `, warned: ${event.warned.join(', ')}` : ''}${event.failed.length > 0 ? `, FAILED: ${event.failed.join(', ')}` : ''}, ${milliseconds(event.durationMs)}`,
          event.failed.length > 0 ? 'red' : 'green',
        );
      case 'ended':
        return this.line(
          `   worker publishes: ${event.verdict}${event.codes.length > 0 ? ` (${event.codes.join(', ')})` : ''} after ${milliseconds(event.durationMs)}`,
        );
      case 'stage':
        if (event.durationMs >= 1) this.line(`   · ${event.stage} ${milliseconds(event.durationMs)}`, 'dim');
    }
  }

  /** The outcome as the negotiator reads it. */
  outcome(outcome: Outcome): void {
    this.line(
      `   outcome: ${outcome.verdict}`,
      outcome.verdict === 'error' ? 'red' : outcome.verdict === 'disputed' ? 'yellow' : 'green',
    );
    for (const message of outcome.messages) this.line(`   message for the other side: ${JSON.stringify(message)}`);
    for (const finding of outcome.findings) {
      const place = [
        finding.testCase === undefined ? '' : `case ${finding.testCase}`,
        finding.in,
        finding.pointer ?? '',
      ]
        .filter(Boolean)
        .join(' ');
      this.line(`   finding ${finding.code} at ${place}: ${finding.message}`);
      if (finding.amendment)
        this.line(`     amendment to ${finding.amendment.of}: ${JSON.stringify(finding.amendment.patch)}`);
    }
    const { usage, attempts } = outcome.report;
    if (attempts.length > 0) {
      const cost = usage.costUsd === null ? 'price unknown' : `${usage.costUsd.toFixed(4)} US dollars`;
      this.line(
        `   ${attempts.length} completion${attempts.length === 1 ? '' : 's'}, ${usage.inputTokens} tokens in, ${usage.outputTokens} out, ${cost}`,
      );
    }
  }
}

function milliseconds(ms: number): string {
  return `${Math.round(ms)} ms`;
}
