import { bullKeys, type Keys } from '../redis/catalog.ts';
import type { Connection } from '../redis/connection.ts';
import { keysLike } from '../redis/keys-like.ts';
import { fixedKeys, putAside, typeOfKey } from '../redis/mending.ts';
import type { OnQueueEvent } from '../redis/queue-event.ts';
import { Script } from '../redis/script.ts';

// The BullMQ keys that list jobs.
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

// KEYS[1] the job KEYS[2] its lock KEYS[3] wait KEYS[4] … the other lists KEYS[#KEYS] marker ARGV[1] job id
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

// The same KEYS.
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
 * The ids of jobs that are named like one of BullMQ's keys and stored in its place: BullMQ writes a job before it looks
 * what is there. Nobody can add or take a job from then on.
 */
export async function misplacedJobs(connection: Connection, keys: Keys): Promise<string[]> {
  // This key is a hash anyway.
  const names = [...bullKeys].filter((name) => name !== 'meta');
  const asking = connection.pipeline();
  for (const name of names) asking.type(`${keys.queue}:${name}`);
  const types = (await asking.exec()) ?? [];
  return names.filter((_, index) => types[index]?.[1] === 'hash');
}

/**
 * Puts aside values of the wrong type under BullMQ's and our keys, and puts jobs on the queue that were added meanwhile
 * and are in no list.
 */
export async function putAsideMisplaced(connection: Connection, keys: Keys, onEvent: OnQueueEvent): Promise<void> {
  const names = fixedKeys(keys);
  const asking = connection.pipeline();
  for (const name of names) asking.type(name);
  const answers = (await asking.exec()) ?? [];
  let isQueueMended = false;
  for (const [index, name] of names.entries()) {
    const type = answers[index]?.[1];
    // A stream may be one that takes no more entries.
    if (type === 'none' || (type === typeOfKey(keys, name) && type !== 'stream')) continue;
    // `removeMisplaced` handles jobs.
    if (type === 'hash' && (await connection.hexists(name, 'data')) === 1) continue;
    const isMended = await putAside(connection, keys, name, onEvent);
    isQueueMended ||= isMended && name.startsWith(`${keys.queue}:`);
  }
  if (isQueueMended) await putBackStray(connection, keys);
}

/**
 * Deletes a misplaced job unless a worker holds its lock, and puts jobs on the queue that were added meanwhile and are
 * in no list.
 */
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
