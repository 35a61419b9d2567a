import type { Observation, Scenario } from '../../contract/trial.ts';
import { type Json, valueAt } from '../../kernel/json.ts';
import type { Check, CheckFact, CheckFacts, CheckFindings, SeenCase } from '../check.ts';
import { reportsFailure } from '../failure-answer.ts';
import { holdsConstant, sentencesOf } from '../prose/documented-answers.ts';
import { allNumbersIn, isSameNumber, numbersIn, readingsOf } from '../prose/number-readings.ts';
import { speaksOf, type Threshold, thresholdsOf } from '../prose/thresholds.ts';
import { hasWord, leavesOf } from '../scalar-kinds.ts';
import { lonePlaces, type Probe, type ProbePlace, probePlaces, resultPlaces, widthOf } from '../worlds/probe-places.ts';
import { changeBetween, type Effect, effectOf, type Sides } from './effect-changes.ts';

const maxCases = 3;
/** Numbers of the source of which the document says nothing: more than these are not followed up. */
const maxStrangers = 4;
/** Runs that may be asked for, at documented numbers and at others. */
const maxRuns = { documented: 90, strange: 120 };

/** Doubts that are followed up, and numbers further off that this takes. */
const [maxDoubtful, leastFurther] = [3, 3];

/** Asks where the prose has a number at which something changes, and where the source has one that the prose has not. */
export const thresholds: Check = {
  name: 'thresholds',
  reason: 'A number of the document that is moved, left out, or counted on the wrong side, is seen in no case.',
  certain:
    'An answer changes at a number of the source that stands nowhere, in any unit, and not at the one that the document has for that member, which is not in the source; or is named otherwise from just before the number on though the document puts the change behind it, or the other way round; or nothing changes at a number that is not in the source, though the document has a name for what lies beyond it; or, where there are no tools, nothing changes at several limits that the source has in no form, or at any of more.',
  uncertain:
    'An answer that changes at a number which stands nowhere, where no number of the document is missing; or a number of it that changes on the other side of one of the document: it may reckon with more than that.',
  *run(facts): Generator<Scenario[], CheckFindings, Observation[]> {
    const none: CheckFindings = { failures: [], warnings: [] };
    if (facts.subject.role === 'requester') return { ...none, skipped: 'the candidate is a requester' };
    const all = thresholdsOf(facts.subject);
    const told = all.filter(({ limits }) => limits);
    const strangers = strangersOf(facts);
    const lacking = told.filter((threshold) => isLacking(facts, threshold));
    // A hundred stands in most sources, for what percentages and cents need.
    const unseen = told.filter(
      (threshold) => lacking.includes(threshold) || (threshold.value > 2 && ORDINARY.has(threshold.value)),
    );
    const bases = basesOf(facts);
    const cases = bases.map((one) => probePlaces(facts, one));
    const alone = bases.map((one) => lonePlaces(facts, one));
    const beside = sparing(
      cases.flatMap((places, index) =>
        told.flatMap((threshold) => {
          const one = bases[index] as SeenCase;
          const seen = places.filter((place) => !place.told || isPlainlyOf(all, threshold, place));
          return [...besidesOf(threshold, seen), ...unnamedOf(facts, all, threshold, one, seen, alone[index] ?? [])];
        }),
      ),
    );
    const moved = bases.flatMap((one, index) =>
      strangers.flatMap((number) => [
        ...movesOf(number, unseen, cases[index] ?? []),
        ...(unseen.length > 0 ? resultMovesOf(number, unseen, resultPlaces(facts, one)) : []),
      ]),
    );
    const limits = limitsOf(facts, cases);
    const plans = [
      ...within(beside, maxRuns.documented),
      ...within(moved, maxRuns.strange),
      ...within(limits, maxRuns.documented),
    ];
    if (plans.length === 0) return { ...none, skipped: 'the prose has no number that a request could be set to' };
    const seen = yield plans.flatMap(({ probes }) => probes.map(({ probe }) => probe.scenario));
    let at = 0;
    const judged = plans.map((plan) => {
      const effects = plan.probes.map(({ value, probe }) => {
        const observation = seen[at++] as Observation;
        const { pointer, one } = plan.place;
        const got = pointer === undefined ? value : valueAt(observation.value ?? null, pointer);
        const isThere = typeof got === 'number' && Math.abs(got - value) < 0.006;
        return {
          value,
          probe,
          observation,
          effect: isThere ? effectOf(observation, probe.input, one, plan.place.measure === 'items') : undefined,
        };
      });
      return { ...plan, effects };
    });
    const findings: CheckFindings = { failures: [], warnings: [] };
    const add = (fact: Omit<CheckFact, 'check'>, certain: boolean): void => {
      const list = certain ? findings.failures : findings.warnings;
      if (list.length < 5 && !list.some(({ message }) => message === fact.message)) list.push(fact);
    };
    const doubtful: (Beside & Ran & { message: string })[] = [];
    for (const plan of judged) {
      if (plan.kind === 'beside') {
        const wrong = wrongSide(told, plan);
        if (wrong === undefined) continue;
        if (wrong.change === 'said' && plan.isUnnamed !== true) add(factOf(plan, wrong.message), true);
        else if (!plan.place.told || plan.isUnnamed === true) doubtful.push({ ...plan, message: wrong.message });
      } else if (plan.kind === 'move' && CHANGED.has(changeAt(plan.effects, plan.number))) {
        const still = plan.threshold && changeAt(plan.effects, plan.threshold.value) === 'none';
        const what = `the answer changes at ${nameOf(plan.place)} ${plan.number}, a number that stands nowhere`;
        add(
          factOf(
            plan,
            still ? `${what}, and not at ${plan.threshold?.value}, though "${plan.threshold?.sentence}"` : what,
          ),
          still === true,
        );
      }
    }
    for (const plan of unmindedNames(
      facts,
      lacking,
      judged.filter((one) => one.kind === 'beside'),
    ))
      add(
        factOf(
          plan,
          `nothing changes at ${nameOf(plan.place)} ${plan.threshold.value}, though "${plan.threshold.sentence}"`,
        ),
        true,
      );
    const probed = judged.filter((one) => one.kind === 'limit');
    const { still: steady, moved: mindful } = stillAndMoved(facts, probed);
    const missing = steady.filter(({ threshold }) => isLacking(facts, threshold));
    const isDeaf = steady.length >= leastLimits.all && mindful.length === 0;
    const [unminded] = missing.length >= leastLimits.missing ? missing : isDeaf ? steady : [];
    if (unminded) {
      const numbers = steady.map(({ threshold: { value } }) => value).join(', ');
      add(factOf(unminded, `nothing changes at ${numbers}, limits that the document has for what is asked`), true);
      findings.memorised = true;
    }
    // What changes with every so many, as postage does with each started kilogram, changes beside the number rightly.
    const controls = doubtful
      .filter(({ threshold }, index) => doubtful.findIndex((one) => one.threshold === threshold) === index)
      .slice(0, maxDoubtful)
      .map((plan) => ({ plan, probes: controlsOf(plan) }));
    const more = controls.some(({ probes }) => probes.length > 0)
      ? yield controls.flatMap(({ probes }) => probes.map(({ probe }) => probe.scenario))
      : [];
    let next = 0;
    for (const { plan, probes } of controls) {
      const further = probes.map(({ value, probe }) => {
        const observation = more[next++] as Observation;
        const effect = effectOf(observation, probe.input, plan.place.one, plan.place.measure === 'items');
        return { value, probe, observation, effect };
      });
      if (further.length >= leastFurther && !recurs(plan, further)) add(factOf(plan, plan.message), false);
    }
    return findings;
  },
};

