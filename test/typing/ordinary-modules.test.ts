/** Code that a competent author writes against the types of a schema compiles, and wrong code is refused. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { JsonObject } from '../../src/kernel/json.ts';
import { createTypeChecker } from '../../src/typing/type-checker.ts';
import { declareTypes } from '../../src/typing/types-from-schemas.ts';

const checker = createTypeChecker();
after(() => checker.close());

const text = { type: 'string' };
const number = { type: 'number' };

function record(properties: JsonObject, required: string[], more: JsonObject = {}): JsonObject {
  return { type: 'object', properties, required, ...more };
}

const line = record({ sku: text, quantity: { type: 'integer' } }, ['sku', 'quantity']);
const closed = { additionalProperties: false };

/** Says nothing about further members at any depth, so they are allowed. */
const openOrder = {
  request: record(
    {
      id: text,
      customer: record({ name: text, email: { type: ['string', 'null'] } }, ['name']),
      lines: { type: 'array', items: line },
      note: text,
    },
    ['id', 'customer', 'lines'],
  ),
  response: record(
    {
      id: text,
      status: { enum: ['accepted', 'rejected'] },
      total: number,
      reason: { type: ['string', 'null'] },
      lines: { type: 'array', items: line },
    },
    ['id', 'status'],
  ),
};
const closedOrder = {
  request: { ...openOrder.request, ...closed },
  response: { ...openOrder.response, ...closed },
};

function variants(more: JsonObject) {
  return {
    request: {
      oneOf: [
        record({ kind: { const: 'byId' }, id: text }, ['kind', 'id'], more),
        record({ kind: { const: 'byName' }, name: text, limit: { type: 'integer' } }, ['kind', 'name'], more),
      ],
    },
    response: {
      oneOf: [
        record({ status: { const: 'ok' }, items: { type: 'array', items: text } }, ['status', 'items'], more),
        record(
          { status: { const: 'error' }, error: record({ code: text, message: text }, ['code']) },
          ['status', 'error'],
          more,
        ),
      ],
    },
  };
}
const openVariants = variants({});
const closedVariants = variants(closed);

const maps = {
  request: record(
    {
      prices: { type: 'object', additionalProperties: number },
      byPattern: { type: 'object', patternProperties: { '^x-': text }, additionalProperties: false },
      place: { type: 'array', prefixItems: [number, number], items: false },
      anything: { type: 'object' },
    },
    ['prices'],
  ),
  response: { type: 'object', additionalProperties: { ...line, ...closed } },
};

type Schemas = { request: JsonObject; response: JsonObject };

async function faultsOf({ request, response }: Schemas, body: string): Promise<string[]> {
  const types = await declareTypes({
    role: 'provider',
    payload: 'json',
    requestSchema: request,
    responseSchema: response,
    tools: [{ name: 'find', inputSchema: line, outputSchema: { ...line, type: ['object', 'null'] } }],
  });
  const own = await checker.check(types, 'export {};');
  const source = body.includes('function handle')
    ? body
    : `export async function handle(request: Request, context: Context): Promise<Response> {\n${body}\n}\n`;
  const head = "import type { Context, HandlerError, Request, Response } from './types';\n";
  const found = own.length > 0 ? own : await checker.check(head + source, types);
  return found.map(({ line: at, message }) => `${at}: ${message}`);
}

