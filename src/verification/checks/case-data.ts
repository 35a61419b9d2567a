import type { Json } from '../../kernel/json.ts';
import { type Leaf, leavesOf, tokensOf } from '../scalar-kinds.ts';
import type { Subject } from '../subject.ts';
import type { Vocabulary } from '../vocabulary.ts';
import { type Datum, dataOf } from '../worlds/datum.ts';

/** The data of an agreement's cases, by their source. */
export interface CaseData {
  /** What a handler is told: in requests, tool answers and task inputs, and a requester also in responses. */
  told: Datum[];
  /** Data that only answers have. */
  answersOnly: (Datum & { places: { testCase: number; pointer: string }[] })[];
}

/** Sorts the data of all cases, tools and task examples by whether a handler is told them. */
export function caseDataOf(subject: Subject, vocabulary: Vocabulary): CaseData {
  const { cases, tools, task } = subject;
  const examples = task?.examples ?? [];
  const told: Json[] = [
    // Not the texts of tool errors: a handler needs them to tell errors apart.
    ...tools.flatMap((tool) =>
      [...(tool.examples ?? []), ...(tool.otherwise ? [tool.otherwise] : [])].flatMap((answer) =>
        'output' in answer ? [answer.output] : [],
      ),
    ),
    ...(subject.role === 'provider'
      ? cases.map(({ request }) => request)
      : [...examples.map(({ input }) => input), ...cases.map(({ response }) => response)]),
  ];
  const toldLeaves = told.flatMap((value) => wordsOf(leavesOf(value)));
  const answers: { testCase: number; leaf: Leaf }[] = (
    subject.role === 'provider'
      ? cases.flatMap(({ testCase, response }) => wordsOf(leavesOf(response)).map((leaf) => ({ testCase, leaf })))
      : // What a requester sends and was not told is a constant of the protocol, or fresh.
        examples.flatMap(({ testCase, output }) => leavesOf(output).map((leaf) => ({ testCase, leaf })))
  ).filter(({ leaf }) => !subject.loose.some(({ pointer }) => pointer === leaf.pointer));
  const known = toldLeaves
    .map(({ value }) => String(value))
    .join('\n')
    .toLowerCase();
  const numbers = new Set(toldLeaves.flatMap(({ value }) => (typeof value === 'number' ? [value] : [])));
  const isTold = (value: string | number): boolean =>
    typeof value === 'number' ? numbers.has(value) : known.includes(value.toLowerCase());
  return {
    told: dataOf(toldLeaves, vocabulary),
    answersOnly: dataOf(
      answers.map(({ leaf }) => leaf),
      vocabulary,
    )
      .filter(({ value }) => !isTold(value))
      .map((datum) => ({
        ...datum,
        places: answers
          .filter(
            ({ leaf }) =>
              leaf.value === datum.value ||
              (typeof leaf.value === 'string' && leaf.value.includes(String(datum.value))),
          )
          .map(({ testCase, leaf }) => ({ testCase, pointer: leaf.pointer })),
      })),
  };
}

/** The leaves of a value; of a text message also each word, with numeric words as numbers. */
function wordsOf(leaves: readonly Leaf[]): Leaf[] {
  return leaves.flatMap((leaf) =>
    leaf.pointer === '' && typeof leaf.value === 'string'
      ? [
          leaf,
          ...tokensOf(leaf.value).map((word) => ({
            ...leaf,
            value: String(Number(word)) === word ? Number(word) : word,
          })),
        ]
      : [leaf],
  );
}
