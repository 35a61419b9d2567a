import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ScaledObject, TriggerAuthentication } from '@kubernetes-models/keda/keda.sh/v1alpha1';
import { Deployment } from 'kubernetes-models/apps/v1';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, ServiceAccount } from 'kubernetes-models/v1';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig, settings } from '../../src/config.ts';
import { startHealthServer } from '../../src/telemetry/health-server.ts';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'deploy/kubernetes');
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const scratch = mkdtempSync(join(tmpdir(), 'protosmith-kubernetes-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

/** The kinds of our manifests: the class that validates one, and the module with its type. */
const kinds: Record<string, [model: new (data: never) => { validate(): void }, module: string]> = {
  Deployment: [Deployment, 'kubernetes-models/apps/v1'],
  NetworkPolicy: [NetworkPolicy, 'kubernetes-models/networking.k8s.io/v1'],
  PodDisruptionBudget: [PodDisruptionBudget, 'kubernetes-models/policy/v1'],
  ConfigMap: [ConfigMap, 'kubernetes-models/v1'],
  ServiceAccount: [ServiceAccount, 'kubernetes-models/v1'],
  ScaledObject: [ScaledObject, '@kubernetes-models/keda/keda.sh/v1alpha1'],
  TriggerAuthentication: [TriggerAuthentication, '@kubernetes-models/keda/keda.sh/v1alpha1'],
};

// biome-ignore lint/suspicious/noExplicitAny: manifests are checked against their schemas by the first test.
type Manifest = any;

const kustomization = parse(read('kustomization.yaml'));
const manifests: Manifest[] = kustomization.resources.flatMap((file: string) =>
  parseAllDocuments(read(file), { merge: true }).flatMap((document) => {
    assert.deepEqual(document.errors, [], file);
    const manifest = document.toJS();
    return manifest.kind === 'List' ? manifest.items : [manifest];
  }),
);
const of = (kind: string): Manifest[] => manifests.filter((one) => one.kind === kind);
const pods = of('Deployment').map(({ metadata, spec }) => ({ name: metadata.name, ...spec.template.spec }));
const [configMap] = of('ConfigMap');
const secretKeys = read('secret.env.example')
  .split('\n')
  .flatMap((line) => /^([\w-]+)=/.exec(line)?.slice(1) ?? []);

test('every manifest is listed, and is valid by the schemas of Kubernetes and KEDA', () => {
  assert.deepEqual(
    [...kustomization.resources, 'kustomization.yaml'].sort(),
    globSync('*.yaml', { cwd: folder }).sort(),
  );
  assert.ok(manifests.length > 8);
  for (const manifest of manifests) {
    const [Model] = kinds[manifest.kind] ?? assert.fail(`no model of ${manifest.kind}`);
    new Model(manifest as never).validate();
  }
});

test('no manifest has a member that Kubernetes or KEDA does not know', () => {
  // The schemas allow other members; the types do not, where a literal is assigned.
  const sources = manifests.map((manifest, index) => {
    const [, module] = kinds[manifest.kind] ?? assert.fail(manifest.kind);
    const from = JSON.stringify(join(root, 'node_modules', module, 'index.js'));
    return `import type { I${manifest.kind} as Type${index} } from ${from};\nexport const one${index}: Type${index} = ${JSON.stringify(manifest)};\n`;
  });
  const check = (name: string, source: string) => {
    writeFileSync(join(scratch, name), source);
    const flags = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--target',
      'es2024',
      '--types',
      '',
    ];
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    return spawnSync(process.execPath, [compiler, '--ignoreConfig', ...flags, join(scratch, name)], {
      encoding: 'utf8',
    });
  };
  const found = check('manifests.ts', sources.join(''));
  assert.equal(found.status, 0, found.stdout);
  const misspelt = check('misspelt.ts', sources.join('').replace('enableServiceLinks', 'enableServiceLink'));
  assert.match(misspelt.stdout, /enableServiceLink\W+ does not exist/);
});

test('kustomize builds them', {
  skip: spawnSync('kubectl', ['version', '--client']).status !== 0 && 'no kubectl',
}, () => {
  const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', folder], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  assert.equal(parseAllDocuments(stdout).length, manifests.length);
});

test('the settings of the pods are settings of the worker, with values that it takes', () => {
  const known = new Set<string>(Object.values(settings).map(({ env }) => env));
  const environment: Record<string, string> = { ...configMap.data, OPENAI_API_KEY: 'key' };
  for (const { name, containers } of pods)
    for (const { env = [] } of containers)
      for (const { name: variable, value } of env) {
        assert.ok(known.has(variable), `${name}: ${variable}`);
        if (value !== undefined) environment[variable] = value;
      }
  for (const name of Object.keys(configMap.data)) assert.ok(known.has(name), name);
  for (const name of secretKeys.filter((key) => !key.startsWith('redis-'))) assert.ok(known.has(name), name);
  const config = readConfig(environment, {}, { model: true });
  assert.deepEqual([config.monitor, config.host], [true, '0.0.0.0']);
  for (const { name, containers } of pods)
    for (const { ports } of containers)
      assert.equal(ports[0].containerPort, name === 'console' ? 4280 : config.port, name);
});

test('what the secret must have is in its example, and nothing else', () => {
  const named = pods.flatMap(({ containers }) =>
    containers.flatMap(({ env = [] }: Manifest) =>
      env.flatMap(({ valueFrom }: Manifest) => valueFrom?.secretKeyRef.key ?? []),
    ),
  );
  const ofKeda = of('TriggerAuthentication').flatMap(({ spec }) =>
    spec.secretTargetRef.map(({ key }: Manifest) => key),
  );
  assert.deepEqual([...new Set([...named, ...ofKeda, 'OPENAI_API_KEY'])].sort(), [...secretKeys].sort());
});

test('every probe asks for a path that the port serves', async (t) => {
  const server = await startHealthServer(
    { host: '127.0.0.1', port: 0 },
    { live: () => [], ready: async () => [], metrics: async () => ({ contentType: 'text/plain', text: '' }) },
  );
  t.after(() => server.close());
  const paths = of('Deployment').flatMap(({ spec: { template } }) => [
    template.metadata.annotations?.['prometheus.io/path'],
    ...template.spec.containers.flatMap((container: Manifest) =>
      ['startupProbe', 'livenessProbe', 'readinessProbe'].map((probe) => container[probe]?.httpGet.path),
    ),
  ]);
  for (const path of paths.filter(Boolean))
    assert.equal((await fetch(`http://127.0.0.1:${server.port}${path}`)).status, 200, path);
});

test('a worker has time to drain, no service links, no root, no token, no way to more rights', () => {
  for (const pod of pods) {
    assert.equal(pod.enableServiceLinks, false, pod.name);
    assert.equal(pod.securityContext.runAsNonRoot, true, pod.name);
    assert.equal(pod.securityContext.seccompProfile.type, 'RuntimeDefault', pod.name);
    for (const { securityContext, resources } of pod.containers) {
      assert.deepEqual(securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      assert.ok(resources.requests.cpu && resources.requests.memory && resources.limits.memory, pod.name);
    }
    if (pod.name === 'console') continue;
    const drainMs = Number(configMap.data.PROTOSMITH_DRAIN_MS);
    assert.ok(pod.terminationGracePeriodSeconds * 1_000 >= drainMs + 10_000, pod.name);
  }
  assert.equal(of('ServiceAccount')[0].automountServiceAccountToken, false);
});

test('KEDA scales the deployment that it names, by the jobs that a worker runs at once', () => {
  const [{ spec }] = of('ScaledObject');
  assert.ok(pods.some(({ name }) => name === spec.scaleTargetRef.name));
  assert.ok(spec.minReplicaCount >= 1, 'without a worker nobody keeps deadlines');
  for (const { metadata, authenticationRef } of spec.triggers) {
    assert.equal(metadata.listLength ?? metadata.streamLength, configMap.data.PROTOSMITH_CONCURRENCY);
    assert.ok(of('TriggerAuthentication').some((one) => one.metadata.name === authenticationRef.name));
  }
});
