import { analyze } from '../../analysis/analyze.ts';
import { createEntryReader } from '../../completion/json-entries.ts';
import { readConfig } from '../../config.ts';
import type { KeptReading } from '../../contract/reading.ts';
import { keptReading, readAgreement, readQuestions } from '../../deriving/read.ts';
import { emptyReading } from '../../deriving/reading-work.ts';
import { accepted } from '../../intake/intake.ts';
import { BudgetUsedUp } from '../../job/budget.ts';
import { clear } from '../../job/clear.ts';
import { EarlyEnd } from '../../job/conclusion.ts';
import { Ledger } from '../../job/ledger.ts';
import { requirementsOf } from '../../job/requirements.ts';
import { Deadline } from '../../kernel/deadline.ts';
import { codeOf } from '../../kernel/errors.ts';
import { ReadingCollector } from '../../readings/reading-collector.ts';
import { asRead } from '../../verification/hidden-words.ts';
import type { Subject } from '../../verification/subject.ts';
import { type Command, exitCodes, readArguments, UsageError } from '../shell/command.ts';
import { forTerminal } from '../shell/for-terminal.ts';
import { complain, print } from '../shell/print.ts';
import { honourProxy } from '../shell/proxy.ts';
import { readJson, readText, UnreadableInput } from '../shell/read-input.ts';
import { settingsHelp } from '../shell/settings-help.ts';
import { readingCounts } from './describe-reading.ts';

/** Time limit for one reading, in milliseconds: only the caller waits for it. */
const patienceMs = 600_000;

const settingsRead = [
  ...(['model', 'apiKey', 'baseUrl', 'inputPrice', 'cachedInputPrice', 'outputPrice', 'models', 'generator'] as const),
  ...(['maxCompletions', 'maxOutputTokens', 'maxTokens', 'maxCostUsd'] as const),
];

/** Has a model derive cases from the agreement of a job, and prints them as a reading file. */
export const read: Command = {
  summary: 'derives cases from the agreement of a job; no Redis',
  help: `Usage: protosmith read [options] <job.json | ->

Asks the configured model to derive cases from the agreement of a job, and prints the reading as a file for
verify-fixtures (docs/readings.md). Standard error gets one line: units, covered units, derived cases, dropped entries
and why, tokens, seconds. It writes no handler and needs no Redis.

  --prompt           only prints the question (system and user prompt); for a long document, all questions
  --answer <file>    reads the answer from a file, or from standard input for -, instead of asking a model: JSON
                     Lines, the answers to all questions in one file
  --by <name>        who gave that answer (default unknown)

${settingsHelp(settingsRead)}
Exit code: 0 read completely, 1 the agreement contradicts itself, 2 not read or not completely, 64 usage, 65 a job or an
answer cannot be read, 69 the model does not answer, 78 no model or wrong settings.
`,
  async run(args) {
    const { values, positionals } = readArguments(
      args,
      {
        prompt: { type: 'boolean' },
        answer: { type: 'string' },
        by: { type: 'string' },
        model: { type: 'string' },
      },
      { least: 1, most: 1, wanted: 'one job file, or - for standard input' },
    );
    const { prompt: isPrompt, answer, by, model } = values;
    const job = positionals[0] ?? '-';
    if (isPrompt && answer !== undefined)
      throw new UsageError('Cannot read arguments: --prompt and --answer, wanted one of them');
    if (by !== undefined && answer === undefined)
      throw new UsageError('Cannot read arguments: --by without --answer, wanted the answer of the one it names');
    if (job === '-' && answer === '-')
      throw new UsageError('Cannot read arguments: job and answer from standard input, wanted one of them from a file');
    try {
      const subject = subjectOf(await readJson(job));
      if (isPrompt) return printQuestions(subject);
      if (answer !== undefined) return await printRecorded(subject, answer, by ?? 'unknown');
      return await printRead(subject, model);
    } catch (error) {
      if (error instanceof EarlyEnd) return tellWhy(error);
      if (!(error instanceof BudgetUsedUp)) throw error;
      complain(`Cannot read agreement: ${error.message} are used up, wanted a budget for another question`);
      return exitCodes.error;
    }
  },
};

/** What a reader gets of a job: what its handler must meet. */
function subjectOf(data: unknown): Subject {
  const taken = { kind: 'generate', data, rawBytes: Buffer.byteLength(JSON.stringify(data)) };
  return asRead(requirementsOf(clear(analyze(accepted(taken, ['generate']))), 'no trial').subject);
}

/** Prints why a job has no readable agreement. */
function tellWhy({ conclusion: { verdict, findings } }: EarlyEnd): number {
  for (const { code, message } of findings) complain(`${code}: ${message}`);
  if (verdict === 'disputed') return exitCodes.disputed;
  return findings.some(({ code }) => code.startsWith('JOB_')) ? exitCodes.unreadable : exitCodes.error;
}

function printQuestions(subject: Subject): number {
  const questions = readQuestions(subject);
  const texts = questions.flatMap(({ system, turns }, index) =>
    [{ role: 'system', text: system }, ...turns].map(
      ({ role, text }) => `===== question ${index + 1} of ${questions.length}: ${role} =====\n\n${text.trimEnd()}\n`,
    ),
  );
  process.stdout.write(forTerminal(texts.join('\n')));
  return exitCodes.ok;
}

/** Prints the reading of an answer that was given earlier. */
async function printRecorded(subject: Subject, file: string, name: string): Promise<number> {
  const collector = new ReadingCollector(subject);
  const reader = createEntryReader((entry) => collector.add(entry));
  reader.push(await readText(file));
  reader.end();
  const kept = keptReading([collector], collector.units, { kind: 'recorded', name }, true);
  if (collector.covered === 0)
    throw new UnreadableInput(
      `Cannot read "${forTerminal(file)}": no entry is about a unit (${readingCounts(kept)}), wanted one JSON object per line`,
    );
  printReading(kept);
  complain(readingCounts(kept));
  return exitCodes.ok;
}

/** Prints the reading of the configured model. */
async function printRead(subject: Subject, model: string | undefined): Promise<number> {
  const config = readConfig(process.env, { model }, { model: true, only: settingsRead });
  honourProxy(process.env);
  const { composeQuestioner } = await import('../../worker/compose-model.ts');
  const ledger = new Ledger({ jobId: 'read', negotiationId: null }, () => undefined);
  const deadline = new Deadline(Date.now() + patienceMs, AbortSignal.timeout(patienceMs));
  let live: () => KeptReading = () => emptyReading(0);
  const show = (now: typeof live) => {
    live = now;
  };
  const context = { ...composeQuestioner(config), ledger };
  const fault: unknown = await readAgreement(subject, context, deadline, show).then(
    () => undefined,
    (error: unknown) => error,
  );
  const kept = live();
  if (kept.covered === 0 && (fault instanceof BudgetUsedUp || codeOf(fault) !== undefined)) throw fault;
  const { inputTokens, outputTokens } = ledger.report().usage;
  const spent = `tokens ${inputTokens} in and ${outputTokens} out, seconds ${(ledger.elapsedMs / 1_000).toFixed(1)}`;
  if (kept.covered > 0) printReading(kept);
  complain(`${readingCounts(kept)}, ${spent}`);
  if (kept.complete) return exitCodes.ok;
  const [why] = ledger.report().attempts.flatMap(({ message, result }) => (result === 'read' ? [] : (message ?? [])));
  complain(`Cannot read all of the agreement: ${why ?? 'an answer was cut off'}, wanted a complete answer`);
  return exitCodes.error;
}

function printReading({ reading }: KeptReading): void {
  print(true, reading, () => []);
}