const CHANGED: ReadonlySet<string | undefined> = new Set(['said', 'number']);

interface Probed {
  value: number;
  probe: Probe;
}

interface Beside {
  kind: 'beside';
  /** Whether the sentence speaks of no place, and only a change beside its number can show that it means this one. */
  isUnnamed?: boolean;
  place: ProbePlace;
  threshold: Threshold;
  probes: Probed[];
}

interface Move {
  kind: 'move';
  place: ProbePlace;
  number: number;
  threshold: Threshold | undefined;
  probes: Probed[];
}

/** A limit of the document, at a place that it may be meant for. */
interface Limit {
  kind: 'limit';
  place: ProbePlace;
  threshold: Threshold;
  probes: Probed[];
}

/** Fewer limits at which nothing changes may be meant for something else: of those that the source has in no form, and of all. */
const leastLimits = { missing: 3, all: 4 };

/** The limits of the document where no tool has a part in the answer. */
function limitsOf({ subject }: CheckFacts, cases: readonly (readonly ProbePlace[])[]): Limit[] {
  if (subject.tools.length > 0) return [];
  const limits = thresholdsOf(subject).filter(({ isEnd }) => isEnd);
  const found = cases.flatMap((places) =>
    limits.flatMap((threshold) =>
      boundTo(threshold, places).flatMap((place): Limit[] => {
        if (place.measure === 'days' || AMOUNT_WANTED.test(place.name)) return [];
        const probes = probesBeside(place, threshold.value);
        return probes ? [{ kind: 'limit', place, threshold, probes }] : [];
      }),
    ),
  );
  return new Set(found.map(({ threshold: { value } }) => value)).size < leastLimits.missing ? [] : found;
}

