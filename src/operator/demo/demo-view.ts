import { styleText } from 'node:util';
import type { Outcome, Purpose, ReadingReport, Usage } from '../../contract/outcome.ts';
import type { DerivedCase } from '../../contract/reading.ts';
import type { JobEvent } from '../../telemetry/job-event.ts';
import { describeReading } from '../documents/describe-reading.ts';
import { forTerminal } from '../shell/for-terminal.ts';
import { counted } from '../shell/print.ts';

type Style = Parameters<typeof styleText>[0];

/** Writes the demo's story: coloured on a terminal, plain lines in a pipe. */
export class DemoView {
  readonly #out: NodeJS.WritableStream;

  constructor(out: NodeJS.WritableStream) {
    this.#out = out;
  }

  /** Prints one line; text from elsewhere is escaped for the terminal. */
  line(text = '', style?: Style): void {
    const safe = forTerminal(text);
    this.#out.write(`${style ? styleText(style, safe, { stream: this.#out }) : safe}\n`);
  }

  /** Prints the title of a chapter. */
  chapter(number: number, title: string): void {
    this.line();
    this.line(`${number}. ${title}`, 'bold');
  }

  /** Prints a text of several lines, indented. */
  quote(text: string): void {
    for (const line of text.trimEnd().split('\n')) this.line(`     ${line}`, 'dim');
  }

  /** Prints an event of a job. */
  event(event: JobEvent): void {
    const [text, style] = eventLine(event);
    if (text !== '') this.line(`   ${text}`, style);
  }

  /** Prints an outcome as the negotiator gets it. */
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
    this.#cost(outcome.report);
  }

  /** Prints the result of a reading, and the derived cases that a candidate broke although it passed every case. */
  reading(report: ReadingReport, broken: readonly DerivedCase[]): void {
    this.line(`   reading: ${describeReading(report)}`);
    for (const { quote, claim } of broken) {
      this.line(`   the document says: "${withoutMarks(quote)}"`);
      this.line(`     so: ${claim}`, 'yellow');
    }
    if (broken.length > 0) {
      this.line('     A candidate passed every negotiated case but broke this.');
      this.line(
        '     A second reader saw only the situations and demanded the same, so the candidate was refused and repaired.',
      );
    } else if (report.derived > 0) this.line('     No candidate that passed the negotiated cases broke any of it.');
    for (const { unit, text } of report.questions)
      this.line(`   question for both sides, unclear in sentence ${unit}: "${withoutMarks(text)}"`);
  }

  #cost({ usage, usageByPurpose, attempts }: Outcome['report']): void {
    if (attempts.length === 0) return;
    this.line(`   ${costOf(attempts.length, usage)}`);
    for (const [purpose, words] of Object.entries(purposes)) {
      const own = usageByPurpose[purpose as Purpose];
      const count = attempts.filter((one) => one.purpose === purpose).length;
      if (own !== undefined) this.line(`     ${words}: ${costOf(count, own)}`, 'dim');
    }
  }
}

const purposes: Record<Purpose, string> = {
  generate: 'to write handlers',
  read: 'to read the agreement',
  confirm: 'to have the reading confirmed',
  judge: 'to judge the agreement',
};

function costOf(completions: number, { inputTokens, outputTokens, costUsd }: Usage): string {
  const price = costUsd === null ? 'price unknown' : `${costUsd.toFixed(4)} US dollars`;
  return `${counted(completions, 'completion')}, ${inputTokens} tokens in, ${outputTokens} out, ${price}`;
}

/** Sentences without list markers. */
function withoutMarks(quote: string): string {
  return quote.replaceAll(/(^| … )[-*•] /g, '$1');
}

function eventLine(event: JobEvent): [text: string, style?: Style] {
  switch (event.type) {
    case 'started':
      return [`worker takes the job (${event.kind})`];
    case 'prompted': {
      const asked = {
        judge: 'to judge whether the agreement is at fault',
        read: 'to derive cases from the agreement',
        confirm: 'as a second, blind reader, what must happen where a candidate broke such a case',
        generate: event.repair ? 'for a repair, with the observed faults' : 'for a handler',
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
      return [`completion ${event.attempt} is cancelled`, 'dim'];
    case 'refused':
      return [
        event.code === 'CANDIDATE_DERIVED_CASE'
          ? `candidate ${event.attempt} refused: it breaks ${counted(event.faults, 'case')} that the document demands (${event.code})`
          : `candidate ${event.attempt} refused: ${event.code}, ${counted(event.faults, 'fault')}`,
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
    case 'stage':
      return event.durationMs < 1 ? [''] : [`· ${event.stage} ${milliseconds(event.durationMs)}`, 'dim'];
    default:
      return [''];
  }
}

function milliseconds(ms: number): string {
  return `${Math.round(ms)} ms`;
}
