import type { Layers } from '../../sandbox/contract.ts';
import { levels } from '../../sandbox/index.ts';

/** What is to be said of a sandbox whose walls are not the best there are, in one sentence; `undefined` where they are. */
export function sandboxWarning({ level, missing }: Layers): string | undefined {
  if (level === levels.at(-1)) return undefined;
  const why = missing.find(({ layer }) => levels.some((one) => layer.startsWith(one)))?.why ?? 'unknown';
  return `The sandbox is at level "${level}", since no better one starts: ${why}`;
}