/** For an order type, with or without a rule for further members. */
const ofAnyOrder: Record<string, string> = {
  'rest put back': `const { id, ...rest } = request;
    const again: Request = { ...rest, id };
    return { id: again.id, status: 'accepted' };`,
  'an answer without one member': `const body: Omit<Response, 'id'> = { status: 'accepted', total: 3 };
    return { ...body, id: request.id };`,
  'omitted by a helper': `const answer = (id: string, rest: Omit<Response, 'id'>): Response => ({ id, ...rest });
    return answer(request.id, { status: 'rejected', reason: 'none left' });`,
  'two members omitted': `const base: Omit<Response, 'total' | 'lines'> = { id: request.id, status: 'accepted' };
    return { ...base, total: 1, lines: request.lines };`,
  'omitted, and read': `const { note, ...rest } = request;
    const kept: Omit<Request, 'note'> = rest;
    const count: number = kept.lines.length;
    return { id: kept.id, status: 'accepted', total: count, reason: note ?? null };`,
  'the rest as Omit': `const without = (one: Request): Omit<Request, 'note'> => { const { note, ...rest } = one; void note; return rest; };
    return { id: without(request).id, status: 'accepted' };`,
  'an interface that extends Omit': `interface Draft extends Omit<Response, 'total'> { total: string }
    const draft: Draft = { id: request.id, status: 'accepted', total: '3' };
    return { ...draft, total: Number(draft.total) };`,
  'replaced member': `type Priced = Omit<Request, 'lines'> & { lines: (Request['lines'][number] & { price: number })[] };
    const priced: Priced = { ...request, lines: request.lines.map((one) => ({ ...one, price: 2 })) };
    return { id: priced.id, status: 'accepted', total: priced.lines.reduce((sum, one) => sum + one.price * one.quantity, 0) };`,
  'Omit of an item': `type Line = Request['lines'][number];
    const bare = request.lines.map(({ quantity, ...rest }): Omit<Line, 'quantity'> => { void quantity; return rest; });
    return { id: request.id, status: 'accepted', lines: bare.map((one) => ({ ...one, quantity: 1 })) };`,
  Pick: `const head: Pick<Request, 'id' | 'customer'> = { id: request.id, customer: request.customer };
    return { id: head.id, status: head.customer.name === '' ? 'rejected' : 'accepted' };`,
  'required names by keyof': `const needed: (keyof Request)[] = ['id', 'customer', 'lines'];
    const missing = needed.filter((name) => request[name] === undefined);
    return missing.length > 0 ? { id: request.id, status: 'rejected', reason: missing.join(', ') } : { id: request.id, status: 'accepted' };`,
  'generic reader': `function read<K extends keyof Request>(name: K): Request[K] { return request[name]; }
    const lines = read('lines');
    return { id: read('id'), status: 'accepted', total: lines.length };`,
  'labels by keyof': `const labels: Partial<Record<keyof Response, string>> = { id: 'number', status: 'state' };
    return { id: request.id, status: 'accepted', reason: labels.id ?? null };`,
  'type of one member': `let status: Response['status'] = 'accepted';
    if (request.lines.length === 0) status = 'rejected';
    return { id: request.id, status };`,
  'built up, Partial': `const answer: Partial<Response> = {};
    answer.id = request.id;
    answer.status = 'accepted';
    if (request.note !== undefined) answer.reason = request.note;
    return answer as Response;`,
  'built up, whole': `const answer: Response = { id: request.id, status: 'accepted' };
    for (const one of request.lines) answer.total = (answer.total ?? 0) + one.quantity;
    return answer;`,
  'built up as a record': `const answer: Record<string, unknown> = { id: request.id };
    answer.status = 'accepted';
    return answer as Response;`,
  'as const': `const base = { status: 'accepted' } as const;
    return { id: request.id, ...base };`,
  satisfies: `const answer = { id: request.id, status: 'accepted', total: 1 } satisfies Response;
    return answer;`,
  'satisfies Partial': `const defaults = { status: 'rejected', reason: 'no stock' } satisfies Partial<Response>;
    return { id: request.id, ...defaults };`,
  'record of answers': `const answers: Record<string, Response> = { none: { id: request.id, status: 'rejected' } };
    return answers[request.lines.length === 0 ? 'none' : 'some'] ?? { id: request.id, status: 'accepted' };`,
  'map of answers': `const known = new Map<Response['status'], Response>([['rejected', { id: request.id, status: 'rejected' }]]);
    return known.get('rejected') ?? { id: request.id, status: 'accepted' };`,
  'passed as a record': `function missing(of: Record<string, unknown>, names: string[]): string[] { return names.filter((name) => of[name] === undefined); }
    return { id: request.id, status: missing(request, ['id']).length > 0 ? 'rejected' : 'accepted' };`,
  'nested passed as a record': `const present = (of: Record<string, unknown>) => Object.keys(of).length;
    return { id: request.id, status: 'accepted', total: present(request.customer) + request.lines.filter((one) => present(one) > 0).length };`,
  'validated by hand': `const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!isRecord(request) || typeof request.id !== 'string' || !Array.isArray(request.lines)) return { id: '', status: 'rejected' };
    return { id: request.id, status: 'accepted', total: request.lines.length };`,
  'undeclared member through any': `const extra = (request as any).priority;
    return { id: request.id, status: extra === 'low' ? 'rejected' : 'accepted' };`,
  'nullable member': `const email = request.customer.email ?? null;
    return { id: request.id, status: email === null ? 'rejected' : 'accepted', reason: email };`,
  'spread with a condition': `return { id: request.id, status: 'accepted', ...(request.note !== undefined && { reason: request.note }) };`,
  'destructured parameter': `export async function handle({ id, lines, customer: { name } }: Request, { call, log }: Context): Promise<Response> {
      log(name);
      const found = await Promise.all(lines.map(({ sku, quantity }) => call.find({ sku, quantity })));
      return { id, status: found.every((one) => one !== null && one.quantity > 0) ? 'accepted' : 'rejected' };
    }`,
  'Required and Readonly': `const whole: Readonly<Required<Pick<Response, 'id' | 'total'>>> = { id: request.id, total: 1 };
    return { ...whole, status: 'accepted' };`,
  'failing tool': `try { await context.call.find({ sku: 'a', quantity: 1 }); }
    catch (error) { const { code } = error as HandlerError; return { id: request.id, status: 'rejected', reason: code }; }
    return { id: request.id, status: 'accepted' };`,
  'generic over what has an id': `function stamped<T extends { id: string }>(of: T): Omit<T, 'id'> & { id: string } { const { id, ...rest } = of; return { ...rest, id: id.trim() }; }
    return { id: stamped(request).id, status: 'accepted' };`,
  'types of a tool': `type Found = NonNullable<Awaited<ReturnType<Context['call']['find']>>>;
    const wanted: Parameters<Context['call']['find']>[0] = { sku: 'a', quantity: 1 };
    const found: Found = (await context.call.find(wanted)) ?? wanted;
    return { id: request.id, status: 'accepted', total: found.quantity };`,
  'an interface that extends the request': `interface Seen extends Request { at: number }
    const seen: Seen = { ...request, at: context.now() };
    return { id: seen.id, status: seen.at > 0 ? 'accepted' : 'rejected' };`,
  'built up in a cast': `const answer = {} as Response;
    answer.id = request.id;
    answer.status = 'accepted';
    (answer.lines ??= []).push(...request.lines);
    return answer;`,
  'a maker with defaults': `const make = (status: Response['status'], more: Partial<Omit<Response, 'id' | 'status'>> = {}): Response => ({ ...more, id: request.id, status });
    return make('rejected', { reason: 'none left', lines: [] });`,
  'omitted by hand': `type Body = { [K in keyof Response as K extends 'id' ? never : K]: Response[K] };
    const body: Body = { status: 'accepted' };
    return { ...body, id: request.id };`,
  'members of a list of names': `const names = ['id', 'customer'] as const satisfies readonly (keyof Request)[];
    for (const name of names) if (!request[name]) return { id: '', status: 'rejected' };
    return { id: request.id, status: 'accepted' };`,
  'a possibly absent request': `const { id, lines } = (request ?? {}) as Partial<Request>;
    if (typeof id !== 'string' || !Array.isArray(lines)) return { id: String(id), status: 'rejected' };
    return { id, status: 'accepted', total: lines.length };`,
  'what the engine has': `const bySku = Object.groupBy(request.lines, ({ sku }) => sku);
    const seen = new Set(Object.keys(bySku)).union(new Set(['none']));
    return { id: request.id, status: 'accepted', total: seen.values().filter((sku) => sku !== 'none').toArray().length };`,
  'sums by sku': `const sums: Record<string, number> = {};
    for (const { sku, quantity } of request.lines) sums[sku] = (sums[sku] ?? 0) + quantity;
    return { id: request.id, status: 'accepted', lines: Object.entries(sums).map(([sku, quantity]) => ({ sku, quantity })) };`,
};

