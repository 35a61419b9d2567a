import type { Answer, HandlerFailure } from '../../sandbox/contract.ts';
import type { Tool, ToolAnswer } from '../contract/job.ts';
import { canonicalJson } from '../kernel/digest.ts';
import { drawnText } from '../kernel/drawn.ts';
import { isObject, type Json, weightOf } from '../kernel/json.ts';
import { invalidFailure, type Surface } from './surface.ts';

/**
 * Answers the calls of a trial: with the example whose input equals that of the call as a JSON value, else with
 * `otherwise`, else with a failure.
 */
export class ToolScript {
  /** Tool → canonical JSON of the input → answer, for all inputs of the examples. */
  readonly prepared: Readonly<Record<string, Readonly<Record<string, Answer>>>>;
  /** The weight of all examples and other answers together. */
  readonly weight: number;
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #surface: Surface;
  readonly #seed: string | undefined;

  /** With the seed of a trial, failures without a message get one drawn from the seed. */
  constructor(tools: readonly Tool[], surface: Surface, seed?: string) {
    this.#surface = surface;
    this.#seed = seed;
    this.weight = weightOf(JSON.stringify(tools.map(({ examples, otherwise }) => [examples, otherwise])));
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.prepared = Object.fromEntries(
      tools.map((tool) => [
        tool.name,
        // Of two examples with the same input the first counts, as for a reader of the list.
        Object.fromEntries(
          [...(tool.examples ?? [])]
            .reverse()
            .map((example) => [canonicalJson(example.input), this.#answer(tool, example.input, example)]),
        ),
      ]),
    );
  }

  /** The answer to one call; a `scripted` answer replaces the examples. */
  answer(name: string, input: Json, scripted?: ToolAnswer): Answer {
    const tool = this.#tools.get(name);
    if (!tool) return { error: { code: 'FAILED', message: `there is no tool "${name}"` } };
    if (scripted) {
      const answer = this.#answer(tool, input, scripted);
      return 'error' in answer ? { error: withMessage(answer.error, name, this.#seed) } : answer;
    }
    const prepared = this.prepared[name];
    const key = canonicalJson(input);
    if (prepared && Object.hasOwn(prepared, key)) return prepared[key] as Answer;
    return this.#answer(tool, input, tool.otherwise);
  }

  /** Whether the job says how a tool answers this input. */
  knows(name: string, input: Json): boolean {
    const prepared = this.prepared[name];
    return this.#tools.get(name)?.otherwise !== undefined || Object.hasOwn(prepared ?? {}, canonicalJson(input));
  }

  #answer(tool: Tool, input: Json, wanted: Tool['otherwise']): Answer {
    const refusal = this.#surface.refusalOf(tool.name);
    if (refusal) return { error: refusal };
    const inputIssues = this.#surface.toolInputIssues(tool.name, input);
    if (inputIssues.length > 0) return { error: invalidFailure(`the input of ${tool.name}`, inputIssues) };
    if (!wanted) {
      const message = this.#seed === undefined ? `${tool.name} has no answer to this input` : '';
      return { error: withMessage({ code: 'FAILED', message }, tool.name, this.#seed) };
    }
    if ('error' in wanted) return { error: failureOf(wanted.error) };
    const outputIssues = this.#surface.toolOutputIssues(tool.name, wanted.output);
    if (outputIssues.length > 0) return { error: invalidFailure(`the output of ${tool.name}`, outputIssues) };
    return { output: JSON.stringify(wanted.output) };
  }
}

/**
 * A failure with a message. If it has none, a timeout gets the message of live use, and any other failure one drawn
 * from the seed of the trial, so that no handler can know it.
 */
export function withMessage(failure: HandlerFailure, tool: string | null, seed = ''): HandlerFailure {
  const { code, message } = failure;
  if (message !== '') return failure;
  return code === 'TIMEOUT' ? lateFailure(tool) : { code, message: drawnText(seed, `failure of ${tool}`) };
}

/** The failure that a handler gets if a tool, or the peer (`null`), does not answer in time. */
export function lateFailure(tool: string | null): HandlerFailure {
  return { code: 'TIMEOUT', message: `${tool ?? 'the peer'} did not answer in time` };
}

/**
 * The failure that a handler gets if a tool answers with an error: with the error's own code if that is one of the
 * three, else `FAILED`.
 */
export function failureOf(error: Json): HandlerFailure {
  if (isObject(error)) {
    const { code, message } = error;
    return {
      code: code === 'TIMEOUT' || code === 'INVALID' ? code : 'FAILED',
      message: typeof message === 'string' ? message : JSON.stringify(error),
    };
  }
  return { code: 'FAILED', message: typeof error === 'string' ? error : JSON.stringify(error) };
}
