import type { Answer, Call, LoadedHandler, Run, RunReport } from '../../sandbox/contract.ts';
import type { Tool } from '../contract/job.ts';
import type { Observation, ObservedCall, Scenario, SchemaIssue, Script, Trier } from '../contract/trial.ts';
import { canonicalJson } from '../kernel/digest.ts';
import { drawn, drawnOf } from '../kernel/drawn.ts';
import { type Json, weightOf } from '../kernel/json.ts';
import { takingTurns } from '../kernel/taking-turns.ts';
import { OutputBudget } from './output-budget.ts';
import type { SourcePosition } from './source-position.ts';
import { invalidFailure, type Surface } from './surface.ts';
import { ToolScript, withMessage } from './tool-script.ts';

/** How many runs are made before their output is counted: as many as the sandbox makes at once. */
const runsTogether = 100;

/**
 * Runs scenarios on one loaded candidate under a host: tools answer from the examples of the scenario, and every value
 * that crosses is validated in both directions. Whatever could show a handler that it is in a trial is drawn from the
 * trial's seed: random numbers, clock, how long answers take, and the messages of failures. Once its runs output far
 * more than the first ones, which are those of the cases, further runs are `refused`.
 */
export function createTrier(
  handler: LoadedHandler,
  surface: Surface,
  locate: (position: RunReport['position']) => SourcePosition | undefined,
  seed: string,
): Trier {
  const budget = new OutputBudget();
  const clocks = drawnClocks(seed);
  return {
    async try(scenarios, signal) {
      const scripts = new Map<readonly Tool[], ToolScript>();
      const trials = scenarios.map((scenario) => {
        const script = scripts.get(scenario.tools) ?? new ToolScript(scenario.tools, surface, seed);
        scripts.set(scenario.tools, script);
        return new ScenarioRun(scenario, script, surface, seed, drawnOf(clocks, seed, `clock of ${scenario.seed}`));
      });
      const byRun = new Map(trials.map((trial) => [trial.run, trial]));
      const yieldTurn = takingTurns(signal);
      const observations: Observation[] = [];
      for (let at = 0; at < trials.length; at += runsTogether) {
        const together = trials.slice(at, at + runsTogether);
        const reports = budget.isUsedUp
          ? []
          : await handler.runAll(
              together.map((trial) => trial.run),
              async (call, _signal, run) => (byRun.get(run) as ScenarioRun).answer(call),
              signal,
            );
        for (const [index, trial] of together.entries()) {
          const report = reports[index];
          if (report && !budget.isUsedUp) budget.count(report, trial.weight);
          observations.push(report && !budget.isUsedUp ? trial.observe(report, locate) : refusedObservation());
          await yieldTurn();
        }
      }
      budget.endCases();
      return observations;
    },
  };
}

/**
 * How long after the time of its scenario a run may begin: too short for anything to expire, and long enough for every
 * second and millisecond.
 */
const spreadMs = 50_000;

/**
 * How many different clocks there are. Runs of one clock are made in one step, and a step for each run would cost more
 * than the run.
 */
const clocks = 6;

/** How many different answer times a clock has. */
const ticks = 8;

/** The shortest and the longest time of an answer, in milliseconds. Most are short, as of a tool nearby. */
const [minTickMs, maxTickMs] = [1, 200];

/** How a run's clock differs from its scenario's. */
interface Clock {
  aheadMs: number;
  ticksMs: readonly number[];
}

function drawnClocks(seed: string): Clock[] {
  const tickMs = (name: string) => Math.floor(minTickMs * (maxTickMs / minTickMs) ** drawn(seed, name));
  return Array.from({ length: clocks }, (_, clock) => ({
    aheadMs: Math.floor(spreadMs * drawn(seed, `clock ${clock}`)),
    ticksMs: Array.from({ length: ticks }, (_, nth) => tickMs(`clock ${clock} tick ${nth}`)),
  }));
}

/** The observation of a run that was not made, or not read, because the runs before output too much. */
function refusedObservation(): Observation {
  return {
    end: 'refused',
    message: 'its runs return far more data than the cases, or ask their tools for far more: too much to read',
    issues: [],
    logs: [],
    calls: [],
    sends: [],
    order: [],
    issuedIds: [],
    durationMs: 0,
    cpuMs: 0,
  };
}

/** One scenario in the sandbox: answers its calls, then gives the observation. */
class ScenarioRun {
  readonly run: Run;
  readonly #scenario: Scenario;
  readonly #script: ToolScript;
  readonly #surface: Surface;
  readonly #seed: string;
  /** Requests that nobody could answer, by their index among the requests sent. */
  readonly #unanswered = new Set<number>();
  readonly #asked = new Map<string | null, Json[]>();

  constructor(scenario: Scenario, script: ToolScript, surface: Surface, seed: string, clock: Clock) {
    this.#scenario = scenario;
    this.#script = script;
    this.#surface = surface;
    this.#seed = seed;
    this.run = {
      input: JSON.stringify(scenario.input),
      seed: `${seed} ${scenario.seed}`,
      nowMs: scenario.nowMs + clock.aheadMs,
      ticksMs: clock.ticksMs,
      tools: surface.toolNames,
      send: surface.role === 'requester',
    };
  }

