import { closeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import type ivm from 'isolated-vm';
import type { RunReport } from '../contract.ts';
import { policy } from '../policy.ts';
import { inMicroseconds, type PlainRow, reportToRow } from '../report-wire.ts';
import { type CellMessage, type ParentMessage, pack, Texts, unpack } from '../wire.ts';
import { Collector } from './collector.ts';
import { EngineShelf } from './engine.ts';
import { readFrame, writeFrame } from './frames.ts';
import { Handler, type Tidings } from './handler.ts';
import { Processor } from './processor.ts';

/** What the parent tells a cell on its command line. */
export interface CellOptions {
  /** Path of the native addon of isolated-vm. */
  addon: string;
  maxFrameBytes: number;
  /** Whether each run is made in a context of its own. */
  freshContexts: boolean;
  /** Descriptors that the cell was started with and has no use for. */
  strayDescriptors: number[];
}

const options = JSON.parse(process.argv.at(-1) ?? '') as CellOptions;
for (const descriptor of options.strayDescriptors) {
  try {
    closeSync(descriptor);
  } catch {
    // A program in between has closed it.
  }
}
// The guest sees no other zone, whatever the host's is; ICU reads it once.
process.env.TZ = 'UTC';
const { ivm: isolatedVm } = createRequire('/')(options.addon) as { ivm: typeof ivm };

// Nearly all of the guest's side is called in every isolate: compiled as a whole, it comes out of the cache as a whole.
setFlagsFromString('--no-lazy');

const { freshContexts } = options;
const engines = new EngineShelf(isolatedVm, { shared: !freshContexts });
const handlers = new Map<number, Handler>();
const processor = new Processor();
const collector = new Collector();

/** How long reports may be kept back so that many go out together; the parent's watchdog hears from us in between. */
const flushMs = 50;

let plain: PlainRow[] = [];
/** The values of `plain`: a text for each row, and the lengths of what is in it. */
let values: string[] = [];
let lengths: number[] = [];
let reports: { run: number; report: RunReport }[] = [];
let calls: { run: number; call: number; made: { tool: string | null; input: string } }[] = [];
/** Length of what is kept back, as far as it can be large. */
let kept = 0;
let flushedAt = 0;
let alone: number | undefined;

function send(message: CellMessage, texts = Texts.of([])): void {
  const text = pack(message, texts);
  // Nearly all of it has come out of isolates.
  collector.noteText(text);
  writeFrame(text);
}

function flush(done: number): void {
  const texts: string[] = [];
  const rows = reports.map(({ run, report }) => reportToRow(run, report, texts));
  const callRows = calls.map(({ run, call, made }): [number, number, string | null] => {
    texts.push(made.input);
    return [run, call, made.tool];
  });
  const all = new Texts([...values, ...texts].join(''), [...lengths, ...texts.map((text) => text.length)]);
  send({ op: 'news', done, plain, reports: rows, calls: callRows }, all);
  plain = [];
  values = [];
  lengths = [];
  reports = [];
  calls = [];
  kept = 0;
  alone = undefined;
  flushedAt = performance.now();
}

let done = 0;

function keep(length: number): void {
  kept += length;
  if (kept > policy.flushBytes.default) flush(done);
}

const tidings: Tidings = {
  returned(first, texts, eachMs, eachCpuMs) {
    plain.push([first, texts.lengths.length, inMicroseconds(eachMs), inMicroseconds(eachCpuMs)]);
    values.push(texts.joined);
    lengths = lengths.length === 0 ? [...texts.lengths] : lengths.concat(texts.lengths);
    keep(texts.joined.length);
  },
  report(run, report) {
    reports.push({ run, report });
    let length = report.value?.length ?? 0;
    for (const { input, answer } of report.calls)
      length += input.length + (answer && 'output' in answer ? answer.output.length : 0);
    keep(length);
  },
  call(run, call, made) {
    calls.push({ run, call, made });
    keep(made.input.length);
  },
  alone(run, moreMs) {
    if (run === alone && !moreMs) return;
    alone = run;
    send({ op: 'at', run: run ?? -1, ...(moreMs ? { moreMs } : {}) });
  },
  progress() {
    if (performance.now() - flushedAt > flushMs) flush(done);
  },
};

function deal(message: ParentMessage, texts: Texts): void {
  switch (message.op) {
    case 'load':
      handlers.set(
        message.handler,
        new Handler({ engines, processor, tidings, freshContexts }, texts.next(), message.limits),
      );
      break;
    case 'run': {
      const handler = handlers.get(message.handler);
      if (!handler) throw new Error('Cannot run handler: not loaded');
      handler.run(message, texts);
      break;
    }
    case 'answers':
      handlers.get(message.handler)?.answer(
        message.atMs,
        message.answers.map(([run, call, code]) => {
          const text = texts.next();
          return { run, call, answer: code === '' ? { output: text } : { error: { code, message: text } } };
        }),
      );
      break;
    case 'end':
      handlers.get(message.handler)?.end(message.run);
      break;
    case 'drop':
      handlers.get(message.handler)?.dispose();
      handlers.delete(message.handler);
      collector.noteIsolate();
      break;
  }
}

send({ op: 'ready' });
for (;;) {
  const frame = readFrame(options.maxFrameBytes);
  if (frame === undefined) break;
  const { header, texts } = unpack<ParentMessage>(frame);
  flushedAt = performance.now();
  deal(header, texts);
  done = header.seq;
  flush(done);
  // Whoever lets go of a handler is likely to bring the next one, much like it.
  if (header.op === 'drop' && [...handlers.values()].every(({ isIdle }) => isIdle)) engines.refill();
  collector.collectIfDue();
}
