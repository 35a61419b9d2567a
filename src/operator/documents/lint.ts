import { analyze } from '../../analysis/analyze.ts';
import { lint as lintAgreement } from '../../analysis/lint.ts';
import { preflight } from '../../analysis/rules.ts';
import type { Finding } from '../../contract/finding.ts';
import { families, familyNamed } from '../../families/families.ts';
import type { Family } from '../../families/family.ts';
import { isObject, type JsonObject } from '../../kernel/json.ts';
import { type Command, exitCodes, readArguments, UsageError } from '../shell/command.ts';
import { forTerminal, jsonForTerminal } from '../shell/for-terminal.ts';
import { readText, UnreadableInput } from '../shell/read-input.ts';

/** Checks an agreement and its cases for faults, without a model and without Redis. */
export const lint: Command = {
  summary: 'checks an agreement and its cases for faults; no Redis, no model',
  help: `Usage: protosmith lint [--json] [--family <name>] <document.md> [cases.md]
       protosmith lint [--json] <job.json>

Runs only the preflight: reads schemas and cases from the texts, and prints each fault, its place, and the change that
would resolve it. The file name - means standard input. Instead of a text, a file may contain the JSON message that
carries it, a service description (OpenRPC, OpenAPI, MCP list of tools), a protocol manifest of uAgents, a protocol
artifact of ANP-06, an agent description, or a job (JSON with a member agreement), which is checked like a review: with
its cases, role, tools, loose places and base protocols. A file named .json must be one of these.

  --json            findings as a JSON array
  --family <name>   the family of the agreement, if the text is not a message; default ${families[0].name}

Exit code: 0 no error, 1 an error was found, 64 usage, 65 a file cannot be read or has no text.
`,
  async run(args) {
    const { values, positionals } = readArguments(
      args,
      { json: { type: 'boolean' }, family: { type: 'string' } },
      { least: 1, most: 2, wanted: 'a document and, if there are any, its cases' },
    );
    if (positionals.every((name) => name === '-') && positionals.length === 2)
      throw new UsageError('Cannot read arguments: both texts from standard input, wanted one of them from a file');
    const [document, cases] = await Promise.all(
      positionals.map(async (name): Promise<Input> => ({ name, text: await readText(name) })),
    );
    const findings = await findingsIn(document as Input, cases, familyOption(values.family));
    if (values.json) process.stdout.write(`${jsonForTerminal(findings, 2)}\n`);
    else process.stdout.write(findings.length === 0 ? 'no findings\n' : findings.map(describe).join('\n'));
    return findings.some(({ severity }) => severity === 'error') ? exitCodes.disputed : exitCodes.ok;
  },
};

/** A text and the file it comes from. */
interface Input {
  name: string;
  text: string;
}

function familyOption(name: string | undefined): Family | undefined {
  const family = name === undefined ? undefined : familyNamed(name);
  if (name === undefined || family !== undefined) return family;
  const wanted = families.map((one) => one.name).join(' or ');
  throw new UsageError(`Cannot read arguments: found family ${JSON.stringify(name)}, wanted ${wanted}`);
}

async function findingsIn(document: Input, cases: Input | undefined, option: Family | undefined): Promise<Finding[]> {
  const job = objectIn(document.text);
  if (job === undefined || !Object.hasOwn(job, 'agreement')) {
    const { text, family = option ?? families[0] } = carriedText(document, 'document');
    if (cases !== undefined && family.writeCases === undefined)
      throw new UsageError(`Cannot read arguments: found a text of cases, wanted a job, since ${family.name} has none`);
    return lintAgreement(text, cases && carriedText(cases, 'cases').text, family);
  }
  if (cases !== undefined) throw new UsageError('Cannot read arguments: cases beside a job, wanted the job alone');
  // A document alone does not need these modules.
  const [{ accepted }, { EarlyEnd }] = await Promise.all([
    import('../../intake/intake.ts'),
    import('../../job/conclusion.ts'),
  ]);
  try {
    const taken = { kind: 'review', data: job, rawBytes: Buffer.byteLength(document.text) };
    return preflight(analyze(accepted(taken, ['review'])));
  } catch (error) {
    if (error instanceof EarlyEnd) return error.conclusion.findings;
    throw error;
  }
}

/**
 * The text inside a message of a family, with that family; else the given text. Throws `UnreadableInput` if there is no
 * text, or if a `.json` file is neither a job nor such a message: read as a document without a schema, it would have no
 * findings.
 */
function carriedText({ name, text }: Input, part: 'document' | 'cases'): { text: string; family?: Family } {
  const message = objectIn(text);
  const family = message && families.find((one) => one.textsIn(message, text) !== undefined);
  const texts = family?.textsIn(message ?? {}, text);
  const carried = texts?.[part];
  const found = typeof carried === 'string' ? carried : text;
  if (found.trim() === '') throw new UnreadableInput(`Cannot read "${name}": no text, wanted some`);
  // Cases in a list are read like any other text.
  const isList = part === 'cases' && Object.values(message ?? {}).some(Array.isArray);
  if (texts !== undefined && typeof carried !== 'string' && !isList)
    throw new UnreadableInput(`Cannot read "${name}": a message without the text of the ${part}, wanted one with it`);
  const isJson = name === '-' ? /^\s*\{/.test(text) : /\.json$/i.test(name);
  if (isJson && part === 'document' && typeof carried !== 'string')
    throw new UnreadableInput(
      `Cannot read "${name}": ${message === undefined ? (jsonFault(text) ?? 'JSON that is not an object') : 'JSON without agreement'}, wanted a job, or a message with a document`,
    );
  return family === undefined ? { text: found } : { text: found, family };
}

function jsonFault(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 200) : 'no JSON';
  }
}

function objectIn(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function describe({
  code,
  severity,
  in: place,
  testCase,
  pointer,
  message,
  expected,
  actual,
  amendment,
}: Finding): string {
  const where = [testCase === undefined ? '' : `case ${testCase}`, place, pointer ? pointer : '']
    .filter(Boolean)
    .join(' ');
  const lines = [
    `${severity}: ${where}: ${message} [${code}]`,
    ...(expected === undefined ? [] : [`  expected: ${JSON.stringify(expected)}`]),
    ...(actual === undefined ? [] : [`  actual:   ${JSON.stringify(actual)}`]),
    ...(amendment === undefined ? [] : [`  amend ${amendment.of}: ${JSON.stringify(amendment.patch)}`]),
  ];
  return `${lines.map((line) => forTerminal(line)).join('\n')}\n`;
}
