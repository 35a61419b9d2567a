import { type Limit, limits as queueLimits } from '../../queues/index.ts';
import { MAX_CASES } from '../contract/agreement.ts';

/** Every limit on a job's data, in one place. */
export const limits = {
  ...queueLimits,
  documentBytes: {
    value: 262_144,
    unit: 'bytes of UTF-8',
    reason: 'the document goes into every prompt; 256 KiB is some 64,000 tokens',
  },
  cases: { value: MAX_CASES, unit: 'cases', reason: 'each is run several times on each candidate' },
  entries: {
    value: 5_000,
    unit: 'entries of tools, examples, loose, exchanges, capabilities and base protocols together',
    reason: 'each is validated by itself, and reporting every fault of n entries takes time that grows with n²',
  },
  faults: { value: 100, unit: 'faults', reason: 'the outcome lists them, and must not outgrow the job' },
} as const satisfies Record<string, Limit>;