/** One plan for each number: those at which nothing changes in whatever case and place, but for what is a case itself, and the others. */
function stillAndMoved(
  { subject }: CheckFacts,
  plans: readonly (Limit & Ran)[],
): { still: (Limit & Ran)[]; moved: (Limit & Ran)[] } {
  const known = new Set(subject.cases.map(({ request }) => JSON.stringify(request)));
  const isStill = ({ effects }: Ran): boolean => {
    const points = effects
      .filter(({ probe: { input } }) => !known.has(JSON.stringify(input)))
      .map(({ value, effect }) => [value, effect] as const);
    return changeBetween({ left: points.slice(0, 2), right: points.slice(2) }) === 'none';
  };
  const numbers = [...Map.groupBy(plans, ({ threshold: { value } }) => value).values()];
  const [still, moved] = [true, false].map((wanted) =>
    numbers.flatMap((own) => (own[0] !== undefined && own.every(isStill) === wanted ? [own[0]] : [])),
  );
  return { still: still ?? [], moved: moved ?? [] };
}

interface Ran {
  effects: (Probed & { observation: Observation; effect: Effect | undefined })[];
}

/** The first plans, as far as a number of runs goes. */
function within<T extends { probes: readonly Probed[] }>(plans: readonly T[], most: number): T[] {
  let runs = 0;
  return plans.filter(({ probes }) => {
    runs += probes.length;
    return runs <= most;
  });
}

/** Words by which what is told is bounded together with what is asked for now. */
const CAPACITY =
  /\b(?:may|can|must|allowed|permitted|at most|at least|up to|maximum|no more|keep|remain)\b|(?<!\p{L})(?:darf|dürfen|kann|können|muss|müssen|höchstens|maximal|mindestens|puede|pueden|debe|como máximo|al menos|peut|peuvent|doit|au plus|au moins|pode|podem|deve|no máximo)(?!\p{L})|可|最多|至多|至少|必须/iu;

/** Whether a number is meant for what a tool tells as it stands: no sentence with the number says anything else of it. */
function isPlainlyOf(all: readonly Threshold[], threshold: Threshold, place: ProbePlace): boolean {
  if (threshold.side === undefined || CAPACITY.test(threshold.sentence)) return false;
  return all.every(
    (other) =>
      other.value !== threshold.value ||
      isOfOne(threshold, other) ||
      (other.side === undefined && !speaksOf(other.context, place.name)),
  );
}

/** Whether another number says nothing but what a threshold says, on the same side of it. */
function isOfOne({ value, side, sentence }: Threshold, other: Threshold): boolean {
  if (other.value !== value) return false;
  return other.side === side || (other.side === undefined && (other.sentence === sentence || EXACTLY.test(other.lead)));
}

/** Words by which a sentence says again on which side of a limit it lies itself. */
const EXACTLY =
  /(?:\bexactly|\bjust|(?<!\p{L})(?:genau|exactamente|exactement|exatamente|esattamente)|恰好|正好|等于)[\s*\x60]*$/iu;

