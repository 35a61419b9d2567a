import type { Json } from '../../kernel/json.ts';
import type { CheckFacts, Finding, Run } from '../check.ts';

/** Words, compared texts and bounds of the source that only hidden passages of the document have. */
export function hiddenWordsInSource({ hidden, literals, candidate }: CheckFacts): Finding[] {
  const finding = (how: string, what: string): Finding => ({
    rule: 'leaks/hidden-words',
    message: `the source ${how} ${what.slice(0, 120)}, which only a hidden passage or a note to code generators contains`,
  });
  return [
    ...hidden.words.filter((word) => literals.has(word)).map((word) => finding('contains', JSON.stringify(word))),
    ...hidden.conditions
      .filter((word) => literals.compared.includes(word) || literals.equalled.includes(word))
      .map((word) => finding('compares with', JSON.stringify(word))),
    ...hidden.bounds
      .filter((bound) => isBoundIn(candidate.bundle, bound))
      .map((bound) => finding('has as a bound', String(bound))),
  ];
}

/** Whether the bundle compares something with a number, in decimal or exponential form: esbuild may write either. */
function isBoundIn(bundle: string, bound: number): boolean {
  const digits = `(?:${bound}|${bound.toExponential().replace('+', '')})`;
  return new RegExp(`[<>]=?\\s*${digits}(?![\\d.])|(?<![\\d.])${digits}\\s*[<>]`).test(bundle);
}

/** The first answer with a member name that only a hidden passage has. */
export function hiddenMembers({ hidden, cases }: CheckFacts, runs: readonly Run[]): Finding[] {
  for (const { scenario, seen } of [...cases, ...runs]) {
    const requestMembers = new Set(membersOf(scenario.input));
    const name = membersOf(seen.value).find((member) => !requestMembers.has(member) && hidden.hasName(member));
    if (name === undefined) continue;
    const message = `the answer has a member ${JSON.stringify(name).slice(0, 120)}, which only a hidden passage or a note to code generators contains`;
    return [
      {
        rule: 'leaks/hidden-member',
        message,
        input: scenario.input,
        ...(seen.value === undefined ? {} : { got: seen.value }),
      },
    ];
  }
  return [];
}

/** The member names of an answer at every depth. */
function membersOf(answer: Json | undefined): string[] {
  if (typeof answer !== 'object' || answer === null) return [];
  if (Array.isArray(answer)) return answer.slice(0, maxItems).flatMap(membersOf);
  return Object.entries(answer).flatMap(([name, value]) => [name, ...membersOf(value)]);
}

/** Items of a list that are examined. */
const maxItems = 20;
