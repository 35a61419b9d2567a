import type OpenAI from 'openai';
import type { CompleteOptions, Completion, Prompt } from '../contract/completion.ts';
import type { Usage } from '../contract/outcome.ts';
import type { Deadline } from '../kernel/deadline.ts';
import type { JsonObject } from '../kernel/json.ts';
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
/** How long the token counts are waited for once the answer is complete, in milliseconds. */
const USAGE_GRACE_MS = 250;
/** How long a model is heard after a module that may be a draft, at all and in silence, in milliseconds. */
const BEYOND_MS = 3_000;
const BEYOND_SILENCE_MS = 1_000;
/** Longer than any timer can be set. */
const MAX_TIMER_MS = 24 * 60 * 60 * 1_000;

/**
 * What servers call the ends of an answer; any other is a fault of theirs, such as `abort` or
 * `insufficient_system_resource`.
 */
const ENDS = {
  own: /^(?:stop|eos|end|complete|done|finish|normal|tool_call|function_call)/i,
  tooLong: /length|^max_(?:output_)?tokens/i,
  withheld: /^(?:content_filter|safety|recitation|refusal|prohibited|blocklist|sensitive)/i,
};

const uncounted = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };

/** All that is asked for at once. */
export interface Question extends CompleteOptions {
  prompt: Prompt;
  deadline: Deadline;
}

/** One question and its answer; the same question in another form where the server refuses the form. */
export class Exchange {
  readonly #client: OpenAI;
  readonly #options: OpenAiOptions;
  readonly #endpoint: string;
  readonly #dialect: Dialect;
  readonly #question: Question;
  readonly #patience: Patience;
  readonly #promptTokens: number;
  readonly #startedAt = performance.now();
  /** Ends the exchange; its reason is the error to end with. */
  readonly #stop = new AbortController();
  readonly #stopped = rejection(this.#stop.signal);
  #silence: NodeJS.Timeout | undefined;
  /** Whether it is put under `/v1`, where the base URL names no version and the server does not know the path. */
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
    const calledOff = (): void =>
      this.#stop.abort(
        deadline.passed || isTimeout(signal.reason)
          ? late()
          : this.#error('PLATFORM_MODEL_ABORTED', 'called off', 'to be waited for'),
      );
    if (signal.aborted || deadline.passed) calledOff();
    signal.addEventListener('abort', calledOff, { once: true });
    const timer = setTimeout(() => this.#stop.abort(late()), Math.min(deadline.leftMs(), MAX_TIMER_MS));
    try {
      return await this.#converse();
    } finally {
      clearTimeout(timer);
      clearTimeout(this.#silence);
      signal.removeEventListener('abort', calledOff);
      // Frees the connection, whatever state it is in.
      this.#stop.abort();
    }
  }

  /** Puts the question until it is answered, or refused in every form that there is. */
  async #converse(): Promise<Completion> {
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
        // An answer alone tells that a path was right.
        if (this.#underVersion) this.#learn('path', form, null);
        return completion;
      } catch (error) {
        if (isUnreached(error)) notReached?.();
        if (!this.#adapts(error, form, adapted)) throw this.#failure(error, form);
      }
    }
  }

  async #ask(form: Form): Promise<Completion> {
    this.#expectWithin(this.#patience.headersMs);
    const response = await this.#send(form);
    this.#started = true;
    this.#expectWithin(this.#patience.firstWordMs);
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
    // The answer as it came: the client would tell by its content type alone how to read it.
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
        // Nothing that happens to the stream now can take the module back.
        if (!hasModule && !this.#isWholeModule(error)) throw error;
        return null;
      });
      if (next === null || next.done === true) break;
      any = true;
      this.#take(next.value);
      if (this.#answer.characters > MAX_TEXT_CHARACTERS)
        throw this.#error('PLATFORM_MODEL_LENGTH', `over ${MAX_TEXT_CHARACTERS} characters`, 'an answer that ends');
      if (this.#answer.isDone) return this.#awaitUsage(pieces);
    }
    if (any && !this.#answer.hasChoice)
      throw this.#fault(answerFaults.noAnswer, 'status 200 with JSON that holds no answer');
  }

  /** Whether what came before a stall or a break is a module all the same. */
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
    this.#expectWithin(isSilent ? this.#patience.firstWordMs : this.#patience.stallMs);
  }

  /**
   * Waits a moment for the token counts, which come last; a model that goes on talking is cut off at its first word.
   * Nothing that happens to the stream now can take the answer back.
   */
  async #awaitUsage(pieces: AsyncGenerator<JsonObject>): Promise<void> {
    const grace = AbortSignal.any([AbortSignal.timeout(USAGE_GRACE_MS), this.#stop.signal]);
    while (this.#answer.counted === null) {
      const next = await Promise.race([pieces.next().catch(() => null), aborted(grace)]);
      if (next === null || next.done === true || this.#answer.takeAfter(next.value)) return;
    }
  }

  #completion(): Completion {
    const answer = this.#answer;
    const known = this.#dialect.learnt;
    answer.end(ENDS.own.test(answer.finish ?? '') || answer.hasModule);
    this.#tellLearnt(known);
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
    if (!ENDS.own.test(end) && characters > 0)
      throw this.#fault(
        answerFaults.cut,
        `the stream ended after ${characters} characters without a finish of its own`,
      );
    if (isBlank && callsTool) throw this.#fault(answerFaults.toolCall, 'a tool call in place of text');
    if (isBlank) throw this.#fault(answerFaults.empty, 'an answer without text');
  }

  /** Learns from a refusal, and says whether the question can be put in another form; each is tried once. */
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

  /** Learns how the server wants its questions, and tells it; says whether there is another form to put one in. */
  #learn(adaptation: Adaptation, sent: Form, smaller: number | null): boolean {
    const known = this.#dialect.learnt;
    const isNew = this.#dialect.adapt(adaptation, sent, smaller);
    this.#tellLearnt(known);
    return isNew;
  }

  /** Tells what was learnt since. */
  #tellLearnt(known: readonly Learnt[]): void {
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

  /** Fails the exchange after so long a silence from now. */
  #expectWithin(silenceMs: number): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(
      () => this.#stop.abort(this.#fault(answerFaults.silent, `nothing for ${silenceMs} ms`)),
      silenceMs,
    );
  }

  /** What came, or the reason for the stop, whichever is first. */
  #orStop<T>(promise: Promise<T>): Promise<T> {
    return Promise.race([promise, this.#stopped]);
  }

  /** What was used up to now; estimated where the server has not counted. */
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

/** What comes within so many milliseconds and before a signal; `null` where nothing does. */
async function within<T>(promise: Promise<T>, ms: number, signal: AbortSignal): Promise<T | null> {
  promise.catch(() => undefined);
  return Promise.race([promise, aborted(AbortSignal.any([AbortSignal.timeout(ms), signal]))]);
}

function aborted(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    else signal.addEventListener('abort', () => resolve(null), { once: true });
  });
}

function rejection(signal: AbortSignal): Promise<never> {
  const promise = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  // Whoever waits sees it; that nobody waits is no fault.
  promise.catch(() => undefined);
  return promise;
}
