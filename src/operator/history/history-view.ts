import type { History, HistoryEntry } from '../../contract/history.ts';
import { type CandidateHistory, candidatesOf, failingLines } from '../../telemetry/read-history.ts';
import { counted, moment, size, span } from '../shell/print.ts';

/** Most findings of one entry that are shown; `--json` has all. */
const maxShown = 5;

/** Most characters of one finding that are shown. */
const maxCharacters = 200;

/** The history of a job as lines for a person; `sources` adds the candidates with their failing lines marked. */
export function historyLines(history: History, sources: boolean): string[] {
  const { jobId, submitted, entries, leftOut } = history;
  const [first] = entries;
  const startMs = submitted?.takenAtMs ?? first?.atMs ?? 0;
  return [
    `job ${jobId}`,
    submitted === null
      ? 'the job itself is not kept'
      : `${submitted.kind} of tenant ${submitted.tenant}, ${size(Buffer.byteLength(submitted.text))}, taken ${moment(startMs)}`,
    '',
    ...entries.flatMap((entry) => entryLines(entry, startMs)),
    ...(leftOut.entries === 0
      ? []
      : [`${counted(leftOut.entries, 'entry')} (${size(leftOut.bytes)}) could not be kept`]),
    ...(sources ? candidatesOf(history).flatMap(sourceLines) : []),
  ];
}

function entryLines(entry: HistoryEntry, startMs: number): string[] {
  const seconds = ((entry.atMs - startMs) / 1_000).toFixed(3);
  const time = `${seconds.startsWith('-') ? '' : '+'}${seconds}`.padStart(9);
  const [text, ...more] = told(entry);
  return text === undefined ? [] : [`${time}  ${text}`, ...more.map((line) => `${' '.repeat(13)}${cut(line)}`)];
}

/** A line for an entry, and lines about its details. */
function told(entry: HistoryEntry): string[] {
  switch (entry.type) {
    case 'queue':
      return [queueLine(entry)];
    case 'started':
      return [`work starts: delivery ${entry.delivery} on ${entry.worker}`];
    case 'stage':
      return entry.durationMs < 1 && entry.code === undefined
        ? []
        : [`stage ${entry.stage} ${ms(entry.durationMs)}${attemptOf(entry.attempt)}${because(entry.code)}`];
    case 'stored':
      return [`handler ${entry.digest.slice(0, 12)} ${entry.reused ? 'found in the store' : 'stored'}`];
    case 'withdrawn':
      return [`handler ${entry.digest.slice(0, 12)} withdrawn: it breaks ${counted(entry.cases, 'derived case')}`];
    case 'ended': {
      const { modelMs = 0, ownMs = 0, codes } = entry;
      const why = codes.length === 0 ? '' : ` (${codes.join(', ')})`;
      return [
        `ends: ${entry.verdict}${why} after ${ms(entry.durationMs)}, ${ms(modelMs)} for models, ${ms(ownMs)} own`,
      ];
    }
    case 'reading':
    case 'confirmed':
    case 'second-reader':
      return readingLines(entry);
    default:
      return attemptLines(entry);
  }
}

type Of<Type extends HistoryEntry['type']> = Extract<HistoryEntry, { type: Type }>;

function queueLine({ event, waitedMs, latencyMs, delayMs, verdict, code, message }: Of<'queue'>): string {
  const facts = [
    ...(verdict === undefined ? [] : [verdict]),
    ...(waitedMs === undefined ? [] : [`after ${ms(waitedMs)} in the queue`]),
    ...(latencyMs === undefined ? [] : [`${ms(latencyMs)} after it was taken`]),
    ...(delayMs === undefined ? [] : [`again in ${ms(delayMs)}`]),
    ...(code === undefined ? [] : [code]),
    ...(message === undefined ? [] : [message]),
  ];
  return `${event}${facts.length === 0 ? '' : `: ${cut(facts.join(', '))}`}`;
}

function readingLines(entry: Of<'reading' | 'confirmed' | 'second-reader'>): string[] {
  if (entry.type === 'confirmed')
    return [`derived cases broken: ${entry.confirmed} confirmed, ${entry.contested} contested`];
  if (entry.type === 'second-reader') {
    const worlds = entry.detail?.worlds ?? [];
    const text = `second reader answers for ${entry.answered} of ${counted(entry.worlds, 'derived case')}`;
    return [text, ...shown(worlds.map(({ claim, confirmation }) => `${confirmation ? 'yes' : ' no'}  ${claim}`))];
  }
  const { units, covered, derived, detail } = entry;
  const counts = units === undefined ? '' : `, ${covered} of ${units} sentences`;
  const why = detail?.message === undefined ? '' : ` (${detail.message})`;
  return [cut(`reading ${entry.result}: ${counted(derived, 'derived case')}${counts}${why}`)];
}

type AttemptEntry = Of<
  | 'prompted'
  | 'try-failed'
  | 'completed'
  | 'dropped'
  | 'candidate'
  | 'tried'
  | 'checked'
  | 'derived'
  | 'refused'
  | 'attempted'
  | 'judged'
>;

const purposes = { generate: 'a handler', read: 'a reading', confirm: 'a second reading', judge: 'a judgement' };

