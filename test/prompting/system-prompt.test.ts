import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { SYSTEM_PROMPT } from '../../src/prompting/system-prompt.ts';
import { createTypeChecker } from '../../src/typing/type-checker.ts';

const typeChecker = createTypeChecker();
after(() => typeChecker.close());

/** The rule with this number, on one line. */
function rule(number: number): string {
  return SYSTEM_PROMPT.split('\n').find((line) => line.startsWith(`${number}. `)) ?? '';
}

test('the prompt says how a module is tested, and that every sentence counts', () => {
  const [opening = ''] = SYSTEM_PROMPT.split('\n');
  for (const part of ['another reader made', 'checks that no example shows', 'Every sentence of the agreement counts'])
    assert.ok(opening.includes(part), part);
});

test('an invalid request, a failing tool and an unexpected answer each have one rule, and none ends in success', () => {
  assert.match(rule(3), /as the agreement says .* response schema has for failures.* throw an Error.* Never invent/);
  assert.match(rule(4), /failure that the agreement has for that.* let the error pass.* something else.* is no answer/);
  assert.match(
    rule(6),
    /belongs to what it sent .* output that the task has for failing or not knowing.* throws an Error/,
  );
});

test('the compiler flags in the prompt are those in use', async () => {
  assert.ok(SYSTEM_PROMPT.includes('Compiler flag: "strict" alone.'));
  const types = [
    'export interface Request { a?: number }',
    'export type Response = unknown;',
    'export type Context = unknown;',
    'export type Handle = (request: Request, context: Context) => Promise<Response>;',
  ].join('\n');
  const faultsOf = async (body: string) => {
    const source = `import type { Request, Response } from './types';\nexport async function handle(request: Request): Promise<Response> {\n${body}\n}\n`;
    return (await typeChecker.check(source, types)).length;
  };
  assert.equal(await faultsOf('const text: string = null;\nreturn [text, request];'), 1, 'strict');
  for (const body of [
    'const numbers: number[] = [];\nconst first: number = numbers[0];\nreturn [first, request];',
    'const other: Request = { a: undefined };\nreturn [other, request];',
    'const unused = request;\nreturn 1;',
    'if (request.a) return 1;',
  ])
    assert.equal(await faultsOf(body), 0, body);
});

test('the system part stays short', () => {
  assert.ok(SYSTEM_PROMPT.length <= 4_030, String(SYSTEM_PROMPT.length));
});
