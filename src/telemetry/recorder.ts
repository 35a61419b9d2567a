import type { Delivery, QueueEvent } from '../../queues/index.ts';
import type { JobEvent } from './job-event.ts';

/**
 * Receives everything that happens to jobs. The log, the metrics, the history and the traces are recorders; the
 * pipeline knows none of them. A recorder neither throws nor waits.
 */
export interface Recorder {
  /** A job is taken, or ends without having been taken. */
  onDelivery?(delivery: Delivery): void;
  onJobEvent(event: JobEvent): void;
  onQueueEvent(event: QueueEvent): void;
  /** The pipeline no longer works on a delivery, not even after its outcome. */
  onDone?(delivery: Delivery): void;
  close?(): Promise<void>;
}

/** Whether a delivery is over after an event, except for work that goes on after its outcome. */
export function endsDelivery({ event }: Pick<QueueEvent, 'event'>): boolean {
  return ENDING.has(event);
}

const ENDING: ReadonlySet<QueueEvent['event']> = new Set([
  'published',
  'suppressed',
  'retried',
  'put-back',
  'handed-back',
  'lock-lost',
]);

/** One recorder that passes everything on to several, in their order. */
export function recorderOf(recorders: readonly Recorder[]): Required<Recorder> {
  return {
    onDelivery(delivery) {
      for (const one of recorders) one.onDelivery?.(delivery);
    },
    onJobEvent(event) {
      for (const one of recorders) one.onJobEvent(event);
    },
    onQueueEvent(event) {
      for (const one of recorders) one.onQueueEvent(event);
    },
    onDone(delivery) {
      for (const one of recorders) one.onDone?.(delivery);
    },
    async close() {
      await Promise.all(recorders.map((one) => one.close?.()));
    },
  };
}
