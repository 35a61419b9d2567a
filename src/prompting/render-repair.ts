import type { End } from '../../sandbox/contract.ts';
import type { Prompt } from '../contract/completion.ts';
import type { Role } from '../contract/job.ts';
import type { Difference } from '../contract/outcome.ts';
import type { Observation, ObservedCall } from '../contract/trial.ts';
import type { Json } from '../kernel/json.ts';
import { cut } from './cut.ts';
import { dataBlock } from './data-block.ts';
import { closing } from './render-prompt.ts';
import { visibleJson, visibleText } from './visible-text.ts';

/** A fault with its place in the module: line and column from 1. */
export interface SourceFault {
  message: string;
  line?: number | undefined;
  column?: number | undefined;
}

/** What was observed in a run of a failed case. */
export interface RepairCase {
  testCase: number;
  /** The request (provider) or the task's input (requester). */
  input: Json;
  /** The response (provider) or task output (requester) that the case expects. */
  expected: Json;
  /** The returned value; absent unless the run returned. */
  got?: Json | undefined;
  differences: readonly Difference[];
  end: End;
  /** The error message, or why the run ended. */
  message?: string | undefined;
  position?: Observation['position'] | undefined;
  calls: readonly Pick<ObservedCall, 'tool' | 'input' | 'output' | 'error' | 'invalid' | 'unanswered'>[];
  sends?: readonly Pick<Observation['sends'][number], 'request' | 'response' | 'error'>[] | undefined;
}

/** The findings of a failed check: our sentences and data of the runs. */
export interface RepairCheck {
  name: string;
  facts: readonly string[];
}

/** Observed facts about a candidate, without guesses about the cause. */
export interface RepairFacts {
  typeFaults?: readonly SourceFault[] | undefined;
  bundleFaults?: readonly SourceFault[] | undefined;
  /** The failed cases. */
  cases?: readonly RepairCase[] | undefined;
  checks?: readonly RepairCheck[] | undefined;
  /** Failed derived cases. */
  derived?: readonly RepairDerived[] | undefined;
}

/** A derived case that the module failed. */
export interface RepairDerived {
  /** The sentences that demand it. */
  quote: string;
  claim: string;
  /** The request (provider) or the task's input (requester). */
  input: Json;
  /** The answers of tools and peer that differ from the examples. */
  tools?: Json | undefined;
  peer?: Json | undefined;
  /** What was found and what was expected. */
  found: readonly string[];
  position?: Observation['position'] | undefined;
}

const MAX_FAULTS = 12;
const MAX_CASES = 6;
const MAX_CHECKS = 8;
const MAX_FACTS = 6;
const MAX_CALLS = 8;
const MAX_DERIVED = 8;
const MAX_DIFFERENCES = 12;
const MAX_VALUE_CHARACTERS = 2_000;
const MAX_LINE_CHARACTERS = 600;
const MAX_TOTAL_CHARACTERS = 24_000;
const MAX_RETRY_CHARACTERS = 8_000;

/** The heading of the facts; no other line in our prompts starts with it. */
export const REPAIR_HEADING = '# What happened when your module was run';

/**
 * Builds a repair prompt: the first prompt, the candidate as the model's answer, and what happened with it. The facts
 * are cut to about 24,000 characters. Pure.
 */
export function renderRepair(prompt: Prompt, role: Role, source: string, facts: RepairFacts): Prompt {
  const texts = factTexts(source, facts);
  const [first] = prompt.turns;
  return {
    system: prompt.system,
    turns: [
      ...(first === undefined ? [] : [first]),
      { role: 'assistant', text: fenced(source) },
      {
        role: 'user',
        text: `${REPAIR_HEADING}\n\n${dataBlock('FACTS', cut(texts.join('\n\n'), MAX_TOTAL_CHARACTERS))}\n\n# Now\n\nCorrect the cause, for all data of that kind and not only for the data shown, and keep what worked. ${closing(role)}\n`,
      },
    ],
  };
}

