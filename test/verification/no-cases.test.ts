import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, integer, object, reading, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const tolls: Agreed = {
  rules:
    'The provider asks `tollOf(plate)` for the toll in cents. A request that breaks its schema is answered with ok false and toll 0.',
  request: object({ plate: { type: 'string', minLength: 2 }, axles: { type: 'integer', minimum: 2, maximum: 9 } }),
  response: object({ ok: { type: 'boolean' }, toll: integer }),
  cases: [],
  tools: [reading('tollOf', object({ plate: text }), integer, [[{ plate: 'TL-4410' }, 1250]], 1250)],
};

const handlers: readonly [what: string, source: string, finding: RegExp | undefined][] = [
  [
    'a handler that asks',
    `export async function handle(request, { call }) {
  const { plate, axles } = request ?? {};
  if (typeof plate !== 'string' || plate.length < 2 || !Number.isInteger(axles) || axles < 2 || axles > 9) return { ok: false, toll: 0 };
  return { ok: true, toll: await call.tollOf({ plate }) };
}`,
    undefined,
  ],
  [
    'one that throws whatever is asked',
    "export function handle() { throw new Error('unknown request'); }",
    /^generated-requests\/never-answers: none of \d+ valid requests/,
  ],
];

for (const [what, source, finding] of handlers)
  test(`without cases, ${what} is ${finding ? 'refused' : 'accepted'}`, async () => {
    const found = await refusalsOf(tolls, source, sandbox);
    if (finding === undefined) assert.deepEqual(found, []);
    else
      assert.ok(
        found.some((why) => finding.test(why)),
        `wanted ${finding} among ${JSON.stringify(found)}`,
      );
  });

test('an id that only one case has, and that comes back for all other requests, is refused', async () => {
  const agreed: Agreed = {
    rules:
      'code is the plate in the spelling of the register. A request that breaks its schema is answered with ok false and code null.',
    request: object({ plate: { type: 'string', minLength: 6 }, owner: { type: 'string', minLength: 4 } }),
    response: object({ ok: { type: 'boolean' }, code: { type: ['string', 'null'] } }),
    cases: [
      [
        { plate: 'ab44c81', owner: 'meridew' },
        { ok: true, code: '18c44ba' },
      ],
    ],
  };
  const guard = `const { plate, owner } = request ?? {};
  if (typeof plate !== 'string' || plate.length < 6 || typeof owner !== 'string' || owner.length < 4) return { ok: false, code: null };`;
  const sound = `export function handle(request) {\n  ${guard}\n  return { ok: true, code: [...plate].reverse().join('') };\n}`;
  const codes = [...'18c44ba'].map((char) => char.charCodeAt(0) + 1).join(',');
  const table = `export function handle(request) {\n  ${guard}\n  return { ok: true, code: String.fromCharCode(...[${codes}].map((code) => code - 1)) };\n}`;
  assert.deepEqual(await refusalsOf(agreed, sound, sandbox), []);
  const found = await refusalsOf(agreed, table, sandbox);
  assert.ok(
    found.some((why) =>
      /^generated-requests\/value-of-a-case: \d+ requests .* are answered with "18c44ba" of case 1/.test(why),
    ),
    JSON.stringify(found),
  );
});
