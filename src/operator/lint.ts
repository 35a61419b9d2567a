import { lint as lintAgreement } from '../analysis/lint.ts';
import type { Finding } from '../contract/finding.ts';
import { type Command, exitCodes, readArguments, UsageError } from './command.ts';
import { forTerminal, jsonForTerminal } from './for-terminal.ts';
import { readText } from './read-input.ts';

/** Looks for faults in an agreement and its cases, without a model and without Redis. */
export const lint: Command = {
  summary: 'looks for faults in an agreement and its cases; no Redis, no model',
  help: `Usage: protosmith lint [--json] <document.md> [cases.md]

Runs the preflight alone: reads schemas and cases out of the texts and tells what is wrong with them, where, and which
change would settle it. A file named - is read from standard input. An ANP message in JSON (protocolNegotiation,
testCasesNegotiation) may stand in place of a text.

  --json    findings as a JSON array

Exit code: 0 nothing stands in the way, 1 an error was found, 64 usage, 65 a file cannot be read.
`,
  async run(args) {
    const { values, positionals } = readArguments(
      args,
      { json: { type: 'boolean' } },
      { least: 1, most: 2, wanted: 'a document and, if there are any, its cases' },
    );
    if (positionals.every((name) => name === '-') && positionals.length === 2)
      throw new UsageError('Cannot read arguments: both texts from standard input, wanted one of them from a file');
    const [document, cases] = await Promise.all(positionals.map((name) => readText(name)));
    const findings = lintAgreement(
      memberOf(document ?? '', 'candidateProtocols'),
      cases === undefined ? undefined : memberOf(cases, 'testCases'),
    );
    if (values.json) process.stdout.write(`${jsonForTerminal(findings, 2)}\n`);
    else process.stdout.write(findings.length === 0 ? 'no findings\n' : findings.map(describe).join('\n'));
    return findings.some(({ severity }) => severity === 'error') ? exitCodes.disputed : exitCodes.ok;
  },
};

/** The text that an ANP message carries, where the text given is such a message; else the text itself. */
function memberOf(text: string, member: 'candidateProtocols' | 'testCases'): string {
  try {
    const message = JSON.parse(text) as Record<string, unknown> | null;
    const carried =
      typeof message === 'object' && message !== null && Object.hasOwn(message, member) ? message[member] : undefined;
    return typeof carried === 'string' ? carried : text;
  } catch {
    return text;
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