function attemptLines(entry: AttemptEntry): string[] {
  const [text = '', ...more] = aboutAttempt(entry);
  return text === '' ? [] : [`${text}${attemptOf(entry.attempt)}`, ...more];
}

function aboutAttempt(entry: AttemptEntry): string[] {
  switch (entry.type) {
    case 'prompted': {
      const repairs = entry.repairs === undefined ? 'a repair' : `a repair of attempt ${entry.repairs}`;
      const { promptVersion = 'unknown', characters = 0 } = entry;
      const what = entry.repair ? repairs : purposes[entry.purpose];
      return [`model is asked for ${what}: ${characters} characters, prompt ${promptVersion}`];
    }
    case 'try-failed':
      return [
        `try fails after ${ms(entry.durationMs)}: ${entry.code} at ${entry.endpoint} (${entry.model})`,
        ...(entry.detail === undefined ? [] : [entry.detail.message]),
      ];
    case 'completed':
      return [
        `model answers after ${ms(entry.durationMs)}: ${entry.inputTokens} tokens in, ${entry.outputTokens} out, ${entry.characters ?? 0} characters${entry.model === undefined ? '' : `, ${entry.model}`}`,
      ];
    case 'candidate':
      return [
        entry.bundleDigest === null
          ? `candidate of ${size(entry.sourceBytes)} cannot be bundled: ${counted(entry.faults, 'fault')}`
          : `candidate of ${size(entry.sourceBytes)}, bundle ${entry.bundleDigest.slice(0, 12)} of ${size(entry.bundleBytes)}${entry.faults === 0 ? '' : `, ${counted(entry.faults, 'fault')}`}`,
        ...shown((entry.detail?.faults ?? []).map(({ line, message }) => `line ${line ?? '?'}: ${message}`)),
      ];
    case 'tried':
      return [
        `cases: ${entry.passed.length} passed, ${entry.failed.length} failed, ${ms(entry.cpuMs)} of processor time`,
        ...shown((entry.detail?.cases ?? []).filter(({ passed }) => !passed).map(caseLine)),
      ];
    case 'checked':
      return [
        `checks: ${entry.passed.length} passed${named('failed', entry.failed)}${named('warned', entry.warned)}`,
        ...shown((entry.detail?.facts ?? []).map(({ check, code, message }) => `${check} ${code}: ${message}`)),
      ];
    case 'derived':
      return [
        `derived cases: ${counted(entry.runs, 'run')}, ${entry.confirmed} broken and confirmed, ${entry.contested} contested${entry.isWhole ? '' : ', not all of it'}`,
        ...shown((entry.detail?.broken ?? []).map(({ claim, breaches }) => `${claim}: ${breaches.join('; ')}`)),
      ];
    case 'refused':
      return [`refused: ${entry.code}, ${counted(entry.faults, 'fault')}`];
    case 'attempted':
      return [
        `attempt ends: ${entry.result}${because(entry.code)}`,
        ...(entry.detail === undefined ? [] : [entry.detail.message]),
      ];
    case 'judged':
      return ['judge answers', ...(entry.detail === undefined ? [] : [entry.detail.answer])];
    case 'dropped':
      return ['question is dropped'];
  }
}

type Tried = NonNullable<Of<'tried'>['detail']>['cases'][number];

function caseLine({ testCase, end, message, line, differences }: Tried): string {
  const where = line === undefined ? '' : ` at line ${line}`;
  const how = end === 'returned' ? '' : ` ${end}${message === undefined ? '' : ` "${message}"`}${where}`;
  const places = differences.map(({ path, expected, got, message: words }) => {
    const values = `expected ${json(expected)}, got ${json(got)}`;
    return `${path === '' ? 'the whole value' : path}: ${words ?? values}`;
  });
  return `case ${testCase}:${how} ${places.join('; ')}`;
}

function sourceLines(candidate: CandidateHistory): string[] {
  const { attempt, written, attempted } = candidate;
  const marks = failingLines(candidate);
  const lines = (written.detail?.source ?? '').split('\n');
  const width = String(lines.length).length;
  return [
    '',
    `candidate of attempt ${attempt}: ${attempted === undefined ? 'not ended' : attempted.result}`,
    ...lines.flatMap((line, index) => {
      const found = marks.get(index + 1);
      return [
        `${found === undefined ? ' ' : '>'} ${String(index + 1).padStart(width)}  ${line}`,
        ...(found ?? []).map((text) => `${' '.repeat(width + 4)}^ ${cut(text)}`),
      ];
    }),
  ];
}

function attemptOf(attempt: number | undefined): string {
  return attempt === undefined ? '' : ` [${attempt}]`;
}

function because(code: string | undefined): string {
  return code === undefined ? '' : ` (${code})`;
}

function named(what: string, names: readonly string[]): string {
  return names.length === 0 ? '' : `, ${what}: ${names.join(', ')}`;
}

function shown(lines: readonly string[]): string[] {
  const rest = lines.length - maxShown;
  return [...lines.slice(0, maxShown), ...(rest > 0 ? [`… and ${rest} more`] : [])];
}

function json(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}

function cut(text: string): string {
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text;
}

function ms(milliseconds: number): string {
  return milliseconds < 2_000 ? `${Math.round(milliseconds)} ms` : span(milliseconds / 1_000);
}
