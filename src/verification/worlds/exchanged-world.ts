import type { Scenario } from '../../contract/trial.ts';
import { type Json, valueAt } from '../../kernel/json.ts';
import { equalJson } from '../../schemas/equal-json.ts';
import { caseScenario } from '../case-scenarios.ts';
import type { CheckFacts, SeenCase } from '../check.ts';
import { DERIVED_NAME } from '../member-names.ts';
import { type RunnableCase, runnableCases } from '../runnable-cases.ts';
import { leavesOf } from '../scalar-kinds.ts';
import { literalsOf } from '../source/literals.ts';
import type { Subject } from '../subject.ts';
import { ExchangeMap, type Key } from './exchange-map.ts';
import { renamedSubject } from './renamed-world.ts';

const maxPairs = 6;

const maxWorldsPerPair = 4;

/** A case in a world with two keys swapped: asking for one gives the answer of the other. */
export interface ExchangedWorld {
  seenCase: SeenCase;
  map: ExchangeMap;
  /** Whether the source contains one of the keys. */
  isHeld: boolean;
  subject: Subject;
  one: RunnableCase;
  scenario: Scenario;
  /** The same request with the usual answers of tools and peer; a case's own run if it is one. */
  before: Scenario | SeenCase;
}

/** Keys of one kind: the values at one place of a tool's or a task's input. */
interface Slot {
  name: string;
  keys: Key[];
}

/** Two keys of one kind. */
interface KeyPair {
  pair: [Key, Key];
  name: string;
  isHeld: boolean;
}

/** Most keys of one kind: as many as a job may have cases. */
const maxKeys = 100;

/** Most pairs that are examined, most that are tried, and most scalars copied for that: each trial copies all data. */
const [maxKnownPairs, maxTriedPairs, maxCopiedScalars] = [5_000, 200, 200_000];

/** Worlds with swapped keys of the cases; those with a key in the source come first. */
export function exchangedWorlds(facts: CheckFacts): ExchangedWorld[] {
  const found: { map: ExchangeMap; isHeld: boolean; worlds: ExchangedWorld[] }[] = [];
  let left = Math.min(maxTriedPairs, Math.ceil(maxCopiedScalars / Math.max(1, scalarsOf(facts.subject))));
  for (const { pair, name, isHeld } of pairsOf(facts)) {
    const map = new ExchangeMap(pair, new Set([name]));
    if (found.some((other) => isSamePair(other.map, map)) || !isExchangeable(facts, map, isHeld)) continue;
    const worlds = worldsOf(facts, map, isHeld);
    if (worlds.length > 0) found.push({ map, isHeld, worlds });
    left -= 1;
    if (left === 0) break;
  }
  return found
    .sort((a, b) => Number(b.isHeld) - Number(a.isHeld) || b.worlds.length - a.worlds.length)
    .slice(0, maxPairs)
    .flatMap(({ worlds }) => worlds);
}

/** Pairs of keys; those with a key in the source come first. */
function pairsOf(facts: CheckFacts): KeyPair[] {
  const texts = literalsOf(facts.candidate.bundle)
    .map((literal) => ('text' in literal ? literal.text : ''))
    .join('\n');
  const inSource = new Map<Key, boolean>();
  const isHeld = (key: Key): boolean => {
    const known = inSource.get(key) ?? isInSource(facts, texts, key);
    inSource.set(key, known);
    return known;
  };
  const pairs: KeyPair[] = [];
  for (const { name, keys } of slotsOf(facts)) {
    for (const [index, a] of keys.entries())
      for (const b of keys.slice(index + 1)) pairs.push({ pair: [a, b], name, isHeld: isHeld(a) || isHeld(b) });
    if (pairs.length >= maxKnownPairs) break;
  }
  return pairs.sort((a, b) => Number(b.isHeld) - Number(a.isHeld));
}

/** The number of scalars in cases, tools and task. */
function scalarsOf({ cases, tools, task }: Subject): number {
  const data = [
    cases.map(({ request, response }) => [request, response]),
    tools.map(({ examples = [] }) => examples),
    task?.examples ?? [],
  ];
  return leavesOf(data as unknown as Json).length;
}

function slotsOf({ subject }: CheckFacts): Slot[] {
  const found = new Map<string, { name: string; keys: Set<Key> }>();
  const asked =
    subject.role === 'requester'
      ? [{ of: 'task', inputs: (subject.task?.examples ?? []).map(({ input }) => input) }]
      : subject.tools.map(({ name, examples = [] }) => ({ of: name, inputs: examples.map(({ input }) => input) }));
  for (const { of, inputs } of asked) {
    for (const { pointer, name, value } of inputs.flatMap(leavesOf)) {
      if (DERIVED_NAME.test(name) || (typeof value !== 'string' && typeof value !== 'number') || value === '') continue;
      const place = `${of} ${pointer.replace(/\/\d+/g, '/-')}`;
      const slot = found.get(place) ?? { name, keys: new Set() };
      found.set(place, slot);
      if (slot.keys.size < maxKeys) slot.keys.add(value);
    }
  }
  const requests = subject.role === 'requester' ? [] : subject.cases.flatMap(({ request }) => leavesOf(request));
  const placesOf = Map.groupBy(requests, ({ value }) => value);
  const valuesAt = Map.groupBy(requests, ({ pointer }) => pointer);
  return [...found.values()].map(({ name, keys }) => {
    // Also keys that requests have at the same places although no tool knows them.
    const [first] = keys;
    const places = new Set([...keys].flatMap((key) => (placesOf.get(key) ?? []).map(({ pointer }) => pointer)));
    const values = [...places].flatMap((place) => (valuesAt.get(place) ?? []).map(({ value }) => value as Key));
    const strangers = values.filter((value) => typeof value === typeof first && value !== '');
    return { name, keys: [...new Set([...keys, ...strangers])].slice(0, maxKeys) };
  });
}

