export {
  type Deadlines,
  openDeadlines,
  type ReaderLag,
  readerLags,
} from './backlog.ts';
export type { Cancelled } from './cancel-job.ts';
export * from './catalog.ts';
export { type Connection, connect, disconnect, type Purpose, whenReady } from './connection.ts';
export { type Consumer, type ConsumerHealth, type ConsumerOptions, createConsumer } from './consumer.ts';
export { type DeadLetter, DeadLetters } from './dead-letters.ts';
export type { Delivery } from './delivery.ts';
export { backoffMs, type Disposition, dispositionOf } from './disposition.ts';
export type { DrainResult } from './drain.ts';
export {
  type CallFault,
  type CircuitFault,
  type CircuitPolicy,
  type CircuitState,
  Endpoints,
  type FailingEndpoint,
  type RestingEndpoint,
} from './endpoints.ts';
export { type Envelope, type PublishedEnvelope, type Reason, readEnvelope } from './envelope.ts';
export { type HandlerEntry, HandlerRecords, type HandlerRetention } from './handler-records.ts';
export { type Heard, Heartbeats } from './heartbeats.ts';
export { Histories, type KeptHistory, type SubmittedJob } from './histories.ts';
export { defaultHistoryLimits, type HistoryLimits, HistoryWriter, type LeftOutReport } from './history-writer.ts';
export { INTAKE_GROUP } from './intake-entries.ts';
export { dataDigestOf, jobIdOf } from './job-id.ts';
export { type JobFilter, type JobList, type ListedJob, type ListState, listStates } from './job-list.ts';
export type { JobFacts, JobReader } from './job-reader.ts';
export { type Lease, Leases } from './lease.ts';
export { type Limit, limits } from './limits.ts';
export { type LocalRedis, type LocalRedisOptions, localRedis, redisServerPath } from './local-redis.ts';
export { mending } from './mending.ts';
export { type Inspection, openOperator, type QueueOperator } from './operator.ts';
export type { OutcomeEntry } from './outcome-entries.ts';
export { publishScript } from './outcomes.ts';
export type { Deed } from './pause.ts';
export { createProducer, type Producer, type ProducerOptions } from './producer.ts';
export { Quarantine, type QuarantineCause, type QuarantineEntry } from './quarantine.ts';
export { QueueError, trimmedError } from './queue-error.ts';
export type { OnQueueEvent, QueueEvent } from './queue-event.ts';
export { entriesSince, outcomeStreams, type QueueSnapshot, queueSnapshot } from './queue-snapshot.ts';
export { Readings } from './readings.ts';
export { judgeRedis, type RedisFacts, type RedisFault, redisFacts } from './redis-facts.ts';
export { forbidden, grantOf, leastRules, type RedisPermissions, redisPermissions } from './redis-permissions.ts';
export { isForbidden, redisFailure } from './redis-refusal.ts';
export { nextAttempt } from './requeue.ts';
export { type SharedLimit, SharedLimits } from './shared-limits.ts';
export { Spendings } from './spendings.ts';
export { type TenantLoad, type TenantLoads, tenantLoads } from './tenant-loads.ts';
