import type { ObservedCall, Scenario } from '../../contract/trial.ts';
import { isObject, type Json, valueAt } from '../../kernel/json.ts';
import type { CheckFacts, SeenCase } from '../check.ts';
import { type Leaf, leavesOf } from '../scalar-kinds.ts';
import { isReadOnly, type Subject } from '../subject.ts';
import { otherOutputs } from './other-outputs.ts';
import { knowing, replacedAt, variedScalars } from './variations.ts';

/** How requests say whose a record is: by a member that the record, read by another one, has as well. */
export interface Holding {
  tool: string;
  /** Where the request has it. */
  asked: string;
  /** What it is called in request and record. */
  names: readonly string[];
}

/** A case in which a record is read, with worlds in which who asks is not who holds it. */
export interface ForeignRecord {
  seenCase: SeenCase;
  holding: Holding;
  /** What who holds it has in the request, and what somebody else has. */
  holder: Json;
  stranger: Json;
  /** Somebody else asks, and there is no record. */
  unknown: Scenario;
  /** Somebody else asks. */
  foreign: Scenario;
  /** Who holds it asks. */
  own: Scenario;
  /** The same two, with something else in the record. */
  changed: { name: string; foreign: Scenario; own: Scenario }[];
}

/** Cases for each holding, records in all, and changes of each. */
const [maxCases, maxRecords, maxChanges] = [3, 6, 10];

/** The records of the cases that are read for somebody, those first of which the case goes on for long. */
export function foreignRecordsOf(facts: CheckFacts): ForeignRecord[] {
  const { subject, cases } = facts;
  const holdings = holdingsOf(facts);
  const found: ForeignRecord[] = [];
  const inOrder = [...cases].sort((one, other) => other.seen.calls.length - one.seen.calls.length);
  for (const holding of holdings) {
    let count = 0;
    for (const seenCase of inOrder) {
      if (count >= maxCases || found.length >= maxRecords) break;
      const record = recordOf(subject, seenCase, holding);
      if (record === undefined) continue;
      found.push(record);
      count += 1;
    }
  }
  return found;
}

function holdingsOf({ subject, cases }: CheckFacts): Holding[] {
  const found = new Map<string, { tool: string; asked: string; names: Set<string> }>();
  for (const { one, seen } of cases) {
    if (!isObject(one.input)) continue;
    for (const call of seen.calls) {
      if (!isRecordOf(subject, call)) continue;
      const keys = new Set(leavesOf(call.input).map(plain));
      const told = leavesOf(call.output as Json);
      for (const leaf of leavesOf(one.input)) {
        if (!mayName(leaf) || keys.has(plain(leaf))) continue;
        const places = told.filter((other) => plain(other) === plain(leaf));
        if (places.length === 0) continue;
        const key = JSON.stringify([call.tool, leaf.pointer]);
        const holding = found.get(key) ?? { tool: call.tool, asked: leaf.pointer, names: new Set([leaf.name]) };
        for (const { name } of places) holding.names.add(name);
        found.set(key, holding);
      }
    }
  }
  return [...found.values()].map(({ names, ...holding }) => ({ ...holding, names: [...names] }));
}

function isRecordOf(subject: Subject, { tool, output }: ObservedCall): boolean {
  return (
    isReadOnly(subject, tool) && isObject(output ?? null) && subject.surface.toolOutputIssues(tool, null).length === 0
  );
}

/** Whether a value is long enough to be somebody's, and not there by chance. */
function mayName({ value }: Leaf): boolean {
  return (typeof value === 'string' && value.trim().length > 1) || (typeof value === 'number' && value >= 1_000);
}

/** What letters of another case, or spaces around it, do not change. */
function plain({ value }: Pick<Leaf, 'value'>): string {
  return String(value).trim().toLowerCase();
}

function recordOf(subject: Subject, seenCase: SeenCase, holding: Holding): ForeignRecord | undefined {
  const { one, seen, scenario } = seenCase;
  const call = seen.calls.find((other) => other.tool === holding.tool && isRecordOf(subject, other));
  const asked = isObject(one.input) ? valueAt(one.input, holding.asked) : undefined;
  if (call === undefined || (typeof asked !== 'string' && typeof asked !== 'number')) return undefined;
  const output = call.output as Json;
  const keys = new Set(leavesOf(call.input).map(plain));
  const told = leavesOf(output);
  const places = told.filter(({ name, value }) => holding.names.includes(name) && typeof value === typeof asked);
  const isOwn = told.some((leaf) => plain(leaf) === plain({ value: asked }));
  const fits = (value: Json) => subject.surface.requestIssues(replacedAt(one.input, holding.asked, value)).length === 0;
  const holder = isOwn ? asked : (places[0]?.value ?? undefined);
  const stranger = isOwn
    ? variedScalars(asked).find(
        (value) => fits(value) && !told.some((leaf) => plain(leaf) === plain({ value: value as string })),
      )
    : asked;
  if (holder === undefined || stranger === undefined || !fits(holder)) return undefined;
  const { outputSchema = null, examples = [] } = subject.tools.find(({ name }) => name === holding.tool) ?? {};
  const telling = (asking: Json, record: Json): Scenario => ({
    ...scenario,
    input: replacedAt(one.input, holding.asked, asking),
    // Whatever else knows who asks knows the other one as well.
    tools: knowing(subject, seen, asked, asking).map((tool) => {
      if (tool.name !== holding.tool) return tool;
      return { ...tool, examples: [{ input: call.input, output: record }, ...examples] };
    }) as Scenario['tools'],
  });
  const kept = (record: Json) =>
    told.every(
      ({ pointer, name, value }) =>
        !(holding.names.includes(name) || keys.has(plain({ value }))) || valueAt(record, pointer) === value,
    );
  const shown = told.flatMap(({ pointer, name, value }) =>
    typeof value !== 'string' || holding.names.includes(name)
      ? []
      : examples.flatMap((example) => {
          const other = 'output' in example && isObject(example.output) ? valueAt(example.output, pointer) : undefined;
          return typeof other === 'string' && other !== value && !/\s/.test(other)
            ? [replacedAt(output, pointer, other)]
            : [];
        }),
  );
  const changed = [...otherOutputs(output, outputSchema), ...shown]
    .filter((record) => kept(record) && subject.surface.toolOutputIssues(holding.tool, record).length === 0)
    .slice(0, maxChanges)
    .map((record) => ({
      name: told.find(({ pointer, value }) => valueAt(record, pointer) !== value)?.name ?? '',
      foreign: telling(stranger, record),
      own: telling(holder, record),
    }));
  return {
    seenCase,
    holding,
    holder,
    stranger,
    unknown: telling(stranger, null),
    foreign: telling(stranger, output),
    own: telling(holder, output),
    changed,
  };
}
