import OpenAI from 'openai';
import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionCreateParamsStreaming,
} from 'openai/resources/chat/completions';
import type { CompleteOptions, Completer, Completion, Prompt } from '../contract/completion.ts';
import type { Usage } from '../contract/outcome.ts';
import type { Deadline } from '../kernel/deadline.ts';
import { isObject, type Json, type JsonObject } from '../kernel/json.ts';
import { BodyTooLongError, boundedFetch } from './bounded-fetch.ts';
import { CompletionError } from './completion-error.ts';
import { type Dialect, dialectOf, type Optional } from './dialect.ts';
import { isComplete } from './extract-candidate.ts';
import { failureOf, wordOf } from './model-failure.ts';
import { estimateTokens, type Prices, priced } from './prices.ts';

/** Where a model is and how patient to be with it. */
export interface OpenAiOptions {
  model: string;
  generator: Completer['generator'];
  /** Default: OpenAI's own. */
  baseUrl?: string | undefined;
  /** Local servers need none. */
  apiKey?: string | undefined;
  /** `null` or absent = unknown, and so is every cost. */
  prices?: Prices | null | undefined;
  /** Longest answer, in tokens, reasoning included. */
  maxTokens?: number | undefined;
  /** Whether another model is asked where this one fails: its silence is borne only as long as an answer of the other can still be in time. */
  elsewhere?: boolean | undefined;
  /** How long silence is borne, where the defaults, shares of the time that is left, do not suit. */
  patience?: Partial<Patience> | undefined;
}

/** Longest silences of a server, in milliseconds. */
export interface Patience {
  /** Before it answers at all. */
  headersMs: number;
  /** Before the first word; a reasoning model thinks in silence. */
  firstWordMs: number;
  /** After it. */
  stallMs: number;
}

/** A completer that says where it asks; the key of cool-downs, breakers and latencies. */
export interface EndpointCompleter extends Completer {
  readonly endpoint: string;
  readonly model: string;
}

const DEFAULT_BASE_URL = 'https://api.openai.com/v1';
const DEFAULT_MAX_TOKENS = 16_384;
/** Silence as a share of the time left when the question is asked, so that another attempt still fits, within bounds in milliseconds. */
const PATIENCE: Record<keyof Patience, { share: number; leastMs: number; mostMs: number }> = {
  headersMs: { share: 0.4, leastMs: 2_000, mostMs: 30_000 },
  firstWordMs: { share: 0.6, leastMs: 3_000, mostMs: 90_000 },
  stallMs: { share: 0.3, leastMs: 2_000, mostMs: 15_000 },
};
/** Longest answer kept, in UTF-16 units: a server that ignores the token limit must not fill the memory. */
const MAX_TEXT_CHARACTERS = 1024 * 1024;
/** How much of a line with a closing fence is looked at when it comes in pieces, in UTF-16 units. */
const MAX_FENCE_LINE_CHARACTERS = 64;
/** How often a text is read to see whether it is complete; after that it ends where the server ends it. */
const MAX_LOOKS = 256;
/** How long the token counts are waited for once the answer is complete, in milliseconds. */
const USAGE_GRACE_MS = 250;
/** The SDK's own timeout must never fire before ours. */
const SDK_TIMEOUT_MS = 24 * 60 * 60 * 1000;

/** What servers call the ends of an answer; any other is a fault of theirs, such as `abort` or `insufficient_system_resource`. */
const ENDS = {
  own: /^(?:stop|eos|end|complete|done|finish|normal|tool_call|function_call)/i,
  tooLong: /length|^max_tokens/i,
  withheld: /^(?:content_filter|safety|recitation|refusal)/i,
};

const uncounted = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };

/**
 * A completer over the Chat Completions API of any OpenAI-compatible server. Streams, and stops at the fence that closes a module. One
 * attempt: retrying is `withRetries`' business. Every failure is a `CompletionError` with a `PLATFORM_MODEL_…` or `OPERATOR_…` code.
 */
export function createOpenAiCompleter(options: OpenAiOptions): EndpointCompleter {
  const endpoint = options.baseUrl ?? DEFAULT_BASE_URL;
  const client = new OpenAI({
    baseURL: endpoint,
    // An empty key makes the SDK throw, and local servers have none.
    apiKey: options.apiKey === undefined || options.apiKey === '' ? 'no-key-needed' : options.apiKey,
    maxRetries: 0,
    timeout: SDK_TIMEOUT_MS,
    logLevel: 'off',
    fetch: boundedFetch,
  });
  const dialect = dialectOf(endpoint, options.model, options.baseUrl === undefined);
  return {
    generator: options.generator,
    endpoint,
    model: options.model,
    complete: (prompt, deadline, wanted = {}) =>
      new Exchange(client, options, dialect, { prompt, deadline, ...wanted }).run(),
  };
}

