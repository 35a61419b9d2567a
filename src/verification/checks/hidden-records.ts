import type { Observation, Scenario } from '../../contract/trial.ts';
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { equalJson } from '../../schemas/equal-json.ts';
import type { CheckFact, CheckFacts, SeenCase } from '../check.ts';
import { reportsFailure } from '../failure-answer.ts';
import { type HiddenRule, hiddenRulesOf } from '../prose/answered-alike.ts';
import { excerpt, spaced } from '../prose/documented-answers.ts';
import { isReadOnly } from '../subject.ts';

/** Records that are tried, and of each switch; switches of one record that are looked for. */
const [maxRecords, maxCases, maxSwitches] = [8, 3, 32];

interface Plan {
  seenCase: SeenCase;
  tool: string;
  name: string;
  /** What the switch is turned to. */
  turned: boolean;
  rule: HiddenRule;
  hidden: Scenario;
  unknown: Scenario;
}

/**
 * Looks for answers by which a record that is to be answered as none can be told from none: a switch of the record that a sentence names beside
 * what does not exist is turned, and the answer must be the one to a record that is not there.
 */
export function* hiddenRecords(facts: CheckFacts): Generator<Scenario[], Omit<CheckFact, 'check'>[], Observation[]> {
  const plans = plansOf(facts);
  if (plans.length === 0) return [];
  const seen = yield plans.flatMap(({ hidden, unknown }) => [hidden, unknown]);
  const found = new Map<string, Omit<CheckFact, 'check'>>();
  for (const [index, { seenCase, tool, name, turned, rule, hidden }] of plans.entries()) {
    const [own, none] = seen.slice(2 * index, 2 * index + 2) as [Observation, Observation];
    if (own.value === undefined || none.value === undefined || own.issues.length > 0 || none.issues.length > 0)
      continue;
    // Who does not take the lack of a record for a reason answers something else by it.
    if (equalJson(none.value, seenCase.seen.value ?? null) || equalJson(own.value, none.value)) continue;
    const { testCase } = seenCase.one;
    found.set(name, {
      code: 'CANDIDATE_RULE_BROKEN',
      message:
        `case ${testCase}, with ${tool} telling ${turned} as "${name}": it is answered otherwise than what does not exist, though "${excerpt(rule.whole)}"`.slice(
          0,
          500,
        ),
      testCase,
      input: hidden.input,
      expected: none.value,
      got: own.value,
    });
  }
  return [...found.values()];
}

function plansOf({ subject, cases }: CheckFacts): Plan[] {
  const rules = subject.role === 'provider' ? hiddenRulesOf(subject) : [];
  if (rules.length === 0) return [];
  const plans: Plan[] = [];
  for (const seenCase of cases) {
    if (reportsFailure(seenCase.one.output) === true) continue;
    for (const { tool, input, output } of seenCase.seen.calls) {
      if (!isReadOnly(subject, tool) || !isObject(output ?? null) || !mayBeNone(subject, tool)) continue;
      const switches = Object.entries(output as JsonObject).filter(([, value]) => typeof value === 'boolean');
      for (const [name, value] of switches.slice(0, maxSwitches)) {
        if (plans.length >= maxRecords) return plans;
        const said = saysOf(name);
        const rule = rules.find(({ whole }) => hiddenState(whole, said) === !value);
        if (rule === undefined || plans.filter((plan) => plan.name === name).length >= maxCases) continue;
        const telling = (record: Json): Scenario => ({
          ...seenCase.scenario,
          tools: seenCase.scenario.tools.map((one) =>
            one.name === tool ? { ...one, examples: [{ input, output: record }, ...(one.examples ?? [])] } : one,
          ),
        });
        plans.push({
          seenCase,
          tool,
          name,
          turned: !value,
          rule,
          hidden: telling({ ...(output as JsonObject), [name]: !value }),
          unknown: telling(null),
        });
      }
    }
  }
  return plans;
}

/** Whether a tool may tell that there is none. */
function mayBeNone(subject: CheckFacts['subject'], tool: string): boolean {
  return subject.surface.toolOutputIssues(tool, null).length === 0;
}

/** What a switch must be for its record to be hidden, by a sentence that names it alone; `undefined` where something else is to be so as well. */
function hiddenState(sentence: string, name: RegExp): boolean | undefined {
  const said = name.exec(sentence);
  if (said === null || TOGETHER_WITH.test(sentence.slice(said.index + said[0].length))) return undefined;
  return !NOT.test(sentence.slice(0, said.index));
}

/** How a sentence goes on behind a switch that is not all there is to it. */
const TOGETHER_WITH =
  /^[^\p{L}]{0,2}(?:with|without|but|while|ohne|mit|aber|sans|avec|mais|sin|con|pero|sem|com|senza|mas)(?!\p{L})|^[^\p{L}]?(?:且|并且|但)/iu;

const NOT =
  /(?<!\p{L})(?:not|no longer|never|nicht|nicht mehr|kein\p{L}*|pas|plus|no|não|non)(?: (?:yet|be|been|a|an|the|ein\p{L}*))?\s*$|[不未非没]$/iu;

/** Finds a switch by its name, or by what people say of it: `opted out` of `optOut`, `ein gesperrter Artikel` of `gesperrt`, `on duty` of `isOnDuty`. */
function saysOf(name: string): RegExp {
  const words = spaced(name.replace(/^(?:is|has|ist)(?=[\p{Lu}_])/u, '').replaceAll('_', ' '))
    .trim()
    .split(/\s+/);
  const parts = words.map((word) => {
    const known = word.slice(0, Math.max(words.length > 1 ? 2 : 4, word.length - 2));
    return `(?<!\\p{L})${RegExp.escape(known)}\\p{L}{0,4}`;
  });
  return new RegExp(`(?<!\\p{L})${RegExp.escape(name)}(?!\\p{L})|${parts.join('[\\s-]{1,2}')}`, 'iu');
}
