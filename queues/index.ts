export { type Consumer, type ConsumerHealth, type ConsumerOptions, createConsumer } from './consumer.ts';
export { INTAKE_GROUP } from './intake/intake-entries.ts';
export type { Delivery } from './jobs/delivery.ts';
export type { EndedJob } from './jobs/ended-jobs.ts';
export { type Envelope, type PublishedEnvelope, type Reason, readEnvelope } from './jobs/envelope.ts';
export { dataDigestOf, jobIdOf } from './jobs/job-id.ts';
export type { JobFacts, JobReader } from './jobs/job-reader.ts';
export { type Limit, limits } from './jobs/limits.ts';
export type { OutcomeEntry } from './jobs/outcome-entries.ts';
export { publishScript } from './jobs/outcomes.ts';
export {
  type CallFault,
  type CircuitFault,
  type CircuitPolicy,
  type CircuitState,
  Endpoints,
  type FailingEndpoint,
  type RestingEndpoint,
} from './kept/endpoints.ts';
export { type HandlerEntry, HandlerRecords, type HandlerRetention } from './kept/handler-records.ts';
export { type Heard, Heartbeats } from './kept/heartbeats.ts';
export { Histories, type KeptHistory, type SubmittedJob } from './kept/histories.ts';
export { defaultHistoryLimits, type HistoryLimits, HistoryWriter, type LeftOutReport } from './kept/history-writer.ts';
export type { Deed } from './kept/pause.ts';
export { Quarantine, type QuarantineCause, type QuarantineEntry } from './kept/quarantine.ts';
export { Readings } from './kept/readings.ts';
export { type SharedLimit, SharedLimits } from './kept/shared-limits.ts';
export { Spendings } from './kept/spendings.ts';
export {
  type Deadlines,
  openDeadlines,
  type ReaderLag,
  readerLags,
} from './operator/backlog.ts';
export type { Cancelled } from './operator/cancel-job.ts';
export { type DeadLetter, DeadLetters } from './operator/dead-letters.ts';
export type { DrainResult } from './operator/drain.ts';
export { type JobFilter, type JobList, type ListedJob, type ListState, listStates } from './operator/job-list.ts';
export { type Inspection, openOperator, type QueueOperator } from './operator/operator.ts';
export { entriesSince, outcomeStreams, type QueueSnapshot, queueSnapshot } from './operator/queue-snapshot.ts';
export { judgeRedis, type RedisFacts, type RedisFault, redisFacts } from './operator/redis-facts.ts';
export { nextAttempt } from './operator/requeue.ts';
export { type TenantLoad, type TenantLoads, tenantLoads } from './operator/tenant-loads.ts';
export { createProducer, type Producer, type ProducerOptions } from './producer.ts';
export * from './redis/catalog.ts';
export { type Connection, connect, disconnect, type Purpose, whenReady } from './redis/connection.ts';
export { type Lease, Leases } from './redis/lease.ts';
export { type LocalRedis, type LocalRedisOptions, localRedis, redisServerPath } from './redis/local-redis.ts';
export { mending } from './redis/mending.ts';
export { QueueError, trimmedError } from './redis/queue-error.ts';
export type { OnQueueEvent, QueueEvent } from './redis/queue-event.ts';
export { forbidden, grantOf, leastRules, type RedisPermissions, redisPermissions } from './redis/redis-permissions.ts';
export { isForbidden, redisFailure } from './redis/redis-refusal.ts';
export { backoffMs, type Disposition, dispositionOf } from './running/disposition.ts';
