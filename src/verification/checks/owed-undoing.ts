import type { Tool } from '../../contract/job.ts';
import type { Observation, ObservedCall } from '../../contract/trial.ts';
import { isObject, type Json } from '../../kernel/json.ts';
import { TAKES_BACK } from '../../lexicon/acting.ts';
import type { SeenCase } from '../check.ts';
import { demandedIn } from '../prose/documented-acts.ts';
import { excerpt, holdsConstant, spaced } from '../prose/documented-answers.ts';
import { answerNamesIn, sentencesOnFailureOf, staysTheSame } from '../prose/failure-names.ts';
import { inOwnWords } from '../prose/failure-rules.ts';
import { leavesOf } from '../scalar-kinds.ts';
import { isReadOnly, type Subject } from '../subject.ts';

/** A tool that some sentences have called where another one failed or declined, and that is not, or not for each of the acts before. */
export function undoingOwed(
  subject: Subject,
  failed: string,
  { calls }: Observation,
  sentences: readonly string[],
  isCause?: (clause: string) => boolean,
): { tool: string; times: string; sentence: string } | undefined {
  const at = calls.findIndex(({ tool, error }) => tool === failed && (error !== undefined || isCause !== undefined));
  const acts = calls.slice(0, Math.max(0, at)).filter(({ tool }) => !isReadOnly(subject, tool));
  const later = calls.slice(at + 1);
  const undoing = subject.tools.filter(
    (tool) =>
      tool.name !== failed &&
      !isReadOnly(subject, tool.name) &&
      takesBack(subject, tool.name) &&
      acts.some((act) => takes(tool, act)),
  );
  for (const tool of subject.tools) {
    const { name } = tool;
    if (name === failed || isReadOnly(subject, name)) continue;
    const demand = demandedIn(
      sentences,
      tool,
      {
        takesBack: takesBack(subject, name),
        isOnly: undoing.length === 1 && undoing[0] === tool,
        isAct: acts.some((act) => act.tool === name),
        isAlone: undoing.every((other) => other === tool),
      },
      isCause,
    );
    const meant = acts.filter((act) => takes(tool, act));
    if (demand === undefined || meant.length === 0) continue;
    const done = later.filter((call) => call.tool === name).length;
    if (done < (demand.isForEach ? meant.length : 1))
      return { tool: name, times: done === 0 ? '' : ` for each of ${meant.length} acts`, sentence: demand.sentence };
  }
  return undefined;
}

/** Whether a tool takes back what was done, by its name or what it is described as. */
export function takesBack({ tools }: Pick<Subject, 'tools'>, tool: string): boolean {
  const { description = '' } = tools.find(({ name }) => name === tool) ?? {};
  return TAKES_BACK.test(spaced(tool)) || TAKES_BACK.test(description);
}

/** The verb that a tool's name begins with, less its ending, where that is one of undoing. */
export function verbOfUndoing(name: string): string | undefined {
  const [verb = ''] = spaced(name).split(/[ _.-]/);
  return TAKES_BACK.test(verb) ? verb.replace(/(?<=.{3})(?:[aei]r?|en)$/i, '') : undefined;
}

/** Whether a tool may be asked to undo an act: an example of it asks for what that act told, or all that it must be given was asked or told there. */
function takes({ name, inputSchema, examples = [] }: Tool, { tool, input, output }: ObservedCall): boolean {
  if (output === undefined) return false;
  const asked = new Set(examples.flatMap((example) => leavesOf(example.input)).map(({ value }) => value));
  const told = leavesOf(output);
  if (name !== tool && told.some(({ value }) => typeof value === 'string' && value.length > 2 && asked.has(value)))
    return true;
  const known = new Set([...told, ...leavesOf(input)].map((leaf) => leaf.name));
  const wanted = isObject(inputSchema as Json) ? (inputSchema as { required?: Json; properties?: Json }) : {};
  const names =
    Array.isArray(wanted.required) && wanted.required.length > 0
      ? wanted.required
      : Object.keys(wanted.properties ?? {});
  return names.length > 0 && names.every((member) => known.has(String(member)));
}

/** What is wrong with the answer where what was called only because of a failure fails as well. */
export function faultOfFailedUndoing(
  subject: Subject,
  { seen: before }: SeenCase,
  tool: string,
  single: Observation,
  both: Observation,
): string | undefined {
  const value = both.value ?? null;
  if (both.end !== 'returned' || both.issues.length > 0 || single.end !== 'returned') return undefined;
  if (!both.calls.some((call) => call.tool === tool && call.error !== undefined)) return undefined;
  const isOnlyThen = !before.calls.some((call) => call.tool === tool);
  if (isOnlyThen && staysTheSame(subject, tool) !== undefined) return undefined;
  for (const sentence of sentencesOnFailureOf(subject, tool)) {
    if ((!isOnlyThen && !TAKES_BACK.test(inOwnWords(sentence))) || LEFT_OPEN.test(sentence)) continue;
    const names = answerNamesIn(subject, sentence).filter((name) => !holdsConstant(single.value ?? null, [name]));
    if (names.length > 0 && !holdsConstant(value, names))
      return `the answer has none of ${[...new Set(names)].join(', ')}, though "${excerpt(sentence)}"`;
  }
  return undefined;
}

/** Words that leave open what is answered. */
const LEFT_OPEN = /\b(?:unless|except|may|might|could|otherwise|instead)\b|否则|除非|可能/i;
