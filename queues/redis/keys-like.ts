import type { Cluster } from 'ioredis';
import type { Connection } from './connection.ts';

/** All keys that begin with a text, sorted. Scans the whole database. */
export async function keysLike(connection: Connection, beginning: string): Promise<string[]> {
  const pattern = `${beginning.replace(/[\\*?[\]]/g, '\\$&')}*`;
  const nodes = connection.isCluster ? (connection as Cluster).nodes('master') : [connection];
  const found = new Set<string>();
  for (const node of nodes) {
    let cursor = '0';
    do {
      const [next, keys] = await node.scan(cursor, 'MATCH', pattern, 'COUNT', 1_000);
      for (const key of keys) found.add(key);
      cursor = next;
    } while (cursor !== '0');
  }
  return [...found].sort();
}
