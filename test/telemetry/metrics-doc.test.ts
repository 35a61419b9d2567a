import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Registry } from 'prom-client';
import { createQueueMetrics } from '../../src/telemetry/queue-metrics.ts';
import { createWorkerMetrics } from '../../src/telemetry/worker-metrics.ts';

interface Row {
  name: string;
  type: string;
  labels: string;
  help: string;
}

const text = readFileSync(join(import.meta.dirname, '../../docs/metrics.md'), 'utf8');

/** The rows of the table under a heading. */
function documented(heading: string): Row[] {
  const section = text.split(/^## /m).find((one) => one.startsWith(`${heading}\n`)) ?? '';
  return section.split('\n').flatMap((line) => {
    const row = /^\| `(protosmith_\w+)` \| (\w+) \| ([^|]*) \| (.+) \|$/.exec(line);
    return row ? [{ name: row[1] ?? '', type: row[2] ?? '', labels: (row[3] ?? '').trim(), help: row[4] ?? '' }] : [];
  });
}

function registered(registry: Registry): Row[] {
  return registry.getMetricsAsArray().map((metric) => {
    const { name, help, labelNames } = metric as unknown as { name: string; help: string; labelNames: string[] };
    const type = metric.constructor.name.toLowerCase();
    return { name, type, labels: labelNames.map((label) => `\`${label}\``).join(', '), help };
  });
}

test('docs/metrics.md has every metric of a worker, in order, and no other', () => {
  const metrics = createWorkerMetrics('0.0.0');
  assert.deepEqual(documented('Each worker'), registered(metrics.registry));
  metrics.close();
});

test('docs/metrics.md has every metric of the queue, in order, and no other', () => {
  const registry = createQueueMetrics(() => Promise.reject(new Error('not looked at')));
  assert.deepEqual(documented('The whole queue'), registered(registry));
});

test('no metric has a label for a text of a job', () => {
  const labels = [...text.matchAll(/^\| `protosmith_\w+` \| \w+ \| ([^|]*) \|/gm)].flatMap(([, each = '']) =>
    [...each.matchAll(/`(\w+)`/g)].map(([, label]) => label),
  );
  for (const label of ['jobId', 'job', 'negotiation', 'tenant', 'model']) assert.ok(!labels.includes(label), label);
});
