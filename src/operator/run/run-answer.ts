import { codeOf } from '../../kernel/errors.ts';
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { jsonForTerminal } from '../shell/for-terminal.ts';
import { unfitness } from '../shell/read-input.ts';
import { refusal } from './run-module.ts';

/** Prints an answer as one line of JSON. An answer that is nested too deeply is replaced by one that says so. */
export function printAnswer(answer: object): void {
  const id = 'id' in answer ? answer.id : undefined;
  process.stdout.write(`${lineOf(answer) ?? lineOf(tooDeep(id)) ?? lineOf(tooDeep(null))}\n`);
}

function lineOf(answer: object): string | undefined {
  try {
    return jsonForTerminal(answer);
  } catch {
    return undefined;
  }
}

function tooDeep(id: unknown): object {
  return {
    ...(id === undefined ? {} : { id }),
    ...refusal('Cannot write answer: a value in it is nested too deeply, wanted one that JSON.stringify can write'),
  };
}

/** Reads a line from a program: a JSON object with an optional id. Returns the fault if it cannot be used. */
export function readObject(line: string): { id: Json; message: JsonObject } | { id: Json; fault: string } {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    value = undefined;
  }
  if (!isObject(value)) return { id: null, fault: 'Cannot read line: no JSON object, wanted one' };
  const { id = null } = value;
  const unfit = unfitness(line);
  if (unfit === undefined) return { id, message: value };
  return {
    // An unreadable answer to a call must not end the run that made the call.
    id: typeof id === 'object' || value.call !== undefined ? null : id,
    fault: `Cannot read line: ${unfit}`,
  };
}

/** The answer when the platform failed, not the handler. */
export function platformAnswer(error: unknown): object {
  return {
    end: null,
    error: {
      code: codeOf(error) ?? 'DEFECT_UNEXPECTED',
      message: error instanceof Error ? error.message : String(error),
    },
  };
}
