import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DCLinter } from 'dclint';
import { parse } from 'yaml';
import { readConfig, settings } from '../../src/config.ts';
import { consoleCommand } from '../../src/operator/console/console.ts';
import { worker } from '../../src/operator/queue/worker.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

// biome-ignore lint/suspicious/noExplicitAny: the linter checks the files against the schema of compose.
type Compose = any;

const text = read('deploy/compose.yaml');
const compose: Compose = parse(text, { merge: true });
const override: Compose = parse(read('deploy/compose.sandbox.yaml'), {
  merge: true,
  customTags: [{ tag: '!override', collection: 'seq', resolve: (value: unknown) => value }],
} as never);
const own = Object.entries<Compose>(compose.services).filter(([, { image }]) => image.startsWith('protosmith:'));
const workers = own.filter(([, { command }]) => command[0] === 'worker');
const helps: Record<string, string> = { worker: worker.help, console: consoleCommand.help };
const example = new Map(
  [...read('deploy/env.example').matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
);

/** A value as compose would put it in, with sample values for what the operator has to fill in. */
function filled(value: string): string {
  return value.replaceAll(/\$\{(\w+)(?::([?-])[^}]*)?\}/g, (_, name: string, how: string) => {
    assert.ok(example.has(name), `deploy/env.example lacks ${name}`);
    return how === '-' ? '' : 'a-sample-of-24-characters';
  });
}

test('the compose files fit the schema of compose and break no rule of its linter', () => {
  const files = ['compose.yaml', 'compose.sandbox.yaml'].map((name) => join(root, 'deploy', name));
  const results: { messages: { type: string; message: string }[] }[] = new DCLinter({
    rules: {},
    quiet: true,
    debug: false,
    exclude: [],
  }).lintFiles(files, false);
  assert.equal(results.length, 2);
  const errors = results.flatMap(({ messages }) => messages.filter(({ type }) => type === 'error'));
  assert.deepEqual(errors, []);
});

test('there are two workers, of which one is the monitor, and what watches them', () => {
  assert.equal(workers.length, 2);
  assert.deepEqual(
    workers.flatMap(([, { environment }]) => environment.PROTOSMITH_MONITOR ?? []),
    ['1'],
  );
  for (const name of ['redis', 'console', 'prometheus', 'grafana']) assert.ok(name in compose.services, name);
});

test('our services run commands that there are, with settings that they take', () => {
  const known = new Set<string>(Object.values(settings).map(({ env }) => env));
  for (const [name, { command, environment }] of own) {
    for (const variable of Object.keys(environment)) assert.ok(known.has(variable), `${name}: ${variable}`);
    const values = Object.fromEntries(
      Object.entries<string>(environment).map(([variable, value]) => [variable, filled(value)]),
    );
    readConfig({ ...values, OPENAI_API_KEY: 'key' }, {}, { model: command[0] === 'worker' });
    const help = helps[command[0]] ?? assert.fail(`${name}: no command ${command[0]}`);
    for (const word of command.filter((one: string) => one.startsWith('--'))) assert.ok(help.includes(word), word);
    for (const variable of Object.keys(environment))
      assert.ok(help.includes(variable), `${name}: ${command[0]} does not read ${variable}`);
  }
  for (const [name, { environment }] of Object.entries<Compose>(override.services)) {
    assert.ok(workers.some(([worker]) => worker === name));
    readConfig(environment, {}, { only: ['sandboxLevel'] });
  }
  // What compose itself is told, and what the example has to say about it.
  const asked = [...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name);
  assert.deepEqual([...new Set(asked)].sort(), [...example.keys()].sort());
});

test('a worker has time to drain, is found alive on its port, and may do little', () => {
  for (const [name, service] of workers) {
    const { environment, stop_grace_period: grace, healthcheck } = service;
    assert.ok(Number.parseInt(grace, 10) * 1_000 >= Number(environment.PROTOSMITH_DRAIN_MS) + 10_000, name);
    assert.ok(healthcheck.test.join(' ').includes(`127.0.0.1:${environment.PROTOSMITH_PORT}/livez`), name);
    assert.ok(service.mem_limit && service.cpus && service.pids_limit, name);
  }
  for (const [name, { read_only: readOnly, cap_drop: dropped, security_opt: options }] of own)
    assert.deepEqual([readOnly, dropped, options], [true, ['ALL'], ['no-new-privileges:true']], name);
  for (const { ports = [] } of Object.values<Compose>(compose.services))
    for (const port of ports) assert.match(port, /^127\.0\.0\.1:/);
});

test('Redis keeps what it takes', () => {
  const words = compose.services.redis.command.join(' ');
  assert.match(words, /--appendonly yes\b/);
  assert.match(words, /--maxmemory-policy noeviction\b/);
  assert.match(compose.services.redis.volumes.join(), /:\/data$/);
});

