import type { Answer, Call, LoadedHandler, Run, RunReport } from '../../sandbox/contract.ts';
import type { Tool } from '../contract/job.ts';
import type { Observation, ObservedCall, Scenario, SchemaIssue, Trier } from '../contract/trial.ts';
import { canonicalJson } from '../kernel/digest.ts';
import type { Json } from '../kernel/json.ts';
import type { SourcePosition } from './source-position.ts';
import { invalidFailure, type Surface } from './surface.ts';
import { ToolScript } from './tool-script.ts';

/**
 * Runs scenarios of one loaded candidate under its host: tools answered from the scenario's examples, everything that crosses
 * validated in both directions.
 */
export function createTrier(
  handler: LoadedHandler,
  surface: Surface,
  locate: (position: RunReport['position']) => SourcePosition | undefined,
): Trier {
  return {
    async try(scenarios, signal) {
      const scripts = new Map<readonly Tool[], ToolScript>();
      const trials = scenarios.map((scenario) => {
        const script = scripts.get(scenario.tools) ?? new ToolScript(scenario.tools, surface);
        scripts.set(scenario.tools, script);
        return new ScenarioRun(scenario, script, surface);
      });
      const byRun = new Map(trials.map((trial) => [trial.run, trial]));
      const reports = await handler.runAll(
        trials.map((trial) => trial.run),
        async (call, _signal, run) => (byRun.get(run) as ScenarioRun).answer(call),
        signal,
      );
      return trials.map((trial, index) => trial.observe(reports[index] as RunReport, locate));
    },
  };
}

/** One scenario on its way through the sandbox: answers its calls, then tells what was seen. */
class ScenarioRun {
  readonly run: Run;
  readonly #scenario: Scenario;
  readonly #script: ToolScript;
  readonly #surface: Surface;
  readonly #counts = new Map<string | null, number>();
  readonly #sent: Json[] = [];

  constructor(scenario: Scenario, script: ToolScript, surface: Surface) {
    this.#scenario = scenario;
    this.#script = script;
    this.#surface = surface;
    const faulty = new Set(scenario.faults?.map((fault) => fault.tool));
    this.run = {
      input: JSON.stringify(scenario.input),
      seed: scenario.seed,
      nowMs: scenario.nowMs,
      tools: surface.toolNames,
      send: surface.role === 'requester',
      answers:
        faulty.size === 0
          ? script.prepared
          : Object.fromEntries(Object.entries(script.prepared).filter(([name]) => !faulty.has(name))),
    };
  }

  async answer(call: Call): Promise<Answer> {
    const nth = (this.#counts.get(call.tool) ?? 0) + 1;
    this.#counts.set(call.tool, nth);
    const input = JSON.parse(call.input) as Json;
    if (call.tool === null) return this.#send(input, nth);
    const fault = this.#scenario.faults?.find(
      ({ tool, nth: at }) => tool === call.tool && (at === undefined || at === nth),
    );
    return fault ? { error: fault.error } : this.#script.answer(call.tool, input);
  }

  async #send(request: Json, nth: number): Promise<Answer> {
    const requestIssues = this.#surface.requestIssues(request);
    if (requestIssues.length > 0) return { error: invalidFailure('the request', requestIssues) };
    const answering = this.#scenario.peer?.(request, nth, this.#sent);
    this.#sent.push(request);
    const answer = (await answering) ?? {
      error: { code: 'FAILED', message: 'the peer cannot be reached' },
    };
    if ('error' in answer) return answer;
    const responseIssues = this.#surface.responseIssues(answer.response);
    return responseIssues.length > 0
      ? { error: invalidFailure("the peer's response", responseIssues) }
      : { output: JSON.stringify(answer.response) };
  }

  observe(report: RunReport, locate: (position: RunReport['position']) => SourcePosition | undefined): Observation {
    const value = report.value === undefined ? undefined : (JSON.parse(report.value) as Json);
    const position = locate(report.position);
    const calls: ObservedCall[] = [];
    const sends: Observation['sends'] = [];
    for (const { tool, input: inputText, answer } of report.calls) {
      const input = JSON.parse(inputText) as Json;
      const answered =
        answer && ('error' in answer ? { error: answer.error } : { output: JSON.parse(answer.output) as Json });
      if (tool === null) {
        sends.push({
          request: input,
          issues: this.#surface.requestIssues(input),
          ...(answered && ('error' in answered ? { error: answered.error } : { response: answered.output })),
        });
      } else {
        calls.push({
          tool,
          input,
          ...answered,
          ...(answered && 'error' in answered && answered.error.code === 'INVALID' ? this.#invalid(tool, input) : {}),
        });
      }
    }
    return {
      end: report.end,
      issues: value === undefined ? [] : this.#surface.resultIssues(value),
      logs: report.logs,
      calls,
      sends,
      issuedIds: report.issuedIds,
      durationMs: report.durationMs,
      cpuMs: report.cpuMs,
      ...(value === undefined ? {} : { value }),
      ...(report.message === undefined ? {} : { message: report.message }),
      ...(position === undefined ? {} : { position }),
    };
  }

  #invalid(tool: string, input: Json): { invalid: 'input' | 'output'; issues: SchemaIssue[] } | Record<string, never> {
    const inputIssues = this.#surface.toolInputIssues(tool, input);
    if (inputIssues.length > 0) return { invalid: 'input', issues: inputIssues };
    const key = canonicalJson(input);
    const example = this.#scenario.tools.find(({ name }) => name === tool);
    const given = example?.examples?.find((one) => canonicalJson(one.input) === key) ?? example?.otherwise;
    return given && 'output' in given
      ? { invalid: 'output', issues: this.#surface.toolOutputIssues(tool, given.output) }
      : {};
  }
}
