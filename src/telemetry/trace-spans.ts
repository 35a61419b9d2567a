import { type Attributes, SpanKind } from '@opentelemetry/api';
import type { LifeEvent } from '../contract/history.ts';

/** An event of a job, without texts, with its time. */
export interface TimedEvent {
  atMs: number;
  event: LifeEvent;
}

/** A span to be made. */
export interface SpanFacts {
  name: string;
  kind: SpanKind;
  /** Milliseconds since 1970. */
  startMs: number;
  endMs: number;
  attributes: Attributes;
  /** The code of its failure. */
  error?: string;
  /** The index of its parent among the spans; absent for a child of the delivery. */
  parent?: number;
}

/** The stages that wait for a model. */
const asking: ReadonlySet<string> = new Set(['complete', 'read', 'confirm']);

/**
 * The spans of one delivery, parents first: a span for each stage, and below the stages that ask a model a span for
 * each try. Results of a trial, its checks and its derived cases are attributes of their stages. `attributes` belong to
 * the delivery itself.
 */
export function spansOf(happened: readonly TimedEvent[]): { spans: SpanFacts[]; attributes: Attributes } {
  const spans = happened.flatMap(stageOf);
  const attributes: Attributes = {};
  const stages = [...spans];
  for (const one of happened) {
    Object.assign(attributes, ofDelivery(one.event));
    const result = resultOf(one);
    const stage = result === null ? undefined : lastStage(stages, result.stage, result.attempt, one.atMs);
    if (result !== null && stage !== undefined) Object.assign(stage.attributes, result.attributes);
    const call = callOf(one);
    if (call === null) continue;
    const parent = stages.findIndex(
      ({ name, attributes: about }) => asking.has(name) && about['protosmith.attempt'] === call.attempt,
    );
    spans.push(parent < 0 ? call.span : { ...call.span, parent });
  }
  return { spans, attributes };
}

function stageOf({ atMs, event }: TimedEvent): SpanFacts[] {
  if (event.type !== 'stage') return [];
  const { stage, durationMs, attempt, code } = event;
  const attributes = { 'protosmith.stage': stage, ...(attempt === undefined ? {} : { 'protosmith.attempt': attempt }) };
  const span = { name: stage, kind: SpanKind.INTERNAL, startMs: atMs - durationMs, endMs: atMs, attributes };
  return [code === undefined ? span : { ...span, error: code }];
}

/** What an event tells about the stage that ended before it; `null` for most events. */
function resultOf({ event }: TimedEvent): { stage: string; attempt: number; attributes: Attributes } | null {
  switch (event.type) {
    case 'candidate': {
      const digest = event.bundleDigest === null ? {} : { 'protosmith.bundle.digest': event.bundleDigest };
      const attributes = { ...digest, 'protosmith.candidate.faults': event.faults };
      return { stage: 'bundle', attempt: event.attempt, attributes };
    }
    case 'tried': {
      const { passed, failed, cpuMs, attempt } = event;
      const counts = { 'protosmith.cases.passed': passed.length, 'protosmith.cases.failed': failed.length };
      return { stage: 'trial', attempt, attributes: { ...counts, 'protosmith.trial.cpu_ms': cpuMs } };
    }
    case 'checked': {
      const { passed, failed, attempt } = event;
      const attributes = { 'protosmith.checks.passed': passed.length, 'protosmith.checks.failed': failed };
      return { stage: 'judge', attempt, attributes };
    }
    case 'derived': {
      const { runs, confirmed, contested, attempt } = event;
      const found = { 'protosmith.derived.confirmed': confirmed, 'protosmith.derived.contested': contested };
      return { stage: 'derive', attempt, attributes: { 'protosmith.derived.runs': runs, ...found } };
    }
    default:
      return null;
  }
}

/** The last stage of this name that ended before a time, in this attempt if the stage belongs to one. */
function lastStage(spans: readonly SpanFacts[], name: string, attempt: number, atMs: number): SpanFacts | undefined {
  return spans.findLast((one) => {
    const of = one.attributes['protosmith.attempt'] ?? attempt;
    return one.name === name && of === attempt && one.endMs <= atMs;
  });
}

/** The span of one try of a model call (semantic conventions for `gen_ai`, client spans). */
function callOf({ atMs, event }: TimedEvent): { attempt: number; span: SpanFacts } | null {
  if (event.type !== 'completed' && event.type !== 'try-failed') return null;
  const { attempt, durationMs, model = 'unknown' } = event;
  const shared = { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'openai', 'gen_ai.request.model': model };
  const attributes: Attributes =
    event.type === 'completed'
      ? {
          ...shared,
          'gen_ai.response.model': model,
          'gen_ai.usage.input_tokens': event.inputTokens,
          'gen_ai.usage.output_tokens': event.outputTokens,
        }
      : { ...shared, 'server.address': event.endpoint };
  const span = { name: `chat ${model}`, kind: SpanKind.CLIENT, startMs: atMs - durationMs, endMs: atMs, attributes };
  return { attempt, span: event.type === 'completed' ? span : { ...span, error: event.code } };
}

function ofDelivery(event: LifeEvent): Attributes {
  if (event.type === 'stored')
    return { 'protosmith.handler.digest': event.digest, 'protosmith.handler.reused': event.reused };
  if (event.type !== 'ended') return {};
  const { verdict, codes, modelMs = 0, ownMs = 0 } = event;
  return {
    'protosmith.verdict': verdict,
    'protosmith.codes': codes,
    'protosmith.model_ms': modelMs,
    'protosmith.own_ms': ownMs,
  };
}
