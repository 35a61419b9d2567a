import { bullKeys, type Keys, QUEUE_NAME } from './catalog.ts';
import type { Connection } from './connection.ts';
import type { OnQueueEvent } from './queue-event.ts';
import { Script } from './script.ts';

/** How long it is kept what was put aside, in seconds. */
export const PUT_ASIDE_SECONDS = 7 * 24 * 3600;

/** The types of values in Redis. */
type RedisType = 'string' | 'list' | 'set' | 'zset' | 'hash' | 'stream';

/** What stands under our keys, by the part of their name that follows the prefix. */
const ours: Readonly<Record<string, RedisType>> = {
  intake: 'stream',
  outcome: 'string',
  outcomes: 'stream',
  'reply-to': 'string',
  spent: 'hash',
  announced: 'string',
  due: 'zset',
  deadlines: 'zset',
  seen: 'string',
  moments: 'string',
  lease: 'string',
  resting: 'zset',
  failing: 'zset',
  circuit: 'string',
  handler: 'string',
  handlers: 'zset',
  'handler-lookup': 'zset',
  reading: 'string',
  'handlers-pinned': 'set',
  'handlers-withdrawn': 'hash',
  tenants: 'set',
  quarantine: 'zset',
};

/** What BullMQ keeps beside its jobs. */
const bullTypes: Readonly<Record<string, RedisType>> = {
  wait: 'list',
  active: 'list',
  paused: 'list',
  prioritized: 'zset',
  delayed: 'zset',
  'waiting-children': 'zset',
  completed: 'zset',
  failed: 'zset',
  stalled: 'set',
  repeat: 'zset',
  marker: 'zset',
  events: 'stream',
  meta: 'hash',
  id: 'string',
  pc: 'string',
  limiter: 'string',
  'stalled-check': 'string',
};

// KEYS[1] key  KEYS[2] where it goes  ARGV[1] the type that is to be left there, '' = none  ARGV[2] seconds. Answers what was put aside, or nothing.
const putAsideScript = new Script(`
local found = redis.call('TYPE', KEYS[1]).ok
if found == 'none' then return false end
if found == ARGV[1] then
  if found ~= 'stream' then return false end
  local about = redis.call('XINFO', 'STREAM', KEYS[1])
  local last = ''
  for index = 1, #about, 2 do if about[index] == 'last-generated-id' then last = about[index + 1] end end
  if last ~= '18446744073709551615-18446744073709551615' then return false end
  found = 'stream that takes no more entries'
end
redis.call('RENAME', KEYS[1], KEYS[2])
redis.call('EXPIRE', KEYS[2], ARGV[2])
return found`);

/** Keys under which one value stands, whatever the jobs are: ours, then BullMQ's. */
export function fixedKeys(keys: Keys): string[] {
  const { intake, due, deadlines, seen, moments, resting, failing, tenants, quarantine } = keys;
  const own = [intake, due, deadlines, seen, moments, resting, failing, tenants, quarantine];
  return [...own, ...Object.keys(bullTypes).map((name) => `${keys.queue}:${name}`)];
}

/** The type of value that belongs under a key; `undefined` where the key is none of ours. */
export function typeOfKey(keys: Keys, key: string): RedisType | undefined {
  if (!key.startsWith(`${keys.prefix}:`)) return undefined;
  const [name = '', ...rest] = key.slice(keys.prefix.length + 1).split(':');
  if (name !== QUEUE_NAME) return Object.hasOwn(ours, name) ? ours[name] : undefined;
  const [jobId = ''] = rest;
  if (rest.length !== 1 || jobId === '') return undefined;
  return bullKeys.has(jobId) ? bullTypes[jobId] : 'hash';
}

/**
 * Puts aside what stands under a key and can be of no use there: a value of another type than belongs there, a stream that takes no more entries, or,
 * where it is said what else is `wanted`, whatever it is. It is kept for a week under `<prefix>:put-aside:…`, and told of. Resolves to whether there
 * was something.
 */
export async function putAside(
  connection: Connection,
  keys: Keys,
  key: string,
  told: OnQueueEvent,
  wanted?: string,
): Promise<boolean> {
  const type = typeOfKey(keys, key);
  if (type === undefined) return false;
  const place = keys.putAside(key);
  const values = [wanted === undefined ? type : '', PUT_ASIDE_SECONDS];
  const found = await putAsideScript.run(connection, [key, place], values);
  if (typeof found !== 'string') return false;
  const message = `Cannot use ${shown(key)}: found a ${found} written by hand, wanted ${wanted ?? `a ${type}`}; it is put aside`;
  told({ event: 'mended', code: 'OPERATOR_REDIS_KEY_TAKEN', message });
  return true;
}

/**
 * A connection whose commands, where one fails since a key has a value of another type than belongs there, put that value aside and are given once
 * more. Not so within pipelines and transactions.
 */
export function mending(connection: Connection, keys: Keys, told: OnQueueEvent = () => {}): Connection {
  const isMended = async (error: unknown, given: readonly unknown[]): Promise<boolean> => {
    if (!(error instanceof Error) || !/WRONGTYPE|exhausted the last possible ID/.test(error.message)) return false;
    let mended = false;
    for (const one of given.flat()) {
      if (typeof one === 'string' && (await putAside(connection, keys, one, told))) mended = true;
    }
    return mended;
  };
  return new Proxy(connection, {
    get(target, name) {
      const member = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]) => {
        const answer = member.apply(target, given);
        if (!(answer instanceof Promise)) return answer;
        return answer.catch(async (error) => {
          if (await isMended(error, given)) return member.apply(target, given);
          throw error;
        });
      };
    },
  });
}

function shown(key: string): string {
  return JSON.stringify(key.slice(0, 200));
}
