import { once } from 'node:events';
import { createServer } from 'node:net';

/** Free ports of the loopback interface, of which 10,000 higher ones exist too. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const probe = createServer();
    probe.listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const address = probe.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    probe.close();
    await once(probe, 'close');
    // A cluster node also listens on its port plus 10,000.
    if (port > 1_024 && port < 50_000) ports.push(port);
  }
  return ports;
}
