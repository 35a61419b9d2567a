/** A cap on what a job may hold: how much, of what, and why. */
export interface Limit {
  readonly value: number;
  readonly unit: string;
  readonly reason: string;
}

/** Every cap on a job's data, in one place. */
export const limits = {
  jobBytes: {
    value: 1_048_576,
    unit: 'bytes of JSON',
    reason: 'Redis keeps it and the outcome for days; a prompt of this size fits no model',
  },
  documentBytes: {
    value: 262_144,
    unit: 'bytes of UTF-8',
    reason: 'the document goes into every prompt; 256 KiB is some 64,000 tokens',
  },
  cases: { value: 100, unit: 'cases', reason: 'each is run on each candidate, several times over' },
  entries: {
    value: 5_000,
    unit: 'entries of tools, examples, loose, exchanges, capabilities and base protocols together',
    reason: 'each is validated by itself, and naming every fault of n entries takes time that grows with n²',
  },
  nesting: { value: 64, unit: 'levels', reason: 'readers of JSON recurse; deeper data serve only to break them' },
  faults: { value: 100, unit: 'faults', reason: 'the outcome lists them, and must not outgrow the job' },
  parsedBytes: {
    value: 16_777_216,
    unit: 'bytes of JSON',
    reason: 'beyond this a job is not even parsed to read its ids: parsing would cost the worker its memory',
  },
} as const satisfies Record<string, Limit>;
