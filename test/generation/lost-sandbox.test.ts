import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { readComplaint } from '../../src/documents/read-complaint.ts';
import { blame } from '../../src/generation/blame.ts';
import { prove } from '../../src/generation/prove.ts';
import { EarlyEnd } from '../../src/job/conclusion.ts';
import { Deadline } from '../../src/kernel/deadline.ts';
import { codeOf } from '../../src/kernel/errors.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { clearAmended, clearTogether } from '../../src/kinds/clear-amended.ts';
import { reproduce } from '../../src/kinds/reproduce.ts';
import { hangMs, productJob, soundSource, withCaseText } from './rig.ts';
import { heldTo, jobOf, recordOf, startWorkbench } from './workbench.ts';

type Workbench = Awaited<ReturnType<typeof startWorkbench>>;

const { signal } = new AbortController();
const deadline = new Deadline(Date.now() + 10 * hangMs, signal);
const job = productJob();

/** The job with a pattern for product ids that takes more than linear time. */
function withPattern(pattern: string): JsonObject {
  const text = String(job.agreement.candidateProtocols);
  const found = '"productId": {\n      "type": "string"\n    }';
  assert.ok(text.includes(found));
  const candidateProtocols = text.replace(found, found.replace('"string"', `"string", "pattern": "${pattern}"`));
  return { ...job, agreement: { ...job.agreement, candidateProtocols } };
}

/** Case 2 asks for 410 where the document says 404. */
const wrongCase = withCaseText(job, (text) => text.replace('"code": 404', '"code": 410').replaceAll('404', '410'));

/** A judge who finds the answer with 404 right, and quotes the document. */
const judge = (prompt: string) => {
  const [, first = ''] = prompt.split(/# Answer [12]/);
  return { right: first.includes('404') ? 1 : 2, quote: '404 when there is no such product', reason: 'it says so' };
};

/** Breaks the schema for products that no case has. */
const faulty = soundSource.replace(
  "message: 'Not Found'",
  "message: request.productId === 'P-00017' ? 'Not Found' : 404 as never",
);

const complaint = readComplaint('- `/status/message` is no string.', ['status', 'message']);

/** Cases that break their pattern. */
const broken = withPattern('^(?!P)');

/** Each step that runs code in the sandbox and decides about a fault, with its result in a word. */
const steps: Record<string, (bench: Workbench) => Promise<string>> = {
  'patterns of a job': async ({ servicesWith, ledger }) => {
    await clearAmended(jobOf(broken), await recordOf(broken, soundSource), servicesWith(), ledger(), signal);
    return 'cleared';
  },
  'patterns of a job with its earlier cases': async ({ servicesWith, ledger }) => {
    const kept = withPattern('^(?=P)');
    const cleared = await clearTogether(
      heldTo(kept),
      await recordOf(kept, soundSource),
      servicesWith(),
      ledger(),
      signal,
    );
    return `cleared ${cleared.agreement.cases.length}`;
  },
  'proof of a stored handler': async ({ servicesWith, ledger }) => {
    const other = {
      ...(await recordOf(job, soundSource)),
      provenance: { tenant: 'default', verifierVersion: 'older' },
    };
    const { sound } = await prove(other as never, heldTo(job), servicesWith(), ledger(), signal);
    return `sound ${sound}`;
  },
  'reproduction of a complaint': async ({ servicesWith, ledger }) => {
    const record = await recordOf(job, faulty);
    const { faults } = await reproduce(record, heldTo(job), complaint, servicesWith(), ledger(), deadline, signal);
    return faults.length > 0 ? 'reproduced' : 'not reproduced';
  },
  'trial of a candidate': async ({ workOn, examine }) => (await examine(soundSource, await workOn(job))).kind,
  blame: async ({ workOn, examine, disturb, counts }) => {
    const work = await workOn(wrongCase, judge);
    const disturbance = disturb(undefined);
    const attempted = await examine(soundSource, work);
    assert.ok(attempted.kind === 'failed');
    work.tried.push(...[1, 2, 3].map(() => ({ fresh: true, attempted })));
    disturb(disturbance);
    assert.equal(counts.batches, 0);
    const { conclusion } = await blame(work, deadline);
    return conclusion.verdict;
  },
};

/** The result of a step when nothing dies. */
const undisturbed: Record<string, string> = {
  'patterns of a job': 'disputed',
  'patterns of a job with its earlier cases': 'cleared 2',
  'proof of a stored handler': 'sound true',
  'reproduction of a complaint': 'reproduced',
  'trial of a candidate': 'verified',
  blame: 'disputed',
};

/** The result of a step; the code where it fails with a platform error. */
async function endOf(step: string, bench: Workbench): Promise<string> {
  try {
    return await (steps[step] ?? assert.fail(step))(bench);
  } catch (error) {
    if (error instanceof EarlyEnd) return error.conclusion.verdict;
    return codeOf(error) ?? String(error);
  }
}

const skip = existsSync(`/proc/${process.pid}/task/${process.pid}/children`) ? false : 'needs /proc to find cells';

for (const step of Object.keys(steps))
  test(`${step}: a cell that dies in any of its runs changes nothing, and a lost sandbox is the platform's fault`, {
    skip,
  }, async () => {
    const wanted = undisturbed[step];
    const bench = await startWorkbench();
    try {
      bench.disturb(async () => undefined);
      assert.equal(await endOf(step, bench), wanted);
      const batches = bench.counts.batches;
      assert.ok(batches > 0, 'it runs something');
      // The first and last runs; those between behave the same.
      for (const nth of new Set([1, 2, batches].filter((one) => one <= batches))) {
        let killed = 0;
        bench.disturb(async (one) => {
          if (one === nth) setImmediate(() => (killed += bench.endCells()));
        });
        assert.equal(await endOf(step, bench), wanted, `a cell killed in runs ${nth} of ${batches}`);
        assert.ok(killed > 0, 'a cell was killed');
      }
      let lost = 0;
      bench.disturb(async (one) => {
        if (one === batches) lost += 1;
        if (lost > 0) await bench.close();
      });
      assert.match(await endOf(step, bench), /^PLATFORM_SANDBOX_/, `the sandbox lost in runs ${batches}`);
      assert.ok(lost > 0);
    } finally {
      await bench.close();
    }
  });
