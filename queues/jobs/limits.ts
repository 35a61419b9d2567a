/** A limit with its unit and reason. */
export interface Limit {
  readonly value: number;
  readonly unit: string;
  readonly reason: string;
}

/** The limits of the queue itself. */
export const limits = {
  jobBytes: {
    value: 1_048_576,
    unit: 'bytes of JSON',
    reason: 'Redis keeps it and the outcome for days; a prompt of this size fits no model',
  },
  nesting: { value: 64, unit: 'levels', reason: 'readers of JSON recurse; deeper data serve only to break them' },
  parsedBytes: {
    value: 16_777_216,
    unit: 'bytes of JSON',
    reason: 'beyond this a job is not even parsed to read its ids: parsing would cost the worker its memory',
  },
} as const satisfies Record<string, Limit>;
