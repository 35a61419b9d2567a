-- Says what must be known before a delivered job is worked on, in one call.
-- KEYS[1] outcome  KEYS[2] cancel  KEYS[3] taken  KEYS[4] due  KEYS[5] BullMQ's event stream of the queue  KEYS[6] deadlines
-- KEYS[7] messages announced before the outcome  KEYS[8] the last of those events that a keeper has read
-- ARGV[1] jobId  ARGV[2] the job's time stamp in ms, by its producer's clock  ARGV[3] seconds to remember a corrected moment
-- ARGV[4] how long the peer waits in ms, 0 = the job has no deadline to be kept  ARGV[5] 1 where a worker has the job in its hands
-- Answers {now in ms, outcome or '', 1 if cancelled, moment taken in ms, moment due in ms or '', those messages (JSON array) or ''}.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local taken = tonumber(redis.call('GET', KEYS[3]) or '')
if not taken then
  taken = tonumber(ARGV[2]) or now
  -- A stamp of this second is taken as it is; any other may come from a clock that is off, and Redis' own events know better: those about the
  -- stamp, where it is right; the newest; and those that no keeper has read yet. What it has read it has noted.
  if taken > now or now - taken > 1000 then
    local stamped = taken
    local function added(command, first, last, ...)
      for _, event in ipairs(redis.call(command, KEYS[5], first, last, ...)) do
        local fields = event[2]
        local isAdded, isSame = false, false
        for index = 1, #fields, 2 do
          if fields[index] == 'event' and fields[index + 1] == 'added' then isAdded = true end
          if fields[index] == 'jobId' and fields[index + 1] == ARGV[1] then isSame = true end
        end
        if isAdded and isSame then
          return tonumber(string.match(event[1], '^%d+'))
        end
      end
      return nil
    end
    local found = nil
    if stamped > 1000 and stamped <= now then
      local from, to = string.format('%.0f', stamped), string.format('%.0f', stamped + 1000)
      -- Where both clocks agree, the event stands right behind the stamp; farther off where many jobs were added at once.
      found = added('XRANGE', from, to, 'COUNT', 8)
        or added('XRANGE', from, to, 'COUNT', 256)
        or added('XREVRANGE', from, string.format('%.0f', stamped - 50), 'COUNT', 64)
    end
    found = found
      or added('XREVRANGE', '+', '-', 'COUNT', 64)
      or added('XRANGE', '(' .. (redis.call('GET', KEYS[8]) or '0-0'), '+')
    taken = math.min(found or taken, now)
    if math.abs(taken - stamped) > 1000 then
      redis.call('SET', KEYS[3], string.format('%.0f', taken), 'EX', ARGV[3])
    end
  end
end
local due = redis.call('ZSCORE', KEYS[4], ARGV[1])
if due and ARGV[5] == '1' and tonumber(due) <= now then
  redis.call('ZREM', KEYS[4], ARGV[1])
end
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
