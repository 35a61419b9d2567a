import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { type Delivery, QUEUE_NAME, type QueueEvent } from '../../queues/index.ts';
import { inTime } from './in-time.ts';
import type { JobEvent } from './job-event.ts';
import { processName } from './process-name.ts';
import { endsDelivery, type Recorder } from './recorder.ts';
import { spansOf, type TimedEvent } from './trace-spans.ts';

/** Where to send spans, and how many. */
export interface TraceOptions {
  /** The base URL of an OTLP/HTTP receiver; `/v1/traces` is added. */
  endpoint: string;
  /** Share of the traces that begin here which is sent, 0 to 1. A producer's decision is followed. */
  share: number;
  version: string;
}

/** Most jobs whose spans are collected at once. With one more, the oldest is sent as it is. */
const maxJobs = 2_000;

/** Most events of one delivery that become spans. */
const maxEvents = 1_000;

/** How long closing may take, in milliseconds: a receiver that is away must not delay a restart. */
const closeMs = 2_000;

interface JobTrace {
  root: Span;
  context: Context;
  happened: TimedEvent[];
  /** Whether the pipeline works on the job, and whether the queue is done with the delivery. */
  isWorking: boolean;
  isOver: boolean;
}

/**
 * A recorder that sends a trace of each delivery to an OpenTelemetry receiver (OTLP over HTTP, as JSON): a span for the
 * delivery, below the producer's if the job has its `traceparent`, with spans for stages and model calls. Attributes
 * follow the semantic conventions for messaging and `gen_ai`. No span has a text of an agreement, a prompt or a model.
 *
 * Loads the OpenTelemetry SDK, so this file is imported only if traces are on.
 */
export function createTraceRecorder({ endpoint, share, version }: TraceOptions): Recorder {
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'protosmith',
      'service.version': version,
      'service.instance.id': processName,
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  const traces = new JobTraces(provider.getTracer('protosmith', version));
  return {
    onDelivery: (delivery) => traces.begin(delivery),
    onJobEvent: (event) => traces.note(event),
    onQueueEvent: (event) => traces.noteQueue(event),
    onDone: ({ jobId }) => traces.done(jobId),
    async close() {
      traces.endAll();
      await inTime(provider.shutdown(), closeMs, undefined).catch(() => undefined);
    },
  };
}

/** The traces of the deliveries in progress. */
class JobTraces {
  readonly #tracer: Tracer;
  readonly #jobs = new Map<string, JobTrace>();

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  begin(delivery: Delivery): void {
    const { jobId, kind, tenant, rawBytes, delivery: number, traceparent } = delivery;
    if (this.#jobs.has(jobId)) return;
    for (const oldest of this.#jobs.keys()) {
      if (this.#jobs.size < maxJobs) break;
      this.#end(oldest);
    }
    const attributes: Attributes = {
      'messaging.system': 'bullmq',
      'messaging.operation.type': 'process',
      'messaging.operation.name': 'process',
      'messaging.destination.name': QUEUE_NAME,
      'messaging.message.id': jobId,
      'messaging.message.body.size': rawBytes,
      'protosmith.job.kind': kind.slice(0, 40),
      'protosmith.job.delivery': number,
      'protosmith.tenant': tenant,
    };
    const parent = contextOf(traceparent);
    const root = this.#tracer.startSpan(`process ${QUEUE_NAME}`, { kind: SpanKind.CONSUMER, attributes }, parent);
    const context = trace.setSpan(parent, root);
    this.#jobs.set(jobId, { root, context, happened: [], isWorking: false, isOver: false });
  }

  note(event: JobEvent): void {
    const traced = this.#jobs.get(event.job);
    if (traced === undefined) return;
    if (event.type === 'started') traced.isWorking = true;
    if (traced.happened.length >= maxEvents || !traced.root.isRecording()) return;
    // Without the texts, which would be held in memory for nothing.
    const { detail: _, ...facts } = event as JobEvent & { detail?: unknown };
    traced.happened.push({ atMs: Date.now(), event: facts });
  }

  noteQueue({ event, jobId, code, verdict }: QueueEvent): void {
    const traced = jobId === undefined ? undefined : this.#jobs.get(jobId);
    if (jobId === undefined || traced === undefined) return;
    traced.root.addEvent(event, { ...(code === undefined ? {} : { 'error.type': code }) });
    if (verdict !== undefined) traced.root.setAttribute('protosmith.verdict', verdict);
    if (code !== undefined) {
      traced.root.setAttribute('error.type', code);
      traced.root.setStatus({ code: SpanStatusCode.ERROR, message: code });
    }
    if (endsDelivery({ event })) traced.isOver = true;
    this.#endIfOver(jobId, traced);
  }

  /** Ends the work of the pipeline on a job. */
  done(jobId: string): void {
    const traced = this.#jobs.get(jobId);
    if (traced === undefined) return;
    traced.isWorking = false;
    this.#endIfOver(jobId, traced);
  }

  endAll(): void {
    for (const jobId of [...this.#jobs.keys()]) this.#end(jobId);
  }

  #endIfOver(jobId: string, { isWorking, isOver }: JobTrace): void {
    if (isOver && !isWorking) this.#end(jobId);
  }

  #end(jobId: string): void {
    const traced = this.#jobs.get(jobId);
    if (traced === undefined) return;
    this.#jobs.delete(jobId);
    const { root, context, happened } = traced;
    const { spans, attributes } = spansOf(happened);
    root.setAttributes(attributes);
    // A parent comes before its children.
    const contexts = new Map<number, Context>();
    for (const [index, one] of spans.entries()) {
      const { name, kind, startMs, endMs, attributes: facts, error, parent } = one;
      const above = (parent === undefined ? undefined : contexts.get(parent)) ?? context;
      const span = this.#tracer.startSpan(name, { kind, startTime: startMs, attributes: facts }, above);
      if (error !== undefined) {
        span.setAttribute('error.type', error);
        span.setStatus({ code: SpanStatusCode.ERROR, message: error });
      }
      contexts.set(index, trace.setSpan(above, span));
      span.end(endMs);
    }
    root.end();
  }
}

function contextOf(traceparent: string | undefined): Context {
  const [, traceId, spanId, flags] = traceparent?.split('-') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT;
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}
