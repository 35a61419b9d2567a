import type { Finding } from '../contract/finding.ts';
import type { FetchedSource, SourceFetcher } from '../contract/ports.ts';
import { EarlyEnd, jobFinding } from '../job/conclusion.ts';
import { CodedError } from '../kernel/errors.ts';
import { isObject, type JsonObject } from '../kernel/json.ts';
import type { Taken } from './intake.ts';
import { readJob } from './read-job.ts';
import { familyIn } from './readable.ts';

/**
 * Fetches the text of a job whose agreement names sources of it and has none, and adds it to the job as
 * supplied. Only if the operator enabled this and the job is otherwise valid. If no source has the text of the
 * agreement's hash, throws `PLATFORM_SOURCE_UNREACHABLE` if one of them was out of reach, else `EarlyEnd` with
 * the fault of each. Rejects if the job is aborted.
 */
export async function withFetchedSources(taken: Taken, sources: SourceFetcher | undefined): Promise<Taken> {
  const { kind, data, rawBytes, signal, deadlineAtMs } = taken;
  if (sources === undefined || !isObject(data)) return taken;
  const wanted = familyIn(data)?.fetchable?.(data);
  if (wanted === undefined || !lacksTextAlone(kind, data, rawBytes)) return taken;
  const faults: Finding[] = [];
  let unreachable: Finding | undefined;
  for (const { uri, pointer } of wanted.sources) {
    const fetched = await sources.fetch(uri, signal, Math.max(1, deadlineAtMs - Date.now()));
    if (fetched.ok && wanted.isText(fetched.text)) return { ...taken, data: withSupplied(data, uri, fetched.text) };
    const fault = faultOf(fetched, pointer);
    if (fault.code === 'PLATFORM_SOURCE_UNREACHABLE') unreachable ??= fault;
    faults.push(fault);
  }
  // Another try may find what is only out of reach now.
  if (unreachable !== undefined) throw new CodedError(unreachable.code, unreachable.message);
  throw EarlyEnd.failed(...faults);
}

/** Whether the text of its agreement is all that a job lacks. Nothing is fetched for any other faulty job. */
function lacksTextAlone(kind: string, data: JsonObject, rawBytes: number): boolean {
  const reading = readJob(kind, data, rawBytes);
  return (
    !reading.ok &&
    reading.faults.every(({ code, pointer }) => code === 'JOB_INVALID' && pointer === '/agreement/document')
  );
}

function withSupplied(data: JsonObject, uri: string, text: string): JsonObject {
  return { ...data, supplied: { ...(isObject(data.supplied) ? data.supplied : {}), [uri]: text } };
}

function faultOf(fetched: FetchedSource, pointer: string): Finding {
  const of = `Cannot use source at ${pointer}: `;
  if (fetched.ok) return jobFinding('JOB_HASH_MISMATCH', `${of}found another text, wanted that of the hash`, pointer);
  const code = fetched.isRefused ? 'JOB_SOURCE_REFUSED' : 'PLATFORM_SOURCE_UNREACHABLE';
  return jobFinding(code, `${of}${fetched.message}`, pointer);
}
