/** Marks that open reasoning: tags, brackets, and the channels of the harmony format. */
const OPENING =
  /<(?:\w{1,20}:)?(?:(?:\w{1,20}_)?think|thinking|thoughts?|reasoning|reflection|analysis|antthinking|scratchpad|inner_monologue)(?: [^<>\n]{1,40})?>|\[THINK\]|◁think▷|<details type="reasoning"[^<>\n]{0,60}>|<unused94>(?:thought)?|<\|(?:begin_of_thought|START_THINKING|think|thinking)\|>|(?:<\|start\|>assistant)?<\|channel\|>(?:analysis|commentary)\b|<\|channel>thought/gi;
/** Marks that close reasoning; the answer follows. */
const CLOSING =
  /<\/(?:\w{1,20}:)?(?:(?:\w{1,20}_)?think|thinking|thoughts?|reasoning|reflection|analysis|antthinking|scratchpad|inner_monologue)>|\[\/THINK\]|◁\/think▷|<\/details>|<unused95>|\[BEGIN FINAL RESPONSE\]|<\|(?:end_of_thought|END_THINKING|\/think|\/thinking)\|>|<\|channel\|>final(?:[ ]?<\|constrain\|>\w{1,20})?<\|message\|>|<channel\|>|assistantfinal/gi;
/** End-of-turn tokens, which are not part of the answer. */
const ENDING = /(?:<\|(?:return|end|END_RESPONSE|eot_id|im_end)\|>|\[END FINAL RESPONSE\])\s*$/;
const BEGINNING = /^\s*(?:<\|(?:begin_of_solution|START_RESPONSE|start)\|>(?:assistant)?|<answer>\s*(?=\n))/;
/** Longest mark. */
const MARK_CHARACTERS = 64;

/** The tags among them, for readers that go character by character. */
export const OPENING_TAGS = ['<think>', '<thinking>', '<thought>', '<thoughts>', '<reasoning>'];
export const CLOSING_TAGS = OPENING_TAGS.map((tag) => tag.replace('<', '</'));

interface Mark {
  at: number;
  end: number;
  opens: boolean;
}

/**
 * Removes reasoning from an answer. A closing mark without an opening one ends reasoning that started at the beginning.
 */
export function withoutReasoning(text: string): string {
  let kept = '';
  let from = 0;
  let isThinking = false;
  for (const { at, end, opens } of marksIn(text)) {
    if (opens && !isThinking) kept += text.slice(from, at);
    if (!opens && !isThinking) kept = '';
    if (opens && isThinking) continue;
    isThinking = opens;
    from = end;
  }
  return unwrapped(isThinking ? kept : kept + text.slice(from));
}

/** Whether a text contains a mark that closes reasoning. */
export function closesReasoning(text: string): boolean {
  return marksIn(text).some(({ opens }) => !opens);
}

/** Whether a text closes reasoning that it did not open. */
export function closesUnopened(text: string): boolean {
  return marksIn(text)[0]?.opens === false;
}

/** Removes the marks of reasoning and keeps the text between them. */
export function withoutMarks(text: string): string {
  let kept = '';
  let from = 0;
  for (const { at, end } of marksIn(text)) {
    kept += `${text.slice(from, at)}\n`;
    from = end;
  }
  return unwrapped(kept + text.slice(from));
}

function unwrapped(text: string): string {
  return text.replace(BEGINNING, '').replace(ENDING, '');
}

/**
 * The marks of a text in order. Only marks at the edge of a line count, because a literal in a module may contain one.
 */
function marksIn(text: string): Mark[] {
  const marks = [
    ...[...text.matchAll(OPENING)].map(({ index, 0: mark }) => ({ at: index, end: index + mark.length, opens: true })),
    ...[...text.matchAll(CLOSING)].map(({ index, 0: mark }) => ({ at: index, end: index + mark.length, opens: false })),
  ];
  // Searched once: a hostile answer has many marks.
  const details = text.indexOf('<details type="reasoning"');
  const isHarmony = /^\s*(?:analysis|commentary)/.test(text);
  const isMark = (mark: Mark) => {
    if (text.startsWith('</details>', mark.at) && (details < 0 || mark.at < details)) return false;
    // Without its special tokens, the harmony format leaves the names of its channels.
    return text.startsWith('assistantfinal', mark.at) ? isHarmony : isAtEdge(text, mark);
  };
  return marks.filter(isMark).sort((one, other) => one.at - other.at);
}

function isAtEdge(text: string, { at, end }: Mark): boolean {
  // No module contains the tokens of a chat format.
  if (text.startsWith('<|', at) || text.startsWith('◁', at)) return true;
  const before = text.slice(Math.max(0, at - MARK_CHARACTERS), at);
  const after = text.slice(end, end + MARK_CHARACTERS);
  return /(?:^|\n)[ \t]*$/.test(before) || /^[ \t]*(?:\r?\n|$)/.test(after) || !/['"`]/.test(before + after);
}

/**
 * Removes reasoning from a streamed answer. Text that starts like an answer is passed on at once. Text that starts with
 * prose may be reasoning without an opening mark, so it is buffered until a closing mark or the end.
 */
export class ReasoningFilter {
  readonly #isOpen: boolean;
  #buffered = '';
  #state: 'start' | 'buffering' | 'passing' = 'start';
  /** The end of the buffered text. */
  #recent = '';

  /** `isOpen`: whether this model is known to reason without an opening mark. */
  constructor(isOpen: boolean) {
    this.#isOpen = isOpen;
  }

  /** Adds a piece and returns the text that can be passed on now. */
  push(piece: string): string {
    if (this.#state === 'passing') return piece;
    this.#buffered += piece;
    if (this.#state === 'start') {
      const begun = this.#buffered.replace(/^[\s\ufeff]+/, '');
      if (begun === '' || begun === '[') {
        this.#recent = this.#buffered.slice(-2 * MARK_CHARACTERS);
        return '';
      }
      this.#state = /^(?:[{`~]|\[[^T])/.test(begun) && !this.#isOpen ? 'passing' : 'buffering';
    }
    return this.#state === 'passing' ? this.#release(this.#buffered) : this.#afterMark(piece);
  }

  /** Returns the rest at the end of the answer. */
  end(): string {
    return this.#state === 'passing' ? '' : this.#release(withoutReasoning(this.#buffered));
  }

  #afterMark(piece: string): string {
    // A mark may start before this piece. Only the recent text is searched, because searching all buffered text would
    // copy it each time.
    const latest = this.#recent + piece;
    this.#recent = latest.slice(-2 * MARK_CHARACTERS);
    return closesReasoning(latest) ? this.#release(withoutReasoning(this.#buffered)) : '';
  }

  #release(text: string): string {
    this.#state = 'passing';
    this.#buffered = '';
    return text;
  }
}