/** Places that the number of a sentence may be meant for which speaks of none, where nothing else that was given is near that number. */
function unnamedOf(
  { literals }: CheckFacts,
  all: readonly Threshold[],
  threshold: Threshold,
  one: SeenCase,
  places: readonly ProbePlace[],
  alone: readonly ProbePlace[],
): Beside[] {
  const { value, side, sentence } = threshold;
  if (side === undefined || value < 3 || threshold.isOfRange === true || LENGTHS.test(sentence)) return [];
  if (boundTo(threshold, places).length > 0 || !literals.has(value)) return [];
  const near = new Set([value - 1, value, value + 1]);
  const given = leavesOf([one.one.input, ...one.seen.calls.map(({ output }) => output ?? null)]);
  if (given.some((leaf) => typeof leaf.value === 'number' && near.has(leaf.value))) return [];
  if (all.some((other) => near.has(other.value) && !isOfOne(threshold, other))) return [];
  return [...places, ...alone]
    .filter(({ measure }) => measure === 'value')
    .flatMap((place) => besidesAt(threshold, place))
    .map((plan) => ({ ...plan, isUnnamed: true }));
}

/** Not more than two cases for each number at each place; the other sentences with the number say the same, or it is left alone. */
function sparing(plans: readonly Beside[]): Beside[] {
  const counts = new Map<string, number>();
  return plans.filter(({ place: { name, measure }, threshold: { value } }) => {
    const key = JSON.stringify([name, measure, value]);
    counts.set(key, (counts.get(key) ?? 0) + 1);
    return (counts.get(key) ?? 0) <= 2;
  });
}

/** Cases to start from: those that succeed, each kind of answer once, else all. */
function basesOf({ cases }: CheckFacts): SeenCase[] {
  const good = cases.filter(({ one }) => !one.case.negative && reportsFailure(one.output) !== true);
  return (good.length > 0 ? good : [...cases]).slice(0, maxCases);
}

/** Numbers of the source that stand in no form in document, schemas, tools or cases. */
function strangersOf({ subject, literals, vocabulary }: CheckFacts): number[] {
  const given = JSON.stringify([
    subject.requestSchema,
    subject.responseSchema,
    subject.tools as unknown as Json,
    subject.cases.flatMap(({ request, response }) => [request, response]),
  ]);
  const written = allNumbersIn(subject.agreement.text);
  const known = new Set([...allNumbersIn(given), ...written]);
  const strange = literals.numbers.filter(
    (number) =>
      Math.abs(number) >= leastNumber && !ORDINARY.has(number) && !known.has(number) && !vocabulary.hasNumber(number),
  );
  const strangers = new Set(strange);
  const explain = (readings: readonly number[]): void => {
    for (const number of strangers)
      if (readings.some((reading) => isSameNumber(reading, number))) strangers.delete(number);
  };
  for (const number of written) explain(readingsOf(number));
  for (const number of known) explain([10, 100, 1000].flatMap((factor) => [number * factor, number / factor]));
  for (const sentence of sentencesOf(subject.agreement)) {
    const numbers = numbersIn(sentence)
      .slice(0, 12)
      .map(({ value }) => value);
    for (const a of numbers) explain(numbers.flatMap((b) => [a + b, a - b, a * b, a / b]));
  }
  return [...strangers].slice(0, maxStrangers);
}

/** What is smaller makes up for rounding. */
const leastNumber = 1e-5;

/** Numbers that need no explanation. */
const ORDINARY: ReadonlySet<number> = new Set([0, 1, 2, 10, 12, 16, 24, 32, 36, 60, 64, 100, 255, 256, 365, 366]);

/** Whether a number of the document stands in no form in the source. */
function isLacking({ literals }: CheckFacts, { value, sentence }: Threshold): boolean {
  if ((value <= 2 && Number.isInteger(value)) || literals.has(value)) return false;
  // One in twenty is five of a hundred, but no limit of five.
  const shares = /[%‰]|percent/i.test(sentence) ? [] : [1 / value, 100 / value];
  const forms = [
    ...readingsOf(value).filter((form) => !shares.some((share) => isSameNumber(form, share))),
    ...numbersIn(sentence).flatMap(({ value: other }) => [value + other, value - other, value * other, value / other]),
  ];
  return !forms.some((form) => literals.numbersLike(form).some((number) => !ORDINARY.has(number)));
}

const LENGTHS = /\b(?:characters?|letters?|digits|long|length|chars)\b|字符|长度|个字|位/iu;
const DAYS = /\b(?:days?|nights?|weeks?|months?|years?)\b|天|日|晚|夜|周|月|年/iu;

const ENTRIES =
  /^\s*(?:(?:items?|entries|elements|records)\b|(?:Einträge|Elemente|éléments|entrées|elementos|entradas|elementi)(?!\p{L})|[条项个])/iu;

