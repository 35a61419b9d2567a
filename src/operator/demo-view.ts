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
    const [text, style] = eventLine(event);
    if (text !== '') this.line(`   ${text}`, style);
  }

  /** The outcome as the negotiator reads it. */
  outcome(outcome: Outcome): void {
    this.line(
      `   outcome: ${outcome.verdict}`,
      outcome.verdict === 'error' ? 'red' : outcome.verdict === 'disputed' ? 'yellow' : 'green',
    );
    for (const { errorDescription, ...message } of outcome.messages) {
      this.line(`   message for the other side: ${JSON.stringify(message)}`);
      if (typeof errorDescription === 'string') this.quote(errorDescription);
    }
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

function eventLine(event: JobEvent): [text: string, style?: Style] {
  switch (event.type) {
    case 'started':
      return [`worker takes the job (${event.kind})`];
    case 'prompted': {
      const asked = {
        judge: 'to judge whether the agreement is at fault',
        read: 'to read the agreement into cases of its own',
        confirm: 'what must hold in a world that a candidate broke',
        generate: event.repair ? 'for a repair, with what was seen to go wrong' : 'for a handler',
      }[event.purpose];
      return [`model is asked ${asked} (completion ${event.attempt})`];
    }
    case 'completed':
      return [
        `model answers completion ${event.attempt}: ${event.inputTokens} tokens in, ${event.outputTokens} out, ${milliseconds(event.durationMs)}`,
      ];
    case 'withdrawn':
      return [`handler ${event.digest.slice(0, 12)} is withdrawn: it breaks ${event.cases} derived cases`, 'red'];
    case 'dropped':
      return [`completion ${event.attempt} is called off`, 'dim'];
    case 'refused':
      return [
        `candidate ${event.attempt} refused: ${event.code}, ${event.faults} fault${event.faults === 1 ? '' : 's'}`,
        'red',
      ];
    case 'tried': {
      const cases = [
        ...event.passed.map((one) => `case ${one} passed`),
        ...event.failed.map((one) => `case ${one} FAILED`),
      ];
      return [
        `sandbox runs the cases on candidate ${event.attempt}: ${cases.join(', ') || 'there are none'}, ${milliseconds(event.durationMs)}`,
        event.failed.length > 0 ? 'red' : 'green',
      ];
    }
    case 'checked': {
      const found = [
        `${event.passed.length} passed`,
        ...(event.warned.length > 0 ? [`warned: ${event.warned.join(', ')}`] : []),
        ...(event.failed.length > 0 ? [`FAILED: ${event.failed.join(', ')}`] : []),
      ];
      return [
        `checks beyond the cases on candidate ${event.attempt}: ${found.join('; ')}, ${milliseconds(event.durationMs)}`,
        event.failed.length > 0 ? 'red' : 'green',
      ];
    }
    case 'ended': {
      const codes = event.codes.length > 0 ? ` (${event.codes.join(', ')})` : '';
      return [`worker publishes: ${event.verdict}${codes} after ${milliseconds(event.durationMs)}`];
    }
    case 'attempted':
      return [''];
    case 'stage':
      return event.durationMs < 1 ? [''] : [`· ${event.stage} ${milliseconds(event.durationMs)}`, 'dim'];
  }
}

function milliseconds(ms: number): string {
  return `${Math.round(ms)} ms`;
}
