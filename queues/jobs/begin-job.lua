-- Reads what must be known before a delivered job is processed, in one call.
-- KEYS[1] outcome  KEYS[2] cancel  KEYS[3] the job  KEYS[4] due  KEYS[5] BullMQ's event stream of the queue
-- KEYS[6] deadlines  KEYS[7] messages announced before the outcome  KEYS[8] id of the last event read by this script
-- KEYS[9] turns  KEYS[10] the tenant's waiting jobs  KEYS[11] names of tenants with waiting jobs
-- ARGV[1] jobId  ARGV[2] the job's timestamp in ms, by its producer's clock, or ''  ARGV[3] prefix of job keys
-- ARGV[4] how long the peer waits in ms, 0 = record no deadline  ARGV[5] 1 if a worker has the job
-- ARGV[6] the mark of a job whose timestamp is by Redis' clock  ARGV[7] the longest timeout of any job in ms
-- ARGV[8] the job's tenant, '' = leave the waiting jobs alone
-- Returns {now in ms, outcome or '', 1 if cancelled, time taken in ms, time due in ms or '', announced messages (JSON
-- array) or ''}; nothing if there are more events to read: call it again then.
local batch = 1000
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function isJob(key)
  return redis.call('TYPE', key).ok == 'hash'
end
-- A time that was stored with the job; any other value was written by hand.
local function noted(key, field)
  return tonumber(string.match(redis.call('HGET', key, field) or '', '^%d+$') or '')
end
local isKept = isJob(KEYS[3])
local taken = isKept and noted(KEYS[3], 'takenAtMs')
if not taken or taken > now then
  local stamp = tonumber(ARGV[2])
  local isMarked = isKept and string.find(redis.call('HGET', KEYS[3], 'opts') or '', ARGV[6], 1, true)
  if isMarked or (stamp and stamp <= now and now - stamp <= 1000) then
    taken = stamp
  else
    -- The producer's clock may be wrong, so the time of the event counts. Events are read once for all jobs and to the
    -- end: if a job was added twice, the later time counts.
    local events = redis.pcall('XRANGE', KEYS[5], '(' .. (redis.call('GET', KEYS[8]) or '0-0'), '+', 'COUNT', batch)
    if events.err and not string.find(events.err, ' ID ', 1, true) then
      return events
    end
    local last = #events == 0 and redis.call('XREVRANGE', KEYS[5], '+', '-', 'COUNT', 1)[1]
    local read = tonumber(string.match(redis.call('GET', KEYS[8]) or '0', '^%d+') or '0')
    if events.err or (last and read > tonumber(string.match(last[1], '^%d+'))) then
      -- Not an id, or one of a future event: written by hand.
      redis.call('DEL', KEYS[8])
      return false
    end
    for _, event in ipairs(events) do
      local fields = event[2]
      local isAdded, jobId = false, nil
      for index = 1, #fields, 2 do
        if fields[index] == 'event' then isAdded = fields[index + 1] == 'added' end
        if fields[index] == 'jobId' then jobId = fields[index + 1] end
      end
      if isAdded and jobId and isJob(ARGV[3] .. jobId) then
        redis.call('HSET', ARGV[3] .. jobId, 'addedAtMs', string.match(event[1], '^%d+'))
      end
    end
    if #events > 0 then
      redis.call('SET', KEYS[8], events[#events][1])
    end
    if #events == batch then
      return false
    end
    taken = isKept and noted(KEYS[3], 'addedAtMs') or stamp
  end
  taken = math.min(taken or now, now)
  if isKept then
    -- Stored with the job, so that the same job submitted again gets its own time.
    redis.call('HSET', KEYS[3], 'takenAtMs', string.format('%.0f', taken))
  end
end
local due = redis.call('ZSCORE', KEYS[4], ARGV[1])
local isFar = due and tonumber(due) > now + tonumber(ARGV[7])
if due and ARGV[5] == '1' and (tonumber(due) <= now or isFar) then
  redis.call('ZREM', KEYS[4], ARGV[1])
end
-- No job is delayed for longer than any timeout.
if isFar then due = nil end
local outcome = redis.call('GET', KEYS[1]) or ''
if ARGV[4] ~= '0' and outcome == '' then
  redis.call('ZADD', KEYS[6], string.format('%.0f', taken + ARGV[4]), ARGV[1])
end
if ARGV[8] ~= '' then
  if isKept then redis.call('HSET', KEYS[3], 'tenant', ARGV[8]) end
  if ARGV[5] == '1' then
    redis.call('ZREM', KEYS[10], ARGV[1])
  elseif isKept and outcome == '' and (noted(KEYS[3], 'ats') or 0) == 0 then
    redis.call('ZADD', KEYS[10], string.format('%.0f', taken + ARGV[4]), ARGV[1])
    redis.call('PEXPIRE', KEYS[10], 660000)
    redis.call('ZADD', KEYS[11], 'GT', string.format('%.0f', taken + ARGV[4]), ARGV[8])
  end
end
local turn = ARGV[5] == '1' and isKept and noted(KEYS[3], 'priority')
if turn and turn >= 1024 and turn <= 2000000 then
  redis.call('ZADD', KEYS[9], 'GT', turn, ':now')
end
return {
  string.format('%.0f', now),
  outcome,
  redis.call('EXISTS', KEYS[2]),
  string.format('%.0f', taken),
  due or '',
  redis.call('GET', KEYS[7]) or ''
}
