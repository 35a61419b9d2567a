-- Announces messages of a job before its outcome and stores them: they come first in the outcome. Once per job,
-- however often it is delivered.
-- KEYS[1] <prefix>:announced:<jobId>   KEYS[2] <prefix>:outcomes:<replyTo>   KEYS[3] <prefix>:outcome:<jobId>
-- ARGV[1] messages (JSON array)  ARGV[2] seconds to keep them  ARGV[3] retention in seconds
-- ARGV[4] jobId  ARGV[5] negotiationId  ARGV[6] kind  ARGV[7] protocolHash
-- After the outcome nobody waits for messages.
if redis.call('EXISTS', KEYS[3]) == 1 or not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'EX', ARGV[2]) then
  return 0
end
local oldest = redis.call('TIME')[1] - ARGV[3]
local added = redis.pcall('XADD', KEYS[2], 'MINID', '~', string.format('%.0f', math.max(oldest, 0) * 1000), '*',
  'jobId', ARGV[4], 'negotiationId', ARGV[5], 'kind', ARGV[6], 'verdict', '',
  'messages', ARGV[1], 'protocolHash', ARGV[7], 'final', '0', 'replayed', '0')
if type(added) == 'table' and added.err then
  redis.call('DEL', KEYS[1])
  return added
end
return 1
