import type { Assertion, CallExpectation, Expectation, SendExpectation } from '../contract/reading.ts';
import type { Json } from '../kernel/json.ts';
import type { Breach } from './breaches.ts';

/** One question to a second reader about a world. */
export interface Place {
  /** Identifies the place within its world, in the question and in the stored answer. */
  key: string;
  kind: 'value' | 'count' | 'yes-no';
  /** The question, in one sentence. */
  question: string;
}

/** Most places of one world: with more, a reader answers with less care. */
const maxPlaces = 16;

/** All places that a derived case is about, so that one question serves for any breach. */
export function placesOf(expect: Expectation): Place[] {
  const all = [endPlace, ...directPlaces(expect), ...(expect.anyOf ?? []).flatMap(directPlaces)];
  return [...new Map(all.map((place) => [place.key, place])).values()].slice(0, maxPlaces);
}

function directPlaces({ answer = [], calls = [], sends = [], order = [], never = [], alike }: Expectation): Place[] {
  return [
    ...answer.map(answerPlace),
    ...calls.flatMap((one) => callPlaces(one)),
    ...sends.flatMap(sendPlaces),
    ...order.map((one): Place => {
      const question = Array.isArray(one)
        ? `May ${one[1]} happen before ${one[0]} has happened?`
        : `May anything be called or sent after ${one.last}?`;
      return { key: keyOf('order', one as unknown as Json), kind: 'yes-no', question };
    }),
    ...never.map(
      (one): Place => ({
        key: keyOf('never', one as unknown as Json),
        kind: 'yes-no',
        question: `May ${JSON.stringify(one.value)} stand in ${(one.in ?? ['answer', 'logs']).map((each) => placeWords[each]).join(' or ')}?`,
      }),
    ),
    ...(alike === undefined ? [] : [alikePlace(alike as Json)]),
  ];
}

const placeWords = {
  answer: 'the answer',
  logs: 'a log line',
  sends: 'a request that is sent',
  calls: 'the input of a call',
};

const endPlace: Place = {
  key: 'end',
  kind: 'yes-no',
  question: 'May the handler throw an error here in place of answering?',
};

function alikePlace(alike: Json): Place {
  return {
    key: keyOf('alike', alike),
    kind: 'yes-no',
    question: 'May answer or log lines differ from those in the other world, but at the places named?',
  };
}

function answerPlace({ at = '' }: Assertion): Place {
  const question = at === '' ? 'What must the whole answer be?' : `What must stand at ${at} of the answer?`;
  return { key: `answer ${at}`, kind: 'value', question };
}

/** The whole answer, which a case proposed to the peer states. */
export const wholeAnswer: Place = answerPlace({});

function callPlaces(one: CallExpectation): Place[] {
  const { tool, when, input = [], nth } = one;
  const which = when === undefined ? '' : ` with an input where ${JSON.stringify(when)}`;
  const isCounted = one.times !== undefined || one.atMost !== undefined || one.atLeast !== undefined;
  return [
    ...(isCounted ? [countPlace(`calls ${tool}`, when, `How often is ${tool} called${which}?`)] : []),
    ...input.map(
      ({ at = '' }): Place => ({
        key: inputKey(`input ${tool}`, at, one),
        kind: 'value',
        question: `What must stand at ${at === '' ? 'the root' : at} of the input of ${tool}${nth === undefined ? '' : ` in call ${nth}`}${which}?`,
      }),
    ),
  ];
}

function sendPlaces(one: SendExpectation): Place[] {
  const { when, input = [], nth } = one;
  const which = when === undefined ? '' : ` where ${JSON.stringify(when)}`;
  const isCounted = one.times !== undefined || one.atMost !== undefined || one.atLeast !== undefined;
  return [
    ...(isCounted ? [countPlace('sends', when, `How many requests are sent${which}?`)] : []),
    ...input.map(
      ({ at = '' }): Place => ({
        key: inputKey('sent', at, one),
        kind: 'value',
        question: `What must stand at ${at === '' ? 'the root' : at} of ${nth === undefined ? 'a request that is sent' : `request ${nth} that is sent`}${which}?`,
      }),
    ),
  ];
}

function countPlace(name: string, when: Assertion[] | undefined, question: string): Place {
  return { key: when === undefined ? name : keyOf(name, when as unknown as Json), kind: 'count', question };
}

/** The key of a place in the content of calls or requests: of all of them, of the nth, or of those that match. */
export function inputKey(name: string, at: string, { nth, when }: Pick<SendExpectation, 'nth' | 'when'>): string {
  const place = `${name} ${at}${nth === undefined ? '' : ` of ${nth}`}`;
  return when === undefined ? place : keyOf(place, when as unknown as Json);
}

function keyOf(name: string, value: Json): string {
  return `${name} ${JSON.stringify(value)}`;
}

/** The key of the place that a breach is about. */
export function placeOfBreach(breach: Breach): string {
  const { place, at = '', tool, broken, of } = breach;
  if (place === 'end') return endPlace.key;
  if (place === 'answer') return `answer ${(broken as Assertion).at ?? ''}`;
  if (place === 'order' || place === 'never' || place === 'alike') return keyOf(place, broken);
  if (of === 'input') return inputKey(place === 'calls' ? `input ${tool}` : 'sent', at, breach);
  const { when } = broken as SendExpectation;
  const name = place === 'calls' ? `calls ${tool}` : 'sends';
  return when === undefined ? name : keyOf(name, when as unknown as Json);
}