/** The places of a case that a number of the prose may be meant for, those that its clause names first. */
function boundTo(
  { lead, tail, context, intro = '', sentence, value }: Threshold,
  places: readonly ProbePlace[],
): ProbePlace[] {
  const fitting = places.filter(({ measure }) =>
    measure === 'length' ? LENGTHS.test(sentence) : measure === 'days' ? DAYS.test(sentence) : true,
  );
  const sized = LENGTHS.test(sentence) ? fitting.filter(({ measure }) => measure === 'length') : fitting;
  const named = sized.filter(({ name }) => speaksOf(lead, name));
  if (named.length > 0) return named;
  const counted = sized.filter(({ name }) => speaksOf(tail, name));
  const asked = counted.filter(({ told }) => !told);
  if (counted.length > 0) return asked.length > 0 ? asked : counted;
  const near = sized.filter(({ name }) => speaksOf(context, name));
  if (near.length > 0) return near;
  const introduced = sized.filter(({ name }) => speaksOf(intro, name));
  if (introduced.length > 0) return introduced;
  const lists = ENTRIES.test(tail) ? sized.filter(({ measure, told }) => measure === 'items' && !told) : [];
  if (lists.length > 0) return new Set(lists.map(({ name }) => name)).size === 1 ? lists : [];
  const numbers = sized.filter(({ measure, told, value: own }) => measure === 'value' && !told && own !== value);
  return new Set(numbers.map(({ name }) => name)).size === 1 ? numbers : [];
}

/** One step at a place: whole where the quantity counts things. */
function stepAt({ measure, value }: ProbePlace, number: number): number {
  return measure === 'value' && !(Number.isInteger(value) && Number.isInteger(number)) ? 0.01 : 1;
}

function probesAt(place: ProbePlace, values: readonly number[]): Probed[] | undefined {
  if (place.isOfFixedWidth === true && new Set(values.map(widthOf)).size > 1) return undefined;
  const probes = values.flatMap((value) => {
    const probe = place.at(Number(value.toFixed(6)));
    return probe ? [{ value, probe }] : [];
  });
  return probes.length === values.length ? probes : undefined;
}

/** Two steps before a number, the number, and two steps behind it. */
function probesBeside(place: ProbePlace, number: number): Probed[] | undefined {
  const step = stepAt(place, number);
  return probesAt(
    place,
    [-2, -1, 0, 1, 2].map((by) => number + by * step),
  );
}

/** Members that say how many are wanted: the answer follows them, and out of bounds they may be cut. */
const AMOUNT_WANTED = /^(?:limit|count|size|top|page(?!s$)\w*|per_?page|offset|skip|take|first|last|max\w*|n)$/i;

/** Whether a result never goes below a number, which says nothing of what is asked. */
function isFloor({ lead }: Threshold): boolean {
  return /(?<!\p{L})(?:never|jamais|nie(?:mals)?|nunca|jamás|mai)(?!\p{L})|不会/iu.test(lead);
}

function besidesOf(threshold: Threshold, places: readonly ProbePlace[]): Beside[] {
  if (threshold.side === undefined || isFloor(threshold)) return [];
  return boundTo(threshold, places).flatMap((place) => besidesAt(threshold, place));
}

function besidesAt(threshold: Threshold, place: ProbePlace): Beside[] {
  if (place.told && (place.measure !== 'value' || place.isListed === true)) return [];
  if (place.measure === 'days' || AMOUNT_WANTED.test(place.name)) return [];
  if (threshold.isOfRange === true && stepAt(place, threshold.value) !== 1) return [];
  const probes = probesBeside(place, threshold.value);
  return probes ? [{ kind: 'beside', place, threshold, probes }] : [];
}

function movesOf(number: number, lacking: readonly Threshold[], places: readonly ProbePlace[]): Move[] {
  const bound = lacking.flatMap((threshold) => boundTo(threshold, places).map((place) => ({ place, threshold })));
  const free = places
    .filter((place) => !place.told && place.measure === 'value' && !bound.some((one) => one.place === place))
    .map((place) => ({ place, threshold: undefined }));
  return [...bound, ...free].flatMap(({ place, threshold }) => moveOf(number, place, threshold));
}

