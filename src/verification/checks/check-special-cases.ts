import type { Observation, Scenario } from '../../contract/trial.ts';
import type { Json } from '../../kernel/json.ts';
import { equalJson } from '../../schemas/equal-json.ts';
import { caseScenario, runnableCases } from '../case-scenarios.ts';
import type { Check, CheckFact, CheckFacts, CheckFindings, SeenCase } from '../check.ts';
import { reportsFailure } from '../failure-answer.ts';
import { hasWord, leavesOf, tokensOf } from '../scalar-kinds.ts';
import type { Subject } from '../subject.ts';
import { type Datum, dataOf } from '../worlds/rename-map.ts';
import { compareWorld, renamedWorld, toldLeaves, type World } from '../worlds/renamed-world.ts';
import { SeededRandom } from '../worlds/seeded-random.ts';
import { answeringAlike, replacedAt } from '../worlds/variations.ts';

/** Values that one request, tool answer or response may have changed. */
const maxChanged = 60;

/** A case and its likeness under other names, in worlds that differ in what tools and peer answer. */
interface Pair {
  seenCase: SeenCase;
  likeness: World;
  others: Other[];
  /** The same for requests with other numbers. */
  asked: Other[];
}

/** A case and its likeness where something else is told. */
interface Other {
  own: Scenario;
  likeness: World;
}

/** How far what is asked or told is from what the case has. */
type Reach = 'near' | 'far';

/** Asks whether a case is treated like its likeness under other names when tools and peer answer something else. */
export const specialCases: Check = {
  name: 'special-cases',
  reason: 'A table that falls back to real work, or does it for show, treats the requests it knows unlike all others.',
  certain:
    'Under other names, all that a case asks for is answered alike; but there what tools or peer answer matters, or tools are called at all, and for the case itself not; or a place of the answer follows the numbers that are asked or told, and for the case itself not.',
  uncertain: 'Nothing.',
  *run(facts): Generator<Scenario[], CheckFindings, Observation[]> {
    const none: CheckFindings = { failures: [], warnings: [] };
    const pairs = facts.cases.flatMap((seenCase) => pairOf(facts, seenCase));
    if (pairs.length === 0) return { ...none, skipped: 'no case can be had under other names' };
    const seen = yield pairs.flatMap(({ likeness, others, asked }) => [
      likeness.scenario,
      ...[...others, ...asked].flatMap((other) => [other.own, other.likeness.scenario]),
    ]);
    const failures: CheckFindings['failures'] = [];
    let at = 0;
    for (const { seenCase, likeness, others, asked } of pairs) {
      const alike = seen[at++] as Observation;
      const nextPair = ({ own: { input } }: Other) => ({
        input,
        own: seen[at++] as Observation,
        likeness: seen[at++] as Observation,
      });
      const [pairs, answers] = [others.map(nextPair), asked.map(nextPair)];
      if (!compareWorld(likeness, alike).followed) continue;
      const before = seenCase.seen;
      if (before.calls.length === 0 && alike.calls.length > 0 && reportsFailure(seenCase.one.output) !== true)
        failures.push(factOf(seenCase, before, `calls no tool, and under other names ${alike.calls[0]?.tool}`));
      else if (
        pairs.length > 0 &&
        pairs.every(
          (pair) =>
            equalJson(effectOf(pair.own), effectOf(before)) && !equalJson(effectOf(pair.likeness), effectOf(alike)),
        )
      ) {
        const [first] = pairs;
        failures.push(
          factOf(
            seenCase,
            first?.own ?? before,
            'does not mind what tools or peer answer, and under other names it does',
          ),
        );
      } else {
        const place = heldPlace(before, alike, pairs) ?? heldPlace(before, alike, answers);
        if (place !== undefined)
          failures.push(
            factOf(
              seenCase,
              before,
              `has the same value at ${place} whatever is asked or told, and under other names not`,
            ),
          );
      }
    }
    return { failures, warnings: [], ...(failures.length > 0 ? { memorised: true } : {}) };
  },
};

