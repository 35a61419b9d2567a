import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { NAME_PATTERN } from '../../queues/index.ts';
import { type Job, type Kind, kinds, type Readable } from '../contract/job.ts';
import { fault, type JobFault, member, quoted, shortened } from '../contract/job-fault.ts';
import { families } from '../families/families.ts';
import type { Family } from '../families/family.ts';
import { sha256Hex } from '../kernel/digest.ts';
import { escapeToken, isObject, type Json, type JsonObject } from '../kernel/json.ts';
import { kindOfValue, schemaFaults, tooLarge, versionFault } from './job-fault.ts';
import { jobSchema } from './job-schema.ts';
import { limits } from './limits.ts';
import { documentIn, familyIn, isKind, readableOf, timeoutOf } from './readable.ts';

/** The result of reading a job. */
export type JobReading =
  | { ok: true; job: Job; readable: Readable }
  | { ok: false; faults: JobFault[]; readable: Readable };

const schema = jobSchema(families);
/** Compiles the schema of a kind when the first job of it is read: most processes read no job, or not every kind. */
const ajv = new Ajv2020({
  allErrors: true,
  strict: true,
  strictTypes: false,
  strictRequired: false,
  // A test proves that the schema is one. Compiling the meta-schema and optimizing take longer than all the rest.
  meta: false,
  validateSchema: false,
  code: { optimize: false },
}).addSchema(schema);

/**
 * Reads a job's data: checks the limits first, then the schema of its kind, then hashes and statuses; then fills in
 * defaults. Reports every fault by JSON pointer, at most `limits.faults` of them and the number of others. Never
 * throws, whatever the data are. `rawBytes` is the size of the JSON text, if known.
 */
export function readJob(kind: string, data: unknown, rawBytes?: number): JobReading {
  const readable = readableOf(kind, data);
  const faults = faultsOf(kind, data, rawBytes);
  if (faults.length > 0) return { ok: false, faults: capped(faults), readable };
  return { ok: true, job: filled(kind as Kind, data as JsonObject), readable };
}

function faultsOf(kind: string, data: unknown, rawBytes: number | undefined): JobFault[] {
  if (!isKind(kind)) {
    return [
      fault('JOB_KIND_UNKNOWN', '', `found kind ${quoted(kind)}, wanted one of ${kinds.join(', ')}`, {
        expected: [...kinds],
        actual: shortened(kind),
      }),
    ];
  }
  const tooBig = sizeFault(rawBytes);
  if (tooBig) return [tooBig];
  const walked = walk(data);
  const tooDeep = walked.find((found) => found.code === 'JOB_TOO_DEEP');
  if (tooDeep) return [tooDeep];
  const measured = rawBytes === undefined ? sizeFault(Buffer.byteLength(JSON.stringify(data) ?? '')) : undefined;
  if (measured) return [measured];
  if (!isObject(data)) {
    return [fault('JOB_INVALID', '', `found ${kindOfValue(data)}, wanted an object`, { expected: 'object' })];
  }
  const version = member(data, 'version');
  // A job of a later version follows an unknown contract, so faults of its other members would mislead.
  if (typeof version === 'number' && Number.isInteger(version) && version > 1) return [versionFault(version)];
  const tooMany = entriesFault(data);
  if (tooMany) return [tooMany];
  const validate = ajv.getSchema(`${schema.$id}#/$defs/${kind}`) as ValidateFunction;
  const invalid = validate(data) ? [] : schemaFaults(validate.errors ?? [], data);
  return [
    ...walked,
    ...invalid,
    ...documentFaults(data),
    ...nameFaults(data),
    ...familyFaults(kind, data),
    ...payloadFaults(data),
    ...frameFaults(data),
    ...hashFaults(data),
  ];
}

function sizeFault(bytes: number | undefined): JobFault | undefined {
  if (bytes === undefined || bytes <= limits.jobBytes.value) return undefined;
  return tooLarge('', bytes, limits.jobBytes);
}