/** All that is asked for at once. */
interface Question extends CompleteOptions {
  prompt: Prompt;
  deadline: Deadline;
}

/** One question and its answer. */
class Exchange {
  readonly #client: OpenAI;
  readonly #options: OpenAiOptions;
  readonly #dialect: Dialect;
  readonly #question: Question;
  readonly #patience: Patience;
  readonly #startedAt = performance.now();
  /** Ends the exchange; its reason is the error to end with. */
  readonly #stop = new AbortController();
  readonly #stopped = rejection(this.#stop.signal);
  #silence: NodeJS.Timeout | undefined;
  #text = '';
  /** The last line of the text, or its end; to look at the end of a text that grows would copy all of it each time. */
  #tail = '\n';
  #looks = 0;
  #refusal = '';
  #model: string;
  #finish: string | null = null;
  /** As the server counted, 0 = it did not. */
  #counted: Omit<Usage, 'costUsd'> | null = null;
  /** What was said beside the answer, such as reasoning. */
  #asideTokens = 0;
  #started = false;
  /** Whether the server took the format. */
  #formatted = false;

  constructor(client: OpenAI, options: OpenAiOptions, dialect: Dialect, question: Question) {
    this.#client = client;
    this.#options = options;
    this.#dialect = dialect;
    this.#question = question;
    this.#model = options.model;
    const leftMs = options.elsewhere === true ? question.deadline.wantedInMs() : question.deadline.leftMs();
    this.#patience = { ...patienceFor(leftMs), ...options.patience };
  }

  async run(): Promise<Completion> {
    const { deadline } = this.#question;
    const { signal } = deadline;
    const calledOff = (): void =>
      this.#stop.abort(
        deadline.passed || isTimeout(signal.reason)
          ? this.#error('PLATFORM_MODEL_TIMEOUT', 'the deadline passed', 'an answer before it')
          : this.#error('PLATFORM_MODEL_ABORTED', 'called off', 'to be waited for'),
      );
    if (signal.aborted || deadline.passed) calledOff();
    signal.addEventListener('abort', calledOff, { once: true });
    const timer = setTimeout(
      () => this.#stop.abort(this.#error('PLATFORM_MODEL_TIMEOUT', 'the deadline passed', 'an answer before it')),
      Math.min(deadline.leftMs(), SDK_TIMEOUT_MS),
    );
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

