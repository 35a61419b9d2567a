import type { QueueOperator } from '../../../queues/index.ts';
import { readConfig } from '../../config.ts';
import { clearLimit, type LiveLimit, listLimits, setLimit } from '../../live-limits.ts';
import { actOf, type Command, exitCodes, readArguments, UsageError } from '../shell/command.ts';
import { onQueue } from '../shell/on-queue.ts';
import { operatorName } from '../shell/operator-name.ts';
import { print, rows } from '../shell/print.ts';
import { settingsHelp } from '../shell/settings-help.ts';
import { tellDeed } from '../shell/tell-deed.ts';

const settingsRead = ['redisUrl', 'prefix'] as const;

/** Shows and changes limits while workers run. */
export const limits: Command = {
  summary: 'shows or changes limits while workers run: concurrency, rates, budgets, models',
  help: `Usage: protosmith limits [list] [--json]
       protosmith limits set <name> <value> [--reason <text>] [--by <name>] [--json]
       protosmith limits clear <name> [--json]

Limits that are set here apply to all workers within seconds, without a restart, and to those that start later. They
replace the workers' own settings: max-tokens replaces PROTOSMITH_MAX_TOKENS, models replaces PROTOSMITH_MODELS, and so
on. The value none removes a limit that the workers have; clear returns to their own settings. jobs-per-minute,
running-jobs and tenant-waiting apply to the whole queue, tenant-waiting:<tenant> to one tenant. Workers log the limits
that they apply as limits-changed, and those that do not fit them, such as a model whose key they lack, as limit-refused.

  --reason <text>   why, for other operators
  --by <name>       who (default: user and host)
  --json            as JSON: [{name, about, set: {value, by, reason, atMs} or null}]

${settingsHelp(settingsRead)}
Exit code: 0 done, 64 usage, 69 Redis unreachable, 78 no such limit, a value that does not fit, or wrong settings.
`,
  async run(args) {
    const text = { type: 'string' } as const;
    const { values, positionals } = readArguments(
      args,
      { reason: text, by: text, json: { type: 'boolean' }, 'redis-url': text },
      { least: 0, most: 3, wanted: 'list, set or clear' },
    );
    const [verb = 'list', ...operands] = positionals;
    const act = actOf(verbs, verb);
    const config = readConfig(process.env, { 'redis-url': values['redis-url'] }, { only: settingsRead });
    const deed = { by: operatorName(values.by), reason: values.reason ?? null };
    return onQueue(config, (operator) => act(operator, operands, { deed, json: values.json }));
  },
};

interface Options {
  deed: { by: string; reason: string | null };
  json: boolean | undefined;
}

type Act = (operator: QueueOperator, operands: readonly string[], options: Options) => Promise<number>;

const list: Act = async (operator, operands, { json }) => {
  wantOperands(operands, 0, 'nothing');
  const found = await listLimits(operator);
  print(json, found, () => rows(found.map((one) => [one.name, told(one)])));
  return exitCodes.ok;
};

const set: Act = async (operator, operands, { deed, json }) => {
  wantOperands(operands, 2, 'the name of a limit and its value');
  const [name = '', value = ''] = operands;
  const done = await setLimit(operator, name, value, deed);
  print(json, done, () => [`${name} is ${JSON.stringify(done.value)} for all workers`]);
  return exitCodes.ok;
};

const clear: Act = async (operator, operands, { json }) => {
  wantOperands(operands, 1, 'the name of a limit');
  const [name = ''] = operands;
  const wasSet = await clearLimit(operator, name);
  print(json, { name, wasSet }, () => [wasSet ? `${name} is no longer set` : `${name} was not set`]);
  return exitCodes.ok;
};

const verbs: Record<string, Act> = { list, set, clear };

function wantOperands(operands: readonly string[], count: number, wanted: string): void {
  if (operands.length !== count)
    throw new UsageError(`Cannot read arguments: ${operands.length} operands after the verb, wanted ${wanted}`);
}

function told({ set, about }: LiveLimit): string {
  return set === null ? `not set: ${about}` : `${JSON.stringify(set.value)}, set ${tellDeed(set)}`;
}