/** The same for results that a sentence names. */
function resultMovesOf(number: number, lacking: readonly Threshold[], places: readonly ProbePlace[]): Move[] {
  return lacking.flatMap((threshold) =>
    places.filter(({ name }) => hasWord(threshold.sentence, name)).flatMap((place) => moveOf(number, place, threshold)),
  );
}

function moveOf(number: number, place: ProbePlace, threshold: Threshold | undefined): Move[] {
  const step = stepAt(place, number);
  const gap = threshold ? Math.abs(threshold.value - number) / 5 : 0;
  const wide = step === 1 ? Math.max(1, Math.floor(gap)) : Math.max(step, gap);
  const around = (centre: number, reach: number) =>
    [-2 * reach, -reach, -step, 0, step, reach, 2 * reach].map((by) => centre + by);
  const values = threshold ? [...around(number, wide), ...around(threshold.value, wide)] : around(number, 2 * step);
  const probes = probesAt(
    place,
    [...new Set(values)].sort((a, b) => a - b),
  );
  return probes ? [{ kind: 'move', place, number, threshold, probes }] : [];
}

/** What changes at a number: from what lies before it to what lies behind it. */
function changeAt(effects: Ran['effects'], number: number): ReturnType<typeof changeBetween> {
  const near = [...effects].sort((a, b) => Math.abs(a.value - number) - Math.abs(b.value - number));
  const side = (which: (by: number) => boolean): Sides['left'] =>
    near
      .filter(({ value }) => which(value - number))
      .slice(0, 3)
      .sort((a, b) => a.value - b.value)
      .map(({ value, effect }) => [value, effect]);
  return changeBetween({ left: side((by) => by < -1e-9), right: side((by) => by > 1e-9) });
}

/** A change on the one side of a documented number where the words put it on the other. */
function wrongSide(
  told: readonly Threshold[],
  { threshold, place, effects }: Beside & Ran,
): { change: 'said' | 'number'; message: string } | undefined {
  const { value, side, sentence } = threshold;
  // Of two sentences with the same number, either may be the one that is kept.
  if (told.some((other) => other.value === value && other.side !== undefined && other.side !== side)) return undefined;
  const points = effects.map(({ value: at, effect }) => [at, effect] as const);
  const [before, behind] = [2, 3].map((count) =>
    changeBetween({ left: points.slice(0, count), right: points.slice(count) }),
  );
  const [wrong, right] = side === 'behind' ? [before, behind] : [behind, before];
  if ((wrong !== 'said' && wrong !== 'number') || CHANGED.has(right)) return undefined;
  const where = side === 'behind' ? 'before' : 'only behind';
  return { change: wrong, message: `the answer changes ${where} ${nameOf(place)} ${value}, though "${sentence}"` };
}

/** Numbers of the document that are not in the source, where nothing changes in any case although the document names an answer. */
function unmindedNames(
  { subject }: CheckFacts,
  lacking: readonly Threshold[],
  plans: readonly (Beside & Ran)[],
): (Beside & Ran)[] {
  return lacking.flatMap((threshold) => {
    const { constant, sentence, lead } = threshold;
    const own = plans.filter((plan) => plan.threshold === threshold);
    const [first] = own;
    if (
      !first ||
      constant === undefined ||
      !/^[A-Z][A-Z0-9_]{2,}$|^[45]\d\d$/.test(constant) ||
      CONDITIONAL.test(sentence)
    )
      return [];
    const isNamed = own.every(({ place }) =>
      new RegExp(`(?<![\\p{L}\\p{N}_])${place.name}(?![\\p{L}\\p{N}_])`, 'u').test(lead),
    );
    const isTold = allNumbersIn(JSON.stringify(subject.tools)).has(threshold.value);
    const isStill = own.every(({ effects }) => {
      const [left, right] = [effects.slice(0, 3), effects.slice(3)].map((side) =>
        side.map(({ value, effect }) => [value, effect] as const),
      );
      return (
        changeBetween({ left: left ?? [], right: right ?? [] }) === 'none' &&
        effects.every(
          ({ observation }) =>
            observation.value !== undefined &&
            !holdsConstant(observation.value, [constant]) &&
            reportsFailure(observation.value) !== true,
        )
      );
    });
    return isNamed && !isTold && isStill ? [first] : [];
  });
}

