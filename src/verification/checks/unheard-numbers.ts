import type { Observation, Peer, Scenario } from '../../contract/trial.ts';
import { type Json, valueAt } from '../../kernel/json.ts';
import type { CheckFacts, SeenCase } from '../check.ts';
import { reportsFailure } from '../failure-answer.ts';
import { looseReplacements, substitute } from '../loose-places.ts';
import { type Leaf, leavesOf, tokensOf } from '../scalar-kinds.ts';
import type { Subject } from '../subject.ts';
import { replacedAt, variedScalars } from '../worlds/variations.ts';

/** Most changes of what is told in a case, and of what is asked in it. */
const [maxTold, maxAsked] = [16, 8];

/** Fewer answers than this to changed numbers do not show that none of them matters. */
const least = 4;

/** A case of a requester with another number in what the peer tells, or in the task. */
export interface NumbersToldOtherwise {
  seenCase: SeenCase;
  isPeer: boolean;
  scenario: Scenario;
}

/** The cases whose output holds numbers that were worked out, each with other numbers in what the peer tells and in what is asked. */
export function numbersToldOtherwise(facts: CheckFacts): NumbersToldOtherwise[] {
  if (facts.subject.role !== 'requester') return [];
  return facts.cases.flatMap((seenCase) => {
    if (placesOf(facts, seenCase).length === 0) return [];
    const { one, seen, scenario } = seenCase;
    const usual = scenario.peer;
    if (!usual) return [];
    const told = [...new Set(seen.sends.flatMap(({ response }) => (response === undefined ? [] : [response])))];
    const sent = seen.sends.flatMap(({ request }) => leavesOf(request).map(({ value }) => value));
    const ids = new Set(sent.filter((value) => typeof value === 'string'));
    const changes = [0, 1].map((nth) =>
      told.flatMap((response) =>
        numbersOf(response, ids).flatMap((others) => {
          const change = others[nth];
          return change === undefined ? [] : [{ response, change }];
        }),
      ),
    );
    // A number of one item of a list, or of the best alone, hears no other: where not each can be changed, nothing is known.
    const [nearest = [], further = []] = changes;
    if (nearest.length > maxTold) return [];
    const otherPeer =
      (response: Json, changed: Json): Peer =>
      async (request, nth, before) => {
        const answer = await usual(request, nth, before);
        return 'response' in answer && JSON.stringify(answer.response) === JSON.stringify(response)
          ? { response: changed }
          : answer;
      };
    return [
      ...[...nearest, ...spread(further, maxTold - nearest.length)].map(({ response, change }) => ({
        seenCase,
        isPeer: true,
        scenario: { ...scenario, peer: otherPeer(response, change()) },
      })),
      ...spread(numbersOf(one.input).flat(), maxAsked).map((change) => ({
        seenCase,
        isPeer: false,
        scenario: { ...scenario, input: change(), peer: answeringInTurn(seenCase) },
      })),
    ];
  });
}

/** The first place of an output whose number, worked out in the case, is one of those of the cases whatever number is changed. */
export function unheardNumber(
  facts: CheckFacts,
  plans: readonly NumbersToldOtherwise[],
  seen: readonly Observation[],
): { one: SeenCase; pointer: string; value: Json } | undefined {
  for (const seenCase of facts.cases) {
    for (const { pointer, value } of placesOf(facts, seenCase)) {
      const own = plans.flatMap((plan, index) => {
        const answer = seen[index]?.value;
        const isOwn = plan.seenCase === seenCase && typeof valueAt(answer ?? null, pointer) === 'number';
        return isOwn ? [{ plan, answer: answer ?? null }] : [];
      });
      if (own.filter(({ plan }) => plan.isPeer).length < least) continue;
      if (own.every(({ answer }) => isKnown(facts, pointer, answer))) return { one: seenCase, pointer, value };
    }
  }
  return undefined;
}

/** What an output has worked out, but for what stood in a request already, and for whatever may come of numbers that a tool of our own told. */
function placesOf(facts: CheckFacts, { one, seen }: SeenCase) {
  if (reportsFailure(one.output) === true) return [];
  if (seen.calls.some(({ output = null }) => leavesOf(output).some(({ value }) => typeof value === 'number')))
    return [];
  const told = seen.sends.flatMap(({ request, response }) =>
    response === undefined ? [request] : [request, response],
  );
  return workedOut(facts, one.output, [one.input, ...told]);
}