/** For an order type that allows further members. */
const ofOpenOrder: Record<string, string> = {
  'undeclared member read': `return { id: request.id, status: request.priority === 'low' ? 'rejected' : 'accepted' };`,
  'undeclared member read deeper': `return { id: request.id, status: 'accepted', reason: request.customer.phone ?? request.lines[0]?.colour ?? null };`,
  'undeclared member written': `return { id: request.id, status: 'accepted', received: context.now(), seen: { lines: request.lines } };`,
  'undeclared member set': `const answer: Response = { id: request.id, status: 'accepted' };
    answer.received = context.now();
    return answer;`,
  'undeclared member beside omitted ones': `const body: Omit<Response, 'id'> = { status: 'accepted', received: 1 };
    return { ...body, id: request.id };`,
  'all members by name': `const names = Object.keys(request).filter((name) => request[name] !== null);
    return { id: request.id, status: 'accepted', total: names.length };`,
};

const ofAnyVariants: Record<string, string> = {
  'narrowed by if': `if (request.kind === 'byId') return { status: 'ok', items: [request.id] };
    return { status: 'ok', items: [request.name].slice(0, request.limit ?? 1) };`,
  'narrowed by switch, nothing left': `switch (request.kind) {
      case 'byId': return { status: 'ok', items: [request.id] };
      case 'byName': return { status: 'ok', items: [request.name] };
      default: { const never: never = request; return never; }
    }`,
  'a kind that there is not, answered': `switch (request.kind) {
      case 'byId': return { status: 'ok', items: [request.id] };
      case 'byName': return { status: 'ok', items: [request.name] };
      default: return { status: 'error', error: { code: 'UNKNOWN_KIND', message: \`no kind \${request.kind}\` } };
    }`,
  'a kind that there is not, ruled out first': `if (request.kind !== 'byId' && request.kind !== 'byName') {
      const { kind } = request;
      return { status: 'error', error: { code: 'UNKNOWN_KIND', message: String(kind) } };
    }
    return { status: 'ok', items: [request.kind === 'byId' ? request.id : request.name] };`,
  'one shape by Extract': `type Failed = Extract<Response, { status: 'error' }>;
    const fail = (code: string): Failed => ({ status: 'error', error: { code } });
    return request.kind === 'byId' ? { status: 'ok', items: [] } : fail('UNKNOWN');`,
  'one of two shapes': `const found: string[] = [];
    const answer: Response = found.length > 0 ? { status: 'ok', items: found } : { status: 'error', error: { code: 'NONE', message: request.kind } };
    return answer;`,
  'narrowed answer': `const answer: Response = await lookUp(request);
    if (answer.status === 'error') context.log(answer.error.code);
    return answer;
    async function lookUp(of: Request): Promise<Response> { return { status: 'ok', items: [of.kind] }; }`,
  'shapes by kind': `const answers: { [K in Request['kind']]: (of: Extract<Request, { kind: K }>) => Response } = {
      byId: ({ id }) => ({ status: 'ok', items: [id] }),
      byName: ({ name }) => ({ status: 'ok', items: [name] }),
    };
    return request.kind === 'byId' ? answers.byId(request) : answers.byName(request);`,
  'Omit of one shape': `type Ok = Extract<Response, { status: 'ok' }>;
    const body: Omit<Ok, 'status'> = { items: [request.kind] };
    return { ...body, status: 'ok' };`,
  'members told by in': `if ('id' in request) return { status: 'ok', items: [String(request.id)] };
    return { status: 'ok', items: [request.name] };`,
};

