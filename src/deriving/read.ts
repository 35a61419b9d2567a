import { setTimeout as sleep } from 'node:timers/promises';
import { CompletionError } from '../completion/completion-error.ts';
import { createEntryReader } from '../completion/json-entries.ts';
import type { AnswerSink, Prompt } from '../contract/completion.ts';
import type { HandlerRecord } from '../contract/handler.ts';
import type { DerivedCase, DropReason, Expectation, KeptReading, Reader } from '../contract/reading.ts';
import { rebased } from '../handlers/proof.ts';
import { ask, type JobContext, type Questioner } from '../job/ask.ts';
import type { Ledger } from '../job/ledger.ts';
import type { Requirements } from '../job/requirements.ts';
import { Deadline } from '../kernel/deadline.ts';
import type { JsonObject } from '../kernel/json.ts';
import { READ_PROMPT_VERSION, type ReadFacts, type ReadPart, renderReadPrompt } from '../prompting/read-prompt.ts';
import { ReadingCollector } from '../readings/reading-collector.ts';
import { isHeading, type Unit, unitsOfSubject } from '../readings/units.ts';
import { asRead } from '../verification/hidden-words.ts';
import type { Subject } from '../verification/subject.ts';
import { readingKey } from './reading-key.ts';
import { emptyReading, ReadingWork } from './reading-work.ts';

/** Most units in one question, about 6 KB of text. A longer document is read in parts, at the same time. */
const unitsAtOnce = 80;

/** Most derived cases of one part: later ones seldom justify the cost of running them. */
const casesAtOnce = 35;

/** A question that failed, or whose answer broke off, is asked once more, after a pause in milliseconds. */
const maxAttempts = 2;
const pauseMs = 400;

/** The format of an answer, for servers that support schemas. Each entry is still validated. */
const entriesFormat = {
  name: 'reading',
  schema: {
    type: 'object',
    required: ['entries'],
    properties: { entries: { type: 'array', items: { type: 'object' } } },
  } satisfies JsonObject,
};

/** Starts the reading of a job's agreement: the stored one, or a new one that is made once for all workers. */
export function startReading(requirements: Requirements, context: JobContext, deadline: Deadline): ReadingWork {
  const { services } = context;
  const { tenant } = requirements.cleared.job;
  const subject = asRead(requirements.subject);
  const units = unitsOfSubject(subject);
  if (services.readingMode === 'off') return new ReadingWork('off', units, async () => emptyReading(units.length));
  const key = readingKey(requirements);
  const save = (kept: KeptReading) => services.readings.put(tenant, key, kept);
  const obtain = async (show: (live: () => KeptReading) => void) => {
    const found = async () => {
      const kept = await services.readings.get(tenant, key);
      return kept?.complete === true ? kept : null;
    };
    let isOwn = false;
    const work = async (signal: AbortSignal) => {
      isOwn = true;
      const kept = await readAgreement(subject, context, new Deadline(deadline.atMs, signal), show);
      if (kept.complete) await save(kept);
      return kept;
    };
    const kept = await services.readings.once(tenant, key, {
      untilMs: deadline.atMs,
      signal: deadline.signal,
      found,
      work,
    });
    if (kept === null) throw new Error('another worker still reads the same agreement');
    tellReading(context.ledger, kept, isOwn ? (kept.complete ? 'complete' : 'partial') : 'kept');
    return kept;
  };
  const told: typeof obtain = (show) =>
    obtain(show).catch((error: unknown) => {
      const message = error instanceof Error ? error.message.slice(0, 500) : 'an unknown fault';
      context.ledger.tell({ type: 'reading', result: 'failed', derived: 0, detail: { message } });
      throw error;
    });
  return new ReadingWork(services.readingMode, units, told, save);
}

/** Most characters of a reading, as JSON, in an event: a long one would fill the history of its job. */
const maxToldCharacters = 131_072;

function tellReading(ledger: Ledger, kept: KeptReading, result: 'complete' | 'partial' | 'kept'): void {
  const { reading, units, covered, dropped, promptVersion } = kept;
  const isShort = JSON.stringify(reading).length <= maxToldCharacters;
  const detail = isShort ? { reading } : { message: 'the reading is too long to keep here' };
  const facts = { derived: reading.derived.length, units, covered, dropped, promptVersion };
  ledger.tell({ type: 'reading', result, ...facts, detail });
}

/** The reading that a stored handler was judged by, if it is whole; else a new one. */
export function readingOf(
  record: HandlerRecord,
  requirements: Requirements,
  context: JobContext,
  deadline: Deadline,
): ReadingWork {
  const { reading: kept, cases } = record.proof;
  if (kept?.complete !== true) return startReading(requirements, context, deadline);
  const units = unitsOfSubject(asRead(requirements.subject));
  return new ReadingWork(context.services.readingMode, units, async () =>
    rebased(kept, cases, requirements.subject.cases),
  );
}

/** The facts about a subject that a reader sees. */
export function readFactsOf(subject: Subject, units: readonly Unit[]): ReadFacts {
  const { role, payload, requestSchema, responseSchema, cases, tools, task, loose } = subject;
  return { role, payload, units, requestSchema, responseSchema, cases, tools, task, loose };
}

/** The prompts for a reader of a subject: one, or one for each part of a long document. */
export function readQuestions(subject: Subject): Prompt[] {
  const units = unitsOfSubject(subject);
  const facts = readFactsOf(subject, units);
  return partsOf(units).map((part) => renderReadPrompt({ ...facts, ...part }));
}

/**
 * Asks a model to read a subject, all parts of its document at the same time. Passes `show` a function that returns the
 * reading so far. Rejects with the first error; what was read before stays visible through `show`.
 */
