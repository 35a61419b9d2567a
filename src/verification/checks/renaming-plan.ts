import { type Json, valueAt } from '../../kernel/json.ts';
import type { CheckFacts, SeenCase } from '../check.ts';
import { leavesOf } from '../scalar-kinds.ts';
import { type Datum, dataOf } from '../worlds/datum.ts';
import { renameMapOf } from '../worlds/rename-map.ts';
import { toldLeaves } from '../worlds/renamed-world.ts';

/** Most data of one case that are renamed. */
const MAX_DATA_PER_CASE = 40;

/** The data of a case, by how a renaming of them can show. */
export interface CasePlan {
  seenCase: SeenCase;
  data: Datum[];
  /** Data that only tools or the peer provide: renaming them does not change what the candidate asks. */
  answers: Datum[];
  /** Data that show in neither answer nor calls. The candidate may compare other data with them. */
  others: Datum[];
}

/** Sorts the data of a case that can be renamed. */
export function planOf(facts: CheckFacts, seenCase: SeenCase): CasePlan {
  const { asked, answered } = toldLeaves(seenCase);
  const { one, seen } = seenCase;
  const calls = seen.calls.map(({ input }) => input);
  const given: Json = [one.input, calls, seen.sends.map(({ request }) => request)];
  const examples = facts.subject.tools.flatMap((tool) => (tool.examples ?? []).map(({ input }) => input));
  const used: Json = [one.output, examples, calls, seen.sends.length > 0 ? one.case.request : null];
  const data: Datum[] = [];
  const answers: Datum[] = [];
  const others: Datum[] = [];
  for (const datum of dataOf([...asked, ...answered], facts.vocabulary)) {
    if (data.length >= MAX_DATA_PER_CASE) break;
    if (isOwn(seenCase, datum)) continue;
    const map = renameMapOf([datum], facts.vocabulary, facts.taken, `${facts.subject.trialSeed} relevance`, 'far');
    if (map.size === 0) continue;
    if (!map.changes(used)) {
      if (others.length < MAX_DATA_PER_CASE && typeof datum.value === 'string' && datum.kind !== 'time')
        others.push(datum);
      continue;
    }
    data.push(datum);
    if (!map.changes(given)) answers.push(datum);
  }
  return { seenCase, data, answers, others };
}

/** Whether the candidate made the value itself and others only repeated it. */
function isOwn({ one, seen }: SeenCase, { value }: Datum): boolean {
  const made = [
    ...seen.issuedIds,
    ...seen.sends.flatMap(({ request }) =>
      one.loose.flatMap(({ pointer }) =>
        leavesOf(valueAt(request, pointer) ?? '').map(({ value: made }) => String(made)),
      ),
    ),
  ];
  return made.some((text) => text !== '' && (String(value).includes(text) || text === String(value)));
}