/** Visits every value once, without recursion: data may be nested as deeply as their size allows. */
function walk(root: unknown): JobFault[] {
  const faults: JobFault[] = [];
  const pending: { value: unknown; pointer: string; depth: number }[] = [{ value: root, pointer: '', depth: 0 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, pointer, depth } = next;
    if (typeof value === 'string' && !value.isWellFormed()) {
      faults.push(fault('JOB_INVALID', pointer, 'found a lone surrogate, wanted well-formed Unicode', {}));
    } else if (typeof value === 'number' && !Number.isFinite(value)) {
      faults.push(
        fault('JOB_INVALID', pointer, 'found a number beyond the range of IEEE 754 doubles, wanted one in it', {}),
      );
    } else if (typeof value === 'object' && value !== null) {
      if (depth >= limits.nesting.value) {
        const wanted = limits.nesting.value;
        return [
          fault('JOB_TOO_DEEP', pointer.slice(0, 1_000), `found more levels of nesting, wanted at most ${wanted}`, {
            expected: wanted,
          }),
        ];
      }
      for (const [name, child] of Object.entries(value)) {
        if (!name.isWellFormed()) {
          faults.push(
            fault('JOB_INVALID', pointer, 'found a member name with a lone surrogate, wanted well-formed Unicode', {}),
          );
        } else {
          pending.push({ value: child, pointer: `${pointer}/${escapeToken(name)}`, depth: depth + 1 });
        }
      }
    }
  }
  return faults;
}

function documentFaults(data: JsonObject): JobFault[] {
  const faults: JobFault[] = [];
  const document = documentIn(data);
  const bytes = document === undefined ? 0 : Buffer.byteLength(document.text);
  if (document !== undefined && bytes > limits.documentBytes.value)
    faults.push(tooLarge(document.pointer, bytes, limits.documentBytes));
  if (document?.text.trim() === '')
    faults.push(fault('JOB_INVALID', document.pointer, 'found no text, wanted the text of the agreement'));
  const cases = member(data, 'testCases');
  if (Array.isArray(cases) && cases.length > limits.cases.value) {
    faults.push(tooLarge('/testCases', cases.length, limits.cases));
  }
  return faults;
}

/** Limits the number of entries before the schema runs, because validation takes time that grows with their square. */
function entriesFault(data: JsonObject): JobFault | undefined {
  const lengthOf = (value: Json | undefined): number => {
    if (Array.isArray(value)) return value.length;
    return isObject(value) ? Object.keys(value).length : 0;
  };
  const examplesOf = (value: Json | undefined): number =>
    lengthOf(isObject(value) ? member(value, 'examples') : undefined);
  const tools = member(data, 'tools');
  const counts: [pointer: string, count: number][] = [
    ['', Object.keys(data).length],
    ['/tools', lengthOf(tools)],
    ['/tools', Array.isArray(tools) ? tools.reduce<number>((sum, tool) => sum + examplesOf(tool), 0) : 0],
    ['/task/examples', examplesOf(member(data, 'task'))],
    ...['testCases', 'loose', 'exchanges', 'peerCapabilities', 'baseProtocols', 'supplied'].map(
      (name): [string, number] => [`/${name}`, lengthOf(member(data, name))],
    ),
  ];
  const sum = counts.reduce((total, [, count]) => total + count, 0);
  if (sum <= limits.entries.value) return undefined;
  const [pointer] = counts.reduce((most, each) => (each[1] > most[1] ? each : most));
  return tooLarge(pointer, sum, limits.entries);
}

/** Finds tools that share a name: only one of them could be called. */
function nameFaults(data: JsonObject): JobFault[] {
  const tools = member(data, 'tools');
  if (!Array.isArray(tools)) return [];
  const seen = new Set<string>();
  return tools.flatMap((tool, index) => {
    const name = isObject(tool) ? member(tool, 'name') : undefined;
    if (typeof name !== 'string') return [];
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    const actual = { actual: shortened(name) };
    return [
      fault('JOB_INVALID', `/tools/${index}/name`, `found ${quoted(name)} a second time, wanted a unique name`, actual),
    ];
  });
}

/** Finds an unknown family, or the faults that the family finds in its messages. */
function familyFaults(kind: Kind, data: JsonObject): JobFault[] {
  const named = member(data, 'family');
  const family = familyIn(data);
  if (family !== undefined) return [...strangeMembers(family, data), ...family.faults(kind, data)];
  const wanted = families.map(({ name }) => name);
  if (typeof named !== 'string' || !NAME_PATTERN.test(named)) return [];
  return [
    fault('JOB_FAMILY_UNSUPPORTED', '/family', `found family ${quoted(named)}, wanted ${wanted.join(' or ')}`, {
      expected: wanted,
      actual: shortened(named),
    }),
  ];
}

/** Finds members that only other families accept. */
function strangeMembers({ name, schemas }: Family, data: JsonObject): JobFault[] {
  const members = new Set(families.flatMap((one) => Object.keys(one.schemas.own ?? {})));
  return [...members].flatMap((own) => {
    if (!saysSomething(member(data, own)) || Object.hasOwn(schemas.own ?? {}, own)) return [];
    const others = families.filter((one) => Object.hasOwn(one.schemas.own ?? {}, own)).map((one) => one.name);
    const whose = others.length === 1 ? 'the family' : 'the families';
    const found = `found a member of ${whose} ${others.join(' and ')}, wanted none in ${name}`;
    return [fault('JOB_INVALID', `/${own}`, found, {})];
  });
}

