import { closeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import type ivm from 'isolated-vm';
import { type ParentMessage, rowsToAnswers, type Texts, unpack } from '../wire.ts';
import { Collector } from './collector.ts';
import { CpuMeter } from './cpu-meter.ts';
import { EngineShelf } from './engine.ts';
import { readFrame } from './frames.ts';
import { Handler } from './handler.ts';
import { ParentOutbox } from './parent-outbox.ts';

/** What a cell gets from its parent on its command line. */
export interface CellOptions {
  /** Path of the native addon of isolated-vm. */
  addon: string;
  maxFrameBytes: number;
  /** Whether each run is made in a context of its own. */
  freshContexts: boolean;
  /** File descriptors that the cell inherits and must close. */
  strayDescriptors: number[];
}

const options = JSON.parse(process.argv.at(-1) ?? '') as CellOptions;
for (const descriptor of options.strayDescriptors) {
  try {
    closeSync(descriptor);
  } catch {
    // A program between parent and cell has closed it.
  }
}
// The guest must not see the host's time zone. ICU reads it once.
process.env.TZ = 'UTC';
const { ivm: isolatedVm } = createRequire('/')(options.addon) as { ivm: typeof ivm };

// Every isolate calls nearly all of the guest's side. Compiled as a whole, it comes out of the cache as a whole.
setFlagsFromString('--no-lazy');

const { freshContexts } = options;
const engines = new EngineShelf(isolatedVm, { shared: !freshContexts });
const handlers = new Map<number, Handler>();
const collector = new Collector();
const outbox = new ParentOutbox(collector);
const parts = { engines, cpu: new CpuMeter(), outbox, freshContexts };

function dealWith(message: ParentMessage, texts: Texts): void {
  switch (message.op) {
    case 'load':
      handlers.set(message.handler, new Handler(parts, texts.next(), message.limits));
      break;
    case 'run': {
      const handler = handlers.get(message.handler);
      if (!handler) throw new Error('Cannot run handler: found it not loaded, wanted it loaded');
      handler.run(message, texts);
      break;
    }
    case 'answers':
      handlers.get(message.handler)?.answer(message.atMs, rowsToAnswers(message.answers, texts));
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

outbox.ready();
for (;;) {
  const frame = readFrame(options.maxFrameBytes);
  if (frame === undefined) break;
  const { header, texts } = unpack<ParentMessage>(frame);
  outbox.begin();
  dealWith(header, texts);
  outbox.finish(header.seq);
  // After a drop the parent is likely to load a handler, one much like the last.
  if (header.op === 'drop' && [...handlers.values()].every(({ isIdle }) => isIdle)) engines.refill();
  collector.collectIfDue();
}
