-- Says what must be known before a delivered job is worked on, in one call.
-- KEYS[1] outcome  KEYS[2] cancel  KEYS[3] the job  KEYS[4] due  KEYS[5] BullMQ's event stream of the queue  KEYS[6] deadlines
-- KEYS[7] messages announced before the outcome  KEYS[8] the last of those events that was read here
-- ARGV[1] jobId  ARGV[2] the job's time stamp in ms, by its producer's clock, or ''  ARGV[3] what stands before the id in the key of a job
-- ARGV[4] how long the peer waits in ms, 0 = the job has no deadline to be kept  ARGV[5] 1 where a worker has the job in its hands
-- ARGV[6] the mark of a job whose time stamp is by Redis' clock
-- ARGV[7] the longest that any peer waits in ms
-- Answers {now in ms, outcome or '', 1 if cancelled, moment taken in ms, moment due in ms or '', those messages (JSON array) or ''}; nothing where
-- there are more events to be read: it is to be called again.
local batch = 1000
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function isJob(key)
  return redis.call('TYPE', key).ok == 'hash'
end
-- A moment that was noted with the job: whatever else stands there was written by hand.
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
    -- The stamp may come from a clock that is off, and Redis' own events know better. They are read once for all jobs, and to the end: of a job that
    -- was put twice the later one counts.
    local events = redis.pcall('XRANGE', KEYS[5], '(' .. (redis.call('GET', KEYS[8]) or '0-0'), '+', 'COUNT', batch)
    if events.err and not string.find(events.err, ' ID ', 1, true) then
      return events
    end
    local last = #events == 0 and redis.call('XREVRANGE', KEYS[5], '+', '-', 'COUNT', 1)[1]
    local read = tonumber(string.match(redis.call('GET', KEYS[8]) or '0', '^%d+') or '0')
    if events.err or (last and read > tonumber(string.match(last[1], '^%d+'))) then
      -- What is no id, or that of no event yet, was written by hand.
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
    -- With the job, so that the same job put again later has a moment of its own.
    redis.call('HSET', KEYS[3], 'takenAtMs', string.format('%.0f', taken))
  end
end
local due = redis.call('ZSCORE', KEYS[4], ARGV[1])
local isFar = due and tonumber(due) > now + tonumber(ARGV[7])
if due and ARGV[5] == '1' and (tonumber(due) <= now or isFar) then
  redis.call('ZREM', KEYS[4], ARGV[1])
end
-- No job is put back for longer than a peer may wait.
if isFar then due = nil end
local outcome = redis.call('GET', KEYS[1]) or ''
if ARGV[4] ~= '0' and outcome == '' then
  redis.call('ZADD', KEYS[6], string.format('%.0f', taken + ARGV[4]), ARGV[1])
end
return {
  string.format('%.0f', now),
  outcome,
  redis.call('EXISTS', KEYS[2]),
  string.format('%.0f', taken),
  due or '',
  redis.call('GET', KEYS[7]) or ''
}
