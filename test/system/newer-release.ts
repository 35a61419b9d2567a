/**
 * Loaded before a worker (`node --import`), makes it one of a later release: it knows version 2 of jobs too. The text
 * of three modules is changed as they are loaded, and a text that is not found ends the process.
 */
import { registerHooks } from 'node:module';

const changes: [file: string, known: string, later: string][] = [
  ['/queues/running/job-runner.ts', 'const KNOWN_VERSION = 1;', 'const KNOWN_VERSION = 2;'],
  ['/src/intake/read-job.ts', 'version > 1)', 'version > 2)'],
  ['/src/intake/job-base.schema.json', '"const": 1,', '"enum": [1, 2],'],
];

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const change = changes.find(([file]) => url.endsWith(file));
    if (change === undefined) return loaded;
    const [file, known, later] = change;
    const source = String(loaded.source);
    if (!source.includes(known)) throw new Error(`Cannot make ${file} one of a later release: wanted ${known}`);
    return { ...loaded, source: source.replace(known, later) };
  },
});