  async #converse(): Promise<Completion> {
    try {
      const { data, response } = await this.#open();
      this.#started = true;
      this.#expectWithin(this.#patience.firstWordMs);
      const kind = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
      if (kind === 'text/html' || kind === 'application/xhtml+xml') {
        throw this.#error(
          'PLATFORM_MODEL_NOT_AN_API',
          `status ${response.status} with a page of HTML`,
          'a stream of events',
        );
      }
      if (kind === 'application/json') this.#takeWhole(await this.#orStop(response.json()));
      else await this.#read(data[Symbol.asyncIterator](), kind);
      return this.#completion();
    } catch (error) {
      if (error instanceof CompletionError) throw error;
      if (this.#stop.signal.aborted) throw this.#stop.signal.reason;
      if (error instanceof BodyTooLongError)
        throw this.#error('PLATFORM_MODEL_LENGTH', error.message, 'an answer that ends');
      throw failureOf(error, {
        endpoint: this.#endpoint,
        apiKey: this.#options.apiKey,
        began: this.#text !== '',
        usage: this.#spent(),
      });
    }
  }

  /** Sends the question; what the server refuses of its form is left out and remembered. */
  async #open(): Promise<{ data: AsyncIterable<ChatCompletionChunk>; response: Response }> {
    for (;;) {
      this.#expectWithin(this.#patience.headersMs);
      const optional = this.#dialect.optional(this.#options.maxTokens ?? DEFAULT_MAX_TOKENS, this.#question.format);
      this.#formatted = optional.response_format !== undefined;
      try {
        const signal = this.#stop.signal;
        return await this.#orStop(
          this.#client.chat.completions.create(this.#parameters(optional), { signal }).withResponse(),
        );
      } catch (error) {
        if (this.#stop.signal.aborted || !this.#dialect.adapts(error, optional)) throw error;
      }
    }
  }

  #parameters(optional: Optional): ChatCompletionCreateParamsStreaming {
    const { system, turns } = this.#question.prompt;
    return {
      model: this.#options.model,
      messages: [{ role: 'system', content: system }, ...turns.map(({ role, text }) => ({ role, content: text }))],
      stream: true,
      ...optional,
    };
  }

  async #read(pieces: AsyncIterator<ChatCompletionChunk>, kind: string): Promise<void> {
    let any = false;
    for (;;) {
      const next = await this.#orStop(pieces.next());
      if (next.done === true) break;
      any = true;
      const said = this.#take(next.value);
      this.#tell(said);
      if (this.#text.length > MAX_TEXT_CHARACTERS) {
        throw this.#error('PLATFORM_MODEL_LENGTH', `over ${MAX_TEXT_CHARACTERS} characters`, 'an answer that ends');
      }
      if (this.#isText ? this.#finish !== null : this.#mayBeComplete(said) && isComplete(this.#text)) {
        await this.#awaitUsage(pieces);
        return;
      }
    }
    // An aborted stream of the SDK ends like a finished one.
    this.#stop.signal.throwIfAborted();
    if (!any && kind !== 'text/event-stream') {
      throw this.#error(
        'PLATFORM_MODEL_NOT_AN_API',
        `status 200 with ${kind === '' ? 'no content type' : kind} and no event`,
        'a stream of events',
      );
    }
  }

  /** Passes on what was said, the last piece of the text. */
  #tell(said: string): void {
    const { sink } = this.#question;
    if (sink === undefined || said === '') return;
    if (said.length === this.#text.length) sink.start({ model: this.#model, formatted: this.#formatted });
    sink.text(said);
  }

  get #isText(): boolean {
    return this.#question.answer === 'text';
  }

  /** Whether the text may just have got its closing fence. */
  #mayBeComplete(said: string): boolean {
    if (said === '') return false;
    const tail = this.#tail + said;
    this.#tail = tail.slice(Math.max(tail.lastIndexOf('\n'), tail.length - MAX_FENCE_LINE_CHARACTERS));
    if (this.#looks >= MAX_LOOKS || !/\n {0,3}(?:`{3,}|~{3,})[ \t]*(?:\r?\n|$)/.test(tail)) return false;
    this.#looks += 1;
    return true;
  }

  /**
   * Waits a moment for the token counts, which come last; a model that goes on talking is cut off at its first word. Nothing that happens
   * to the stream now can take the answer back.
   */
  async #awaitUsage(pieces: AsyncIterator<ChatCompletionChunk>): Promise<void> {
    const grace = AbortSignal.any([AbortSignal.timeout(USAGE_GRACE_MS), this.#stop.signal]);
    while (this.#counted === null) {
      const next = await Promise.race([pieces.next().catch(() => null), aborted(grace)]);
      if (next === null || next.done === true) return;
      const before = this.#text;
      const said = this.#take(next.value);
      this.#text = before;
      if (said.trim() !== '') return;
    }
  }

  /** Books one piece and returns what it said. */
  #take(piece: ChatCompletionChunk): string {
    const choice = piece.choices?.[0];
    const delta: unknown = choice?.delta;
    const { content, role: _, refusal, ...others }: JsonObject = isObject(delta) ? delta : {};
    const said = typeof content === 'string' ? content : '';
    this.#text += said;
    if (typeof refusal === 'string') this.#refusal += refusal;
    // Some servers think in the open, under one name or two, and some send pieces without a word to keep the connection.
    const aside = Object.values(others).filter((one) => one !== null && one !== '');
    const tokens = (one: Json) => (typeof one === 'string' ? estimateTokens(one) : 0);
    this.#asideTokens += aside.reduce((most: number, one) => Math.max(most, tokens(one)), 0);
    const length = (one: Json) => (typeof one === 'string' ? one.length : 0);
    const heard = said.length + aside.reduce((most: number, one) => Math.max(most, length(one)), 0);
    if (heard > 0) this.#question.heard?.(heard);
    if (said !== '' || refusal || aside.length > 0)
      this.#expectWithin(this.#text === '' ? this.#patience.firstWordMs : this.#patience.stallMs);
    if (choice?.finish_reason) this.#finish = wordOf(choice.finish_reason);
    this.#book(piece);
    return said;
  }

  /** Books the answer of a server that does not stream. */
  #takeWhole(body: unknown): void {
    const answer = body as Partial<ChatCompletion> & { error?: unknown };
    const choice = answer.choices?.[0];
    if (choice === undefined) {
      throw this.#error('PLATFORM_MODEL_UNAVAILABLE', 'status 200 with JSON that holds no answer', 'a completion');
    }
    this.#text = typeof choice.message?.content === 'string' ? choice.message.content : '';
    this.#refusal = typeof choice.message?.refusal === 'string' ? choice.message.refusal : '';
    this.#finish = choice.finish_reason ? wordOf(choice.finish_reason) : 'stop';
    this.#book(answer);
    this.#tell(this.#text);
    this.#question.heard?.(this.#text.length);
  }

  #book({ model, usage }: Pick<Partial<ChatCompletionChunk>, 'model' | 'usage'>): void {
    if (typeof model === 'string' && model !== '') this.#model = model.slice(0, 200);
    if (usage === null || usage === undefined) return;
    this.#counted = {
      inputTokens: count(usage.prompt_tokens),
      cachedInputTokens: count(usage.prompt_tokens_details?.cached_tokens),
      outputTokens: count(usage.completion_tokens),
    };
  }

  #completion(): Completion {
    if (this.#isText || !isComplete(this.#text)) this.#refuseUnfinished();
    return {
      text: this.#text,
      model: this.#model,
      usage: this.#spent(),
      durationMs: performance.now() - this.#startedAt,
    };
  }

  #refuseUnfinished(): void {
    const finish = this.#finish ?? '';
    if (ENDS.tooLong.test(finish))
      throw this.#error('PLATFORM_MODEL_LENGTH', 'the token limit was reached', 'an answer that fits');
    if (ENDS.withheld.test(finish) || (this.#text.trim() === '' && this.#refusal !== '')) {
      throw this.#error('PLATFORM_MODEL_FILTERED', 'the answer was withheld by the server', 'an answer');
    }
    if (!ENDS.own.test(finish) && this.#text !== '') {
      throw this.#error(
        'PLATFORM_MODEL_CUT',
        `the stream ended after ${this.#text.length} characters without a finish of its own`,
        'a whole answer',
      );
    }
    if (this.#text.trim() === '') throw this.#error('PLATFORM_MODEL_EMPTY', 'an answer without text', 'an answer');
  }

  /** Fails the exchange after so long a silence from now. */
  #expectWithin(silenceMs: number): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(
      () =>
        this.#stop.abort(this.#error('PLATFORM_MODEL_STALLED', `nothing for ${silenceMs} ms`, 'a stream that goes on')),
      silenceMs,
    );
  }

  /** What came, or the reason for the stop, whichever is first: the SDK does not honour a stop in every state. */
  #orStop<T>(promise: Promise<T>): Promise<T> {
    return Promise.race([promise, this.#stopped]);
  }

  /** What was used up to now; estimated where the server has not counted. */
  #spent(): Usage {
    const asked = [this.#question.prompt.system, ...this.#question.prompt.turns.map(({ text }) => text)];
    const { inputTokens, cachedInputTokens, outputTokens } = this.#counted ?? uncounted;
    return priced(
      {
        inputTokens: inputTokens || asked.reduce((sum, text) => sum + estimateTokens(text), 0),
        cachedInputTokens,
        outputTokens: outputTokens || estimateTokens(this.#text) + this.#asideTokens,
      },
      this.#options.prices ?? null,
    );
  }

  get #endpoint(): string {
    return this.#options.baseUrl ?? DEFAULT_BASE_URL;
  }

  #error(code: `PLATFORM_MODEL_${string}`, found: string, wanted: string): CompletionError {
    return new CompletionError(
      code,
      `Cannot complete prompt with model "${this.#options.model}": ${found}, wanted ${wanted}`,
      {
        usage: this.#started ? this.#spent() : undefined,
      },
    );
  }
}

function patienceFor(leftMs: number): Patience {
  const silence = ({ share, leastMs, mostMs }: (typeof PATIENCE)[keyof Patience]): number =>
    Math.min(mostMs, Math.max(leastMs, leftMs * share));
  return {
    headersMs: silence(PATIENCE.headersMs),
    firstWordMs: silence(PATIENCE.firstWordMs),
    stallMs: silence(PATIENCE.stallMs),
  };
}

function count(tokens: unknown): number {
  return typeof tokens === 'number' && Number.isFinite(tokens) && tokens > 0 ? Math.floor(tokens) : 0;
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof Error && reason.name === 'TimeoutError';
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