  async answer(call: Call): Promise<Answer> {
    const input = JSON.parse(call.input) as Json;
    const before = this.#asked.get(call.tool) ?? [];
    this.#asked.set(call.tool, before);
    const answering = call.tool === null ? this.#send(input, before) : this.#ask(call.tool, input, before);
    before.push(input);
    return answering;
  }

  #ask(name: string, input: Json, before: readonly Json[]): Answer {
    const fault = this.#scenario.faults?.find(
      ({ tool, nth }) => tool === name && (nth === undefined || nth === before.length + 1),
    );
    return fault
      ? { error: withMessage(fault.error, name, this.#seed) }
      : this.#script.answer(name, input, this.#scriptOf(name)?.(input, before));
  }

  #scriptOf(tool: string): Script | undefined {
    const { scripts } = this.#scenario;
    return scripts && Object.hasOwn(scripts, tool) ? scripts[tool] : undefined;
  }

  async #send(request: Json, before: readonly Json[]): Promise<Answer> {
    const index = before.length;
    const requestIssues = this.#surface.requestIssues(request);
    if (requestIssues.length > 0) return { error: invalidFailure('the request', requestIssues) };
    const answer = (await this.#scenario.peer?.(request, before.length + 1, before)) ?? {
      error: { code: 'FAILED', message: '' },
    };
    if ('error' in answer) {
      if (answer.unanswered) this.#unanswered.add(index);
      return { error: withMessage(answer.error, null, this.#seed) };
    }
    const responseIssues = this.#surface.responseIssues(answer.response, request);
    return responseIssues.length > 0
      ? { error: invalidFailure("the peer's response", responseIssues) }
      : { output: JSON.stringify(answer.response) };
  }

  /** The weight of its input and of all that its tools can answer. */
  get weight(): number {
    return weightOf(this.run.input) + this.#script.weight;
  }

  observe(report: RunReport, locate: (position: RunReport['position']) => SourcePosition | undefined): Observation {
    const value = report.value === undefined ? undefined : (JSON.parse(report.value) as Json);
    const position = locate(report.position);
    const calls: ObservedCall[] = [];
    const asked = new Map<string, Json[]>();
    const sends: Observation['sends'] = [];
    for (const { tool, input: inputText, answer } of report.calls) {
      const input = JSON.parse(inputText) as Json;
      const answered =
        answer && ('error' in answer ? { error: answer.error } : { output: JSON.parse(answer.output) as Json });
      if (tool === null) {
        sends.push({
          request: input,
          issues: this.#surface.requestIssues(input),
          ...(this.#unanswered.has(sends.length) ? { unanswered: true as const } : {}),
          ...(answered && ('error' in answered ? { error: answered.error } : { response: answered.output })),
        });
      } else {
        const failure = answered && 'error' in answered ? answered.error.code : undefined;
        const before = asked.get(tool) ?? [];
        calls.push({
          tool,
          input,
          ...answered,
          ...(failure === 'INVALID' ? this.#invalid(tool, input, before) : {}),
          ...(failure === 'FAILED' && this.#isUnanswered(tool, input, before) ? { unanswered: true as const } : {}),
        });
        asked.set(tool, before);
        before.push(input);
      }
    }
    return {
      end: report.end,
      issues: value === undefined ? [] : this.#surface.resultIssues(value, this.#scenario.input),
      logs: report.logs,
      calls,
      sends,
      order: report.calls.map(({ tool }) => tool),
      issuedIds: report.issuedIds,
      durationMs: report.durationMs,
      cpuMs: report.cpuMs,
      ...(value === undefined ? {} : { value }),
      ...(report.message === undefined ? {} : { message: report.message }),
      ...(position === undefined ? {} : { position }),
    };
  }

  #isUnanswered(tool: string, input: Json, before: readonly Json[]): boolean {
    if (this.#scenario.faults?.some((fault) => fault.tool === tool) === true) return false;
    return this.#scriptOf(tool)?.(input, before) === undefined && !this.#script.knows(tool, input);
  }

  #invalid(
    tool: string,
    input: Json,
    before: readonly Json[],
  ): { invalid: 'input' | 'output'; issues: SchemaIssue[] } | Record<string, never> {
    const inputIssues = this.#surface.toolInputIssues(tool, input);
    if (inputIssues.length > 0) return { invalid: 'input', issues: inputIssues };
    const key = canonicalJson(input);
    const example = this.#scenario.tools.find(({ name }) => name === tool);
    const wanted =
      this.#scriptOf(tool)?.(input, before) ??
      example?.examples?.find((one) => canonicalJson(one.input) === key) ??
      example?.otherwise;
    return wanted && 'output' in wanted
      ? { invalid: 'output', issues: this.#surface.toolOutputIssues(tool, wanted.output) }
      : {};
  }
}
