import { NO_DATA } from '../jobs/stored-job.ts';
import type { Keys } from '../redis/catalog.ts';
import type { Connection } from '../redis/connection.ts';
import { isObject, jsonOf } from '../redis/json-text.ts';
import { PUT_ASIDE_SECONDS, putAside } from '../redis/mending.ts';
import type { OnQueueEvent } from '../redis/queue-event.ts';
import { Script } from '../redis/script.ts';

/** The fields that BullMQ must be able to read to hand a job to a worker, each with its check. */
const readable: Readonly<Record<string, (text: string) => boolean>> = {
  opts: (text) => isObject(jsonOf(text)),
  progress: (text) => jsonOf(text) !== undefined,
  parent: (text) => jsonOf(text) !== undefined,
  ats: isCount,
  atm: isCount,
  stc: isCount,
};

// KEYS[1] wait KEYS[2] active KEYS[3] prioritized KEYS[4] delayed KEYS[5] waiting-children KEYS[6] … jobs ARGV[1] data
// ARGV[2] … their ids. Creates empty jobs for listed ids that have none, and returns those ids.
const fillScript = new Script(`
local standing = {}
for index = 1, 2 do
  for _, id in ipairs(redis.call('LRANGE', KEYS[index], 0, -1)) do standing[id] = true end
end
local filled = {}
for index = 6, #KEYS do
  local id = ARGV[index - 4]
  for place = 3, 5 do standing[id] = standing[id] or redis.call('ZSCORE', KEYS[place], id) end
  if standing[id] and redis.call('EXISTS', KEYS[index]) == 0 then
    local time = redis.call('TIME')
    local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
    redis.call('HSET', KEYS[index], 'name', '', 'data', ARGV[1], 'opts', '{}', 'timestamp', now)
    filled[#filled + 1] = id
  end
end
return filled`);

/**
 * Deletes unreadable fields of waiting and active jobs: BullMQ would fetch such a job again and again and never hand it
 * to a worker. An id without a job gets an empty one, which ends like any invalid job.
 */
export async function mendJobs(
  connection: Connection,
  keys: Keys,
  jobIds: readonly string[],
  onEvent: OnQueueEvent,
): Promise<void> {
  const keyOf = (jobId: string) => `${keys.queue}:${jobId}`;
  const names = Object.keys(readable);
  const reading = connection.pipeline();
  for (const jobId of jobIds) reading.hmget(keyOf(jobId), 'data', ...names);
  const missing: string[] = [];
  for (const [index, [error, answer]] of ((await reading.exec()) ?? []).entries()) {
    const jobId = jobIds[index] ?? '';
    if (error !== null) await putAside(connection, keys, keyOf(jobId), onEvent);
    const [data, ...texts] = Array.isArray(answer) ? (answer as (string | null)[]) : [];
    if (data == null) missing.push(jobId);
    const unreadable = names.filter((name, nth) => texts[nth] != null && readable[name]?.(texts[nth]) === false);
    if (unreadable.length === 0) continue;
    await connection.hdel(keyOf(jobId), ...unreadable);
    const message = `Cannot read job: found unreadable ${unreadable.join(', ')}, wanted what BullMQ writes; the fields were deleted`;
    onEvent({ event: 'mended', jobId, message });
  }
  if (missing.length === 0) return;
  const places = ['wait', 'active', 'prioritized', 'delayed', 'waiting-children'].map(keyOf);
  const filled = await fillScript.run(connection, [...places, ...missing.map(keyOf)], [NO_DATA, ...missing]);
  for (const jobId of filled as string[]) {
    onEvent({
      event: 'mended',
      jobId,
      message: 'Cannot read job: found none under its id, wanted one; an empty job was created',
    });
  }
}

/**
 * Moves jobs aside whose ids are not UTF-8: no client can name them, so no worker could take an ended one off the
 * queue. Resolves to the ids as clients read them.
 */
export async function putAsideUnnamable(connection: Connection, keys: Keys, onEvent: OnQueueEvent): Promise<string[]> {
  const found = new Set<string>();
  for (const [place, remove] of Object.entries(removals)) {
    const list = `${keys.queue}:${place}`;
    const ids = remove === 'LREM' ? connection.lrangeBuffer(list, 0, -1) : connection.zrangeBuffer(list, '0', '-1');
    for (const id of (await ids) as Buffer[]) {
      const read = id.toString();
      if (id.equals(Buffer.from(read))) continue;
      const key = Buffer.concat([Buffer.from(`${keys.queue}:`), id]);
      const aside = Buffer.concat([Buffer.from(keys.putAside(`${keys.queue}:`)), id]);
      await connection.call(remove, list, ...(remove === 'LREM' ? ['0'] : []), id);
      if ((await connection.exists(key)) === 1) await connection.rename(key, aside);
      await connection.expire(aside, PUT_ASIDE_SECONDS);
      found.add(read);
      onEvent({
        event: 'mended',
        jobId: read,
        message: 'Cannot read job: found an id that is not UTF-8, wanted UTF-8; the job was put aside',
      });
    }
  }
  return [...found];
}

const removals = { wait: 'LREM', active: 'LREM', prioritized: 'ZREM', delayed: 'ZREM' } as const;

function isCount(text: string): boolean {
  return /^\d{1,15}$/.test(text);
}
