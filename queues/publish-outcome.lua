-- Publishes a job's outcome, once: the first writer wins (a worker, the keeper, or a reader that stops waiting).
-- KEYS[1] <prefix>:outcome:<jobId>   KEYS[2] <prefix>:outcomes:<replyTo>   KEYS[3] <prefix>:announced:<jobId>, optional
-- KEYS[4] <prefix>:ended, optional: the list of ended jobs for operators
-- ARGV[1] envelope (JSON)  ARGV[2] retention in seconds
-- ARGV[3] jobId  ARGV[4] negotiationId  ARGV[5] kind  ARGV[6] verdict  ARGV[7] messages (JSON array)  ARGV[8] protocolHash
-- ARGV[9] what an earlier call returned, optional
-- ARGV[10] error codes with commas  ARGV[11] tenant  ARGV[12] replyTo: for KEYS[4]
-- Returns 1 if this call published, 0 if there was an outcome, and a JSON array of messages if those were announced
-- before: put them first in the envelope's messages and in ARGV[7], and call again with the array as ARGV[9]. Unknown
-- values are empty strings. Returns an error and sets nothing if a key holds a value of the wrong type.
local announced = KEYS[3] and redis.call('GET', KEYS[3])
if announced and announced ~= '' and announced ~= ARGV[9] then
  return announced
end
-- An empty string is not an outcome.
if redis.call('STRLEN', KEYS[1]) == 0 then
  redis.call('DEL', KEYS[1])
end
if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'EX', ARGV[2]) then
  return 0
end
local oldest = redis.call('TIME')[1] - ARGV[2]
local added = redis.pcall('XADD', KEYS[2], 'MINID', '~', string.format('%.0f', math.max(oldest, 0) * 1000), '*',
  'jobId', ARGV[3], 'negotiationId', ARGV[4], 'kind', ARGV[5], 'verdict', ARGV[6],
  'messages', ARGV[7], 'protocolHash', ARGV[8], 'final', '1', 'replayed', '0')
if type(added) == 'table' and added.err then
  redis.call('DEL', KEYS[1])
  return added
end
if announced then
  redis.call('DEL', KEYS[3])
end
if KEYS[4] then
  -- The outcome counts, whatever became of the list.
  redis.pcall('XADD', KEYS[4], 'MAXLEN', '~', '50000', '*', 'jobId', ARGV[3], 'negotiationId', ARGV[4],
    'kind', ARGV[5], 'verdict', ARGV[6], 'codes', ARGV[10], 'tenant', ARGV[11], 'replyTo', ARGV[12])
end
return 1
