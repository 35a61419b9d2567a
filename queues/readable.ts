import { kinds, NAME_PATTERN } from './catalog.ts';
import type { Family, Json, JsonObject, Kind, Readable } from './job.ts';

const families: readonly string[] = ['anp', 'agora', 'agent-description', 'uagents'];

/** Time the peer waits where the job does not say, in milliseconds: the ANP specification's 15 s, 60 s for other families. */
export const defaultTimeoutMs = { anp: 15_000, other: 60_000 } as const;

/** Least and greatest `timeoutMs`. */
export const timeoutRangeMs = { least: 1_000, greatest: 600_000 } as const;

/** What can be read of a job's data without validating them. */
export function readableOf(kind: string, data: unknown): Readable {
  const readKind = isKind(kind) ? kind : null;
  if (!isObject(data)) {
    return {
      version: null,
      negotiationId: null,
      tenant: null,
      family: null,
      role: null,
      kind: readKind,
      replyTo: null,
    };
  }
  const { version, negotiationId, role } = data;
  const named = (value: Json | undefined) => {
    if (value === undefined) return 'default';
    return typeof value === 'string' && NAME_PATTERN.test(value) ? value : null;
  };
  return {
    version: typeof version === 'number' && Number.isSafeInteger(version) ? version : null,
    negotiationId: typeof negotiationId === 'string' && isNegotiationId(negotiationId) ? negotiationId : null,
    tenant: named(member(data, 'tenant')),
    family: familyOf(member(data, 'family')),
    role: role === 'provider' || role === 'requester' ? role : null,
    kind: readKind,
    replyTo: named(member(data, 'replyTo')),
  };
}

/** How long the peer waits, in milliseconds, as far as the data can be read: its default where `timeoutMs` is absent or out of range. */
export function timeoutOf(data: unknown): number {
  const given = isObject(data) ? member(data, 'timeoutMs') : undefined;
  if (
    typeof given === 'number' &&
    Number.isInteger(given) &&
    given >= timeoutRangeMs.least &&
    given <= timeoutRangeMs.greatest
  ) {
    return given;
  }
  const family = isObject(data) ? familyOf(member(data, 'family')) : 'anp';
  return family === 'anp' || family === null ? defaultTimeoutMs.anp : defaultTimeoutMs.other;
}

/** The version that data claim, where it is a whole number. */
export function versionOf(data: unknown): number | undefined {
  const version = isObject(data) ? member(data, 'version') : undefined;
  return typeof version === 'number' && Number.isSafeInteger(version) ? version : undefined;
}

/** Whether a name is that of a kind of job. */
export function isKind(kind: string): kind is Kind {
  return (kinds as readonly string[]).includes(kind);
}

/** The family that data name, the default where they name none; `null` where there is no such family. */
export function familyOf(value: Json | undefined): Family | null {
  if (value === undefined) return 'anp';
  return typeof value === 'string' && families.includes(value) ? (value as Family) : null;
}

function isNegotiationId(text: string): boolean {
  return text.length > 0 && text.length <= 400 && [...text].length <= 200 && text.isWellFormed();
}

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member of its own that an object has. */
export function member(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** What a text holds as JSON; `undefined` where it is none. */
export function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
