import type { Run } from './contract.ts';
import type { PendingRun } from './pending-run.ts';
import type { AnswerTable, RunSetting, RunTable } from './wire.ts';

/**
 * Arranges runs in columns for one frame: runs with the same settings are next to each other, and so are runs
 * of one clock. `order` has the runs in the order of the columns.
 */
export function inColumns(group: readonly PendingRun[]): {
  order: readonly PendingRun[];
  columns: Omit<RunTable, 'first'>;
} {
  const byClock = [
    ...Map.groupBy(
      bySettings(group),
      ([one]) => `${one?.run.nowMs} ${one?.aheadMs} ${one?.run.ticksMs ?? ''}`,
    ).values(),
  ].flat();
  // The runs of a batch mostly share the very same lists, so each list is sent once.
  const tools = new Map<readonly string[], number>();
  const answers = new Map<AnswerTable, number>();
  const settings = byClock.map((alike): RunSetting => {
    const { aheadMs, run } = alike[0] as PendingRun;
    const { nowMs, ticksMs = [], send, ...lists } = run;
    const table = lists.answers ? indexIn(answers, lists.answers) : -1;
    return [nowMs, aheadMs, ticksMs, send, indexIn(tools, lists.tools), table, alike.length];
  });
  const order = byClock.length === 1 ? group : byClock.flat();
  const columns = {
    seeds: order.map(({ run }) => run.seed),
    settings,
    tools: [...tools.keys()],
    answers: [...answers.keys()],
  };
  return { order, columns };
}

function bySettings(group: readonly PendingRun[]): PendingRun[][] {
  const lists: PendingRun[][] = [];
  let list: PendingRun[] | undefined;
  for (const pending of group) {
    const isAlike = (one: PendingRun[]) => haveSameSettings((one[0] as PendingRun).run, pending.run);
    if (!list || !isAlike(list)) {
      list = lists.find(isAlike) ?? [];
      if (list.length === 0) lists.push(list);
    }
    list.push(pending);
  }
  return lists;
}

function haveSameSettings(one: Run, other: Run): boolean {
  return (
    one.nowMs === other.nowMs &&
    one.fixedClock === other.fixedClock &&
    one.ticksMs === other.ticksMs &&
    one.send === other.send &&
    one.tools === other.tools &&
    one.answers === other.answers
  );
}

function indexIn<T>(known: Map<T, number>, item: T): number {
  const index = known.get(item) ?? known.size;
  known.set(item, index);
  return index;
}
