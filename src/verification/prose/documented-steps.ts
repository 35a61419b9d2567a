import type { Json } from '../../kernel/json.ts';
import { CONDITION } from '../../lexicon/acting.ts';
import { FAILS } from '../../lexicon/failing.ts';
import { AND_THEN } from '../../lexicon/ordering.ts';
import { hasWord, leavesOf } from '../scalar-kinds.ts';
import { isReadOnly, type Subject } from '../subject.ts';
import { speaksOf } from './documented-acts.ts';
import { excerpt, sentencesOf } from './documented-answers.ts';
import { unwrapped } from './unwrapped.ts';

/** A tool with side effects that the document has used behind another tool, and the words that say so. */
export interface Successor {
  first: string;
  second: string;
  said: string;
}

/** Lines and steps of a document that are looked at. */
const [maxLines, maxSteps] = [2_000, 40];

/** The head of a numbered step: its indent and its number. */
const HEAD =
  /^(?<indent>[ \t]*)(?:#{1,6}[ \t]+)?(?:\*\*)?(?:(?:step|schritt|paso|passo|étape|этап|шаг)[ \t]+|第[ \t]*)?(?<number>\d{1,2})(?:[.)、:：][ \t]*|[ \t]*(?:步[:：、]?|[-–—])[ \t]*|(?:\*\*))(?=\S)/iu;

/**
 * Which tools with side effects are used behind which others: each is named in one of the numbered steps alone, or one sentence has the second
 * come then. A tool that only reads comes first where its step has a condition. What is said both ways is not among them.
 */
export function successorsOf(subject: Subject): readonly Successor[] {
  const known = read.get(subject);
  if (known !== undefined) return known;
  const all = [...fromSteps(subject), ...fromSentences(subject)];
  const found = all.filter((one) => !all.some((other) => other.first === one.second && other.second === one.first));
  read.set(subject, found);
  return found;
}

const read = new WeakMap<Subject, readonly Successor[]>();

function fromSteps(subject: Subject): Successor[] {
  const { tools } = subject;
  return stepsOf(subject).flatMap((steps) => {
    const placed = tools.flatMap(({ name }) => {
      const at = steps.flatMap((step, index) => (hasWord(step, name) ? [index] : []));
      return at.length === 1 ? [{ name, at: at[0] as number }] : [];
    });
    return placed.flatMap((first) =>
      placed.flatMap((second): Successor[] => {
        const step = steps[first.at] as string;
        const counts = !isReadOnly(subject, first.name) || CONDITION.test(step);
        return counts && first.at < second.at && !isReadOnly(subject, second.name)
          ? [{ first: first.name, second: second.name, said: excerpt(steps[second.at] as string) }]
          : [];
      }),
    );
  });
}

/** Whether the document has a tool act in a step that comes before the one with what an answer says: then it is refused after the act. */
export function isStepBefore(subject: Subject, tool: string, answer: Json): boolean {
  const said = leavesOf(answer).flatMap(({ value }) =>
    (typeof value === 'string' && value.length > 2) || (typeof value === 'number' && value >= 100)
      ? [String(value)]
      : [],
  );
  return stepsOf(subject).some((steps) => {
    const acting = steps.flatMap((step, at) => (speaksOf(step, tool) ? [at] : []));
    // What several steps have, such as the verdict beside its reason, says nothing of which it was.
    const telling = Math.max(...said.map((name) => steps.findIndex((step) => hasWord(step, name))));
    return acting.length > 0 && acting.every((at) => at < telling);
  });
}

/** The numbered steps of a text, list by list, each with all that stands below it. */
function stepsOf({ agreement }: Subject): readonly string[][] {
  const known = readSteps.get(agreement) ?? stepsIn(agreement.text);
  readSteps.set(agreement, known);
  return known;
}

const readSteps = new WeakMap<Subject['agreement'], readonly string[][]>();

function stepsIn(text: string): string[][] {
  const lists: string[][] = [];
  let steps: string[] = [];
  let [indent, level, isOver] = ['', 0, false];
  for (const line of unwrapped(text).split('\n', maxLines)) {
    const head = HEAD.exec(line)?.groups;
    const isFirst = Number(head?.number) === 1 && (steps.length === 0 || head?.indent === indent);
    const isNext = head?.indent === indent && Number(head.number) === steps.length + 1 && steps.length < maxSteps;
    if (isFirst) {
      [steps, indent, level] = [[line], head?.indent ?? '', levelOf(line)];
      lists.push(steps);
    } else if (isNext) steps.push(line);
    else if (levelOf(line) > 0 && (level === 0 || levelOf(line) <= level)) steps = [];
    // Below a heading stands a section; below an item, what is indented or follows at once.
    else if (steps.length > 0 && (level > 0 || !isOver || /^[ \t]/.test(line))) steps.push(`${steps.pop()}\n${line}`);
    isOver = line.trim() === '' || (isOver && !isFirst && !isNext);
  }
  return lists.filter((list) => list.length > 1);
}

/** How deep a heading is; 0 for what is none. */
function levelOf(line: string): number {
  return /^ {0,3}(#{1,6})\s/.exec(line)?.[1]?.length ?? 0;
}

function fromSentences(subject: Subject): Successor[] {
  const acting = subject.tools.filter(({ name }) => !isReadOnly(subject, name));
  if (acting.length < 2) return [];
  return sentencesOf(subject.agreement).flatMap((sentence) => {
    const named = acting
      .flatMap(({ name }) => {
        const at = sentence.search(new RegExp(`(?<![\\p{L}\\p{N}_])${RegExp.escape(name)}(?![\\p{L}\\p{N}_])`, 'u'));
        return at < 0 ? [] : [{ name, at }];
      })
      .sort((a, b) => a.at - b.at);
    return named.slice(1).flatMap((second, index): Successor[] => {
      const first = named[index] as { name: string; at: number };
      const between = sentence.slice(first.at + first.name.length, second.at);
      return AND_THEN.test(between) && !FAILS.test(between) && !CONDITION.test(between.replace(AND_THEN, ' '))
        ? [{ first: first.name, second: second.name, said: excerpt(sentence) }]
        : [];
    });
  });
}
