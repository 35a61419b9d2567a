-- Loaded before each script of turns.ts. KEYS[1] turns, KEYS[2] BullMQ's prioritized set, KEYS[3] names of tenants with
-- waiting jobs. A turn is a job's priority on the queue. A priority below `first` is not a turn: the job has none, or
-- its producer chose one. Jobs behind all others, at `behind`, wait for their turn to be given.
local first, most, behind = 1024, 2000000, 2000001
local unit = 4294967296
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
-- Read once per script, however many jobs it has.
local at, counts, lasts, known = nil, {}, {}, {}
local function current()
  at = at or tonumber(redis.call('ZSCORE', KEYS[1], ':now') or '') or first
  return at
end
-- How much higher the next turn of a tenant is than its last: 1, from 100 waiting jobs on 2, from 1,000 on 3, and so
-- on. So a tenant with many waiting jobs gets fewer turns.
local function step(waiting)
  local places = 1
  while waiting >= 100 do
    places = places + 1
    waiting = waiting / 10
  end
  return places
end
local function nextTurn(name, waiting)
  if not next(lasts) then redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. current()) end
  local last = lasts[name] or tonumber(redis.call('ZSCORE', KEYS[1], name) or '')
  local turn = math.min(most, last and math.max(current(), last + step(waiting)) or current())
  redis.call('ZADD', KEYS[1], turn, name)
  lasts[name] = turn
  return turn
end
local function waitingOf(key)
  if not counts[key] then
    redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
    counts[key] = redis.call('ZCARD', key)
  end
  return counts[key]
end
-- Counts a job as waiting, at most until its deadline, in case nothing takes it off the list.
local function noteWaiting(key, tenant, jobId, timeoutMs)
  counts[key] = waitingOf(key) + redis.call('ZADD', key, 'NX', now + timeoutMs, jobId)
  local untilMs = now + timeoutMs
  if known[tenant] and known[tenant] >= untilMs then return end
  known[tenant] = untilMs
  redis.call('PEXPIRE', key, 660000)
  redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now)
  redis.call('ZADD', KEYS[3], 'GT', untilMs, tenant)
end
-- How many jobs of a tenant may wait; nothing if no operator has limited them.
local function limitOf(key, tenant)
  local set = redis.call('HGET', key, 'tenant-waiting:' .. tenant) or redis.call('HGET', key, 'tenant-waiting')
  return tonumber(string.match(set or '', '^{"value":(%d+)') or '')
end
local function place(queue, jobId, turn)
  local counter = redis.call('INCR', queue .. 'pc')
  redis.call('ZADD', KEYS[2], string.format('%.0f', turn * unit + counter % unit), jobId)
end
-- Puts a job on the queue with its turn.
local function enqueue(queue, jobId, turn)
  redis.call('HSET', queue .. jobId, 'priority', turn)
  place(queue, jobId, turn)
end