/** A failed answer that is not shown again. */
export interface EarlierAnswer {
  /** What was observed when its module ran; `null` if there was no module. */
  message: string;
  /** What its module was seen to do, if there was one. */
  facts: RepairFacts | null;
}

/**
 * Builds a prompt for asking the same question again, with the failures of earlier answers. Without these, a
 * deterministic model would repeat its answer. `failures` counts the failed answers of all lanes. The facts are cut to
 * about 8,000 characters. Pure.
 */
export function renderRetry(question: Prompt, role: Role, earlier: readonly EarlierAnswer[], failures: number): Prompt {
  const texts = earlier.map(({ message, facts }) =>
    [cut(visibleText(message), MAX_LINE_CHARACTERS), ...factTexts('', facts ?? {})].join('\n\n'),
  );
  const told = dataBlock('FACTS', cut(texts.join('\n\n'), MAX_RETRY_CHARACTERS));
  const more = `# What became of earlier answers\n\n${failures === 1 ? 'One answer has' : `${failures} answers have`} failed up to now. They are not shown here; this is what was wrong:\n\n${told}\n\n# Now\n\nAnswer without these faults. ${closing(role)}\n`;
  const last = question.turns.length - 1;
  return {
    system: question.system,
    turns: question.turns.map((turn, at) => (at === last ? { ...turn, text: `${turn.text}\n${more}` } : turn)),
  };
}

function factTexts(source: string, facts: RepairFacts): string[] {
  return [
    ...faultTexts('The type-check refused it', source, facts.typeFaults),
    ...faultTexts('It could not be bundled', source, facts.bundleFaults),
    ...caseTexts(facts.cases ?? []),
    ...checkTexts(facts.checks ?? []),
    ...derivedTexts(facts.derived ?? []),
  ];
}

