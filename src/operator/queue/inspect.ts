import type { Inspection, PublishedEnvelope } from '../../../queues/index.ts';
import { readConfig } from '../../config.ts';
import type { Finding } from '../../contract/finding.ts';
import type { Outcome, ReadingReport } from '../../contract/outcome.ts';
import { isObject } from '../../kernel/json.ts';
import { describeReading } from '../documents/describe-reading.ts';
import { type Command, exitCodes, readArguments } from '../shell/command.ts';
import { onQueue } from '../shell/on-queue.ts';
import { complain, print, rows } from '../shell/print.ts';
import { settingsHelp } from '../shell/settings-help.ts';

const settingsRead = ['redisUrl', 'prefix'] as const;

/** Shows what is known about one job. */
export const inspect: Command = {
  summary: 'shows the state and the outcome of a job',
  help: `Usage: protosmith inspect [--json] [--data] <job id>

Shows a job's state, its deliveries, how many workers died while running it, and its outcome. protosmith history shows
what happened to it. An unambiguous beginning of an id is enough.

  --json    as JSON, with the whole outcome
  --data    with the job's data, if the queue still has them

${settingsHelp(settingsRead)}
Exit code: 0 shown, 64 usage, 65 no such job, 69 Redis unreachable, 78 wrong settings.
`,
  async run(args) {
    const { values, positionals } = readArguments(
      args,
      { json: { type: 'boolean' }, data: { type: 'boolean' }, 'redis-url': { type: 'string' } },
      { least: 1, most: 1, wanted: 'one job id' },
    );
    const config = readConfig(process.env, { 'redis-url': values['redis-url'] }, { only: settingsRead });
    const jobId = positionals[0] ?? '';
    const found = await onQueue(config, async (operator) => operator.inspect(await operator.jobIdLike(jobId)));
    if (found === null) {
      complain(
        `Cannot inspect job ${jobId}: it is neither on the queue nor on the intake stream, and has no outcome, wanted the id of a job`,
      );
      return exitCodes.unreadable;
    }
    const { data, ...rest } = found;
    const shown = values.data ? { ...rest, data } : rest;
    print(values.json, shown, () => [...rows(tell(found)), ...(values.data ? [`data  ${JSON.stringify(data)}`] : [])]);
    return exitCodes.ok;
  },
};

function tell({ jobId, state, kind, failedReason, deliveries, deaths, ...inspected }: Inspection): [string, string][] {
  const outcome = inspected.outcome as (PublishedEnvelope & Partial<Outcome>) | null;
  // A reader may have published the outcome, in any form.
  const findings = (outcome?.findings ?? []).map((finding) => Object(finding) as Partial<Finding>);
  return [
    ['job', jobId],
    ['kind', kind ?? outcome?.kind ?? 'unknown'],
    ['state', state === 'intake' ? 'on the intake stream, not taken by a worker yet' : state],
    ...(state === 'ended' || state === 'intake'
      ? []
      : ([['deliveries', `${deliveries}, ${deaths} workers died`]] as [string, string][])),
    ...(failedReason === null ? [] : ([['failed', failedReason]] as [string, string][])),
    ['outcome', outcome === null ? 'none yet' : outcome.verdict],
    ...(outcome === null
      ? []
      : ([
          ['negotiation', outcome.negotiationId ?? 'unknown'],
          ['tenant', outcome.tenant ?? 'unknown'],
          ['protocol', outcome.protocolHash ?? 'unknown'],
          ['handler', outcome.handler?.digest ?? 'none'],
        ] as [string, string][])),
    ...readingRows(outcome),
    ...findings.map(({ code, message }): [string, string] => ['finding', `${code ?? 'unknown'}: ${message ?? ''}`]),
  ];
}

/** The result of a job's reading and its open questions. */
function readingRows(outcome: Partial<Outcome> | null): [string, string][] {
  const { reading } = Object(outcome?.report) as { reading?: ReadingReport | null };
  if (!isObject(reading)) return [];
  const questions = Array.isArray(reading.questions) ? reading.questions : [];
  return [
    ['reading', describeReading(reading)],
    ...questions.map((one): [string, string] => {
      const { unit, text } = Object(one) as ReadingReport['questions'][number];
      return ['unclear', `sentence ${unit}: ${text}`];
    }),
  ];
}
