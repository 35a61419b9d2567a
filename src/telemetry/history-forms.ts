import type { HistoryEntry } from '../contract/history.ts';

type Is = (value: unknown) => boolean;

const text: Is = (value) => typeof value === 'string';
const number: Is = (value) => typeof value === 'number' && Number.isFinite(value);
const flag: Is = (value) => typeof value === 'boolean';
const list =
  (of: Is): Is =>
  (value) =>
    Array.isArray(value) && value.every(of);
const optional =
  (is: Is): Is =>
  (value) =>
    value === undefined || is(value);
const object =
  (members: Readonly<Record<string, Is>>): Is =>
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(members).every(([name, is]) => is((value as Record<string, unknown>)[name]));

const mark = { atMs: number, delivery: number, worker: text };
const attempt = { attempt: number };
const said = { quote: text, claim: text };

/** The members that every entry of a type has. */
const members: Readonly<Record<HistoryEntry['type'], Readonly<Record<string, Is>>>> = {
  queue: { event: text },
  started: { kind: text },
  stage: { stage: text, durationMs: number },
  prompted: { ...attempt, purpose: text, repair: flag },
  'try-failed': { ...attempt, endpoint: text, model: text, code: text, durationMs: number },
  completed: { ...attempt, inputTokens: number, outputTokens: number, durationMs: number },
  dropped: attempt,
  candidate: { ...attempt, bundleBytes: number, sourceBytes: number, faults: number },
  tried: { ...attempt, passed: list(number), failed: list(number), durationMs: number, cpuMs: number },
  checked: { ...attempt, passed: list(text), failed: list(text), warned: list(text), durationMs: number },
  derived: { ...attempt, runs: number, confirmed: number, contested: number, isWhole: flag, durationMs: number },
  refused: { ...attempt, code: text, faults: number },
  attempted: { ...attempt, result: text },
  reading: { result: text, derived: number },
  confirmed: { confirmed: number, contested: number },
  'second-reader': { ...attempt, worlds: number, answered: number },
  judged: attempt,
  stored: { digest: text, bundleDigest: text, reused: flag },
  withdrawn: { digest: text, cases: number },
  ended: { verdict: text, codes: list(text), durationMs: number },
};

const message = object({ message: text });

/** The form of the details, by the type of the entry. */
const details: Partial<Record<HistoryEntry['type'], Is>> = {
  'try-failed': message,
  attempted: message,
  judged: object({ answer: text }),
  candidate: object({ source: text, faults: list(object({ message: text, line: optional(number) })) }),
  tried: object({
    cases: list(
      object({
        testCase: number,
        passed: flag,
        end: text,
        line: optional(number),
        differences: list(object({ path: text })),
      }),
    ),
  }),
  checked: object({
    reports: list(object({ name: text, result: text })),
    facts: list(object({ check: text, code: text, message: text, refuses: flag })),
  }),
  derived: object({ broken: list(object({ ...said, breaches: list(text), confirmed: flag, line: optional(number) })) }),
  reading: object({ message: optional(text), reading: optional(object({ derived: list(object(said)) })) }),
  'second-reader': object({ worlds: list(object(said)) }),
};

/**
 * The entries of a kept history that have a known type and all its members. Details of another form are left out.
 * Anybody can write to Redis, and so can a later release.
 */
export function soundEntries(entries: readonly Record<string, unknown>[]): HistoryEntry[] {
  return entries.flatMap((entry) => {
    const type = entry.type as HistoryEntry['type'];
    if (!Object.hasOwn(members, type) || !object({ ...mark, ...members[type] })(entry)) return [];
    const { detail, ...rest } = entry;
    const isSound = detail !== undefined && details[type]?.(detail) === true;
    return [(isSound ? entry : rest) as unknown as HistoryEntry];
  });
}
