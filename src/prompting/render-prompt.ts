import type { Agreement, Case } from '../contract/agreement.ts';
import type { Prompt } from '../contract/completion.ts';
import type { Amendment } from '../contract/finding.ts';
import type { Loose, Role, Task, Tool } from '../contract/job.ts';
import { cut } from './cut.ts';
import { dataBlock } from './data-block.ts';
import { SYSTEM_PROMPT } from './system-prompt.ts';
import { visibleJson, visibleSource, visibleText } from './visible-text.ts';

/** The facts for a prompt. */
export interface PromptFacts {
  role: Role;
  agreement: Pick<Agreement, 'text' | 'payload'>;
  /** The text of `./types`. */
  types: string;
  cases: readonly Pick<Case, 'testCase' | 'request' | 'response' | 'expected' | 'negative'>[];
  tools: readonly Tool[];
  task?: Task | undefined;
  loose: readonly Loose[];
  /** Schema changes in force that the document does not contain. */
  amendments: readonly Amendment[];
  /** Texts of the base protocols, by URI. */
  baseProtocols?: Readonly<Record<string, { content: string }>>;
}

const MAX_DESCRIPTION_CHARACTERS = 2_000;
const MAX_EXAMPLES = 8;
const MAX_EXAMPLE_CHARACTERS = 2_000;
const MAX_CASE_CHARACTERS = 60_000;

/** Builds the first prompt for an agreement. Pure and deterministic. */
export function renderPrompt(facts: PromptFacts): Prompt {
  const sections = [
    `Role: ${facts.role}. Payload: ${facts.agreement.payload}.`,
    `# The agreement\n\n${dataBlock('AGREEMENT', visibleText(facts.agreement.text))}`,
    ...baseSections(facts),
    ...amendmentSections(facts),
    `# ./types\n\n${dataBlock('TYPES', visibleSource(facts.types.trim()))}`,
    ...toolSections(facts),
    ...taskSections(facts),
    ...caseSections(facts),
    ...looseSections(facts),
    `# Now\n\n${closing(facts.role)}`,
  ];
  return { system: SYSTEM_PROMPT, turns: [{ role: 'user', text: `${sections.join('\n\n')}\n` }] };
}

/** The final instruction; models follow the last words best. */
export function closing(role: Role): string {
  const signature =
    role === 'provider'
      ? 'export async function handle(request: Request, context: Context): Promise<Response>'
      : 'export async function perform(task: Task, context: Context): Promise<Result>';
  return `Write the module with \`${signature}\` as one fenced ts block, or one fenced json block that declines. Nothing after the block.`;
}

function baseSections({ baseProtocols }: PromptFacts): string[] {
  return Object.entries(baseProtocols ?? {}).map(
    ([uri, { content }]) =>
      `# A protocol that the agreement builds on\n\n${dataBlock('BASE PROTOCOL', `URI: ${visibleText(uri)}\n\n${visibleText(content)}`)}`,
  );
}

function amendmentSections({ amendments }: PromptFacts): string[] {
  if (amendments.length === 0) return [];
  const lines = amendments.map(({ of, patch }) => visibleJson({ of, patch }, 0));
  return [
    `# Amendments in force\n\nThe schemas of the agreement hold with these JSON Patches applied; ./types has them.\n\n${dataBlock('AMENDMENTS', lines.join('\n'))}`,
  ];
}

function toolSections({ tools }: PromptFacts): string[] {
  if (tools.length === 0) return ['# Tools\n\nThere are none: context.call is empty.'];
  const texts = tools.map((tool) => {
    const effect = tool.annotations?.readOnlyHint === true ? 'only reads' : 'changes something';
    const examples = (tool.examples ?? [])
      .slice(0, MAX_EXAMPLES)
      .map((example) => `  example: ${cut(visibleJson(example, 0), MAX_EXAMPLE_CHARACTERS)}`);
    const otherwise =
      tool.otherwise === undefined
        ? []
        : [`  for other inputs, in the cases: ${cut(visibleJson(tool.otherwise, 0), MAX_EXAMPLE_CHARACTERS)}`];
    const description = cut(visibleText(tool.description ?? ''), MAX_DESCRIPTION_CHARACTERS);
    return [
      `context.call.${tool.name} (${effect})${description === '' ? '' : `: ${description}`}`,
      ...examples,
      ...otherwise,
    ].join('\n');
  });
  return [
    `# Tools\n\nThe examples show the form of what goes in and out. Their data are samples, not contents.\n\n${dataBlock('TOOLS', texts.join('\n'))}`,
  ];
}

function taskSections({ task }: PromptFacts): string[] {
  if (task === undefined) return [];
  const examples = (task.examples ?? []).map((example) => cut(visibleJson(example, 0), MAX_EXAMPLE_CHARACTERS));
  const text = [
    cut(visibleText(task.description), MAX_DESCRIPTION_CHARACTERS),
    ...examples.map((example) => `example: ${example}`),
  ];
  return [`# The task of our own agent\n\n${dataBlock('TASK', text.join('\n'))}`];
}

function caseSections({ cases, agreement }: PromptFacts): string[] {
  if (cases.length === 0) return ['# Test cases\n\nNone were negotiated: the agreement alone says what is right.'];
  let left = MAX_CASE_CHARACTERS;
  const texts: string[] = [];
  for (const one of cases) {
    const text = [
      `Test case ${one.testCase}${one.negative ? ' (its request is invalid on purpose)' : ''}`,
      `request: ${visibleJson(one.request, 0)}`,
      `response: ${visibleJson(one.response, 0)}`,
      ...(one.expected === '' ? [] : [`expected result in words: ${visibleText(one.expected)}`]),
    ].join('\n');
    if (text.length > left) break;
    left -= text.length;
    texts.push(text);
  }
  const omitted = cases.length - texts.length;
  const notes = [
    ...(agreement.payload === 'text' ? ['Payloads are texts, written here as JSON strings.'] : []),
    ...(omitted > 0 ? [`${omitted} more are not shown; the module is run against them as well.`] : []),
  ];
  return [['# Test cases', ...notes, dataBlock('TEST CASES', texts.join('\n\n'))].join('\n\n')];
}

function looseSections({ loose, role }: PromptFacts): string[] {
  if (loose.length === 0) return [];
  const meaning = {
    text: 'any non-empty text',
    time: 'a time from context.now()',
    id: 'an id from context.newId()',
  } as const;
  const lines = loose.map(({ pointer, as }) => `${visibleJson(pointer, 0)}: ${meaning[as]}`);
  return [
    `# Places that may differ from the cases\n\nJSON pointers into the ${role === 'provider' ? 'response' : 'request'}:\n\n${dataBlock('LOOSE', lines.join('\n'))}`,
  ];
}