/** Words by which a limit holds for some requests alone. */
const CONDITIONAL =
  /\b(?:unless|except|only|may|might|if .+ and|when .+ and|exempt\w*|otherwise)\b|(?<!\p{L})(?:nur|außer|ausgenommen|sofern|sonst|solo|sólo|salvo|excepto|sauf|seulement|sinon)(?!\p{L})|除非|只有/iu;

/** Steps to either side of a number within which what recurs is seen to recur. */
const reach = 6;

/** Numbers that lie further off than those beside a number, as far as they may be asked. */
function controlsOf({ place, threshold: { value }, probes }: Beside): Probed[] {
  const step = stepAt(place, value);
  const near = Array.from({ length: 2 * reach + 2 }, (_, index) => value + (index - reach) * step);
  return [...near, value * 2, value * 2 + step]
    .filter((at) => !probes.some((probe) => isSame(probe.value, at)))
    .flatMap((at) => probesAt(place, [at]) ?? []);
}

function isSame(one: number, other: number): boolean {
  return Math.abs(one - other) < 1e-6;
}

/**
 * Whether what changes at a number changes again at the same distance to either side, as postage does with each started kilogram, or changes
 * no more than the numbers around it do, as what is rounded does.
 */
function recurs({ place, threshold: { value, side }, effects }: Beside & Ran, further: Ran['effects']): boolean {
  const step = stepAt(place, value);
  const all = [...effects, ...further];
  const effectAt = (at: number) => all.find((one) => isSame(one.value, at))?.effect;
  const from = side === 'behind' ? value - step : value;
  const leaps = new Map<number, boolean>();
  const pairs = [...Array.from({ length: 2 * reach + 1 }, (_, index) => index - reach), value / step].flatMap((by) => {
    const [left, right] = [effectAt(from + by * step), effectAt(from + (by + 1) * step)];
    return left && right ? [{ by, left, right }] : [];
  });
  const pointers = [...(effectAt(from)?.numbers.keys() ?? [])];
  const isAmong = (pair: { left: Effect; right: Effect }, beside: typeof pairs, pointer: string): boolean => {
    const isWhole = [pair.left, pair.right].every(({ numbers }) => Number.isInteger(numbers.get(pointer)));
    const usual = medianOf(beside.map((other) => leapOf(other, pointer)));
    return Math.abs(leapOf(pair, pointer) - usual) <= (isWhole ? 1.5 : 0.025);
  };
  const edge = pairs.find(({ by }) => by === 0);
  const others = pairs.filter(({ by }) => by !== 0);
  // What is rounded to whole numbers leaps now and then, by one.
  if (edge && edge.left.said === edge.right.said && pointers.every((pointer) => isAmong(edge, others, pointer)))
    return true;
  for (const { by, ...pair } of pairs) {
    const beside = pairs.filter((other) => Math.sign(other.by) === Math.sign(by));
    const isUsual = (pointer: string): boolean => isAmong(pair, beside, pointer);
    const isSaid = pair.left.said !== pair.right.said;
    // Far off, another limit may be reached.
    leaps.set(by, Math.abs(by) > reach ? !isSaid && !pointers.every(isUsual) : isSaid || !pointers.every(isUsual));
  }
  const distances = [...leaps.keys()].map(Math.abs).filter((by) => by > 0);
  return distances.some((by) => [by, -by].every((one) => leaps.get(one) ?? true));
}

function leapOf({ left, right }: { left: Effect; right: Effect }, pointer: string): number {
  return (right.numbers.get(pointer) ?? Number.NaN) - (left.numbers.get(pointer) ?? Number.NaN);
}

function medianOf(values: readonly number[]): number {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function nameOf({ name, measure, told }: ProbePlace): string {
  const what = {
    value: name,
    length: `the length of ${name}`,
    items: `the number of ${name}`,
    days: `days of ${name}`,
    result: `the ${name} of the answer`,
  }[measure];
  return told ? `${what} (told by a tool)` : what;
}

function factOf({ place: { one }, effects }: { place: ProbePlace } & Ran, message: string): Omit<CheckFact, 'check'> {
  const shown = effects[Math.floor(effects.length / 2)];
  return {
    code: 'CANDIDATE_RULE_BROKEN',
    message: `case ${one.one.testCase}: ${message}`.slice(0, 500),
    testCase: one.one.testCase,
    ...(shown ? { input: shown.probe.input } : {}),
    ...(shown?.observation.value === undefined ? {} : { got: shown.observation.value }),
  };
}
