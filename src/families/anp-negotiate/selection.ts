import { canonicalDigest } from '../../kernel/digest.ts';
import type { Json } from '../../kernel/json.ts';
import { isExpired, type NegotiateBody, type NegotiationResult, type Selected } from './messages.ts';

/** Who asks whom for what, before a negotiation. */
export interface Asked {
  /** The DID of the target agent. */
  target: string;
  /** The DID of the caller; without one, its capabilities identify it. */
  caller?: string;
  body: NegotiateBody;
}

/** An accepted negotiation, kept for later requests. */
export interface KeptSelection {
  asked: Asked;
  result: NegotiationResult;
  /** The digest of the handler that was generated for it. */
  handler?: string;
}

/** What `anp.get_capabilities` says about the target now; an absent list excludes nothing. */
export interface CurrentCapabilities {
  supported_profiles?: readonly string[];
  supported_security_profiles?: readonly string[];
  supported_content_types?: readonly string[];
}

/** A kept selection that can be used, or why the caller has to negotiate. */
export type SelectionLookup =
  | { found: true; kept: KeptSelection; key: string }
  | { found: false; why: 'unknown' | 'expired' | 'unsupported' | 'downgrade' };

/**
 * The key of a kept selection (ANP-06 section 10.1), as 64 hex digits: target, caller or its capabilities, intent tags
 * in any order or else the whole intent, and the selected interface, profile, security profile and digest. Throws
 * `TypeError` or `Error` if a text has a lone surrogate.
 */
export function selectionKey(asked: Asked, { selected = {}, negotiationDigest }: NegotiationResult): string {
  const { interface: named, profile, securityProfile } = selected;
  const chosen = [named, profile, securityProfile, negotiationDigest].map((part) => part ?? null);
  return canonicalDigest([askedKey(asked), ...chosen]);
}

/**
 * Looks for a kept selection for the same question, as 0-RTT does for a hash: no message is sent. A selection
 * can be used until its `validUntil`, as long as the target still supports it, and only if it is no weaker than
 * what is required. Of several, the last one in the list counts. `now` is in milliseconds since 1970. Pure.
 */
export function findSelection(
  asked: Asked,
  kept: readonly KeptSelection[],
  { now, capabilities }: { now: number; capabilities?: CurrentCapabilities },
): SelectionLookup {
  const wanted = askedKey(asked);
  const same = kept.filter((one) => one.result.status === 'accepted' && askedKey(one.asked) === wanted);
  const current = same.filter(({ result }) => !isExpired(result, now));
  const supported = current.filter(({ result }) => isSupported(result.selected ?? {}, capabilities));
  const required = asked.body.constraints?.requiredSecurityProfile;
  const found = supported.findLast(
    ({ result }) => required === undefined || result.selected?.securityProfile === required,
  );
  if (found !== undefined) return { found: true, kept: found, key: selectionKey(found.asked, found.result) };
  if (same.length === 0) return { found: false, why: 'unknown' };
  if (current.length === 0) return { found: false, why: 'expired' };
  return { found: false, why: supported.length === 0 ? 'unsupported' : 'downgrade' };
}

function isSupported({ profile, securityProfile, contentType }: Selected, now: CurrentCapabilities = {}): boolean {
  const allows = (list: readonly string[] | undefined, value: string | undefined) =>
    list === undefined || value === undefined || list.includes(value);
  return (
    allows(now.supported_profiles, profile) &&
    allows(now.supported_security_profiles, securityProfile) &&
    allows(now.supported_content_types, contentType)
  );
}

function askedKey({ target, caller, body }: Asked): string {
  const { intent, callerCapabilities = {} } = body;
  const tags = [...new Set(intent.intentTags)].sort();
  return canonicalDigest([
    target,
    caller ?? { capabilities: callerCapabilities as Json },
    tags.length > 0 ? tags : (intent as Json),
  ]);
}
