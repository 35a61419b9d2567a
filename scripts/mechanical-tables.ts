import { isObject, type Json } from '../src/kernel/json.ts';
import type { Subject } from '../src/verification/subject.ts';

/** Candidates that answer from the examples alone; none of them may pass. */
export function mechanicalTables(subject: Subject): { name: string; source: string }[] {
  if (subject.role === 'requester') return requesterTables(subject);
  const rows = subject.cases.map(({ request, response }) => [request, response] as const);
  const fallback = rows.at(-1)?.[1] ?? null;
  const calls = JSON.stringify(subject.tools.map((tool) => [tool.name, tool.examples?.[0]?.input ?? {}]));
  const echoed = rows.map(([request, response]) => withEcho(request, response));
  const key =
    "const key = (value) => JSON.stringify(value, value && typeof value === 'object' && !Array.isArray(value) ? Object.keys(value).sort() : undefined);";
  const exact = `${key}\nconst rows = ${JSON.stringify(rows)};\nexport async function handle(request, context) {\n  for (const [known, answer] of rows) if (key(known) === key(request)) return answer;\n  return ${JSON.stringify(fallback)};\n}\n`;
  const spied = `const calls = ${calls};\n${exact.replace('export async function handle(request, context) {', 'export async function handle(request, context) {\n  for (const [name, input] of calls) await context.call[name](input).catch(() => null);')}`;
  const hidden = `const rows = JSON.parse(String.fromCharCode(...[${[...JSON.stringify(echoed)].map((char) => (char.codePointAt(0) ?? 32) + 1).join(',')}].map((code) => code - 1)));\n${echoTable}`;
  return [
    { name: 'table-exact', source: exact },
    { name: 'table-echo', source: `const rows = ${JSON.stringify(echoed)};\n${echoTable}` },
    { name: 'table-hidden', source: hidden },
    {
      name: 'table-throwing',
      source: hidden.replace(/const last = [\s\S]*\n}\n$/, "throw new Error('unknown request');\n}\n"),
    },
    { name: 'table-first', source: hidden.replace('rows[rows.length - 1]', 'rows[0]') },
    ...(subject.tools.length > 0 ? [{ name: 'table-calling', source: spied }] : []),
  ];
}

/** Echoes the top-level scalars of a request that come back in its answer, and looks up the rest. */
const echoTable = `const strip = (request, echo) => request && typeof request === 'object' ? JSON.stringify(Object.entries(request).filter(([name]) => !echo.includes(name)).sort()) : JSON.stringify(request);
const fill = (value, request) => {
  if (typeof value === 'string' && value.startsWith('\\u0001')) return request[value.slice(1)];
  if (Array.isArray(value)) return value.map((item) => fill(item, request));
  if (value && typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, fill(item, request)]));
  return value;
};
export async function handle(request, context) {
  for (const [known, echo, answer] of rows) if (strip(known, echo) === strip(request, echo)) return fill(answer, request);
  const last = rows[rows.length - 1];
  return fill(last[2], request);
}
`;

function withEcho(request: Json, response: Json): [Json, string[], Json] {
  if (!isObject(request)) return [request, [], response];
  const ids = Object.entries(request).filter(
    ([name, value]) =>
      typeof value === 'string' && /(?:message|request|correlation|trace|msg)_?id|nonce|^id$|seq/i.test(name),
  );
  const put = (value: Json): Json => {
    const id = ids.find(([, known]) => known === value);
    if (id) return `\u0001${id[0]}`;
    if (Array.isArray(value)) return value.map(put);
    return isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, item]) => [name, put(item)])) : value;
  };
  return [request, ids.map(([name]) => name), put(response)];
}

function requesterTables(subject: Subject): { name: string; source: string }[] {
  const rows = (subject.task?.examples ?? []).flatMap(({ testCase, input, output }) => {
    const own = subject.cases.find((one) => one.testCase === testCase);
    return own ? [[input, own.request, output]] : [];
  });
  const loose = subject.loose.map(({ pointer, as }) => [pointer.split('/').slice(1), as]);
  const head =
    `const rows = ${JSON.stringify(rows)};\nconst loose = ${JSON.stringify(loose)};\nconst fresh = (request, context) => {\n  const copy = structuredClone(request);\n  for (const [path, as] of loose) {\n    let node = copy;\n    for (const token of path.slice(0, -1)) node = node?.[token];\n    const last = path[path.length - 1];\n    if (node && last in node) node[last] = as === 'time' ? (typeof node[last] === 'number' ? context.now() : new Date(context.now()).toISOString()) : context.newId();\n  }\n  return copy;\n};\n`.replaceAll(
      'structuredClone(request)',
      'JSON.parse(JSON.stringify(request))',
    );
  const body = (answer: string) =>
    `${head}export async function perform(task, context) {\n  const row = rows.find(([input]) => JSON.stringify(input) === JSON.stringify(task)) ?? rows[0];\n  ${answer}\n  return row[2];\n}\n`;
  return [
    { name: 'table-exact', source: body('await context.send(fresh(row[1], context));') },
    { name: 'table-deaf', source: body('try { await context.send(fresh(row[1], context)); } catch {}') },
  ];
}
