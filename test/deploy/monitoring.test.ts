import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { parse } from 'yaml';
import { markedJob, root, soundReply, startRig, until } from '../system/harness.ts';

interface Rule {
  alert: string;
  expr: string;
}

interface Panel {
  title: string;
  type: string;
  targets?: { expr: string }[];
}

const folder = join(root, 'deploy/prometheus');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const rules: Rule[] = parse(read('deploy/prometheus/alerts.yaml')).groups.flatMap(
  ({ rules }: { rules: Rule[] }) => rules,
);
const panels: Panel[] = JSON.parse(read('deploy/grafana/dashboards/protosmith.json')).panels;
/** Every expression that is asked of Prometheus, with its place. */
const asked = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
];

const promtool = spawnSync('promtool', ['--version'], { stdio: 'ignore' }).status === 0;
const skip = !promtool && 'promtool is not installed (Debian: prometheus)';
const scratch = mkdtempSync(join(tmpdir(), 'protosmith-monitoring-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

function runPromtool(...args: string[]): void {
  const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: folder, encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
}

test('Prometheus itself finds each fault by the alert rules, and a healthy installation quiet', { skip }, () => {
  runPromtool('test', 'rules', 'alerts.test.yaml');
});

test('Prometheus reads its configuration, and every expression of the dashboard', { skip }, () => {
  runPromtool('check', 'config', 'prometheus.yaml');
  const record = panels.flatMap(({ targets = [] }) =>
    targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m')),
  );
  const file = join(scratch, 'dashboard.yaml');
  const groups = [{ name: 'dashboard', rules: record.map((expr, index) => ({ record: `panel_${index}`, expr })) }];
  writeFileSync(file, JSON.stringify({ groups }));
  runPromtool('check', 'rules', file);
});

test('each alert has a scene in which it fires, and one in which it does not', () => {
  const { tests } = parse(read('deploy/prometheus/alerts.test.yaml'));
  const scenes: { alertname: string; exp_alerts: unknown[] }[] = tests.flatMap(
    ({ alert_rule_test }: { alert_rule_test: unknown[] }) => alert_rule_test,
  );
  for (const { alert } of rules) {
    const ends = scenes.filter(({ alertname }) => alertname === alert).map(({ exp_alerts }) => exp_alerts.length > 0);
    assert.deepEqual([ends.includes(true), ends.includes(false)], [true, true], alert);
  }
});

test('each alert has its row in docs/operations.md, and no row is about another', () => {
  const [, section = ''] = /^## Alerts\n([\s\S]*?)^## /m.exec(read('docs/operations.md')) ?? [];
  const rows = [...section.matchAll(/^\| `(\w+)` \| [^|]+ \| [^|]+ \|$/gm)].map(([, alert]) => alert);
  assert.deepEqual(
    rows,
    rules.map(({ alert }) => alert),
  );
});

/** The series of one answer of /metrics: by name of the metric, each as its labels. */
function seriesIn(text: string): Map<string, { labels: string; value: number }[]> {
  const lines = [...text.matchAll(/^([a-z_0-9]+)(?:\{(.*)\})? (\S+)$/gm)];
  return Map.groupBy(
    lines.map(([, name = '', labels = '', value]) => ({ name, labels, value: Number(value) })),
    ({ name }) => name,
  );
}

/** The selectors of an expression: a metric's name with its matchers. */
function selectorsIn(expr: string): { name: string; matchers: [label: string, operator: string, value: string][] }[] {
  return [...expr.matchAll(/\b(protosmith_\w+)(?:\{([^}]*)\})?/g)].map(([, name = '', inner = '']) => ({
    name,
    matchers: [...inner.matchAll(/(\w+)(=~|!=|=)"([^"]*)"/g)].map(([, label = '', operator = '', value = '']) => [
      label,
      operator,
      value,
    ]),
  }));
}

