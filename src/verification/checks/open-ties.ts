import type { Peer, Scenario } from '../../contract/trial.ts';
import { escapeToken, isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { AS_IT_COMES, REPEATED, SORTED, TIED } from '../../lexicon/ordering.ts';
import { equalJson } from '../../schemas/equal-json.ts';
import { caseScenario } from '../case-scenarios.ts';
import type { CheckFacts, SeenCase } from '../check.ts';
import { allSentencesOf } from '../prose/documented-answers.ts';
import { speaksOf } from '../prose/thresholds.ts';
import { isReadOnly, type Subject } from '../subject.ts';
import { listsOf } from '../worlds/lists.ts';
import { replacedAt } from '../worlds/variations.ts';

/** Ties that one candidate is put before, in all and in one member of one list. */
const [maxTies, maxAlike] = [10, 4];

/** A case in which two items of a list are alike but for what the document has decide between them. */
export interface Tie {
  one: SeenCase;
  /** What holds the list. */
  what: string;
  /** The member in which the two differ. */
  member: string;
  sentence: string;
  /** The case with its own list turned round; all ties of that list have the same. */
  turned: Scenario;
  tied: Scenario;
  tiedTurned: Scenario;
}

/** A list of objects that a case has in its request, or is told, with a way to put another in its place. */
interface Source {
  what: string;
  items: JsonObject[];
  /** The case with other items in place of these; `undefined` where a schema forbids them. */
  with(items: JsonObject[]): Scenario | undefined;
}

/**
 * Ties in lists of requests, of tools that only read and of the peer: two items, of which the second is the first but for one member that a
 * sentence about ties names, and for texts that tell every item from the others; these it has as it had them. Where the order of what comes in has a say, there are none.
 */
export function tiesOf(facts: CheckFacts): Tie[] {
  const sentences = allSentencesOf(facts.subject);
  const own = sentences.filter((sentence) => TIED.test(sentence) && (SORTED.test(sentence) || RANKING.test(sentence)));
  // Items that are nearly alike may be taken for one.
  if (own.length === 0 || sentences.some((sentence) => REPEATED.test(sentence))) return [];
  const plain = own.filter((sentence) => !AS_IT_COMES.test(sentence));
  const ties = facts.cases.flatMap((one) => sourcesOf(facts, one).flatMap((source) => tiesIn(one, source, plain)));
  const isAlike = (one: Tie) => (other: Tie) => other.what === one.what && other.member === one.member;
  return ties.filter((tie, index) => ties.slice(0, index).filter(isAlike(tie)).length < maxAlike).slice(0, maxTies);
}

/** Words of a sentence that says what comes before what. */
const RANKING =
  /\b(?:first|then by|wins?|decides?)\b|(?<!\p{L})(?:nach|zuerst|gewinnt|entscheidet|primero|gana|decide|(?:luego|después|depois|poi) (?:por|per)|puis par|premier|primeiro|затем по)(?!\p{L})|按|优先|先|次に/iu;

/** Whether a sentence about ties names a member for what decides, rather than for what is alike. */
function decides(sentence: string, name: string): boolean {
  const found = TIED.exec(sentence);
  if (found === null) return false;
  const after = sentence.slice(found.index + found[0].length);
  if (/\p{Script=Han}/u.test(sentence)) return speaksOf(after, name);
  if (FURTHER.test(found[0])) return speaksOf(after, name);
  const alike = /^\s*\S*(?:\s+\S+)?/.exec(after)?.[0] ?? '';
  return speaksOf(`${sentence.slice(0, found.index)} ${after.slice(alike.length)}`, name) && !speaksOf(alike, name);
}

/** Words behind which the next thing that decides is told. */
const FURTHER = /\b(?:then by|luego|después|puis|ensuite|depois|poi)\b|danach|dann|sodann|затем/iu;

/** Pairs of items, by their places, of which the second is made like the first. */
const pairs = [
  [0, 1],
  [1, 0],
  [1, 2],
] as const;

function tiesIn(one: SeenCase, { what, items, with: put }: Source, sentences: readonly string[]): Tie[] {
  const names = Object.keys(items[0] ?? {});
  const turned = put([...items].reverse());
  if (turned === undefined) return [];
  const spoken = (name: string) => sentences.find((sentence) => speaksOf(sentence, name));
  return names.flatMap((member): Tie[] => {
    const sentence = sentences.find((each) => decides(each, member));
    if (sentence === undefined) return [];
    // Of several with one value, as the entries of one person, the first stands for all.
    const single = items.filter((item, at) => items.findIndex((other) => other[member] === item[member]) === at);
    const isName = (name: string): boolean =>
      spoken(name) === undefined &&
      single.every((item) => typeof item[name] === 'string' && /\p{L}/u.test(item[name])) &&
      new Set(single.map((item) => item[name])).size === single.length;
    return pairs.flatMap(([from, to]) => {
      const [first, second] = [single[from], single[to]];
      if (first === undefined || second === undefined) return [];
      const own = names.filter((name) => name === member || isName(name));
      const twin = { ...first, ...Object.fromEntries(own.map((name) => [name, second[name] ?? null])) };
      const rest = single.filter((item) => item !== first && item !== second);
      const [tied, tiedTurned] = [put([first, twin, ...rest]), put([...rest.toReversed(), twin, first])];
      return tied && tiedTurned ? [{ one, what, member, sentence, turned, tied, tiedTurned }] : [];
    });
  });
}

function sourcesOf(facts: CheckFacts, one: SeenCase): Source[] {
  const { subject } = facts;
  const { input } = one.one;
  const base = caseScenario(subject, one.one);
  const asked =
    subject.role === 'requester'
      ? []
      : listsIn(subject, input).map(({ items, replaced }) => ({
          what: 'the request',
          items,
          with: (other: JsonObject[]) => {
            const next = replaced(other);
            return subject.surface.requestIssues(next).length > 0 ? undefined : { ...base, input: next };
          },
        }));
  const told = one.seen.calls.flatMap(({ tool, input: asking, output }) =>
    output === undefined || !isReadOnly(subject, tool)
      ? []
      : listsIn(subject, output).map(({ items, replaced }) => ({
          what: tool,
          items,
          with: (other: JsonObject[]) => {
            const next = replaced(other);
            if (subject.surface.toolOutputIssues(tool, next).length > 0) return undefined;
            const tools = subject.tools.map((each) =>
              each.name === tool
                ? { ...each, examples: [{ input: asking, output: next }, ...(each.examples ?? [])] }
                : each,
            ) as Scenario['tools'];
            return { ...base, tools };
          },
        })),
  );
  const [send, ...others] = one.seen.sends;
  const usual = base.peer;
  const answered =
    send?.response === undefined || others.length > 0 || usual === undefined
      ? []
      : listsIn(subject, send.response).map(({ items, replaced }) => ({
          what: 'the peer',
          items,
          with: (other: JsonObject[]) => {
            const next = replaced(other);
            if (subject.surface.responseIssues(next).length > 0) return undefined;
            const peer: Peer = async (request, nth, before) => {
              const answer = await usual(request, nth, before);
              if (!('response' in answer) || !equalJson(answer.response, send.response ?? null)) return answer;
              return { response: next };
            };
            return { ...base, peer };
          },
        }));
  return [...asked, ...told, ...answered];
}

/** The lists of two objects or more in a value, and in a text whose lines have fields with names. */
function listsIn({ agreement }: Subject, value: Json): { items: JsonObject[]; replaced(items: JsonObject[]): Json }[] {
  if (typeof value === 'string') return [...rowsIn(value), ...linesIn(agreement.text, value)];
  return listsOf(value).flatMap(({ pointer, items }) =>
    items.length >= 2 && items.every(isObject)
      ? [{ items: items as JsonObject[], replaced: (other: JsonObject[]) => replacedAt(value, pointer, other) }]
      : [],
  );
}

/** The rows of a text whose first line names their fields. */
function rowsIn(text: string): { items: JsonObject[]; replaced(items: JsonObject[]): Json }[] {
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = text.split(end);
  const mark = /[;,|\t]/.exec(lines[0] ?? '')?.[0];
  if (mark === undefined || text.includes('"')) return [];
  const names = (lines[0] ?? '').split(mark).map((name) => name.trim());
  const rows = lines.slice(1).filter((line) => line.trim() !== '');
  const isTable = names.length >= 2 && names.every((name) => /^[\p{L}_][\p{L}\p{N}_ -]*$/u.test(name));
  if (!isTable || rows.length < 2 || rows.some((row) => row.split(mark).length !== names.length)) return [];
  const items = rows.map((row) =>
    Object.fromEntries(row.split(mark).map((cell, index) => [escapeToken(names[index] ?? ''), cell])),
  );
  const tail = text.endsWith(end) ? end : '';
  return [
    {
      items,
      replaced: (other) => [lines[0] ?? '', ...other.map((item) => Object.values(item).join(mark))].join(end) + tail,
    },
  ];
}

/** A line of the document that shows a form by the names of its fields alone, as in `<carrier> <days>`. */
const FORM = /^[ \t>`]*((?:<[^<>\n]{1,60}>[ \t]*){2,8})`?[ \t]*$/gmu;

/** The lines of a text that have the form of which the document names the fields. */
function linesIn(document: string, text: string): { items: JsonObject[]; replaced(items: JsonObject[]): Json }[] {
  return [...document.matchAll(FORM)].slice(0, 3).flatMap(([, form = '']) => {
    const names = [...form.matchAll(/<(\p{L}+)/gu)].map(([, name = '']) => name);
    const lines = text.split('\n');
    const isOwn = (line: string): boolean => line.trim().split(/\s+/).length === names.length && /\d/.test(line);
    const [from, to] = [lines.findIndex(isOwn), lines.findLastIndex(isOwn)];
    const own = from < 0 ? [] : lines.slice(from, to + 1);
    if (own.length < 2 || !own.every(isOwn) || new Set(names).size < form.split('<').length - 1) return [];
    const items = own.map((line) =>
      Object.fromEntries(
        line
          .trim()
          .split(/\s+/)
          .map((cell, index) => [names[index] ?? '', cell]),
      ),
    );
    const replaced = (other: JsonObject[]): Json =>
      [...lines.slice(0, from), ...other.map((item) => Object.values(item).join(' ')), ...lines.slice(to + 1)].join(
        '\n',
      );
    return [{ items, replaced }];
  });
}
