import { readFileSync } from 'node:fs';
import { QUEUE_NAME } from '../../../queues/index.ts';
import { packageFile } from '../../package-file.ts';
import { protosmithVersion } from '../../version.ts';
import { installationDescription } from '../doctor/installation-description.ts';
import { type Command, exitCodes, readArguments, UsageError } from '../shell/command.ts';
import { jsonForTerminal } from '../shell/for-terminal.ts';

/** Prints the agent description of this installation. */
export const describe: Command = {
  summary: 'prints an agent description of this installation: its jobs as OpenRPC',
  help: `Usage: protosmith describe [--name <name>] [--url <address>] [--did <did>]

Prints a description by the Agent Description Protocol of ANP: one interface in OpenRPC, whose method
takes a job of this version and returns its outcome. Reads no settings and connects to nothing. It is not signed:
signDocument of protosmith/agent-description signs it.

  --name <name>    the name of the agent; default protosmith
  --url <address>  where the description will be published
  --did <did>      the DID of the agent

Exit code: 0 printed, 64 usage.
`,
  async run(args) {
    const text = { type: 'string' } as const;
    const { values } = readArguments(args, { name: text, url: text, did: text }, { least: 0, most: 0, wanted: 'none' });
    const { name = 'protosmith', url, did } = values;
    if (name === '') throw new UsageError('Cannot read arguments: an empty --name, wanted a name');
    if (url !== undefined && !URL.canParse(url))
      throw new UsageError(`Cannot read arguments: --url ${JSON.stringify(url)}, wanted an absolute address`);
    if (did !== undefined && !/^did:[a-z0-9]+:\S+$/.test(did))
      throw new UsageError(`Cannot read arguments: --did ${JSON.stringify(did)}, wanted a DID`);
    const outcomeSchema = JSON.parse(readFileSync(packageFile('queues/outcome.schema.json'), 'utf8'));
    const about = {
      name,
      version: protosmithVersion(),
      queue: QUEUE_NAME,
      ...(url === undefined ? {} : { url }),
      ...(did === undefined ? {} : { did }),
    };
    process.stdout.write(`${jsonForTerminal(installationDescription(about, outcomeSchema), 2)}\n`);
    return exitCodes.ok;
  },
};
