import { hash } from 'node:crypto';
import type { Connection } from './connection.ts';

/** A Lua script. Sends its digest, and its text only if Redis does not have it. */
export class Script {
  readonly #text: string;
  readonly #digest: string;

  constructor(text: string) {
    this.#text = text;
    this.#digest = hash('sha1', text);
  }

  /** Runs the script. Rejects like the connection. */
  async run(connection: Connection, keys: readonly string[], values: readonly (string | number)[]): Promise<unknown> {
    try {
      return await connection.evalsha(this.#digest, keys.length, ...keys, ...values);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return connection.eval(this.#text, keys.length, ...keys, ...values);
    }
  }
}
