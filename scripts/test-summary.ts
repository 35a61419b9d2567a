import type { TestEvent } from 'node:test/reporters';

/** What the test files of one process did, as `test-summary.ts` reports it. */
export interface TestSummary {
  passed: number;
  failed: number;
  /** Name and reason of each test that did not run. */
  skipped: string[];
  /** The files among several that hold no test, which Node counts as one that passed. */
  empty: string[];
}

/** A reporter for `node --test-reporter`: writes one `TestSummary` as JSON when they have ended. */
export default async function* testSummary(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const skipped: string[] = [];
  const empty: string[] = [];
  for await (const event of events) {
    if (event.type === 'test:pass' && (event.data.skip || event.data.todo)) {
      const reason = event.data.skip || event.data.todo;
      skipped.push(typeof reason === 'string' ? `${event.data.name}: ${reason}` : event.data.name);
    }
    if (event.type === 'test:pass' && event.data.file?.endsWith(`/${event.data.name}`)) empty.push(event.data.name);
    if (event.type === 'test:summary') {
      const { tests, passed, skipped: left, todo } = event.data.counts;
      const failed = tests - passed - left - todo;
      yield JSON.stringify({ passed: passed - empty.length, failed, skipped, empty } satisfies TestSummary);
    }
  }
}
