-- Loaded before each script of turns.ts. KEYS[1] turns, KEYS[2] BullMQ's prioritized set, KEYS[3] names of tenants with
-- waiting jobs. A turn is a job's priority on the queue. Priorities below `first` are no turns: a job has none, or its
-- producer chose its own.
local first, most = 1024, 2000000
local unit = 4294967296
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function current()
  return tonumber(redis.call('ZSCORE', KEYS[1], ':now') or '') or first
end
-- A tenant with many waiting jobs gets fewer turns: each takes 1, from 100 jobs on 2, from 1,000 on 3, and so on.
local function step(waiting)
  local places = 1
  while waiting >= 100 do
    places = places + 1
    waiting = waiting / 10
  end
  return places
end
local function nextTurn(name, waiting)
  local at = current()
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. at)
  local last = tonumber(redis.call('ZSCORE', KEYS[1], name) or '')
  local turn = math.min(most, last and math.max(at, last + step(waiting)) or at)
  redis.call('ZADD', KEYS[1], turn, name)
  return turn
end
-- A job that no worker has taken yet counts as waiting until its deadline, in case nobody takes it off the list.
local function noteWaiting(key, tenant, jobId, timeoutMs)
  redis.call('ZADD', key, now + timeoutMs, jobId)
  redis.call('PEXPIRE', key, 660000)
  redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now)
  redis.call('ZADD', KEYS[3], 'GT', now + timeoutMs, tenant)
end
local function waitingOf(key)
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
  return redis.call('ZCARD', key)
end
-- Puts a job on the queue in its turn.
local function enqueue(queue, jobId, turn)
  redis.call('HSET', queue .. jobId, 'priority', turn)
  local counter = redis.call('INCR', queue .. 'pc')
  redis.call('ZADD', KEYS[2], turn * unit + counter % unit, jobId)
end
