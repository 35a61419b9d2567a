import type { TestEvent } from 'node:test/reporters';

/** The results of the test files of one process, as `test-summary.ts` reports them. */
export interface TestSummary {
  passed: number;
  failed: number;
  /** Name and reason of each skipped test. */
  skipped: string[];
  /** The files that contain no test. Node counts such a file as a passed test. */
  empty: string[];
}

/** A reporter for `node --test-reporter`: writes one `TestSummary` as JSON at the end. */
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
