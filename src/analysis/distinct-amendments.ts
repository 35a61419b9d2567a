import type { Amendment, Finding } from '../contract/finding.ts';
import type { Json } from '../kernel/json.ts';
import { equalJson } from '../schemas/equal-json.ts';

/** The amendments of findings, each once and each operation once: findings at one place carry the same patch. */
export function distinctAmendments(findings: readonly Finding[]): Amendment[] {
  const amendments: Amendment[] = [];
  const seen: { of: string; operation: Json }[] = [];
  for (const { amendment } of findings) {
    if (amendment === undefined) continue;
    const patch = amendment.patch.filter((operation) => {
      const known = seen.some((each) => each.of === amendment.of && equalJson(each.operation, { ...operation }));
      if (!known) seen.push({ of: amendment.of, operation: { ...operation } });
      return !known;
    });
    if (patch.length > 0) amendments.push({ of: amendment.of, patch });
  }
  return amendments;
}