const ofMaps: Record<string, string> = {
  'values of a map': `const sum = Object.values(request.prices).reduce((total, one) => total + one, 0);
    return { all: { sku: 'all', quantity: sum } };`,
  'a map built up': `const answer: Response = {};
    for (const [sku, price] of Object.entries(request.prices)) answer[sku] = { sku, quantity: Math.floor(price) };
    return answer;`,
  'a map from entries': `return Object.fromEntries(Object.keys(request.prices).map((sku) => [sku, { sku, quantity: 1 }]));`,
  'members by pattern': `const label: string = request.byPattern?.['x-label'] ?? '';
    return { [label]: { sku: label, quantity: 1 } };`,
  'a tuple': `const [left, top] = request.place ?? [0, 0];
    return { at: { sku: String(left), quantity: top } };`,
  'an object of which nothing is said': `const depth: number = request.anything?.depth ?? 0;
    return { deep: { sku: 'deep', quantity: depth } };`,
  'Omit beside a map': `const { prices, ...rest } = request;
    const again: Request = { ...rest, prices };
    const without: Omit<Request, 'place'> = again;
    return { n: { sku: 'n', quantity: Object.keys(without.prices).length } };`,
};

const groups: [of: string, schemas: Schemas, bodies: Record<string, string>][] = [
  ['open order', openOrder, { ...ofAnyOrder, ...ofOpenOrder }],
  ['closed order', closedOrder, ofAnyOrder],
  ['open variants', openVariants, ofAnyVariants],
  ['closed variants', closedVariants, ofAnyVariants],
  ['maps', maps, ofMaps],
];

