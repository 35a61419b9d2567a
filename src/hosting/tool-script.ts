import type { Answer, HandlerFailure } from '../../sandbox/contract.ts';
import type { Tool, ToolAnswer } from '../contract/job.ts';
import { canonicalJson } from '../kernel/digest.ts';
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

  constructor(tools: readonly Tool[], surface: Surface) {
    this.#surface = surface;
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
    if (given) return this.#answer(tool, input, given);
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
    if (!given) return { error: { code: 'FAILED', message: `${tool.name} has no answer to this input` } };
    if ('error' in given) return { error: failureOf(given.error) };
    const outputIssues = this.#surface.toolOutputIssues(tool.name, given.output);
    if (outputIssues.length > 0) return { error: invalidFailure(`the output of ${tool.name}`, outputIssues) };
    return { output: JSON.stringify(given.output) };
  }
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
