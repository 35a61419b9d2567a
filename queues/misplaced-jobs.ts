import { bullKeys, type Keys } from './catalog.ts';
import type { Connection } from './connection.ts';
import { keysLike } from './keys-like.ts';
import { fixedKeys, putAside, typeOfKey } from './mending.ts';
import type { OnQueueEvent } from './queue-event.ts';
import { Script } from './script.ts';

// Those of BullMQ's keys in which jobs stand.
const places = ['wait', 'active', 'paused', 'prioritized', 'delayed', 'waiting-children', 'failed', 'completed'];

const shared = `
local id = ARGV[1]
local function typeOf(key) return redis.call('TYPE', key).ok end
local function isJob() return typeOf(KEYS[1]) == 'hash' and redis.call('HEXISTS', KEYS[1], 'data') == 1 end
local function wake()
  local marker = KEYS[#KEYS]
  if typeOf(marker) == 'zset' or typeOf(marker) == 'none' then redis.call('ZADD', marker, 0, '0') end
end
`;

// KEYS[1] the job  KEYS[2] its lock  KEYS[3] wait  KEYS[4] … the other places  KEYS[#KEYS] marker  ARGV[1] job id
const remove = new Script(`${shared}
if not isJob() or redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
redis.call('DEL', KEYS[1])
for index = 3, #KEYS - 1 do
  local kind = typeOf(KEYS[index])
  if kind == 'list' then redis.call('LREM', KEYS[index], 0, id) end
  if kind == 'zset' then redis.call('ZREM', KEYS[index], id) end
end
wake()
return 1`);

// The same keys.
const putBack = new Script(`${shared}
if not isJob() then return 0 end
for index = 3, #KEYS - 1 do
  local kind = typeOf(KEYS[index])
  if kind == 'list' and redis.call('LPOS', KEYS[index], id) then return 0 end
  if kind == 'zset' and redis.call('ZSCORE', KEYS[index], id) then return 0 end
end
redis.call('LPUSH', KEYS[3], id)
wake()
return 1`);

/**
 * The ids of jobs that stand where BullMQ keeps something else, since their id is the name of one of its keys: it writes a job down before it looks what
 * is there, and nobody can add or take another from then on.
 */
export async function misplacedJobs(connection: Connection, keys: Keys): Promise<string[]> {
  // A hash by nature.
  const names = [...bullKeys].filter((name) => name !== 'meta');
  const asking = connection.pipeline();
  for (const name of names) asking.type(`${keys.queue}:${name}`);
  const types = (await asking.exec()) ?? [];
  return names.filter((_, index) => types[index]?.[1] === 'hash');
}

/**
 * Puts aside what else stands where BullMQ or we keep a value of another type, and puts on the queue what was added meanwhile and came to stand nowhere.
 */
export async function putAsideMisplaced(connection: Connection, keys: Keys, told: OnQueueEvent): Promise<void> {
  const names = fixedKeys(keys);
  const asking = connection.pipeline();
  for (const name of names) asking.type(name);
  const answers = (await asking.exec()) ?? [];
  let isQueueMended = false;
  for (const [index, name] of names.entries()) {
    const type = answers[index]?.[1];
    // A stream may be one that takes no more entries.
    if (type === 'none' || (type === typeOfKey(keys, name) && type !== 'stream')) continue;
    // A job in the place of a key of BullMQ's is taken away as one.
    if (type === 'hash' && (await connection.hexists(name, 'data')) === 1) continue;
    const isMended = await putAside(connection, keys, name, told);
    isQueueMended ||= isMended && name.startsWith(`${keys.queue}:`);
  }
  if (isQueueMended) await putBackStray(connection, keys);
}

/** Takes a misplaced job away, unless a worker has it in its hands, and puts on the queue what was added meanwhile and came to stand nowhere. */
export async function removeMisplaced(connection: Connection, keys: Keys, misplaced: string): Promise<void> {
  if ((await remove.run(connection, keysFor(keys, misplaced), [misplaced])) === 1) await putBackStray(connection, keys);
}

function keysFor(keys: Keys, jobId: string): string[] {
  return [jobId, `${jobId}:lock`, ...places, 'marker'].map((name) => `${keys.queue}:${name}`);
}

async function putBackStray(connection: Connection, keys: Keys): Promise<void> {
  for (const key of await keysLike(connection, `${keys.queue}:`)) {
    const jobId = key.slice(keys.queue.length + 1);
    if (!jobId.includes(':') && !bullKeys.has(jobId)) await putBack.run(connection, keysFor(keys, jobId), [jobId]);
  }
}