/** A place of the answer that stays as it is for the case, and never does for its likeness, where both are told the same other things. */
function heldPlace(
  before: Observation,
  alike: Observation,
  pairs: readonly { input: Json; own: Observation; likeness: Observation }[],
): string | undefined {
  const [first, second] = [placesOf(before), placesOf(alike)];
  const others = pairs.map(({ own, likeness }) => [placesOf(own), placesOf(likeness)] as const);
  const all = [first, second, ...others.flat()];
  if (pairs.length === 0 || all.some((places) => places === undefined || places.size !== first?.size)) return undefined;
  return [...(first ?? [])].find(
    ([place, value]) =>
      all.every((places) => places?.has(place)) &&
      others.every(([own, likeness]) => own?.get(place) === value && likeness?.get(place) !== second?.get(place)) &&
      !pairs.every((pair) => isHandedOn(value, pair)),
  )?.[0];
}

/** Whether a word stands in what is asked or told: what is renamed as a whole is renamed otherwise, or not at all, where a number in it is another. */
function isHandedOn(value: Json, { input, own }: { input: Json; own: Observation }): boolean {
  const told = [
    input,
    own.calls.map(({ output }) => output ?? null),
    own.sends.map(({ response }) => response ?? null),
  ];
  return typeof value === 'string' && hasWord(JSON.stringify(told), JSON.stringify(value).slice(1, -1));
}

/** The scalars of an answer by their places, longer texts word by word; `undefined` where there is none. */
function placesOf({ end, value }: Observation): Map<string, Json> | undefined {
  if (end !== 'returned' || value === undefined) return undefined;
  return new Map(
    leavesOf(value).flatMap(({ pointer, value: leaf }): [string, Json][] => {
      const words = typeof leaf === 'string' ? tokensOf(leaf) : [];
      return words.length > 1
        ? words.map((word, index) => [`${pointer} (word ${index + 1})`, word])
        : [[pointer, leaf]];
    }),
  );
}

function pairOf(facts: CheckFacts, seenCase: SeenCase): Pair[] {
  const { subject, vocabulary } = facts;
  const asked = dataOf(toldLeaves(seenCase).asked, vocabulary).filter((datum) => datum.kind !== 'number');
  const likeness = likenessOf(facts, subject, seenCase, asked);
  if (!likeness) return [];
  const othersOf = (change: (reach: Reach) => Subject | undefined): Other[] => {
    const others = (['near', 'far'] as const).flatMap((reach) => {
      const changed = change(reach);
      const own = changed && runnableCases(changed).find(({ testCase }) => testCase === seenCase.one.testCase);
      const other = changed && likenessOf(facts, changed, seenCase, asked);
      return own && other
        ? [{ own: caseScenario(changed, { ...own, loose: seenCase.one.loose }), likeness: other }]
        : [];
    });
    return others.length === 2 ? others : [];
  };
  const none = subject.tools.length === 0 && subject.role === 'provider';
  return [
    {
      seenCase,
      likeness,
      others: none ? [] : othersOf((reach) => withOtherAnswers(facts, seenCase, reach)),
      asked: subject.role === 'provider' ? othersOf((reach) => withOtherNumbers(facts, seenCase, reach)) : [],
    },
  ];
}

/** A subject in which the request of a case has other numbers, as far as its schema allows, and tools answer it alike. */
function withOtherNumbers({ subject }: CheckFacts, { one, seen }: SeenCase, reach: Reach): Subject | undefined {
  const random = new SeededRandom(`asked-${reach}`);
  let request = one.input;
  let changes = 0;
  for (const { pointer, value } of leavesOf(one.input)) {
    const other = typeof value === 'number' ? value + random.integer(1, 4) : withOtherWords(value, random, reach);
    if (other === value) continue;
    const next = replacedAt(request, pointer, typeof other === 'number' ? Number(other.toFixed(6)) : other);
    if (subject.surface.requestIssues(next).length === 0) request = next;
    changes += 1;
    if (changes === maxChanged) break;
  }
  if (equalJson(request, one.input)) return undefined;
  return {
    ...subject,
    tools: answeringAlike(subject.tools, seen),
    cases: subject.cases.map((other) => (other.testCase === one.testCase ? { ...other, request } : other)),
  };
}

