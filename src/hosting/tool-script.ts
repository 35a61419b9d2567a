import type { Answer, HandlerFailure } from '../../sandbox/contract.ts';
import type { Tool, ToolAnswer } from '../contract/job.ts';
import { canonicalJson } from '../kernel/digest.ts';
import { drawnText } from '../kernel/drawn.ts';
import { isObject, type Json, weightOf } from '../kernel/json.ts';
import { invalidFailure, type Surface } from './surface.ts';

/** How the tools of a trial answer: by the example whose input equals the call's as a JSON value, else `otherwise`, else the call fails. */
export class ToolScript {
  /** Tool → canonical JSON of the input → answer, for all inputs that stand in the examples. */
  readonly prepared: Readonly<Record<string, Readonly<Record<string, Answer>>>>;
  /** How much all examples and other answers are together. */
  readonly weight: number;
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #surface: Surface;
  readonly #seed: string | undefined;

  /** With the seed of a trial, failures that nobody gave words are told in words of the trial's own. */
  constructor(tools: readonly Tool[], surface: Surface, seed?: string) {
    this.#surface = surface;
    this.#seed = seed;
    this.weight = weightOf(JSON.stringify(tools.map(({ examples, otherwise }) => [examples, otherwise])));
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.prepared = Object.fromEntries(
      tools.map((tool) => [
        tool.name,
        // The first of two examples with one input counts, as it does for a reader of the list.
        Object.fromEntries(
          [...(tool.examples ?? [])]
            .reverse()
            .map((example) => [canonicalJson(example.input), this.#answer(tool, example.input, example)]),
        ),
      ]),
    );
  }

  /** The answer to one call; a `given` one counts in place of the examples. */
  answer(name: string, input: Json, given?: ToolAnswer): Answer {
    const tool = this.#tools.get(name);
    if (!tool) return { error: { code: 'FAILED', message: `there is no tool "${name}"` } };
    if (given) {
      const answer = this.#answer(tool, input, given);
      return 'error' in answer ? { error: withWords(answer.error, name, this.#seed) } : answer;
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

  #answer(tool: Tool, input: Json, given: Tool['otherwise']): Answer {
    const refusal = this.#surface.refusalOf(tool.name);
    if (refusal) return { error: refusal };
    const inputIssues = this.#surface.toolInputIssues(tool.name, input);
    if (inputIssues.length > 0) return { error: invalidFailure(`the input of ${tool.name}`, inputIssues) };
    if (!given) {
      const message = this.#seed === undefined ? `${tool.name} has no answer to this input` : '';
      return { error: withWords({ code: 'FAILED', message }, tool.name, this.#seed) };
    }
    if ('error' in given) return { error: failureOf(given.error) };
    const outputIssues = this.#surface.toolOutputIssues(tool.name, given.output);
    if (outputIssues.length > 0) return { error: invalidFailure(`the output of ${tool.name}`, outputIssues) };
    return { output: JSON.stringify(given.output) };
  }
}

/**
 * A failure with words: one that has none is given those of live use where it was late, and else some that nobody can know who has not seen the
 * trial's seed.
 */
export function withWords(failure: HandlerFailure, tool: string | null, seed = ''): HandlerFailure {
  const { code, message } = failure;
  if (message !== '') return failure;
  return code === 'TIMEOUT' ? lateFailure(tool) : { code, message: drawnText(seed, `failure of ${tool}`) };
}

/** What a handler meets when a tool or the peer, which is `null`, does not answer in time. */
export function lateFailure(tool: string | null): HandlerFailure {
  return { code: 'TIMEOUT', message: `${tool ?? 'the peer'} did not answer in time` };
}

/** What a handler meets when a tool answers with an error: the error's own code where it is one of the three, else `FAILED`. */
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
