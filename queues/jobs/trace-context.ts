import { isObject, jsonOf } from '../redis/json-text.ts';

/** A trace context of version 00 (W3C Trace Context, section 3.2.2); ids of zeros are invalid. */
const FORM = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** A `traceparent` that a producer gave; `undefined` if it is not valid. */
export function traceparentOf(given: unknown): string | undefined {
  return typeof given === 'string' && FORM.test(given) ? given : undefined;
}

/**
 * The `traceparent` in the telemetry metadata of a BullMQ job: a JSON object, as BullMQ's own packages write it,
 * perhaps after a mark of ours.
 */
export function traceparentIn(metadata: unknown): string | undefined {
  if (typeof metadata !== 'string' || metadata.length > 4_096) return undefined;
  const carrier = jsonOf(metadata.slice(Math.max(0, metadata.indexOf('{'))));
  return isObject(carrier) ? traceparentOf(carrier.traceparent) : undefined;
}

/** Telemetry metadata of a BullMQ job: a mark of ours, and a `traceparent` if there is one. */
export function metadataWith(mark: string, traceparent: string | undefined): string {
  return traceparent === undefined ? mark : `${mark} ${JSON.stringify({ traceparent })}`;
}
