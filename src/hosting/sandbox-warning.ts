import type { Layers } from '../../sandbox/contract.ts';
import { levels } from '../../sandbox/index.ts';

/** A warning, in one sentence, for a sandbox below the best level; `undefined` at the best level. */
export function sandboxWarning({ level, missing }: Layers): string | undefined {
  if (level === levels.at(-1)) return undefined;
  const why = missing.find(({ layer }) => levels.some((one) => layer.startsWith(one)))?.why ?? 'unknown';
  return `The sandbox is at level "${level}", since no better one starts: ${why}`;
}
