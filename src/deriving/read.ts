import { setTimeout as sleep } from 'node:timers/promises';
import { CompletionError } from '../completion/completion-error.ts';
import { createEntryReader } from '../completion/json-entries.ts';
import type { AnswerSink, Prompt } from '../contract/completion.ts';
import type { HandlerRecord } from '../contract/handler.ts';
import type { DerivedCase, DropReason, Expectation, KeptReading, Reader } from '../contract/reading.ts';
import { rebased } from '../handlers/proof.ts';
import { ask, type JobContext, type Questioner } from '../job/ask.ts';
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

/** Units that one question is about: a document of some 6 KB. A longer one is read in parts, at the same time. */
const unitsAtOnce = 80;

/** Most derived cases of one part: what comes after them is seldom worth its run. */
const casesAtOnce = 35;

/** A question that came to nothing, or whose answer broke off, is put once more, after a pause in milliseconds. */
const maxTries = 2;
const pauseMs = 400;

/** An answer as one object, for servers that keep to a schema; the entries themselves are checked one by one. */
const entriesFormat = {
  name: 'reading',
  schema: {
    type: 'object',
    required: ['entries'],
    properties: { entries: { type: 'array', items: { type: 'object' } } },
  } satisfies JsonObject,
};

/** Starts the reading of a job's agreement: the one that is kept, or a new one that is made once for all workers. */
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
    const work = async (signal: AbortSignal) => {
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
    return kept;
  };
  return new ReadingWork(services.readingMode, units, obtain, save);
}

/** The reading that a stored handler was judged by, where that is whole; else a new one. */
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

/** What a reader is told of a subject. */
export function readFactsOf(subject: Subject, units: readonly Unit[]): ReadFacts {
  const { role, payload, requestSchema, responseSchema, cases, tools, task, loose } = subject;
  return { role, payload, units, requestSchema, responseSchema, cases, tools, task, loose };
}

/** The questions to a reader about a subject as people read it: one, or of a long document one for each part. */
export function readQuestions(subject: Subject): Prompt[] {
  const units = unitsOfSubject(subject);
  const facts = readFactsOf(subject, units);
  return partsOf(units).map((part) => renderReadPrompt({ ...facts, ...part }));
}

/**
 * Has a model read a subject, all parts of its document at the same time. Hands `show` what there is at any moment.
 * Rejects with the first fault; what was read before it has been shown.
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

/** One part of a document on its way: the best of what its tries brought. */
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

  async read(context: Questioner, deadline: Deadline, named: (model: string) => void): Promise<void> {
    const prompt = this.#prompt;
    for (let tries = 1; ; tries += 1) {
      try {
        const sink = this.#sink(named);
        const options = { answer: 'text', sink, format: entriesFormat, retries: 0 } as const;
        await ask({ prompt, purpose: 'read', options }, context, deadline, async () => {
          sink.end();
          const count = this.#best.derived.length;
          const isEmpty = this.#best.covered === 0;
          const message = isEmpty ? 'The answer holds no derived case' : `${count} derived cases`;
          return [undefined, { result: isEmpty ? 'no-answer' : 'read', passedCases: 0, message }];
        });
        this.isComplete = this.#best.covered > 0;
        if (this.isComplete) return;
        if (tries >= maxTries)
          throw new Error(
            'Cannot read agreement: the answers hold no derived case, wanted one for a sentence at least',
          );
      } catch (error) {
        if (tries >= maxTries || deadline.signal.aborted || !mayComeAgain(error)) throw error;
        await sleep(pauseMs, undefined, { signal: deadline.signal });
      }
    }
  }

  /** Takes an answer as it streams in. What an earlier try brought stays until this one has more. */
  #sink(named: (model: string) => void): AnswerSink & { end(): void } {
    const anew = () => {
      const collector = new ReadingCollector(this.#subject);
      return {
        collector,
        reader: createEntryReader((entry) => {
          collector.add(entry);
          if (collector.covered >= this.#best.covered) this.#best = collector;
        }),
      };
    };
    let now = anew();
    return {
      start: ({ model }) => {
        named(model);
        now = anew();
      },
      text: (piece) => now.reader.push(piece),
      end: () => now.reader.end(),
    };
  }
}

/** Whether the same question may have an answer next time: what broke off, not what is refused or cannot be paid. */
function mayComeAgain(error: unknown): boolean {
  return error instanceof CompletionError && /_(?:CUT|STALLED|EMPTY|UNAVAILABLE|RATE_LIMITED)$/.test(error.code);
}

/** What was collected of all parts as one reading; `complete` where the reader came to the end of each. */
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
  const derived = readings.flatMap((one, index) => (index === 0 ? one.derived : withOwnIds(one.derived, index + 1)));
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

/** The derived cases of a later part under ids of their own: readers of different parts may choose the same. */
function withOwnIds(derived: readonly DerivedCase[], part: number): DerivedCase[] {
  const ownId = (id: string) => `${part}/${id}`;
  const expected = (expect: Expectation): Expectation => ({
    ...expect,
    ...(typeof expect.alike?.to === 'string' ? { alike: { ...expect.alike, to: ownId(expect.alike.to) } } : {}),
    ...(expect.anyOf === undefined ? {} : { anyOf: expect.anyOf.map(expected) }),
  });
  return derived.map((entry) => ({
    ...entry,
    ...(entry.id === undefined ? {} : { id: ownId(entry.id) }),
    expect: expected(entry.expect),
  }));
}
