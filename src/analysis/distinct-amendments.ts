import type { Amendment, Finding, PatchOperation } from '../contract/finding.ts';
import { canonicalJson } from '../kernel/digest.ts';

/** The amendments of findings without duplicate operations; findings at one place have the same patch. */
export function distinctAmendments(findings: readonly Finding[]): Amendment[] {
  const amendments: Amendment[] = [];
  const seen = new Set<string>();
  // Findings at one place share their operations as objects, which is cheaper to compare than large JSON.
  const shared = new Set<PatchOperation>();
  for (const { amendment } of findings) {
    if (amendment === undefined) continue;
    const patch = amendment.patch.filter((operation) => {
      if (shared.has(operation)) return false;
      shared.add(operation);
      const key = canonicalJson([amendment.of, { ...operation }]);
      const known = seen.has(key);
      seen.add(key);
      return !known;
    });
    if (patch.length > 0) amendments.push({ of: amendment.of, patch });
  }
  return amendments;
}