/** Whether the source contains a key, alone or within a longer text, and not by chance. */
function isInSource({ literals }: CheckFacts, texts: string, key: Key): boolean {
  const text = String(key);
  if (text.length < 2) return false;
  if (literals.has(key)) return true;
  if (text.length < 3) return false;
  const bound = typeof key === 'number' ? String.raw`\d` : String.raw`\p{L}`;
  const alone = new RegExp(`(?<!${bound})${RegExp.escape(text)}(?!${bound})`, 'u');
  return alone.test(texts);
}

/**
 * Whether two keys have no meaning of their own: the document has neither of them, nor anything that tells them apart.
 * Keys of a table of the document, and keys whose prefix has a meaning, are not exchangeable.
 */
function isExchangeable({ subject, vocabulary, literals }: CheckFacts, map: ExchangeMap, isHeld: boolean): boolean {
  const [a, b] = map.pair;
  if (typeof a !== typeof b) return false;
  if (typeof a === 'number' && typeof b === 'number') {
    if (subject.role === 'requester' || (vocabulary.hasNumber(a) && vocabulary.hasNumber(b))) return false;
    const isName = /id$|no$|nr|num|code|key|id\b/i.test([...map.names].join());
    if ([a, b].every((key) => Math.abs(key) >= 10 && literals.has(key))) return true;
    return (isHeld || isName) && !vocabulary.hasNumber(a) && !vocabulary.hasNumber(b);
  }
  if ([a, b].some((key) => vocabulary.hasText(String(key)))) return false;
  if (isHeld) return true;
  const shape = (key: Key): string => String(key).replace(/\d+/g, '0').toLowerCase();
  if (shape(a) === shape(b)) return true;
  // One part of a composite key may name its kind.
  const parts = (key: Key): string[] => String(key).match(/[\p{L}\p{M}]+/gu) ?? [];
  return ![a, b].some((key) => /\d/.test(String(key)) || parts(key).some((part) => vocabulary.hasWord(part)));
}

function isSamePair(a: ExchangeMap, b: ExchangeMap): boolean {
  return a.pair.every((key) => b.pair.includes(key)) && equalJson([...a.names], [...b.names]);
}

function worldsOf(facts: CheckFacts, map: ExchangeMap, isHeld: boolean): ExchangedWorld[] {
  const { subject, cases } = facts;
  if (!tellsOther(subject, map)) return [];
  const exchanged = renamedSubject(subject, map);
  if (breaksSchemas(subject, exchanged)) return [];
  const runnable = runnableCases(exchanged);
  return cases
    .flatMap((seenCase): ExchangedWorld[] => {
      const fresh = runnable.find(({ testCase }) => testCase === seenCase.one.testCase);
      if (!fresh || seenCase.one.case.negative || equalJson(fresh.input, seenCase.one.input)) return [];
      const one = { ...fresh, loose: seenCase.one.loose };
      if (
        subject.role === 'provider' &&
        subject.surface.requestIssues(one.input).length > subject.surface.requestIssues(seenCase.one.input).length
      )
        return [];
      const scenario = caseScenario(exchanged, one);
      const sameRequest = cases.find((other) => equalJson(other.one.input, one.input));
      if (subject.role === 'requester' && !sameRequest) return [];
      return [
        {
          seenCase,
          map,
          isHeld,
          subject: exchanged,
          one,
          scenario,
          before: sameRequest ?? { ...scenario, tools: [...subject.tools] },
        },
      ];
    })
    .slice(0, maxWorldsPerPair);
}

/** Whether a tool or the peer answers differently for the two keys. */
function tellsOther(subject: Subject, map: ExchangeMap): boolean {
  const told =
    subject.role === 'requester'
      ? [subject.cases.map(({ request, response }) => [request, response] as const)]
      : subject.tools.map(({ examples = [] }) =>
          examples.map((example) => [example.input, 'output' in example ? example.output : null] as const),
        );
  return told.some((rows) =>
    rows.some(([input, output]) => {
      const other = map.json(input);
      if (equalJson(other, input)) return false;
      const row = rows.find(([asked]) => equalJson(asked, other));
      return !row || !equalJson(row[1], map.json(output));
    }),
  );
}

function breaksSchemas(subject: Subject, exchanged: Subject): boolean {
  const { surface } = subject;
  return subject.tools.some((tool, index) =>
    (tool.examples ?? []).some((example, nth) => {
      const changed = exchanged.tools[index]?.examples?.[nth];
      if (!changed) return false;
      const issues = (input: Json, output: Json | undefined): number =>
        surface.toolInputIssues(tool.name, input).length +
        (output === undefined ? 0 : surface.toolOutputIssues(tool.name, output).length);
      return (
        issues(changed.input, valueAt(changed as unknown as Json, '/output')) >
        issues(example.input, valueAt(example as unknown as Json, '/output'))
      );
    }),
  );
}