for (const [of, schemas, bodies] of groups) {
  test(`ordinary modules compile: ${of}`, async () => {
    const found = await Promise.all(
      Object.entries(bodies).map(async ([name, body]) => ({ name, faults: await faultsOf(schemas, body) })),
    );
    assert.deepEqual(
      found.filter(({ faults }) => faults.length > 0),
      [],
    );
  });
}

const wrongOrders = {
  'a required member missing': `return { status: 'accepted' };`,
  'a required member missing after Omit': `const body: Omit<Response, 'id'> = { status: 'accepted' };
    return body;`,
  'a required member missing within Omit': `const body: Omit<Response, 'id'> = {};
    return { ...body, id: request.id };`,
  'a wrong type within Omit': `const body: Omit<Response, 'id'> = { status: 'accepted', total: '3' };
    return { ...body, id: request.id };`,
  'a required member missing after rest': `const { id, ...rest } = request;
    const again: Request = rest;
    return { id, status: 'accepted', lines: again.lines };`,
  'a wrong type': `return { id: request.id, status: 'accepted', total: 'three' };`,
  'an unknown enum value': `return { id: request.id, status: 'fine' };`,
  'an unknown enum value compared': `const answer: Response = { id: request.id, status: 'accepted' };
    return answer.status === 'fine' ? { ...answer, total: 1 } : answer;`,
  'a wrong item': `return { id: request.id, status: 'accepted', lines: [{ sku: 1, quantity: 1 }] };`,
  'an optional member taken as given': `return { id: request.id, status: 'accepted', total: request.note.length };`,
  'a nullable member taken as given': `return { id: request.id, status: 'accepted', total: request.customer.email.length };`,
  'a method that its type lacks': `return { id: request.id.toFixed(2), status: 'accepted' };`,
  'a tool misused': `await context.call.find({ sku: 1, quantity: 1 });
    return { id: request.id, status: 'accepted' };`,
  'null where a text is wanted': `return { id: null, status: 'accepted' };`,
  'a wrong value through satisfies': `return { id: request.id, status: 'fine' } satisfies Response;`,
};

for (const [of, schemas] of [
  ['open order', openOrder],
  ['closed order', closedOrder],
] as const) {
  test(`wrong modules are refused: ${of}`, async () => {
    const found = await Promise.all(
      Object.entries(wrongOrders).map(async ([name, body]) => ({ name, faults: await faultsOf(schemas, body) })),
    );
    assert.deepEqual(
      found.filter(({ faults }) => faults.length === 0).map(({ name }) => name),
      [],
    );
  });
}

test('wrong modules are refused: undeclared members of closed schemas, and mixed shapes', async () => {
  const wrong: [Schemas, string][] = [
    [closedOrder, `return { id: request.id, status: 'accepted', received: 1 };`],
    [closedOrder, `return { id: request.priority, status: 'accepted' };`],
    [openVariants, `return { status: 'ok', error: { code: 'x' } };`],
    [closedVariants, `return { status: 'ok', items: [request.id] };`],
    [openVariants, `return { status: 'error', error: {} };`],
    [openVariants, `return { status: 'late', items: [] };`],
    [
      openVariants,
      `return { status: 'ok', items: [(request as Extract<Request, { kind: 'byId' }> & { kind: 'byAge' }).id] };`,
    ],
    [maps, `return { a: { sku: 'a' } };`],
    [maps, `return { a: { sku: request.prices.a, quantity: 1 } };`],
  ];
  for (const [schemas, body] of wrong) assert.notDeepEqual(await faultsOf(schemas, body), [], body);
});