test('every metric and label that alerts and dashboard ask for is one that a live worker exports', async (t) => {
  const rig = await startRig();
  t.after(() => rig.close());
  const worker = await rig.worker({ PROTOSMITH_PORT: '0', PROTOSMITH_MONITOR: '1' });
  const { port } = await worker.logged(({ msg }) => msg === 'listening');
  const scrape = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();

  const fresh = seriesIn(await scrape());
  for (const [place, expr] of asked.filter(([, expr]) => expr.includes('increase('))) {
    for (const [, inner = ''] of expr.matchAll(/increase\(([^[]*)\[/g)) {
      const [{ name, matchers } = { name: '', matchers: [] }] = selectorsIn(inner);
      const isThere = fresh
        .get(name)
        ?.some(({ labels }) =>
          matchers.every(([label, , value]) => new RegExp(`(^|,)${label}="${value}"`).test(labels)),
        );
      assert.ok(isThere, `${place}: ${inner} does not stand at 0 before it counts, and \`increase\` would not see it`);
    }
  }

  rig.answer('monitoring', () => ({ kind: 'reply', text: soundReply }));
  assert.equal((await rig.outcomeOf(markedJob('monitoring'))).verdict, 'generated');
  await rig.connection.xgroup('CREATE', rig.keys.outcomes('default'), 'reader', '0');
  const text = await until(async () => {
    const found = await scrape();
    return /^protosmith_jobs_total\{/m.test(found) && found;
  });
  if (promtool) {
    const linted = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
    assert.equal(linted.status, 0, linted.stderr);
  }
  assert.doesNotMatch(text, /^# TYPE \S+ gauge\n(?:.*\n)*?\S+\{.*quantile=/m);
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\w+)$/gm)].map(([, name = '', type = '']) => [name, type]));
  const documented = new Map(
    [...read('docs/metrics.md').matchAll(/^\| `(protosmith_\w+)` \| (\w+) \| ([^|]*) \|/gm)].map(
      ([, name = '', type, labels = '']) => [name, { type, labels: [...labels.matchAll(/\w+/g)].map(([one]) => one) }],
    ),
  );
  for (const [place, expr] of asked) {
    const grouped = [...expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(
      ([, names = '']) => names.match(/\w+/g) ?? [],
    );
    for (const { name, matchers } of selectorsIn(expr)) {
      const metric = types.get(name) === undefined ? name.replace(/_(bucket|sum|count)$/, '') : name;
      const row = documented.get(metric);
      assert.ok(types.has(metric), `${place}: ${name} is not exported`);
      assert.equal(row?.type, types.get(metric), `${place}: ${name} is not exported, or not documented`);
      const labels = [...matchers.map(([label]) => label), ...grouped];
      for (const label of labels)
        assert.ok(label === 'le' || row?.labels.includes(label), `${place}: ${metric} has no label ${label}`);
    }
  }
  const states = (name: string) => (seriesIn(text).get(name) ?? []).map(({ labels }) => labels.slice(7, -1));
  for (const [place, expr] of asked)
    for (const { name, matchers } of selectorsIn(expr))
      for (const [label, , value] of matchers)
        if (label === 'state')
          for (const state of value.split('|')) assert.ok(states(name).includes(state), `${place}: no state ${state}`);
});

test('a Redis that is full is counted under the kind that the alert asks for', async (t) => {
  const rig = await startRig();
  t.after(() => rig.close());
  if (rig.redis.pid === null) return t.skip('the embedded Redis is never full');
  const worker = await rig.worker({ PROTOSMITH_PORT: '0' });
  const { port } = await worker.logged(({ msg }) => msg === 'listening');
  rig.answer('full', () => ({ kind: 'reply', text: soundReply, pieceCharacters: 400, pauseMs: 100 }));
  await rig.submit(markedJob('full', { timeoutMs: 120_000 }));
  await worker.logged(({ msg }) => msg === 'prompted');
  await rig.connection.config('SET', 'maxmemory', '1');
  await until(async () => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return /^protosmith_redis_errors_total\{kind="OOM"\} [1-9]/m.test(text);
  }, 'a refused write to be counted');
  await rig.connection.config('SET', 'maxmemory', '0');
});
