import { createEntryReader } from '../completion/json-entries.ts';
import type { Completion } from '../contract/completion.ts';
import type { ConfirmedWorld } from '../contract/history.ts';
import type { Confirmation, ConfirmedAnswer } from '../contract/reading.ts';
import { ask, type JobContext } from '../job/ask.ts';
import { BudgetUsedUp } from '../job/budget.ts';
import type { Ledger } from '../job/ledger.ts';
import type { Requirements } from '../job/requirements.ts';
import type { Deadline } from '../kernel/deadline.ts';
import { codeOf } from '../kernel/errors.ts';
import type { Json, JsonObject } from '../kernel/json.ts';
import { type BareWorld, renderConfirmPrompt } from '../prompting/confirm-prompt.ts';
import type { BrokenCase } from '../readings/judge-reading.ts';
import { type Place, placesOf } from '../readings/places.ts';
import { asRead } from '../verification/hidden-words.ts';
import { readFactsOf } from './read.ts';
import type { ReadingWork } from './reading-work.ts';

/** Most worlds in one question. A candidate is refused for one of them; the others wait for the next question. */
const worldsAtOnce = 8;

/**
 * Asks a second reader about worlds that a candidate broke and that no second reader has answered. The reader
 * sees no expectations, no candidate and no first reading. Its answers are kept with the reading. If it cannot
 * be asked, nothing is kept.
 */
export async function confirm(
  broken: readonly BrokenCase[],
  { subject }: Pick<Requirements, 'subject'>,
  reading: ReadingWork,
  context: JobContext,
  deadline: Deadline,
): Promise<void> {
  const unanswered = broken.filter(({ entry }) => reading.confirmationOf(entry) === undefined).slice(0, worldsAtOnce);
  const asked = unanswered.map((one) => ({ ...one, places: placesOf(one.entry.expect) }));
  await askSecondReader(asked, { subject }, reading, context, deadline);
}

/** A world to ask a second reader about, with the places it must answer for. */
export interface AskedWorld extends Pick<BrokenCase, 'entry' | 'world' | 'other'> {
  places: readonly Place[];
}

/**
 * Asks a second reader about some worlds in one question, whether broken or not, and keeps the answers. If it
 * cannot be asked, nothing is kept.
 */
export async function askSecondReader(
  worlds: readonly AskedWorld[],
  { subject }: Pick<Requirements, 'subject'>,
  reading: ReadingWork,
  context: JobContext,
  deadline: Deadline,
): Promise<void> {
  if (worlds.length === 0) return;
  const read = asRead(subject);
  const prompt = renderConfirmPrompt(readFactsOf(read, reading.units), worlds.map(bareWorld));
  const { confirmer } = context.services;
  try {
    await ask(
      { prompt, purpose: 'confirm', options: { answer: 'text' }, completer: confirmer },
      context,
      deadline,
      async (completion, attempt) => {
        const confirmations = confirmationsIn(
          completion,
          worlds.map(({ places }) => places),
        );
        for (const [index, { entry }] of worlds.entries()) {
          const confirmation = confirmations[index];
          if (confirmation !== undefined) reading.keep(entry, confirmation);
        }
        tellAnswers(context.ledger, attempt, worlds, confirmations);
        await reading.save();
        return [undefined, { result: 'confirmed', passedCases: 0 }];
      },
    );
  } catch (error) {
    if (error instanceof BudgetUsedUp || deadline.signal.aborted || isModelFault(error)) return;
    throw error;
  }
}

function tellAnswers(
  ledger: Ledger,
  attempt: number,
  worlds: readonly AskedWorld[],
  confirmations: readonly (Confirmation | undefined)[],
): void {
  const told = worlds.map(({ entry: { id, claim, quote } }, index): ConfirmedWorld => {
    const confirmation = confirmations[index] ?? null;
    return { ...(id === undefined ? {} : { id }), claim, quote, confirmation };
  });
  const answered = told.filter(({ confirmation }) => confirmation !== null).length;
  ledger.tell({ type: 'second-reader', attempt, worlds: worlds.length, answered, detail: { worlds: told } });
}

function isModelFault(error: unknown): boolean {
  return /^(?:PLATFORM|OPERATOR)_/.test(codeOf(error) ?? '');
}

/** A world without its expectations. */
function bareWorld({ entry, world, other, places }: AskedWorld): BareWorld {
  return {
    input: world.scenario.input,
    ...(entry.tools === undefined ? {} : { tools: entry.tools as unknown as Json }),
    ...(entry.peer === undefined ? {} : { peer: entry.peer as unknown as Json }),
    ...(other === undefined ? {} : { other }),
    questions: places.map(({ question }) => question),
  };
}

/** A second reader's answers by world; `undefined` for a world without any. */
function confirmationsIn(
  { text, model }: Completion,
  worlds: readonly (readonly Place[])[],
): (Confirmation | undefined)[] {
  const answers = worlds.map((): Record<string, ConfirmedAnswer> => ({}));
  const reader = createEntryReader((line) => {
    const place = worlds[Number(line.world) - 1]?.[Number(line.place) - 1];
    const answer = answerIn(line);
    if (place !== undefined && answer !== undefined)
      Object.assign(answers[Number(line.world) - 1] ?? {}, { [place.key]: answer });
  });
  reader.push(text);
  reader.end();
  return answers.map((one) => (Object.keys(one).length === 0 ? undefined : { by: model, answers: one }));
}

function answerIn({ value, oneOf, absent, atLeast, atMost, yes, unclear }: JsonObject): ConfirmedAnswer | undefined {
  const answer: ConfirmedAnswer = {
    ...(value === undefined ? {} : { value }),
    ...(Array.isArray(oneOf) && oneOf.length > 0 ? { oneOf } : {}),
    ...(absent === true ? { absent } : {}),
    ...(typeof atLeast === 'number' ? { atLeast } : {}),
    ...(typeof atMost === 'number' ? { atMost } : {}),
    ...(typeof yes === 'boolean' ? { yes } : {}),
    ...(unclear === true ? { unclear } : {}),
  };
  return Object.keys(answer).length === 0 ? undefined : answer;
}
