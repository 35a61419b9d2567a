import { LONGEST_WAIT_MS, NAME_PATTERN } from '../../queues/index.ts';
import { type Kind, kinds, type Readable } from '../contract/job.ts';
import { member } from '../contract/job-fault.ts';
import { families, familyNamed } from '../families/families.ts';
import type { Family } from '../families/family.ts';
import { isObject, type Json, type JsonObject } from '../kernel/json.ts';

/** How long the peer of an unknown family waits, in milliseconds. */
const otherTimeoutMs = 60_000;

/** Smallest and largest `timeoutMs`. */
const timeoutRangeMs = { least: 1_000, greatest: LONGEST_WAIT_MS } as const;

/** Reads what can be read of a job's data without validating them. */
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
  const named = (value: Json | undefined, fallback = 'default') => {
    if (value === undefined) return fallback;
    return typeof value === 'string' && NAME_PATTERN.test(value) ? value : null;
  };
  return {
    version: typeof version === 'number' && Number.isSafeInteger(version) ? version : null,
    negotiationId: typeof negotiationId === 'string' && isNegotiationId(negotiationId) ? negotiationId : null,
    tenant: named(member(data, 'tenant')),
    family: named(member(data, 'family'), families[0].name),
    role: role === 'provider' || role === 'requester' ? role : null,
    kind: readKind,
    replyTo: named(member(data, 'replyTo')),
  };
}

/**
 * How long the peer waits, in milliseconds. Returns the family's default if `timeoutMs` is absent or out of
 * range.
 */
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
  return familyIn(data)?.timeoutMs ?? otherTimeoutMs;
}

/** The version that the data state, if it is a whole number. */
export function versionOf(data: unknown): number | undefined {
  const version = isObject(data) ? member(data, 'version') : undefined;
  return typeof version === 'number' && Number.isSafeInteger(version) ? version : undefined;
}

/** Whether a name is a kind of job. */
export function isKind(kind: string): kind is Kind {
  return (kinds as readonly string[]).includes(kind);
}

/** The family that the data name, or the default one if they name none; `undefined` if it is unknown. */
export function familyIn(data: unknown): Family | undefined {
  const name = isObject(data) ? member(data, 'family') : undefined;
  if (name === undefined) return families[0];
  return typeof name === 'string' ? familyNamed(name) : undefined;
}

/** The document in the data, with its JSON pointer; `undefined` if none can be read. */
export function documentIn(data: JsonObject): { text: string; pointer: string } | undefined {
  return (familyIn(data) ?? families[0]).documentIn(data);
}

/** The hash of the agreement, or `null` if its text cannot be read. */
export function protocolHashOf(data: unknown): string | null {
  const document = isObject(data) ? documentIn(data) : undefined;
  return document?.text.isWellFormed() ? (familyIn(data) ?? families[0]).hashOf(document.text) : null;
}

function isNegotiationId(text: string): boolean {
  return text.length > 0 && text.length <= 400 && [...text].length <= 200 && text.isWellFormed();
}
