import { bullKeys, type Keys, QUEUE_NAME } from './catalog.ts';
import type { Connection } from './connection.ts';
import type { OnQueueEvent } from './queue-event.ts';
import { Script } from './script.ts';

/** How long values that were put aside are kept, in seconds. */
export const PUT_ASIDE_SECONDS = 7 * 24 * 3600;

/** The types of Redis values. */
type RedisType = 'string' | 'list' | 'set' | 'zset' | 'hash' | 'stream';

/** The type of our keys, by the part of their name after the prefix. */
const ours: Readonly<Record<string, RedisType>> = {
  intake: 'stream',
  outcome: 'string',
  outcomes: 'stream',
  'reply-to': 'string',
  spent: 'hash',
  left: 'string',
  announced: 'string',
  due: 'zset',
  deadlines: 'zset',
  turns: 'zset',
  waiting: 'zset',
  'waiting-tenants': 'zset',
  limits: 'hash',
  'paused-by': 'string',
  ended: 'stream',
  seen: 'string',
  moments: 'string',
  lease: 'string',
  resting: 'zset',
  failing: 'zset',
  circuit: 'string',
  'endpoint-fault': 'hash',
  heartbeats: 'hash',
  heard: 'zset',
  handler: 'string',
  handlers: 'zset',
  'handler-lookup': 'zset',
  reading: 'string',
  'handlers-pinned': 'set',
  'handlers-withdrawn': 'hash',
  tenants: 'set',
  quarantine: 'zset',
  history: 'stream',
  submitted: 'hash',
  histories: 'zset',
};

/** The types of BullMQ's keys other than jobs. */
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

// KEYS[1] key KEYS[2] new key ARGV[1] the type to leave alone, '' = none ARGV[2] seconds. Returns the type that was put
// aside, or nothing.
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

/** The keys that exist once, whatever the jobs are: ours, then BullMQ's. */
export function fixedKeys(keys: Keys): string[] {
  const own = Object.values(keys).filter((key: unknown) => typeof key === 'string');
  const once = own.filter((key) => key !== keys.prefix && key !== keys.queue) as string[];
  return [...once, ...Object.keys(bullTypes).map((name) => `${keys.queue}:${name}`)];
}

/** The type that belongs under a key; `undefined` if the key is not ours. */
export function typeOfKey(keys: Keys, key: string): RedisType | undefined {
  if (!key.startsWith(`${keys.prefix}:`)) return undefined;
  const [name = '', ...rest] = key.slice(keys.prefix.length + 1).split(':');
  if (name !== QUEUE_NAME) return Object.hasOwn(ours, name) ? ours[name] : undefined;
  const [jobId = ''] = rest;
  if (rest.length !== 1 || jobId === '') return undefined;
  return bullKeys.has(jobId) ? bullTypes[jobId] : 'hash';
}

/**
 * Moves an unusable value of a key aside: a value of another type, a stream that takes no more entries, or, if `wanted`
 * says what belongs there, any value. It is kept for a week under `<prefix>:put-aside:…` and reported. Resolves to
 * whether there was one.
 */
export async function putAside(
  connection: Connection,
  keys: Keys,
  key: string,
  onEvent: OnQueueEvent,
  wanted?: string,
): Promise<boolean> {
  const type = typeOfKey(keys, key);
  if (type === undefined) return false;
  const place = keys.putAside(key);
  const values = [wanted === undefined ? type : '', PUT_ASIDE_SECONDS];
  const found = await putAsideScript.run(connection, [key, place], values);
  if (typeof found !== 'string') return false;
  const message = `Cannot use ${quoted(key)}: found a ${found} written by hand, wanted ${wanted ?? `a ${type}`}; it was put aside`;
  onEvent({ event: 'mended', code: 'OPERATOR_REDIS_KEY_TAKEN', message });
  return true;
}

/**
 * A connection that puts a value aside and retries the command if the command fails because a key has a value of the
 * wrong type. Not within pipelines and transactions.
 */
export function mending(connection: Connection, keys: Keys, onEvent: OnQueueEvent = () => {}): Connection {
  const isMended = async (error: unknown, args: readonly unknown[]): Promise<boolean> => {
    if (!(error instanceof Error) || !/WRONGTYPE|exhausted the last possible ID/.test(error.message)) return false;
    let mended = false;
    for (const key of args.flat()) {
      if (typeof key === 'string' && (await putAside(connection, keys, key, onEvent))) mended = true;
    }
    return mended;
  };
  return new Proxy(connection, {
    get(target, name) {
      const member = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        const answer = member.apply(target, args);
        if (!(answer instanceof Promise)) return answer;
        return answer.catch(async (error) => {
          if (await isMended(error, args)) return member.apply(target, args);
          throw error;
        });
      };
    },
  });
}

function quoted(key: string): string {
  return JSON.stringify(key.slice(0, 200));
}
