import type OpenAI from 'openai';
import type { CompleteOptions, Completion, Prompt } from '../contract/completion.ts';
import type { Usage } from '../contract/outcome.ts';
import type { Deadline } from '../kernel/deadline.ts';
import type { JsonObject } from '../kernel/json.ts';
import { whenAborted } from '../kernel/when-aborted.ts';
import { NoAnswer, piecesOf } from './answer-events.ts';
import { AnswerText, MAX_TEXT_CHARACTERS } from './answer-text.ts';
import { BodyTooLongError } from './bounded-fetch.ts';
import { CompletionError } from './completion-error.ts';
import type { Adaptation, Dialect, Form, Learnt } from './dialect.ts';
import { keyHeaders, namesVersion, VERSION_PATH } from './endpoint.ts';
import { isComplete } from './extract-candidate.ts';
import { answerFaults, type Fault, faultOf, lastFaultOf } from './faults.ts';
import { isUnreached, networkFailure, refusalFailure } from './model-failure.ts';
import type { OpenAiOptions } from './openai-options.ts';
import { smallerLimit } from './output-limit.ts';
import { type Patience, patienceFor } from './patience.ts';
import { estimateTokens, priced } from './prices.ts';
import { bodyOf } from './request-body.ts';
import { ServerRefusal } from './server-fault.ts';

const DEFAULT_MAX_TOKENS = 16_384;
/** How long to wait for token counts after the answer is complete, in milliseconds. */
const USAGE_GRACE_MS = 250;
/** How long to read on after a module that may be a draft, in total and during silence, in milliseconds. */
const BEYOND_MS = 3_000;
const BEYOND_SILENCE_MS = 1_000;
const MAX_TIMER_MS = 24 * 60 * 60 * 1_000;

/**
 * Finish reasons of servers. Any other, such as `abort` or `insufficient_system_resource`, is a fault of the server.
 */
const ENDS = {
  finished: /^(?:stop|eos|end|complete|done|finish|normal|tool_call|function_call)/i,
  tooLong: /length|^max_(?:output_)?tokens/i,
  withheld: /^(?:content_filter|safety|recitation|refusal|prohibited|blocklist|sensitive|guardrail)/i,
};

const uncounted = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };

/** One request for a completion. */
export interface Question extends CompleteOptions {
  prompt: Prompt;
  deadline: Deadline;
}

/** Sends one question and reads its answer. Changes the form of the request if the server refuses it. */
export class Exchange {
  readonly #client: OpenAI;
  readonly #options: OpenAiOptions;
  readonly #endpoint: string;
  readonly #dialect: Dialect;
  readonly #question: Question;
  readonly #patience: Patience;
  readonly #promptTokens: number;
  readonly #startedAt = performance.now();
  /** Aborts the exchange; its reason is the error to throw. */
  readonly #stop = new AbortController();
  readonly #stopped = rejection(this.#stop.signal);
  #silence: NodeJS.Timeout | undefined;
  /** Whether `/v1` is being tried, because the base URL has no version and the server did not know the path. */
  #underVersion = false;
  #answer: AnswerText;
  #started = false;

  constructor(client: OpenAI, endpoint: string, options: OpenAiOptions, dialect: Dialect, question: Question) {
    this.#client = client;
    this.#endpoint = endpoint;
    this.#options = options;
    this.#dialect = dialect;
    this.#question = question;
    const { system, turns } = question.prompt;
    this.#promptTokens = [system, ...turns.map(({ text }) => text)].reduce((sum, one) => sum + estimateTokens(one), 0);
    this.#answer = new AnswerText(options.model, question, dialect, false);
    const leftMs = options.elsewhere === true ? question.deadline.wantedInMs() : question.deadline.leftMs();
    this.#patience = { ...patienceFor(leftMs), ...options.patience };
  }

