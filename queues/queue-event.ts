/** What happened on the queue, for logs and metrics; no bodies, no secrets. */
export interface QueueEvent {
  event: /** A job begins to be worked on; `waitedMs` since Redis took it. */
    | 'taken'
    /** An outcome became visible; `latencyMs` since Redis took its job. */
    | 'published'
    /** An outcome was not published, since the job had one. */
    | 'suppressed'
    /** An outcome was announced again. */
    | 'replayed'
    /** A job was refused for its id. */
    | 'refused'
    /** A job comes back after `delayMs`. */
    | 'retried'
    /** A job of a later version was put back. */
    | 'put-back'
    /** A job went back to the queue since its worker stops. */
    | 'handed-back'
    | 'cancelled'
    /** Another worker may have the job: this one gives it up. */
    | 'lock-lost'
    /** A job was taken from a dead worker. */
    | 'stalled'
    /** A job ends with `error` without a verdict on the matter. */
    | 'given-up'
    /** A job came by the intake stream. */
    | 'bridged'
    /** What was written into Redis by hand, and was of no use there, was put aside or put right; `message` says what. */
    | 'mended'
    /** Intake pauses or goes on; `message` says why. */
    | 'paused'
    | 'resumed'
    /** An error of the connection or a command; `count` of them since the last such event. */
    | 'redis-error';
  jobId?: string;
  kind?: string;
  /** As far as the job's data can be read; `null` beyond that. */
  negotiationId?: string | null;
  verdict?: string;
  code?: string;
  message?: string;
  delayMs?: number;
  waitedMs?: number;
  latencyMs?: number;
  count?: number;
}

/** By what an event names its job. */
export interface JobNames {
  jobId: string;
  kind: string;
  negotiationId: string | null;
}

/** A job's names alone. */
export function namesOf({ jobId, kind, negotiationId }: JobNames): JobNames {
  return { jobId, kind, negotiationId };
}

/** Takes the events of a queue. */
export type OnQueueEvent = (event: QueueEvent) => void;

/** Passes the first of a run of like errors on at once, then one per `everyMs` with their number: an outage makes thousands a second. */
export class ErrorSummary {
  readonly #onEvent: OnQueueEvent;
  readonly #everyMs: number;
  readonly #kinds = new Map<string, { saidAtMs: number; unsaid: number }>();

  constructor(onEvent: OnQueueEvent, everyMs = 30_000) {
    this.#onEvent = onEvent;
    this.#everyMs = everyMs;
  }

  /** Notes an error. */
  note(error: { message: string; code?: string }): void {
    const kind = error.code ?? error.message.slice(0, 24);
    const nowMs = performance.now();
    const known = this.#kinds.get(kind);
    if (known !== undefined && nowMs - known.saidAtMs < this.#everyMs) {
      known.unsaid += 1;
      return;
    }
    if (this.#kinds.size > 100) this.#kinds.clear();
    this.#kinds.set(kind, { saidAtMs: nowMs, unsaid: 0 });
    const code = error.code === undefined ? {} : { code: error.code };
    this.#onEvent({ event: 'redis-error', message: error.message, count: (known?.unsaid ?? 0) + 1, ...code });
  }
}
