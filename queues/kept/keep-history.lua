-- Adds to what is kept of one job. In one call, so that the limits hold for all workers together.
-- KEYS[1] <prefix>:history:<jobId>  KEYS[2] <prefix>:submitted:<jobId>  KEYS[3] <prefix>:histories
-- ARGV[1] seconds to keep it  ARGV[2] most bytes of entries  ARGV[3] most entries
-- ARGV[4] <tenant>:<jobId>, '' = unknown  ARGV[5] entries left out before  ARGV[6] their bytes
-- ARGV[7] number of fields and values of the job as submitted; these follow, then the entries
-- Returns the number of entries that were left out by this call, and their bytes.
local ttl, mostBytes, mostEntries = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
-- Room for small entries beyond the limits: how a job ended must not be missing.
local small, room = 1024, 1.1
local first = 8 + tonumber(ARGV[7])
if first > 8 and redis.call('HEXISTS', KEYS[2], 'text') == 0 then
  redis.call('HSET', KEYS[2], unpack(ARGV, 8, first - 1))
end
local bytes = tonumber(redis.call('HGET', KEYS[2], 'bytes') or '0') or 0
local entries = redis.call('XLEN', KEYS[1])
local left, leftBytes = 0, 0
for index = first, #ARGV do
  local size = #ARGV[index]
  local isFull = bytes + size > mostBytes or entries >= mostEntries
  local fits = size <= small and bytes + size <= mostBytes * room and entries < math.floor(mostEntries * room)
  if isFull and not fits then
    left, leftBytes = left + 1, leftBytes + size
  else
    redis.call('XADD', KEYS[1], '*', 'entry', ARGV[index])
    bytes, entries = bytes + size, entries + 1
  end
end
redis.call('HSET', KEYS[2], 'bytes', string.format('%.0f', bytes))
if left + tonumber(ARGV[5]) > 0 then
  redis.call('HINCRBY', KEYS[2], 'leftOutEntries', left + tonumber(ARGV[5]))
  redis.call('HINCRBY', KEYS[2], 'leftOutBytes', leftBytes + tonumber(ARGV[6]))
end
redis.call('EXPIRE', KEYS[1], ttl)
redis.call('EXPIRE', KEYS[2], ttl)
local now = tonumber(redis.call('TIME')[1])
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', '(' .. string.format('%.0f', now - ttl))
if ARGV[4] ~= '' then
  redis.call('ZADD', KEYS[3], now, ARGV[4])
  redis.call('EXPIRE', KEYS[3], ttl)
end
return { left, leftBytes }