  async run(): Promise<Completion> {
    const { deadline } = this.#question;
    const { signal } = deadline;
    const late = (): CompletionError =>
      this.#error('PLATFORM_MODEL_TIMEOUT', 'the deadline passed', 'an answer before it');
    const cancelled = (): void =>
      this.#stop.abort(
        deadline.passed || isTimeout(signal.reason)
          ? late()
          : this.#error('PLATFORM_MODEL_ABORTED', 'the caller cancelled it', 'a caller that waits'),
      );
    if (signal.aborted || deadline.passed) cancelled();
    signal.addEventListener('abort', cancelled, { once: true });
    const timer = setTimeout(() => this.#stop.abort(late()), Math.min(deadline.leftMs(), MAX_TIMER_MS));
    try {
      return await this.#askUntilAnswered();
    } finally {
      clearTimeout(timer);
      clearTimeout(this.#silence);
      signal.removeEventListener('abort', cancelled);
      // Frees the connection.
      this.#stop.abort();
    }
  }

  /** Asks until the question is answered, or refused in every form. */
  async #askUntilAnswered(): Promise<Completion> {
    const adapted = new Set<Adaptation>();
    for (;;) {
      const known = this.#dialect.form(
        this.#options.maxTokens ?? DEFAULT_MAX_TOKENS,
        this.#question.format !== undefined,
      );
      const form = { ...known, underVersion: known.underVersion || this.#underVersion };
      this.#answer = new AnswerText(this.#options.model, this.#question, this.#dialect, form.format);
      this.#started = false;
      if (this.#stop.signal.aborted) throw this.#stop.signal.reason;
      const notReached = this.#question.asking?.();
      try {
        const completion = await this.#ask(form);
        // Only an answer shows that the path was right.
        if (this.#underVersion) this.#learn('path', form, null);
        return completion;
      } catch (error) {
        if (isUnreached(error)) notReached?.();
        if (!this.#adapts(error, form, adapted)) throw this.#failure(error, form);
      }
    }
  }

  async #ask(form: Form): Promise<Completion> {
    this.#limitSilence(this.#patience.headersMs);
    const response = await this.#send(form);
    this.#started = true;
    this.#limitSilence(this.#patience.firstWordMs);
    await this.#read(piecesOf(response, (promise) => this.#orStop(promise)));
    return this.#completion();
  }

  #send(form: Form): Promise<Response> {
    const { apiKey, model } = this.#options;
    const accept = form.stream ? 'text/event-stream' : 'application/json';
    const request = this.#client.post(`${form.underVersion ? VERSION_PATH : ''}/chat/completions`, {
      body: bodyOf(model, this.#question, form),
      headers: { accept, ...keyHeaders(this.#endpoint, apiKey) },
      signal: this.#stop.signal,
    });
    // The raw response: the client would go by the content type alone.
    return this.#orStop(request.asResponse());
  }

  async #read(pieces: AsyncGenerator<JsonObject>): Promise<void> {
    let any = false;
    let beyond: AbortSignal | undefined;
    for (;;) {
      const { hasModule } = this.#answer;
      if (hasModule) beyond ??= AbortSignal.any([AbortSignal.timeout(BEYOND_MS), this.#stop.signal]);
      else beyond = undefined;
      const next = await (beyond === undefined
        ? pieces.next()
        : within(pieces.next(), BEYOND_SILENCE_MS, beyond)
      ).catch((error: unknown) => {
        // The module is complete, so a failure of the stream no longer matters.
        if (!hasModule && !this.#isWholeModule(error)) throw error;
        return undefined;
      });
      if (next === undefined || next.done === true) break;
      any = true;
      this.#take(next.value);
      if (this.#answer.characters > MAX_TEXT_CHARACTERS)
        throw this.#error('PLATFORM_MODEL_LENGTH', `over ${MAX_TEXT_CHARACTERS} characters`, 'an answer that ends');
      if (this.#answer.isDone) return this.#awaitUsage(pieces);
    }
    if (any && !this.#answer.hasChoice)
      throw this.#fault(answerFaults.noAnswer, 'status 200 with JSON that is not an answer');
  }

  /** Whether the text before a stall or a broken connection is a complete module. */
  #isWholeModule(error: unknown): boolean {
    const isOver = this.#stop.signal.aborted && codeIn(this.#stop.signal.reason) !== answerFaults.silent.code;
    return (
      !isOver && !(error instanceof ServerRefusal) && this.#question.answer !== 'text' && isComplete(this.#answer.text)
    );
  }

  #take(piece: JsonObject): void {
    const before = this.#answer.characters;
    const { said, aside } = this.#answer.take(piece);
    if (said + aside === 0) return;
    this.#question.heard?.(said + aside);
    const isSilent = before === 0 && this.#answer.characters === 0;
    this.#limitSilence(isSilent ? this.#patience.firstWordMs : this.#patience.stallMs);
  }

  /**
   * Waits briefly for the token counts, which come last. Stops if the model goes on writing. The answer is complete, so
   * a failure of the stream no longer matters.
   */
  async #awaitUsage(pieces: AsyncGenerator<JsonObject>): Promise<void> {
    const grace = AbortSignal.any([AbortSignal.timeout(USAGE_GRACE_MS), this.#stop.signal]);
    while (this.#answer.counted === null) {
      const next = await Promise.race([pieces.next().catch(() => undefined), whenAborted(grace)]);
      if (next === undefined || next.done === true || this.#answer.takeAfter(next.value)) return;
    }
  }

  #completion(): Completion {
    const answer = this.#answer;
    const known = this.#dialect.learnt;
    answer.end(ENDS.finished.test(answer.finish ?? '') || answer.hasModule);
    this.#reportLearnt(known);
    const { text } = answer;
    if (this.#question.answer === 'text' || !isComplete(text)) this.#refuseUnfinished(text);
    return { text, model: answer.model, usage: this.#spent(), durationMs: performance.now() - this.#startedAt };
  }

  #refuseUnfinished(text: string): void {
    const { finish, refusal, callsTool, characters } = this.#answer;
    const end = finish ?? '';
    const isBlank = text.trim() === '';
    if (ENDS.tooLong.test(end)) throw this.#fault(answerFaults.tooLong, 'the token limit was reached');
    if (ENDS.withheld.test(end) || (isBlank && refusal !== ''))
      throw this.#fault(answerFaults.withheld, 'the answer was withheld by the server');
    if (!ENDS.finished.test(end) && characters > 0)
      throw this.#fault(answerFaults.cut, `the stream ended after ${characters} characters without a finish reason`);
    if (isBlank && callsTool) throw this.#fault(answerFaults.toolCall, 'a tool call in place of text');
    if (isBlank) throw this.#fault(answerFaults.empty, 'an answer without text');
  }

  /** Learns from a refusal. Returns whether to ask again in another form; each form is tried once. */
  #adapts(error: unknown, form: Form, adapted: Set<Adaptation>): boolean {
    if (!(error instanceof ServerRefusal) || this.#stop.signal.aborted || this.#answer.characters > 0) return false;
    const { adapts } = faultOf(error.fault, { form, promptTokens: this.#promptTokens });
    if (adapts === undefined || (adapted.has(adapts) && adapts !== 'limit-name')) return false;
    adapted.add(adapts);
    if (adapts === 'path') {
      if (form.underVersion || namesVersion(this.#endpoint)) return false;
      this.#underVersion = true;
      return this.#question.mayRepeat?.() ?? true;
    }
    const smaller = smallerLimit(error.fault, { limit: form.limit?.tokens ?? 0, prompt: this.#promptTokens });
    return this.#learn(adapts, form, smaller) && (this.#question.mayRepeat?.() ?? true);
  }

  /** Records what the server accepts and reports it. Returns whether there is another form to try. */
  #learn(adaptation: Adaptation, sent: Form, smaller: number | null): boolean {
    const known = this.#dialect.learnt;
    const isNew = this.#dialect.adapt(adaptation, sent, smaller);
    this.#reportLearnt(known);
    return isNew;
  }

  /** Reports what was learnt since `known`. */
  #reportLearnt(known: readonly Learnt[]): void {
    const { model, adapted } = this.#options;
    for (const learnt of this.#dialect.learnt)
      if (!known.includes(learnt)) adapted?.({ endpoint: this.#endpoint, model, learnt });
  }

  #failure(error: unknown, form: Form): unknown {
    this.#answer.end(false);
    if (error instanceof CompletionError) return error;
    if (this.#stop.signal.aborted) return this.#stop.signal.reason;
    const began = this.#answer.characters > 0;
    if (error instanceof ServerRefusal) {
      const fault = lastFaultOf(error.fault, { form, promptTokens: this.#promptTokens });
      return refusalFailure(fault, error.fault, {
        endpoint: this.#endpoint,
        apiKey: this.#options.apiKey,
        prompt: this.#question.prompt,
        usage: began ? this.#spent() : undefined,
      });
    }
    if (error instanceof BodyTooLongError)
      return this.#error('PLATFORM_MODEL_LENGTH', error.message, 'an answer that ends');
    if (error instanceof NoAnswer) return this.#fault(answerFaults.noApi, error.found);
    return networkFailure(error, this.#endpoint, began ? this.#spent() : undefined);
  }

  /** Fails the exchange if nothing comes for this long. */
  #limitSilence(silenceMs: number): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(
      () => this.#stop.abort(this.#fault(answerFaults.silent, `nothing for ${silenceMs} ms`)),
      silenceMs,
    );
  }

  #orStop<T>(promise: Promise<T>): Promise<T> {
    return Promise.race([promise, this.#stopped]);
  }

  /** Usage so far, estimated if the server has not reported it. */
  #spent(): Usage {
    const { inputTokens, cachedInputTokens, outputTokens } = this.#answer.counted ?? uncounted;
    return priced(
      {
        inputTokens: inputTokens || this.#promptTokens,
        cachedInputTokens,
        outputTokens: outputTokens || this.#answer.outputTokens,
      },
      this.#options.prices ?? null,
    );
  }

  #fault({ code, wanted }: Fault, found: string): CompletionError {
    return this.#error(code, found, wanted);
  }

  #error(code: Fault['code'], found: string, wanted: string): CompletionError {
    return new CompletionError(
      code,
      `Cannot complete prompt with model "${this.#options.model}": ${found}, wanted ${wanted}`,
      { usage: this.#started ? this.#spent() : undefined },
    );
  }
}

function codeIn(reason: unknown): string | undefined {
  return reason instanceof CompletionError ? reason.code : undefined;
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof Error && reason.name === 'TimeoutError';
}

/** The result of a promise; `undefined` if the time passes or the signal fires first. */
async function within<T>(promise: Promise<T>, ms: number, signal: AbortSignal): Promise<T | undefined> {
  promise.catch(() => undefined);
  return Promise.race([promise, whenAborted(AbortSignal.any([AbortSignal.timeout(ms), signal]))]);
}

function rejection(signal: AbortSignal): Promise<never> {
  const promise = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  // A caller that waits gets the rejection; without one it must not count as unhandled.
  promise.catch(() => undefined);
  return promise;
}
