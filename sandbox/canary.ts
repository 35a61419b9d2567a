import type { Cell } from './cell.ts';
import type { RunReport } from './contract.ts';
import type { Death } from './death.ts';
import { resolveLimits } from './policy.ts';

/** Known good: parses, computes, calls a tool, waits for it, logs, answers. */
const bundle = `async function handle(request, context) {
  const { total } = await context.call.add({ numbers: request.numbers });
  context.log("total", total);
  return { total, text: [...request.text].reverse().join(""), id: context.newId().length };
}
export {
  handle
};
`;
const input = JSON.stringify({ numbers: [1, 2, 39], text: 'äbc' });
const answers = { add: { '{"numbers":[1,2,39]}': { output: '{"total":42}' } } };
const value = JSON.stringify({ total: 42, text: 'cbä', id: 16 });

/** No other handler and no other run has these numbers. */
const canaryHandler = 0;
const canaryRun = 0;

/** Whether the known-good handler gives its known result on this cell. Never rejects. */
export function canaryPasses(cell: Cell): Promise<boolean> {
  if (cell.dead) return Promise.resolve(false);
  return new Promise((resolve) => {
    const listener = {
      report(_run: number, report: RunReport) {
        cell.detach(listener);
        // The next time it gets a fresh isolate, and others get the room.
        cell.drop(canaryHandler);
        resolve(report.end === 'returned' && report.value === value && report.logs[0] === 'total 42');
      },
      died(_death: Death) {
        resolve(false);
      },
    };
    cell.attach(listener);
    cell.load(canaryHandler, bundle, resolveLimits());
    cell.run(
      {
        handler: canaryHandler,
        first: canaryRun,
        seeds: ['canary'],
        settings: [[0, null, [], false, 0, 0, 1]],
        tools: [['add']],
        answers: [answers],
      },
      [input],
      listener,
    );
  });
}
