import { type Connection, Heartbeats, type Keys } from '../../queues/index.ts';
import { type Heartbeat, heartbeatSeconds } from './heartbeat.ts';
import { inTime } from './in-time.ts';

/** How long closing may take, in milliseconds: a last heartbeat must not delay a restart. */
const closeMs = 1_000;

/**
 * Writes a worker's heartbeat to Redis every few seconds. Best effort: a heartbeat that Redis does not take is lost.
 */
export class Heart {
  readonly #connection: Connection;
  readonly #heartbeats: Heartbeats;
  readonly #said: (state: Heartbeat['state']) => Heartbeat;
  readonly #timer: NodeJS.Timeout;
  #beating: Promise<void> | undefined;

  constructor(connection: Connection, keys: Keys, said: (state: Heartbeat['state']) => Heartbeat) {
    this.#connection = connection;
    this.#heartbeats = new Heartbeats(connection, keys);
    this.#said = said;
    this.#timer = setInterval(() => void this.beat('running'), heartbeatSeconds * 1_000);
    this.#timer.unref();
  }

  /** Writes a heartbeat now, unless one is on its way or Redis is away. Never rejects. */
  beat(state: Heartbeat['state']): Promise<void> {
    // Commands without a connection would pile up.
    if (this.#connection.status !== 'ready') return Promise.resolve();
    this.#beating ??= this.#write(this.#said(state)).finally(() => {
      this.#beating = undefined;
    });
    return this.#beating;
  }

  /** Stops after a last heartbeat. Takes a second at most, and never rejects. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    const last = (this.#beating ?? Promise.resolve()).then(() => this.beat('stopped'));
    await inTime(last, closeMs, undefined);
  }

  async #write(said: Heartbeat): Promise<void> {
    await this.#heartbeats.beat(said.worker, said).catch(() => undefined);
  }
}