/** A module in a fence longer than any run of backticks in it. */
function fenced(source: string): string {
  let longest = 2;
  for (const [run] of source.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}ts\n${source.trimEnd()}\n${fence}`;
}

function faultTexts(title: string, source: string, faults: readonly SourceFault[] | undefined): string[] {
  if (faults === undefined || faults.length === 0) return [];
  const lines = source.split('\n');
  const texts = faults.slice(0, MAX_FAULTS).map(({ message, line, column }) => {
    const said = cut(visibleText(message), MAX_LINE_CHARACTERS);
    if (line === undefined) return `- ${said}`;
    const text = cut(visibleText(lines[line - 1] ?? ''), MAX_LINE_CHARACTERS).trim();
    return `- line ${line}${column === undefined ? '' : `, column ${column}`}: ${said}${text === '' ? '' : `\n  in: ${text}`}`;
  });
  return [[`${title}:`, ...texts, ...omitted(faults.length - MAX_FAULTS)].join('\n')];
}

function caseTexts(cases: readonly RepairCase[]): string[] {
  return [
    ...cases
      .slice(0, MAX_CASES)
      .map((one) =>
        [
          `Test case ${one.testCase} failed.`,
          `input: ${value(one.input)}`,
          `expected: ${value(one.expected)}`,
          one.got === undefined ? `got: nothing, the run ${endWords[one.end]}` : `got: ${value(one.got)}`,
          ...(one.message === undefined ? [] : [`message: ${cut(visibleText(one.message), MAX_LINE_CHARACTERS)}`]),
          ...(one.position === undefined
            ? []
            : [
                `at line ${one.position.line}, column ${one.position.column}: ${cut(visibleText(one.position.text), MAX_LINE_CHARACTERS).trim()}`,
              ]),
          ...one.differences.slice(0, MAX_DIFFERENCES).map(differenceText),
          ...omitted(one.differences.length - MAX_DIFFERENCES),
          ...one.calls.slice(0, MAX_CALLS).map(callText),
          ...omitted(one.calls.length - MAX_CALLS),
          ...(one.sends ?? [])
            .slice(0, MAX_CALLS)
            .map((send) => `sent: ${value(send.request)} → ${answer(send.response, send.error)}`),
        ].join('\n'),
      ),
    ...omitted(cases.length - MAX_CASES),
  ];
}

const endWords: Record<End, string> = {
  returned: 'returned',
  threw: 'threw',
  'timed-out': 'took too long and was ended',
  'out-of-memory': 'used too much memory and was ended',
  killed: 'was ended',
  refused: 'was refused',
};

function differenceText({ path, expected, got, in: where, message }: Difference): string {
  const place = `${where === undefined ? '' : `${where} `}${path === '' ? 'as a whole' : `at ${visibleJson(path, 0)}`}`;
  const values = [
    ...(expected === undefined ? [] : [`expected ${value(expected)}`]),
    ...(got === undefined ? [] : [`got ${value(got)}`]),
  ];
  return `difference ${place}: ${[...values, ...(message === undefined ? [] : [cut(visibleText(message), MAX_LINE_CHARACTERS)])].join(', ')}`;
}

function callText({ tool, input, output, error, invalid, unanswered }: RepairCase['calls'][number]): string {
  if (unanswered)
    return `called ${visibleText(tool)}(${value(input)}) → rejected with FAILED: it has no answer to this input`;
  const note = invalid === undefined ? '' : ` (the ${invalid} breaks the tool's schema)`;
  return `called ${visibleText(tool)}(${value(input)}) → ${answer(output, error)}${note}`;
}

function answer(output: Json | undefined, error: { code: string; message: string } | undefined): string {
  if (error !== undefined)
    return `rejected with ${error.code}: ${cut(visibleText(error.message), MAX_LINE_CHARACTERS)}`;
  return output === undefined ? 'no answer' : value(output);
}

function checkTexts(checks: readonly RepairCheck[]): string[] {
  return [
    ...checks
      .slice(0, MAX_CHECKS)
      .map(({ name, facts }) =>
        [
          `The check "${visibleText(name)}" failed:`,
          ...facts.slice(0, MAX_FACTS).map((fact) => `- ${cut(visibleText(fact), MAX_VALUE_CHARACTERS)}`),
          ...omitted(facts.length - MAX_FACTS),
        ].join('\n'),
      ),
    ...omitted(checks.length - MAX_CHECKS),
  ];
}

/** Every other case is shown only by its sentence; a module that saw all worlds could contain a table of them. */
function derivedTexts(derived: readonly RepairDerived[]): string[] {
  if (derived.length === 0) return [];
  const texts = derived
    .slice(0, MAX_DERIVED)
    .map((one, index) =>
      [
        `The agreement says: ${cut(visibleText(one.quote), MAX_VALUE_CHARACTERS)}`,
        `So: ${cut(visibleText(one.claim), MAX_LINE_CHARACTERS)}`,
        ...(index % 2 === 0 ? ['Your module does otherwise in a world of that kind.'] : worldTexts(one)),
      ].join('\n'),
    );
  return [
    'Cases that the agreement demands and no test case shows:',
    ...texts,
    ...omitted(derived.length - MAX_DERIVED),
  ];
}

function worldTexts({ input, tools, peer, found, position }: RepairDerived): string[] {
  return [
    `input: ${value(input)}`,
    ...(tools === undefined ? [] : [`tools answered: ${value(tools)}`]),
    ...(peer === undefined ? [] : [`the peer answered: ${value(peer)}`]),
    ...found.map((one) => `- ${cut(visibleText(one), MAX_LINE_CHARACTERS)}`),
    ...(position === undefined
      ? []
      : [`at line ${position.line}: ${cut(visibleText(position.text), MAX_LINE_CHARACTERS)}`]),
  ];
}

function omitted(count: number): string[] {
  return count > 0 ? [`(${count} more)`] : [];
}

function value(json: Json): string {
  return cut(visibleJson(json, 0), MAX_VALUE_CHARACTERS);
}
