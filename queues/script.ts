import { hash } from 'node:crypto';
import type { Connection } from './connection.ts';

/** A Lua script, which Redis keeps: only its digest travels, and its text where Redis does not know it (any more). */
export class Script {
  readonly #text: string;
  readonly #digest: string;

  constructor(text: string) {
    this.#text = text;
    this.#digest = hash('sha1', text);
  }

  /** Runs it in one call. Rejects as the connection does. */
  async run(connection: Connection, keys: readonly string[], values: readonly (string | number)[]): Promise<unknown> {
    try {
      return await connection.evalsha(this.#digest, keys.length, ...keys, ...values);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return connection.eval(this.#text, keys.length, ...keys, ...values);
    }
  }
}
