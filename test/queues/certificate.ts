import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Writes a certificate for this machine, valid for a day, and its key into a folder; `null` without openssl. */
export function certificate(dir: string): { cert: string; key: string } | null {
  const [cert, key] = [join(dir, 'cert.pem'), join(dir, 'key.pem')];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'];
  const wanted = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  const made = spawnSync('openssl', [...wanted, '-keyout', key, '-out', cert, ...names], { stdio: 'ignore' });
  return made.status === 0 ? { cert, key } : null;
}
