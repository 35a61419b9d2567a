import type { TestEvent } from 'node:test/reporters';

/** What one test file did, as `test-summary.ts` reports it. */
export interface TestSummary {
  passed: number;
  failed: number;
  /** Name and reason of each test that did not run. */
  skipped: string[];
}

/** A reporter for `node --test-reporter`: writes one `TestSummary` as JSON when the file has ended. */
export default async function* testSummary(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const skipped: string[] = [];
  for await (const event of events) {
    if (event.type === 'test:pass' && (event.data.skip || event.data.todo)) {
      const reason = event.data.skip || event.data.todo;
      skipped.push(typeof reason === 'string' ? `${event.data.name}: ${reason}` : event.data.name);
    }
    if (event.type === 'test:summary') {
      const { tests, passed, skipped: left, todo } = event.data.counts;
      yield JSON.stringify({ passed, failed: tests - passed - left - todo, skipped } satisfies TestSummary);
    }
  }
}
