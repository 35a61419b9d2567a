import type { AnswerSink, CompleteOptions } from '../contract/completion.ts';
import type { Usage } from '../contract/outcome.ts';
import { isObject, type Json, type JsonObject } from '../kernel/json.ts';
import type { Dialect } from './dialect.ts';
import { isComplete, lastModule } from './extract-candidate.ts';
import { estimateTokens } from './prices.ts';
import { closesReasoning, closesUnopened, ReasoningFilter, withoutMarks, withoutReasoning } from './reasoning.ts';

/** Longest answer kept, in UTF-16 code units: a server that ignores the token limit must not fill the memory. */
export const MAX_TEXT_CHARACTERS = 1024 * 1024;
/** Longest line that is checked for a closing fence, in UTF-16 code units. */
const MAX_FENCE_LINE_CHARACTERS = 64;
/** Most checks for a complete answer; after that, the answer ends where the server ends it. */
const MAX_LOOKS = 256;
/** How much is read after a module that may be a draft, in UTF-16 code units. */
const MAX_BEYOND_CHARACTERS = 8_000;

const CLOSING_FENCE = /\n[ \t>]{0,24}(?:`{3,}|~{3,})[ \t]*(?:\r?\n|$)/;

/** Collects the pieces of an answer and removes the reasoning from it. */
export class AnswerText {
  /** The server's finish reason. */
  finish: string | null = null;
  refusal = '';
  /** Token counts as the server reports them. */
  counted: Omit<Usage, 'costUsd'> | null = null;
  model: string;
  callsTool = false;
  /** Whether any piece had a choice, and so belongs to an answer. */
  hasChoice = false;
  readonly #isText: boolean;
  readonly #isFormatted: boolean;
  readonly #sink: AnswerSink | undefined;
  readonly #dialect: Dialect;
  readonly #filter: ReasoningFilter;
  #text = '';
  #emitted = '';
  /** Text outside the answer, such as reasoning. */
  #aside = '';
  #asideTokens = 0;
  /** The end of the last line. Kept apart, because reading the end of a growing string copies all of it each time. */
  #tail = '\n';
  #looks = 0;
  /** What came after a complete module; `null` while there is none. */
  #beyond: string | null = null;
  /** Whether that module may be part of reasoning without an opening mark. */
  #mayBeDraft = false;

  constructor(model: string, { answer, sink }: CompleteOptions, dialect: Dialect, isFormatted: boolean) {
    this.model = model;
    this.#isText = answer === 'text';
    this.#isFormatted = isFormatted;
    this.#sink = sink;
    this.#dialect = dialect;
    this.#filter = new ReasoningFilter(dialect.reasonsOpenly === true);
  }

  /** Length of the answer in UTF-16 code units, including reasoning inside it. */
  get characters(): number {
    return this.#text.length;
  }

  get isBlank(): boolean {
    return this.text.trim() === '';
  }

  get outputTokens(): number {
    return estimateTokens(this.#text) + estimateTokens(this.#beyond ?? '') + this.#asideTokens;
  }

  /** The answer without reasoning. */
  get text(): string {
    return this.#isText ? this.#emitted : withoutReasoning(this.#text);
  }

  /** Whether a module is complete. Later text may still show that it was a draft. */
  get hasModule(): boolean {
    return this.#beyond !== null;
  }

  /** Whether the rest of the answer is not needed. */
  get isDone(): boolean {
    if (this.#isText) return this.finish !== null;
    if (this.#beyond === null) return false;
    return this.finish !== null || !this.#mayBeDraft || this.#beyond.length >= MAX_BEYOND_CHARACTERS;
  }

  /** Adds one piece, or a whole answer. Returns how many characters it added to the answer and how many beside it. */
  take(piece: JsonObject): { said: number; aside: number } {
    this.#addCounts(piece);
    const choice = Array.isArray(piece.choices) ? piece.choices[0] : undefined;
    if (!isObject(choice)) return { said: 0, aside: 0 };
    this.hasChoice = true;
    const whole = isObject(choice.message) ? choice.message : undefined;
    const delta = isObject(choice.delta) ? choice.delta : (whole ?? {});
    const { content, role: _, refusal, ...others } = delta;
    const { text, thought } = contentOf(content ?? choice.text);
    if (typeof refusal === 'string') this.refusal += refusal;
    if (others.tool_calls !== undefined && others.tool_calls !== null) this.callsTool = true;
    const aside = this.#takeAside(others, thought);
    if (typeof choice.finish_reason === 'string' || typeof choice.finish_reason === 'number')
      this.finish = choice.finish_reason === '' ? this.finish : String(choice.finish_reason);
    else if (whole !== undefined) this.finish ??= 'stop';
    this.#add(text);
    return { said: text.length, aside };
  }

  /** Ends the answer: releases text that was held back, and takes reasoning as the answer if there is nothing else. */
  end(isWhole: boolean): void {
    this.#emit(this.#filter.end());
    if (isWhole && this.isBlank && !this.callsTool) this.#takeReasoning();
    if (isWhole && (this.finish !== null || this.hasModule) && !closesReasoning(this.#text))
      this.#dialect.noteReasoning(false);
    if (closesUnopened(this.#text)) this.#dialect.noteReasoning(true);
  }

  /** Adds the token counts of a piece that comes after the answer. Returns whether the model goes on writing. */
  takeAfter(piece: JsonObject): boolean {
    this.#addCounts(piece);
    const choice = Array.isArray(piece.choices) ? piece.choices[0] : undefined;
    const delta = isObject(choice) && isObject(choice.delta) ? choice.delta : {};
    return contentOf(delta.content).text.trim() !== '';
  }

  #add(said: string): void {
    if (said === '') return;
    if (this.#beyond === null) this.#addToAnswer(said);
    else this.#addAfterModule(said);
  }

  #addToAnswer(said: string): void {
    this.#text += said;
    this.#emit(this.#filter.push(said));
    if (this.#isText || !this.#mayBeComplete(said)) return;
    const waits = this.#dialect.reasonsOpenly === true && !closesReasoning(this.#text);
    if (!waits && isComplete(this.#text)) {
      this.#beyond = '';
      this.#mayBeDraft = this.#dialect.reasonsOpenly !== false && !closesReasoning(this.#text);
      if (!this.#mayBeDraft) this.#emit(this.#filter.end());
    }
  }

  /** If reasoning ends after a module, that module was a draft. */
  #addAfterModule(said: string): void {
    const beyond = (this.#beyond ?? '') + said;
    this.#beyond = beyond;
    const mayClose = closesUnopened(beyond) || beyond.includes('assistantfinal');
    if (!this.#mayBeDraft || !mayClose || !closesReasoning(this.#text + beyond)) return;
    const draft = this.#text + beyond;
    this.#beyond = null;
    this.#text = '';
    this.#add(draft);
  }

  #emit(said: string): void {
    if (said === '') return;
    if (this.#emitted === '') this.#sink?.start({ model: this.model, formatted: this.#isFormatted });
    this.#emitted += said;
    this.#sink?.text(said);
  }

  /** Whether this piece may have closed the fence. */
  #mayBeComplete(said: string): boolean {
    const tail = this.#tail + said;
    this.#tail = tail.slice(Math.max(tail.lastIndexOf('\n'), tail.length - MAX_FENCE_LINE_CHARACTERS));
    if (this.#looks >= MAX_LOOKS || !CLOSING_FENCE.test(tail)) return false;
    this.#looks += 1;
    return true;
  }

  /**
   * Counts what is not content. Some servers send reasoning under one or two names, and some send empty pieces to keep
   * the connection open.
   */
  #takeAside(others: JsonObject, thought: string): number {
    const asides = Object.entries(others).filter(([, one]) => one !== null && one !== '');
    const texts = asides.map(([name, one]) => ({ name, text: typeof one === 'string' ? one : '' }));
    const most = [thought, ...texts.map(({ text }) => text)].reduce((one, other) =>
      other.length > one.length ? other : one,
    );
    this.#asideTokens += estimateTokens(most);
    const reasoning = texts.find(({ name }) => /reason|think|thought/.test(name))?.text ?? '';
    if (this.#aside.length < MAX_TEXT_CHARACTERS) this.#aside += reasoning === '' ? thought : reasoning;
    return most.length > 0 ? most.length : asides.length > 0 ? 1 : 0;
  }

  /** Takes the reasoning as the answer, if the server put the answer there. Of several drafts it takes the last. */
  #takeReasoning(): void {
    const said = this.#aside.trim() === '' ? this.#text : this.#aside;
    const reasoning = withoutReasoning(said).trim() === '' ? withoutMarks(said) : withoutReasoning(said);
    if (reasoning.trim() === '') return;
    this.#text = this.#isText ? reasoning : (lastModule(reasoning) ?? reasoning);
    this.#emit(this.#text);
  }

  #addCounts({ model, usage }: JsonObject): void {
    if (typeof model === 'string' && model !== '') this.model = model.slice(0, 200);
    if (!isObject(usage)) return;
    const { prompt_tokens_details: details } = usage;
    this.counted = {
      inputTokens: count(usage.prompt_tokens),
      cachedInputTokens: count(isObject(details) ? details.cached_tokens : undefined),
      outputTokens: count(usage.completion_tokens),
    };
  }
}

/** The text and the reasoning in a `content` member, which may be a list of parts. */
function contentOf(content: Json | undefined): { text: string; thought: string } {
  if (typeof content === 'string') return { text: content, thought: '' };
  const parts = Array.isArray(content) ? content : [content ?? null];
  const joined = { text: '', thought: '' };
  for (const part of parts) {
    if (typeof part === 'string') joined.text += part;
    if (!isObject(part)) continue;
    const isThought = /think|reason|thought/.test(String(typeof part.type === 'string' ? part.type : ''));
    const said = isThought ? textOf(part.thinking ?? part.reasoning ?? part.text, 0) : textOf(part.text, 0);
    if (isThought) joined.thought += said;
    else joined.text += said;
  }
  return joined;
}

function textOf(value: Json | undefined, depth: number): string {
  if (typeof value === 'string') return value;
  if (depth > 3) return '';
  if (Array.isArray(value)) return value.map((one) => textOf(one, depth + 1)).join('');
  return isObject(value) ? textOf(value.text ?? value.value, depth + 1) : '';
}

function count(tokens: unknown): number {
  return typeof tokens === 'number' && Number.isFinite(tokens) && tokens > 0 ? Math.floor(tokens) : 0;
}