test('Prometheus scrapes every worker, Grafana finds Prometheus and the dashboard, every mounted file is there', () => {
  const prometheus = parse(read('deploy/prometheus/prometheus.yaml'));
  assert.deepEqual(
    prometheus.scrape_configs.flatMap(({ static_configs: all }: Compose) =>
      all.flatMap(({ targets }: Compose) => targets),
    ),
    workers.map(([name, { environment }]) => `${name}:${environment.PROTOSMITH_PORT}`),
  );
  for (const { volumes = [] } of Object.values<Compose>(compose.services))
    for (const [from = ''] of volumes.map((one: string) => one.split(':')))
      assert.ok(from.startsWith('./') ? existsSync(join(root, 'deploy', from)) : from in compose.volumes, from);
  const inside = (service: string, path: string) =>
    compose.services[service].volumes.some((one: string) => path.startsWith(one.split(':')[1] ?? 'none'));
  const [config = ''] = compose.services.prometheus.command;
  assert.ok(inside('prometheus', config.split('=')[1] ?? ''));
  for (const file of prometheus.rule_files) assert.ok(inside('prometheus', `/etc/prometheus/${file}`), file);
  const { datasources } = parse(read('deploy/grafana/provisioning/datasources/prometheus.yaml'));
  const url = new URL(datasources[0].url);
  assert.ok(compose.services[url.hostname].ports.some((one: string) => one.endsWith(`:${url.port}`)));
  const { providers } = parse(read('deploy/grafana/provisioning/dashboards/protosmith.yaml'));
  assert.ok(inside('grafana', providers[0].options.path));
});

/** The instructions of the Dockerfile, one line each. */
const instructions = read('Dockerfile')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll('\\\n', ' ')
  .split('\n')
  .flatMap((line) => /^([A-Z]+)\s+(.+)$/.exec(line.trim())?.slice(1, 3) ?? [])
  .reduce<[string, string][]>((pairs, word, index, all) => {
    if (index % 2 === 0) pairs.push([word, all[index + 1] ?? '']);
    return pairs;
  }, []);
const last = instructions.slice(instructions.findLastIndex(([name]) => name === 'FROM'));

test('the image is built in stages on a pinned Node that the package accepts, and its last stage is small', () => {
  const bases = instructions.filter(([name]) => name === 'FROM').map(([, rest]) => rest);
  assert.ok(bases.length > 1);
  const { engines } = JSON.parse(read('package.json'));
  for (const base of bases) assert.match(base, new RegExp(`^node:${engines.node.replace(/\D/g, '')}-\\w+-slim\\b`));
  for (const [name, rest] of instructions) {
    assert.notEqual(name, 'ADD');
    assert.doesNotMatch(rest, /\bsudo\b|\bcurl\b.*\|/);
    if (!/apt-get install/.test(rest)) continue;
    assert.match(rest, /--no-install-recommends/);
    assert.match(rest, /rm -rf \/var\/lib\/apt\/lists/);
  }
  assert.ok(!last.some(([name, rest]) => name === 'RUN' && /npm (ci|install)/.test(rest)));
});

test('the container does not run as root, reaps processes, and starts a worker', () => {
  const names = last.map(([name]) => name);
  const at = (name: string) => names.lastIndexOf(name);
  assert.ok(at('USER') > at('RUN') && at('USER') > at('COPY') && at('USER') < at('ENTRYPOINT'));
  assert.notEqual(last[at('USER')]?.[1], 'root');
  const [, , entry] = JSON.parse(last[at('ENTRYPOINT')]?.[1] ?? '');
  assert.equal(entry, Object.keys(JSON.parse(read('package.json')).bin)[0]);
  const [command] = JSON.parse(last[at('CMD')]?.[1] ?? '');
  assert.ok(command in helps);
});

test('every file that is copied is there, and every file that is read at run time is copied', () => {
  const copies = instructions.filter(([name]) => name === 'COPY').map(([, rest]) => rest.split(' '));
  const fromBuild: string[] = [];
  for (const words of copies) {
    const paths = words.filter((one) => !one.startsWith('--')).slice(0, -1);
    for (const path of paths.filter((one) => one !== '.')) {
      const inRoot = path.replace(/^\/(build|app)\/?/, '');
      const isMade = inRoot === 'node_modules' || inRoot === 'dist';
      assert.ok(isMade || globSync(inRoot, { cwd: root }).length > 0, `${path} is not there`);
      if (words[0] === '--from=build') fromBuild.push(inRoot);
    }
  }
  const named = globSync('src/**/*.ts', { cwd: root })
    .flatMap((file) => [...read(file).matchAll(/\bpackageFile\('([^']+)'\)/g)])
    .map(([, path = '']) => path);
  for (const path of [...named, 'bin', 'dist'])
    assert.ok(
      fromBuild.some(
        (from) => path === from || path.startsWith(`${from}/`) || globSync(from, { cwd: root }).includes(path),
      ),
      `${path} is read and not copied`,
    );
  // In a checkout, the command would install and start another Node.
  assert.ok(!fromBuild.includes('scripts'));
  const ignored = read('.dockerignore').split('\n');
  for (const path of ['.git', 'node_modules', '**/.env']) assert.ok(ignored.includes(path), path);
});
