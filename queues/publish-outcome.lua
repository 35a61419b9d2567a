-- Publishes a job's outcome, once: the first writer wins, whoever it is (a worker, a reconciler, a reader that waits no longer).
-- KEYS[1] <prefix>:outcome:<jobId>   KEYS[2] <prefix>:outcomes:<replyTo>
-- ARGV[1] envelope (JSON)  ARGV[2] retention in seconds
-- ARGV[3] jobId  ARGV[4] negotiationId  ARGV[5] kind  ARGV[6] verdict  ARGV[7] messages (JSON array)  ARGV[8] protocolHash
-- Answers 1 where this call published, 0 where an outcome was there before. What is unknown is an empty string.
if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'EX', ARGV[2]) then
  return 0
end
local oldest = redis.call('TIME')[1] - ARGV[2]
redis.call('XADD', KEYS[2], 'MINID', '~', string.format('%.0f', math.max(oldest, 0) * 1000), '*',
  'jobId', ARGV[3], 'negotiationId', ARGV[4], 'kind', ARGV[5], 'verdict', ARGV[6],
  'messages', ARGV[7], 'protocolHash', ARGV[8], 'final', '1', 'replayed', '0')
return 1
