import { sha256Hex } from '../kernel/digest.ts';

const known = new Map<string, string>();

/** The version of a prompt's template: it changes with the system part, which never depends on a job. */
export function promptVersionOf(system: string): string {
  const version = known.get(system) ?? `1-${sha256Hex(system).slice(0, 8)}`;
  if (known.size < 20) known.set(system, version);
  return version;
}