export async function readAgreement(
  subject: Subject,
  context: Questioner,
  deadline: Deadline,
  show: (live: () => KeptReading) => void = () => {},
): Promise<KeptReading> {
  const units = unitsOfSubject(subject);
  const parts = readQuestions(subject).map((prompt) => new PartReading(prompt, subject));
  const reader = { kind: 'model', name: context.services.model } satisfies Reader;
  const live = () =>
    keptReading(
      parts.map(({ collected }) => collected),
      units,
      reader,
      parts.every(({ isComplete }) => isComplete),
    );
  show(live);
  const ends = await Promise.allSettled(
    parts.map((part) => part.read(context, deadline, (name) => Object.assign(reader, { name }))),
  );
  const [fault] = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  if (fault !== undefined) throw fault;
  return live();
}

function partsOf(units: readonly Unit[]): ReadPart[] {
  const count = Math.max(1, Math.ceil(units.length / unitsAtOnce));
  const size = Math.ceil(units.length / count);
  return Array.from({ length: count }, (_, index) => ({
    part: { from: index * size + 1, to: Math.min(units.length, (index + 1) * size) },
    maxCases: casesAtOnce,
  }));
}

/** The reading of one part of a document: keeps the best result of all attempts. */
class PartReading {
  isComplete = false;
  readonly #prompt: Prompt;
  readonly #subject: Subject;
  #best: ReadingCollector;

  constructor(prompt: Prompt, subject: Subject) {
    this.#prompt = prompt;
    this.#subject = subject;
    this.#best = new ReadingCollector(subject);
  }

  get collected(): ReadingCollector {
    return this.#best;
  }

  async read(context: Questioner, deadline: Deadline, onModel: (model: string) => void): Promise<void> {
    const prompt = this.#prompt;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const sink = this.#sink(onModel);
        const options = { answer: 'text', sink, format: entriesFormat, retries: 0 } as const;
        await ask({ prompt, purpose: 'read', options }, context, deadline, async () => {
          sink.end();
          const count = this.#best.derived.length;
          const isEmpty = this.#best.covered === 0;
          const message = isEmpty ? 'The answer contains no derived case' : `${count} derived cases`;
          return [undefined, { result: isEmpty ? 'no-answer' : 'read', passedCases: 0, message }];
        });
        this.isComplete = this.#best.covered > 0;
        if (this.isComplete) return;
        if (attempt >= maxAttempts)
          throw new Error('Cannot read agreement: the answers contain no derived case, wanted at least one');
      } catch (error) {
        if (attempt >= maxAttempts || deadline.signal.aborted || !isWorthRetrying(error)) throw error;
        await sleep(pauseMs, undefined, { signal: deadline.signal });
      }
    }
  }

  /** Reads an answer as it streams in. The result of an earlier attempt stays until this one covers as much. */
  #sink(onModel: (model: string) => void): AnswerSink & { end(): void } {
    const start = () => {
      const collector = new ReadingCollector(this.#subject);
      return {
        collector,
        reader: createEntryReader((entry) => {
          collector.add(entry);
          if (collector.covered >= this.#best.covered) this.#best = collector;
        }),
      };
    };
    let current = start();
    return {
      start: ({ model }) => {
        onModel(model);
        current = start();
      },
      text: (piece) => current.reader.push(piece),
      end: () => current.reader.end(),
    };
  }
}

/** Whether asking again may help: after an interrupted answer, but not after a refusal or a used-up budget. */
function isWorthRetrying(error: unknown): boolean {
  return error instanceof CompletionError && /_(?:CUT|STALLED|EMPTY|UNAVAILABLE|RATE_LIMITED)$/.test(error.code);
}

/** Joins what was collected of all parts into one reading; `complete` = the reader reached the end of each. */
export function keptReading(
  collected: readonly ReadingCollector[],
  all: readonly Unit[],
  reader: Reader,
  complete: boolean,
): KeptReading {
  const readings = collected.map((one) => one.reading(reader));
  const waitMs = readings.find((one) => one.waitMs !== undefined)?.waitMs;
  const dropped: Partial<Record<DropReason, number>> = {};
  for (const { reason } of collected.flatMap((one) => one.dropped)) dropped[reason] = (dropped[reason] ?? 0) + 1;
  // Headings demand nothing by themselves.
  const demanding = new Set(all.filter((unit) => !isHeading(unit)).map(({ number }) => number));
  const covered = new Set(collected.flatMap((one) => [...one.coveredUnits]));
  const derived = readings.flatMap((one, index) => (index === 0 ? one.derived : withPartIds(one.derived, index + 1)));
  return {
    reading: {
      version: 1,
      reader: { ...reader },
      derived,
      units: [...new Map(readings.flatMap((one) => one.units).map((unit) => [unit.unit, unit])).values()],
      ...(waitMs === undefined ? {} : { waitMs }),
    },
    promptVersion: READ_PROMPT_VERSION,
    units: demanding.size,
    covered: [...covered].filter((number) => demanding.has(number)).length,
    dropped,
    complete,
  };
}

/** Prefixes the ids of a later part: readers of different parts may choose the same ones. */
function withPartIds(derived: readonly DerivedCase[], part: number): DerivedCase[] {
  const partId = (id: string) => `${part}/${id}`;
  const expected = (expect: Expectation): Expectation => ({
    ...expect,
    ...(typeof expect.alike?.to === 'string' ? { alike: { ...expect.alike, to: partId(expect.alike.to) } } : {}),
    ...(expect.anyOf === undefined ? {} : { anyOf: expect.anyOf.map(expected) }),
  });
  return derived.map((entry) => ({
    ...entry,
    ...(entry.id === undefined ? {} : { id: partId(entry.id) }),
    expect: expected(entry.expect),
  }));
}
