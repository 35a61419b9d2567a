import type { CheckFact, CheckFacts, SeenCase } from '../check.ts';
import { leavesOf } from '../scalar-kinds.ts';
import { isReadOnly } from '../subject.ts';
import { isDistinctive } from '../worlds/rename-map.ts';
import type { WorldResult } from '../worlds/renamed-world.ts';

/** Fewer worlds than this do not show that an act belongs to the cases alone. */
const leastWorlds = 2;

/** Tools with side effects that the cases call, and that no world calls though its answer is the right one; with the cases that call them. */
export function silentActs(
  { subject, cases }: CheckFacts,
  results: readonly WorldResult[],
): { tool: string; calling: SeenCase[]; followed: WorldResult[] }[] {
  const names = subject.tools.map(({ name }) => name).filter((name) => !isReadOnly(subject, name));
  return names.flatMap((tool) => {
    const calling = cases.filter((one) => isCalled(one.seen.calls, tool));
    const followed = results.filter(
      ({ world, followed: is }) => is && calling.includes(world.seenCase) && tellsDistinctive(world),
    );
    if (followed.length === 0 || followed.some(({ seen }) => isCalled(seen.calls, tool, true))) return [];
    return [{ tool, calling, followed }];
  });
}

/** The worlds in which an act is missing, as one fact: certain where there are several. */
export function silentActFact(
  tool: string,
  followed: readonly WorldResult[],
): { fact: Omit<CheckFact, 'check'>; certain: boolean } | undefined {
  const [first] = followed;
  if (first === undefined) return undefined;
  const { one } = first.world;
  return {
    certain: followed.length >= leastWorlds,
    fact: {
      code: 'CANDIDATE_SIDE_EFFECT',
      message: `case ${one.testCase}: under other names it answers that all is done, and ${tool} is not called`,
      testCase: one.testCase,
      input: one.input,
      ...(first.seen.value === undefined ? {} : { got: first.seen.value }),
    },
  };
}

/** A call of a tool with side effects that still carries what was replaced in all that the candidate is told. */
export function staleAct(
  { subject }: CheckFacts,
  { world, seen, followed }: WorldResult,
): Omit<CheckFact, 'check'> | undefined {
  if (!followed) return undefined;
  const { seenCase, map, data, one } = world;
  for (const datum of data) {
    if (datum.kind === 'number' || !isDistinctive(datum)) continue;
    const fresh = map.json(datum.value);
    if (fresh === datum.value) continue;
    const holds = (calls: SeenCase['seen']['calls'], value: unknown) =>
      calls.find(
        ({ tool, input }) => !isReadOnly(subject, tool) && leavesOf(input).some((leaf) => leaf.value === value),
      );
    const call = holds(seen.calls, datum.value);
    if (!call || !holds(seenCase.seen.calls, datum.value) || holds(seen.calls, fresh)) continue;
    return {
      code: 'CANDIDATE_HARD_CODED',
      message:
        `case ${one.testCase}: calls ${call.tool} with ${JSON.stringify(datum.value)} although that became ${JSON.stringify(fresh)} in everything it was told`.slice(
          0,
          500,
        ),
      testCase: one.testCase,
      input: one.input,
    };
  }
  return undefined;
}

function isCalled(calls: SeenCase['seen']['calls'], tool: string, attempted = false): boolean {
  return calls.some((call) => call.tool === tool && (attempted || call.error === undefined));
}

/** Whether a world has other names than its case, rather than other numbers alone. */
function tellsDistinctive({ data }: WorldResult['world']): boolean {
  return data.some((datum) => datum.kind !== 'number' && isDistinctive(datum));
}