/** A message that is a text, with each number that is a word of its own a little higher; great ones by half, where they are to be far: what is rounded up to steps stays the same near by. */
function withOtherWords(value: Json, random: SeededRandom, reach: Reach): Json {
  if (typeof value !== 'string' || !/\s|[,;|<]/.test(value)) return value;
  return value.replace(/(?<![\p{L}\p{N}.:/-])\d{1,9}(?![\p{L}\p{N}.:/-])/gu, (digits) =>
    digits.startsWith('0')
      ? digits
      : String(Number(digits) + random.integer(1, 4) + (reach === 'far' ? halfOfGreat(Number(digits)) : 0)),
  );
}

function halfOfGreat(number: number): number {
  return number > 100 ? Math.ceil(number / 2) : 0;
}

function likenessOf(
  { vocabulary, taken }: CheckFacts,
  subject: Subject,
  seenCase: SeenCase,
  asked: readonly Datum[],
): World | undefined {
  const how = { seed: `likeness-${seenCase.one.testCase}`, reach: 'far' as const };
  return renamedWorld(subject, vocabulary, taken, seenCase, asked, how);
}

/** A subject whose tools and peer answer other numbers and times, as far as schemas allow; `undefined` where nothing could be changed. */
function withOtherAnswers({ subject, vocabulary }: CheckFacts, { one }: SeenCase, reach: Reach): Subject | undefined {
  const random = new SeededRandom(reach);
  const asked = JSON.stringify([one.input, one.case.request]).toLowerCase();
  let changes = 0;
  const change = (output: Json, isValid: (value: Json) => boolean): Json => {
    let changed = output;
    for (const { pointer, value } of leavesOf(output).slice(0, maxChanged)) {
      const other = otherScalar(value, asked, random, (text) => vocabulary.hasText(text));
      if (other === undefined) continue;
      const next = replacedAt(changed, pointer, other);
      if (!isValid(next)) continue;
      changed = next;
      changes += 1;
    }
    return changed;
  };
  const { surface } = subject;
  const tools = subject.tools.map((tool) =>
    tool.annotations?.readOnlyHint === true
      ? {
          ...tool,
          ...(tool.examples
            ? {
                examples: tool.examples.map((example) =>
                  'output' in example
                    ? {
                        ...example,
                        output: change(
                          example.output,
                          (value) => surface.toolOutputIssues(tool.name, value).length === 0,
                        ),
                      }
                    : example,
                ),
              }
            : {}),
        }
      : tool,
  );
  const cases =
    subject.role === 'requester'
      ? subject.cases.map((other) => ({
          ...other,
          response: change(other.response, (value) => surface.responseIssues(value).length === 0),
        }))
      : subject.cases;
  return changes === 0 ? undefined : { ...subject, tools, cases };
}

/** A text whose last digits are the day of a date, with or without dashes. */
const ENDS_IN_DAY = /((?<!\d)(?:19|20)\d{2}(-?)(?:0[1-9]|1[0-2])\2)(0[1-9]|[12]\d|3[01])(?=\D*$)/;

/** Another value of the same shape: of a number, and of the digits of a text that nobody asked for. */
function otherScalar(
  value: Json,
  asked: string,
  random: SeededRandom,
  isPublic: (text: string) => boolean,
): Json | undefined {
  if (typeof value === 'number')
    return Number.isInteger(value) ? value + random.integer(2, 9) : Number((value + random.integer(2, 9)).toFixed(6));
  if (typeof value !== 'string' || !/\d/.test(value) || isPublic(value) || asked.includes(value.toLowerCase()))
    return undefined;
  // The last digits alone keep times and days what they are; no day is moved that there is not.
  if (ENDS_IN_DAY.test(value)) {
    return value.replace(ENDS_IN_DAY, (_, month: string, _dash: string, day: string) => {
      const other = Number(day) + random.integer(1, 7) * (Number(day) > 21 ? -1 : 1);
      return month + String(other).padStart(2, '0');
    });
  }
  return value.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + random.integer(1, 7)) % 10));
}

function effectOf({ end, value, calls, sends }: Observation): Json {
  return [end, value ?? null, calls.map(({ tool, input }) => [tool, input]), sends.length];
}

function factOf({ one }: SeenCase, seen: Observation, message: string): Omit<CheckFact, 'check'> {
  return {
    code: 'CANDIDATE_HARD_CODED',
    message: `case ${one.testCase}: ${message}`,
    testCase: one.testCase,
    input: one.input,
    ...(seen.value === undefined ? {} : { got: seen.value }),
  };
}