/** Whether a member is present and more than an empty object, which many clients send for an absent one. */
function saysSomething(value: Json | undefined): boolean {
  return value !== undefined && !(isObject(value) && Object.keys(value).length === 0);
}

/** Finds case payloads that are not strings, if the job's payload is text. */
function payloadFaults(data: JsonObject): JobFault[] {
  const cases = member(data, 'testCases');
  if (member(data, 'payload') !== 'text' || !Array.isArray(cases)) return [];
  return cases.flatMap((each, index) =>
    ['request', 'response'].flatMap((side) => {
      const value = isObject(each) ? member(each, side) : undefined;
      if (value === undefined || typeof value === 'string') return [];
      const found = `found ${kindOfValue(value)}, wanted a string, since the payload is text`;
      return [fault('JOB_INVALID', `/testCases/${index}/${side}`, found, { expected: 'string' })];
    }),
  );
}

/** Finds exchanges of frames in a family without frames, and frames that are not base64. */
function frameFaults(data: JsonObject): JobFault[] {
  const exchanges = member(data, 'exchanges');
  if (!Array.isArray(exchanges)) return [];
  const family = familyIn(data);
  return exchanges.flatMap((exchange, index) => {
    if (member(exchange, 'framed') !== true) return [];
    if (family !== undefined && family.openFrames === undefined)
      return [fault('JOB_INVALID', `/exchanges/${index}/framed`, `found frames, wanted none in ${family.name}`)];
    return ['request', 'response'].flatMap((side) => {
      if (isBase64(member(exchange, side))) return [];
      const found = 'found something else, wanted the bytes of a frame in base64';
      return [fault('JOB_INVALID', `/exchanges/${index}/${side}`, found)];
    });
  });
}

/** Whether a value is base64 with padding (RFC 4648, section 4). */
function isBase64(value: Json | undefined): boolean {
  return typeof value === 'string' && Buffer.from(value, 'base64').toString('base64') === value;
}

function hashFaults(data: JsonObject): JobFault[] {
  const faults: JobFault[] = [];
  const compare = (pointer: string, given: Json | undefined, text: Json | undefined, hashOf = sha256Hex) => {
    if (typeof given !== 'string' || typeof text !== 'string') return;
    const wanted = bareHash(given);
    if (!/^[0-9a-f]{64}$/.test(wanted)) return;
    const found = hashOf(text);
    if (wanted === found) return;
    const message = `found ${wanted}, wanted ${found}, the hash of the text`;
    faults.push(fault('JOB_HASH_MISMATCH', pointer, message, { expected: found, actual: wanted }));
  };
  compare('/protocolHash', member(data, 'protocolHash'), documentIn(data)?.text, familyIn(data)?.hashOf);
  const bases = member(data, 'baseProtocols');
  if (isObject(bases)) {
    for (const [uri, base] of Object.entries(bases)) {
      if (!isObject(base)) continue;
      compare(`/baseProtocols/${escapeToken(uri)}/sha256`, member(base, 'sha256'), member(base, 'content'));
    }
  }
  return faults;
}

function filled(kind: Kind, data: JsonObject): Job {
  const given = data as unknown as Partial<Job> & Pick<Job, 'version' | 'negotiationId' | 'role' | 'agreement'>;
  const family = given.family ?? families[0].name;
  return {
    tenant: 'default',
    tools: [],
    loose: [],
    onContradiction: 'dispute',
    propose: false,
    timeoutMs: timeoutOf(data),
    workMs: 60_000,
    attempt: 0,
    replyTo: 'default',
    ...given,
    kind,
    family,
    baseProtocols: Object.fromEntries(
      Object.entries(given.baseProtocols ?? {}).map(([uri, base]) => [
        uri,
        { ...base, ...bared('sha256', base.sha256) },
      ]),
    ),
    ...bared('protocolHash', given.protocolHash),
    ...bared('handlerDigest', given.handlerDigest),
  };
}

function bared<Name extends string>(name: Name, hash: string | undefined): { [name in Name]?: string } {
  return (hash === undefined ? {} : { [name]: bareHash(hash) }) as { [name in Name]?: string };
}

function bareHash(hash: string): string {
  return hash.replace(/^(?:sha-?256|proto):/, '');
}

function capped(faults: JobFault[]): JobFault[] {
  const { value } = limits.faults;
  if (faults.length <= value) return faults;
  const more = fault('JOB_INVALID', '', `found ${faults.length - value} more faults than listed, wanted none`, {});
  return [...faults.slice(0, value), more];
}
