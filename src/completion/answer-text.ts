import type { AnswerSink, CompleteOptions } from '../contract/completion.ts';
import type { Usage } from '../contract/outcome.ts';
import { isObject, type Json, type JsonObject } from '../kernel/json.ts';
import type { Dialect } from './dialect.ts';
import { isComplete, lastModule } from './extract-candidate.ts';
import { estimateTokens } from './prices.ts';
import { closesReasoning, closesUnopened, ReasoningFilter, withoutMarks, withoutReasoning } from './reasoning.ts';

/** Longest answer kept, in UTF-16 units: a server that ignores the token limit must not fill the memory. */
export const MAX_TEXT_CHARACTERS = 1024 * 1024;
/** How much of a line with a closing fence is looked at when it comes in pieces, in UTF-16 units. */
const MAX_FENCE_LINE_CHARACTERS = 64;
/** How often a text is read to see whether it is complete; after that it ends where the server ends it. */
const MAX_LOOKS = 256;
/** How far beyond a module a model is heard that may turn out to have been thinking, in UTF-16 units. */
const MAX_BEYOND_CHARACTERS = 8_000;

const CLOSING_FENCE = /\n[ \t>]{0,24}(?:`{3,}|~{3,})[ \t]*(?:\r?\n|$)/;

/** What was said of an answer up to now, and what it comes to. */
export class AnswerText {
  /** What the server says ended it. */
  finish: string | null = null;
  refusal = '';
  /** As the server counted. */
  counted: Omit<Usage, 'costUsd'> | null = null;
  model: string;
  callsTool = false;
  /** Whether anything that came is part of an answer at all. */
  hasChoice = false;
  readonly #isText: boolean;
  readonly #isFormatted: boolean;
  readonly #sink: AnswerSink | undefined;
  readonly #dialect: Dialect;
  readonly #filter: ReasoningFilter;
  #text = '';
  #told = '';
  /** Said beside the answer, such as reasoning. */
  #aside = '';
  #asideTokens = 0;
  /** The last line of the text, or its end; to look at the end of a text that grows would copy all of it each time. */
  #tail = '\n';
  #looks = 0;
  /** What was said after a module that is whole; `null` while there is none. */
  #beyond: string | null = null;
  /** Whether that module may stand in reasoning that had no beginning. */
  #mayBeDraft = false;

  constructor(model: string, { answer, sink }: CompleteOptions, dialect: Dialect, isFormatted: boolean) {
    this.model = model;
    this.#isText = answer === 'text';
    this.#isFormatted = isFormatted;
    this.#sink = sink;
    this.#dialect = dialect;
    this.#filter = new ReasoningFilter(dialect.reasonsOpenly === true);
  }

  /** Characters of the answer itself, reasoning within it included. */
  get characters(): number {
    return this.#text.length;
  }

  get isBlank(): boolean {
    return this.text.trim() === '';
  }

  get outputTokens(): number {
    return estimateTokens(this.#text) + estimateTokens(this.#beyond ?? '') + this.#asideTokens;
  }

  /** The answer, free of reasoning. */
  get text(): string {
    return this.#isText ? this.#told : withoutReasoning(this.#text);
  }

  /** Whether a module is whole; what a model says after it may still show that it was a draft. */
  get hasModule(): boolean {
    return this.#beyond !== null;
  }

  /** Whether nothing more of the answer is wanted. */
  get isDone(): boolean {
    if (this.#isText) return this.finish !== null;
    if (this.#beyond === null) return false;
    return this.finish !== null || !this.#mayBeDraft || this.#beyond.length >= MAX_BEYOND_CHARACTERS;
  }

  /** Books one piece, or a whole answer; returns how many characters it said, and how many beside the answer. */
  take(piece: JsonObject): { said: number; aside: number } {
    this.#book(piece);
    const choice = Array.isArray(piece.choices) ? piece.choices[0] : undefined;
    if (!isObject(choice)) return { said: 0, aside: 0 };
    this.hasChoice = true;
    const whole = isObject(choice.message) ? choice.message : undefined;
    const delta = isObject(choice.delta) ? choice.delta : (whole ?? {});
    const { content, role: _, refusal, ...others } = delta;
    const { text, thought } = spoken(content ?? choice.text);
    if (typeof refusal === 'string') this.refusal += refusal;
    if (others.tool_calls !== undefined && others.tool_calls !== null) this.callsTool = true;
    const aside = this.#takeAside(others, thought);
    if (typeof choice.finish_reason === 'string' || typeof choice.finish_reason === 'number')
      this.finish = choice.finish_reason === '' ? this.finish : String(choice.finish_reason);
    else if (whole !== undefined) this.finish ??= 'stop';
    this.#say(text);
    return { said: text.length, aside };
  }

  /**
   * Takes the end of the answer, however it came: what was held back may be told now, and an answer given as reasoning
   * is one.
   */
  end(isWhole: boolean): void {
    this.#tell(this.#filter.end());
    if (isWhole && this.isBlank && !this.callsTool) this.#takeReasoning();
    if (isWhole && (this.finish !== null || this.hasModule) && !closesReasoning(this.#text))
      this.#dialect.noteReasoning(false);
    if (closesUnopened(this.#text)) this.#dialect.noteReasoning(true);
  }

  /** Books the token counts of a piece that comes after the answer; says whether the model goes on talking. */
  takeAfter(piece: JsonObject): boolean {
    this.#book(piece);
    const choice = Array.isArray(piece.choices) ? piece.choices[0] : undefined;
    const delta = isObject(choice) && isObject(choice.delta) ? choice.delta : {};
    return spoken(delta.content).text.trim() !== '';
  }

  #say(said: string): void {
    if (said === '') return;
    if (this.#beyond === null) this.#sayAnswer(said);
    else this.#sayBeyond(said);
  }

  #sayAnswer(said: string): void {
    this.#text += said;
    this.#tell(this.#filter.push(said));
    if (this.#isText || !this.#mayBeComplete(said)) return;
    const waits = this.#dialect.reasonsOpenly === true && !closesReasoning(this.#text);
    if (!waits && isComplete(this.#text)) {
      this.#beyond = '';
      this.#mayBeDraft = this.#dialect.reasonsOpenly !== false && !closesReasoning(this.#text);
      if (!this.#mayBeDraft) this.#tell(this.#filter.end());
    }
  }

  /** Where reasoning ends after a module, that was a draft. */
  #sayBeyond(said: string): void {
    const beyond = (this.#beyond ?? '') + said;
    this.#beyond = beyond;
    const mayClose = closesUnopened(beyond) || beyond.includes('assistantfinal');
    if (!this.#mayBeDraft || !mayClose || !closesReasoning(this.#text + beyond)) return;
    const draft = this.#text + beyond;
    this.#beyond = null;
    this.#text = '';
    this.#say(draft);
  }

  #tell(said: string): void {
    if (said === '') return;
    if (this.#told === '') this.#sink?.start({ model: this.model, formatted: this.#isFormatted });
    this.#told += said;
    this.#sink?.text(said);
  }

  /** Whether the text may just have got its closing fence. */
  #mayBeComplete(said: string): boolean {
    const tail = this.#tail + said;
    this.#tail = tail.slice(Math.max(tail.lastIndexOf('\n'), tail.length - MAX_FENCE_LINE_CHARACTERS));
    if (this.#looks >= MAX_LOOKS || !CLOSING_FENCE.test(tail)) return false;
    this.#looks += 1;
    return true;
  }

  /**
   * Some servers think in the open, under one name or two, and some send pieces without a word to keep the connection.
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

  /** An answer that a server took for reasoning, to the end: of several drafts the last. */
  #takeReasoning(): void {
    const said = this.#aside.trim() === '' ? this.#text : this.#aside;
    const reasoning = withoutReasoning(said).trim() === '' ? withoutMarks(said) : withoutReasoning(said);
    if (reasoning.trim() === '') return;
    this.#text = this.#isText ? reasoning : (lastModule(reasoning) ?? reasoning);
    this.#tell(this.#text);
  }

  #book({ model, usage }: JsonObject): void {
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

/** The text of a content, which may come in parts, and the reasoning among them. */
function spoken(content: Json | undefined): { text: string; thought: string } {
  if (typeof content === 'string') return { text: content, thought: '' };
  const parts = Array.isArray(content) ? content : [content ?? null];
  const told = { text: '', thought: '' };
  for (const part of parts) {
    if (typeof part === 'string') told.text += part;
    if (!isObject(part)) continue;
    const isThought = /think|reason|thought/.test(String(typeof part.type === 'string' ? part.type : ''));
    const said = isThought ? textOf(part.thinking ?? part.reasoning ?? part.text, 0) : textOf(part.text, 0);
    if (isThought) told.thought += said;
    else told.text += said;
  }
  return told;
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
