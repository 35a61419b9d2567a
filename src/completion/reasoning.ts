/**
 * Marks that begin what a model thinks, in the wrappings seen: tags, brackets, and the channels of the harmony format.
 */
const OPENING =
  /<(?:\w{1,20}:)?(?:think|thinking|thoughts?|reasoning|reflection|antthinking|scratchpad)>|\[THINK\]|◁think▷|<\|(?:begin_of_thought|START_THINKING|think)\|>|(?:<\|start\|>assistant)?<\|channel\|>(?:analysis|commentary)\b|<\|channel>thought/gi;
/** Marks that end it: the answer follows. */
const CLOSING =
  /<\/(?:\w{1,20}:)?(?:think|thinking|thoughts?|reasoning|reflection|antthinking|scratchpad)>|\[\/THINK\]|◁\/think▷|<\|(?:end_of_thought|END_THINKING|\/think)\|>|<\|channel\|>final(?:[ ]?<\|constrain\|>\w{1,20})?<\|message\|>|<channel\|>|assistantfinal/gi;
/** What stands at the end of an answer, and belongs to none. */
const ENDING = /<\|(?:return|end|END_RESPONSE|eot_id|im_end)\|>\s*$/;
const BEGINNING = /^\s*(?:<\|(?:begin_of_solution|START_RESPONSE|start)\|>(?:assistant)?|<answer>\s*(?=\n))/;
/** No mark is longer. */
const MARK_CHARACTERS = 64;

/** The tags among them, for whoever reads a character at a time. */
export const OPENING_TAGS = ['<think>', '<thinking>', '<thought>', '<thoughts>', '<reasoning>'];
export const CLOSING_TAGS = OPENING_TAGS.map((tag) => tag.replace('<', '</'));

interface Mark {
  at: number;
  end: number;
  opens: boolean;
}

/**
 * An answer without what the model thinks before, between and after: a closing mark without an opening one ends what
 * has no beginning.
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

/** Whether a text has a mark that ends reasoning. */
export function closesReasoning(text: string): boolean {
  return marksIn(text).some(({ opens }) => !opens);
}

/** Whether reasoning ends in a text that has not begun in it. */
export function closesUnopened(text: string): boolean {
  return marksIn(text)[0]?.opens === false;
}

/** A text with all marks of reasoning taken out, and what stands between them left. */
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

/** The marks of a text in order: those at an edge of a line alone, for a module may hold one in a literal. */
function marksIn(text: string): Mark[] {
  const marks = [
    ...[...text.matchAll(OPENING)].map(({ index, 0: mark }) => ({ at: index, end: index + mark.length, opens: true })),
    ...[...text.matchAll(CLOSING)].map(({ index, 0: mark }) => ({ at: index, end: index + mark.length, opens: false })),
  ];
  return marks.filter((mark) => isAtEdge(text, mark)).sort((one, other) => one.at - other.at);
}

function isAtEdge(text: string, { at, end }: Mark): boolean {
  // The marks of a chat format are in no module.
  if (text.startsWith('<|', at) || text.startsWith('◁', at)) return true;
  // Where its marks are lost, the channels of the harmony format leave their names.
  if (text.startsWith('assistantfinal', at)) return /^\s*(?:analysis|commentary)/.test(text);
  const before = text.slice(Math.max(0, at - MARK_CHARACTERS), at);
  const after = text.slice(end, end + MARK_CHARACTERS);
  return /(?:^|\n)[ \t]*$/.test(before) || /^[ \t]*(?:\r?\n|$)/.test(after) || !/['"`]/.test(before + after);
}

/**
 * Takes reasoning out of an answer that streams in. An answer that begins like one is passed on as it comes. What
 * begins with prose may be reasoning without an opening mark: it is held until a closing mark or the end.
 */
export class ReasoningFilter {
  readonly #isOpen: boolean;
  #held = '';
  #state: 'start' | 'held' | 'passing' = 'start';
  /** The end of what is held. */
  #recent = '';

  /** `isOpen`: whether this model is known to think without an opening mark. */
  constructor(isOpen: boolean) {
    this.#isOpen = isOpen;
  }

  /** What of the answer can be passed on now. */
  push(piece: string): string {
    if (this.#state === 'passing') return piece;
    this.#held += piece;
    if (this.#state === 'start') {
      const begun = this.#held.replace(/^[\s\ufeff]+/, '');
      if (begun === '' || begun === '[') {
        this.#recent = this.#held.slice(-2 * MARK_CHARACTERS);
        return '';
      }
      this.#state = /^(?:[{`~]|\[[^T])/.test(begun) && !this.#isOpen ? 'passing' : 'held';
    }
    return this.#state === 'passing' ? this.#release(this.#held) : this.#afterMark(piece);
  }

  /** What is left at the end. */
  end(): string {
    return this.#state === 'passing' ? '' : this.#release(withoutReasoning(this.#held));
  }

  #afterMark(piece: string): string {
    // A mark may have begun before this piece; to look at all that is held would copy it each time.
    const latest = this.#recent + piece;
    this.#recent = latest.slice(-2 * MARK_CHARACTERS);
    return closesReasoning(latest) ? this.#release(withoutReasoning(this.#held)) : '';
  }

  #release(text: string): string {
    this.#state = 'passing';
    this.#held = '';
    return text;
  }
}
