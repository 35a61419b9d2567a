import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { kinds } from '../../queues/catalog.ts';
import jobSchema from '../../queues/job.schema.json' with { type: 'json' };
import type { Job, JobFault, JobReading, Json, JsonObject, Kind } from '../../queues/job.ts';
import { sha256Hex } from '../../queues/job-id.ts';
import { limits } from '../../queues/limits.ts';
import {
  escapeToken,
  fault,
  kindOfValue,
  quoted,
  schemaFaults,
  shortened,
  tooLarge,
  versionFault,
} from './job-fault.ts';
import { familyOf, isKind, isObject, member, readableOf, timeoutOf } from './readable.ts';

const validators = compileValidators();

/**
 * Reads a job's data: caps first, then the schema of its kind, then hashes and statuses; fills in the defaults. Names every fault it finds, by JSON pointer
 * (at most `limits.faults` of them, then how many more). Never throws, whatever the data are. `rawBytes` is the size of the JSON text, where known.
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
  // A job of a later version follows a contract that is not known here: blaming its other members would mislead.
  if (typeof version === 'number' && Number.isInteger(version) && version > 1) return [versionFault(version)];
  const tooMany = entriesFault(data);
  if (tooMany) return [tooMany];
  const validate = validators[kind];
  const invalid = validate(data) ? [] : schemaFaults(validate.errors ?? [], data);
  return [
    ...walked,
    ...invalid,
    ...capFaults(data),
    ...nameFaults(data),
    ...statusFaults(kind, data),
    ...complaintFaults(kind, data),
    ...payloadFaults(data),
    ...hashFaults(data),
  ];
}

function sizeFault(bytes: number | undefined): JobFault | undefined {
  if (bytes === undefined || bytes <= limits.jobBytes.value) return undefined;
  return tooLarge('', bytes, limits.jobBytes);
}

/** Looks at every value once, without recursion: data may be nested as deep as their size allows. */
function walk(root: unknown): JobFault[] {
  const faults: JobFault[] = [];
  const open: { value: unknown; pointer: string; depth: number }[] = [{ value: root, pointer: '', depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
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
          open.push({ value: child, pointer: `${pointer}/${escapeToken(name)}`, depth: depth + 1 });
        }
      }
    }
  }
  return faults;
}

function capFaults(data: JsonObject): JobFault[] {
  const faults: JobFault[] = [];
  const text = documentOf(data);
  const bytes = text === undefined ? 0 : Buffer.byteLength(text);
  const place = typeof member(data, 'agreement') === 'string' ? '/agreement' : '/agreement/candidateProtocols';
  if (bytes > limits.documentBytes.value) faults.push(tooLarge(place, bytes, limits.documentBytes));
  const cases = member(data, 'testCases');
  if (Array.isArray(cases) && cases.length > limits.cases.value) {
    faults.push(tooLarge('/testCases', cases.length, limits.cases));
  }
  return faults;
}

/** The schema is not asked about more entries than it can answer for in time. */
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
    ...['testCases', 'loose', 'exchanges', 'peerCapabilities', 'baseProtocols'].map((name): [string, number] => [
      `/${name}`,
      lengthOf(member(data, name)),
    ]),
  ];
  const sum = counts.reduce((total, [, count]) => total + count, 0);
  if (sum <= limits.entries.value) return undefined;
  const [pointer] = counts.reduce((most, each) => (each[1] > most[1] ? each : most));
  return tooLarge(pointer, sum, limits.entries);
}

/** Two tools of one name could not both be called. */
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
      fault(
        'JOB_INVALID',
        `/tools/${index}/name`,
        `found ${quoted(name)} a second time, wanted a name of its own`,
        actual,
      ),
    ];
  });
}

function statusFaults(kind: Kind, data: JsonObject): JobFault[] {
  if (kind === 'review') return [];
  // Documents of other families may have a status of their own, which says nothing of us.
  const messages = familyOf(member(data, 'family')) === 'anp' ? ['agreement', 'testCases'] : ['testCases'];
  return messages.flatMap((name) => {
    const message = member(data, name);
    const status = isObject(message) ? member(message, 'status') : undefined;
    if (typeof status !== 'string' || status === 'accepted') return [];
    return [
      fault('JOB_NOT_ACCEPTED', `/${name}/status`, `found ${quoted(status)}, wanted "accepted"`, {
        expected: 'accepted',
        actual: shortened(status),
      }),
    ];
  });
}

/** A peer's answer to a complaint of ours is no complaint. */
function complaintFaults(kind: Kind, data: JsonObject): JobFault[] {
  const complaint = kind === 'fix' ? member(data, 'complaint') : undefined;
  const status = isObject(complaint) ? member(complaint, 'status') : undefined;
  if (status !== 'accepted' && status !== 'rejected') return [];
  const message = `found ${quoted(status)}, the answer to a complaint, wanted one: "negotiating"`;
  return [fault('JOB_INVALID', '/complaint/status', message, { expected: 'negotiating', actual: status })];
}

/** A text is a string, in a case as on the wire. */
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

function hashFaults(data: JsonObject): JobFault[] {
  const faults: JobFault[] = [];
  const compare = (pointer: string, given: Json | undefined, text: Json | undefined) => {
    if (typeof given !== 'string' || typeof text !== 'string') return;
    const wanted = bareHash(given);
    const found = sha256Hex(text);
    if (!/^[0-9a-f]{64}$/.test(wanted) || wanted === found) return;
    const message = `found ${wanted}, wanted ${found}, the SHA-256 of the text`;
    faults.push(fault('JOB_HASH_MISMATCH', pointer, message, { expected: found, actual: wanted }));
  };
  compare('/protocolHash', member(data, 'protocolHash'), documentOf(data));
  const bases = member(data, 'baseProtocols');
  if (isObject(bases)) {
    for (const [uri, base] of Object.entries(bases)) {
      if (!isObject(base)) continue;
      compare(`/baseProtocols/${escapeToken(uri)}/sha256`, member(base, 'sha256'), member(base, 'content'));
    }
  }
  return faults;
}

function documentOf(data: JsonObject): string | undefined {
  const agreement = member(data, 'agreement');
  const text = isObject(agreement) ? member(agreement, 'candidateProtocols') : agreement;
  return typeof text === 'string' ? text : undefined;
}

function filled(kind: Kind, data: JsonObject): Job {
  const given = data as unknown as Partial<Job> & Pick<Job, 'version' | 'negotiationId' | 'role' | 'agreement'>;
  const family = given.family ?? 'anp';
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
  return hash.replace(/^sha-?256:/, '');
}

function capped(faults: JobFault[]): JobFault[] {
  const { value } = limits.faults;
  if (faults.length <= value) return faults;
  const more = fault('JOB_INVALID', '', `found ${faults.length - value} faults more than are listed, wanted none`, {});
  return [...faults.slice(0, value), more];
}

function compileValidators(): Record<Kind, ValidateFunction> {
  const ajv = new Ajv2020({ allErrors: true, strict: true, strictTypes: false, strictRequired: false });
  ajv.addSchema(jobSchema);
  const of = (kind: Kind): ValidateFunction => ajv.compile({ $ref: `${jobSchema.$id}#/$defs/${kind}` });
  return {
    generate: of('generate'),
    review: of('review'),
    verify: of('verify'),
    fix: of('fix'),
    observe: of('observe'),
  };
}
