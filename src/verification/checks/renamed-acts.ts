import type { CheckFacts, Finding, SeenCase } from '../check.ts';
import { isReadOnly } from '../subject.ts';
import type { WorldResult } from '../worlds/renamed-world.ts';

/** Whether a case calls a tool with side effects. */
export function acts({ subject }: CheckFacts, { seen }: SeenCase): boolean {
  return seen.calls.some(({ tool }) => !isReadOnly(subject, tool));
}

/** The acts of a case that are never called where nothing but names is another, though its answer is the right one: a fact for each. */
export function silentActs(
  { subject }: CheckFacts,
  { world: { one, seenCase }, seen, followed }: WorldResult,
): Finding[] {
  const called = new Set(seen.calls.map(({ tool }) => tool));
  const silent = seenCase.seen.calls
    .map(({ tool }) => tool)
    .filter((tool) => !called.has(tool) && !isReadOnly(subject, tool));
  return [...new Set(followed ? silent : [])].map((tool) => ({
    rule: 'renaming/act-not-called',
    message: `case ${one.testCase}: under other names it answers that all is done, and ${tool} is not called`,
    testCase: one.testCase,
    input: one.input,
    ...(seen.value === undefined ? {} : { got: seen.value }),
  }));
}
