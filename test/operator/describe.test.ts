import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { lint } from '../../src/analysis/lint.ts';
import { agentDescription } from '../../src/families/agent-description/agent-description.ts';
import { openDescription } from '../../src/families/agent-description/door.ts';
import { families } from '../../src/families/families.ts';
import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { installationDescription } from '../../src/operator/doctor/installation-description.ts';
import { describe } from '../../src/operator/documents/describe.ts';
import { UsageError } from '../../src/operator/shell/command.ts';
import { sanitiseSchema } from '../../src/schemas/sanitise-schema.ts';
import { validatorOf } from '../../src/schemas/validator-of.ts';
import { runCommand } from '../system/harness.ts';

const root = new URL('../../', import.meta.url);
const jsonAt = (path: string) => JSON.parse(readFileSync(new URL(path, root), 'utf8'));
const outcomeSchema = jsonAt('queues/outcome.schema.json');
const about = { name: 'protosmith', version: '1.0.0', queue: 'code-generation' };

function allows(schema: Json | undefined, value: Json): boolean {
  const validator = validatorOf(sanitiseSchema(schema ?? false).schema);
  assert.ok(validator.ok);
  return validator.validate(value).length === 0;
}

test('the description of an installation has no findings, and its interface takes every example of a job', () => {
  const description = installationDescription(about, outcomeSchema);
  const opened = openDescription(description);
  assert.deepEqual(opened.findings, []);
  assert.deepEqual(lint(JSON.stringify(description, null, 2), undefined, agentDescription), []);
  const [submit, ...more] = opened.interactions;
  assert.ok(submit && more.length === 0);
  const folders = [
    'fixtures/examples/',
    'fixtures/families/agora/',
    'fixtures/families/uagents/weather/',
    'fixtures/families/agent-description/room-quotes/',
    'fixtures/families/agent-description/coffee-order/',
  ];
  for (const folder of folders)
    for (const name of readdirSync(new URL(folder, root)).filter((file) => /(?:^|\.)job\.json$/.test(file))) {
      const job: JsonObject = jsonAt(folder + name);
      assert.ok(allows(submit.request?.schema, { kind: 'generate', ...job }), name);
      const { agreement: _, ...without } = job;
      for (const wrong of [job, { kind: 'bake', ...job }, { kind: 'generate', ...without }])
        assert.ok(!allows(submit.request?.schema, wrong), name);
    }
  const titles = JSON.stringify(submit.request?.schema);
  for (const { name } of families) assert.ok(titles.includes(`"title":"${name}"`), name);
});

test('describe prints it, with what the operator says', async () => {
  const { code, stdout } = await runCommand(['describe', '--name', 'Forge', '--did', 'did:wba:forge.example']);
  const { name, did, type } = JSON.parse(stdout);
  assert.deepEqual([code, name, did, type], [0, 'Forge', 'did:wba:forge.example', 'AgentDescription']);
  for (const args of [['--url', 'x'], ['--did', 'forge'], ['--name', ''], ['more']])
    await assert.rejects(describe.run(args), UsageError, args.join(' '));
});