/**
 * Makers of a value with another number, for each in turn that is not among those to keep: a member that is one, or holds digits, or one of a
 * text. Few of thousands are wanted.
 */
function numbersOf(value: Json, kept: ReadonlySet<Json> = new Set()): (() => Json)[][] {
  if (typeof value === 'string')
    return [...value.matchAll(/\d+/g)].map(({ 0: digits, index }) =>
      [Number(digits) + 3, Number(digits) * 2 + 30].map(
        (other) => () =>
          value.slice(0, index) + String(other).padStart(digits.length, '0') + value.slice(index + digits.length),
      ),
    );
  return leavesOf(value).flatMap(({ pointer, value: leaf }) => {
    if (kept.has(leaf) || !(typeof leaf === 'number' || (typeof leaf === 'string' && /\d/.test(leaf)))) return [];
    return [
      variedScalars(leaf)
        .slice(0, 2)
        .map((other) => () => replacedAt(value, pointer, other)),
    ];
  });
}

/** At most so many, from all over the list. */
function spread<T>(all: readonly T[], most: number): T[] {
  const step = Math.max(1, all.length / most);
  return Array.from({ length: Math.min(most, all.length) }, (_, index) => all[Math.floor(index * step)] as T);
}

/** A peer that gives the answers of a case in their order, whatever it is asked; ids of the request come back. */
function answeringInTurn({ one, seen }: SeenCase): Peer {
  return (request, nth) => {
    const before = seen.sends[nth - 1];
    if (before?.response === undefined) return { error: { code: 'FAILED', message: 'the peer cannot be reached' } };
    return { response: substitute(before.response, looseReplacements(before.request, request, one.loose)) };
  };
}

/** Whether an answer has at a place what a case has there. */
function isKnown({ cases }: CheckFacts, pointer: string, answer: Json): boolean {
  const value = valueAt(answer, pointer);
  return cases.some(({ one }) => valueAt(one.output, pointer) === value);
}

/** Most numbers of a document that are held against a number of an answer. */
const maxNumbers = 60;

/** The numbers of an answer that stand in nothing that was told, count nothing of it, and are not made of two numbers of the document. */
function workedOut({ subject, vocabulary }: CheckFacts, answer: Json, told: readonly Json[]): Leaf[] {
  const leaves = told.flatMap((one) => leavesOf(one));
  const texts = leaves.flatMap(({ value }) => (typeof value === 'string' ? [value] : []));
  const most = leaves.length + texts.reduce((sum, text) => sum + tokensOf(text).length, 0);
  const text = leaves.map(({ value }) => String(value)).join('\n');
  const known = new Set([
    text.length,
    ...texts.map((one) => one.length),
    ...texts.map((one) => one.split('\n').length),
  ]);
  const isDocumented = madeOfDocumented(subject);
  return leavesOf(answer).filter(({ name, value }) => {
    if (typeof value !== 'number' || /code|status|version|error/i.test(name)) return false;
    if (Math.abs(value) <= most || known.has(value) || vocabulary.hasNumber(value)) return false;
    if (new RegExp(`(?<![\\d.])${RegExp.escape(String(Math.abs(value)))}(?![\\d.]*\\d)`).test(text)) return false;
    return !isDocumented(Math.abs(value));
  });
}

/** Smaller whole numbers of a document are those of its lists and samples. */
const leastDocumented = 10;

/** Tells of a number whether it is a small multiple of a number of the document, or made of two. */
function madeOfDocumented({ agreement }: Subject): (value: number) => boolean {
  const numbers = new Set(agreement.text.match(/\d+(?:\.\d+)?/g));
  const documented = [...numbers]
    .map(Number)
    .filter((one) => one >= leastDocumented || !Number.isInteger(one))
    .slice(0, maxNumbers);
  return (value) =>
    documented.some((one) => {
      const times = value / one;
      return (
        (one >= leastDocumented && Number.isInteger(times) && times <= 20) ||
        documented.some((other) => [one + other, one - other, one * other].includes(value))
      );
    });
}
