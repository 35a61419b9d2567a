import type { JsonObject } from '../kernel/json.ts';
import { CLOSING_TAGS, OPENING_TAGS } from './reasoning.ts';

/** Reads the objects of an answer as it arrives. */
export interface EntryReader {
  /** Reads the next piece of the answer, wherever it was split. */
  push(piece: string): void;
  /** Ends the answer; later pieces are ignored. */
  end(): void;
  /** Objects that could not be read, including an unfinished one. */
  readonly broken: number;
  /** Whether the limit of entries was reached. */
  readonly isFull: boolean;
}

/** Limits, settable for tests. */
export interface EntryLimits {
  /** Most entries. */
  entries?: number;
  /** Longest entry, in UTF-16 code units. */
  characters?: number;
}

const MAX_ENTRIES = 2_000;
const MAX_CHARACTERS = 64 * 1024;
const MAX_DEPTH = 64;
/** The member whose list contains the entries. */
const WRAPPING = 'entries';
/** Characters allowed before an object on its line. */
const BEFORE_OBJECT = ' \t\r\n[],}\ufeff';
const TAGS = [...OPENING_TAGS, ...CLOSING_TAGS];

/**
 * Passes on each JSON object of an answer as soon as it is complete. Reads JSON Lines, fenced or not, objects over
 * several lines, a list, and a list named `entries` in an object. Skips prose and the text between `<think>` tags.
 * Gives up a broken object when the next line starts one that is not indented deeper. Linear in time, bounded in
 * memory, never throws by itself.
 */
export function createEntryReader(onEntry: (entry: JsonObject) => void, limits: EntryLimits = {}): EntryReader {
  const reader = new Reader(onEntry, limits);
  return {
    push: (piece) => reader.push(piece),
    end: () => reader.end(),
    get broken() {
      return reader.broken;
    },
    get isFull() {
      return reader.isFull;
    },
  };
}

class Reader {
  broken = 0;
  isFull = false;
  readonly #onEntry: (entry: JsonObject) => void;
  readonly #maxEntries: number;
  readonly #maxCharacters: number;
  #entries = 0;
  #ended = false;
  #piece = '';
  #at = 0;
  /** The current object up to this piece, and where it continues in it. */
  #buffered = '';
  #from = 0;
  /** Open brackets of the current object; 0 = there is none. */
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** The latest string of the current object; before a list, it is the name of the list. */
  #word = '';
  /** Indentation of the current line, and of the line where the object started. */
  #indent = 0;
  #objectIndent = 0;
  #onlyIndent = true;
  /** Whether an object may start at this point of the line. */
  #mayStart = true;
  /** The start of a possible tag, and whether the text is inside one. */
  #tag = '';
  #thinking = false;

  constructor(onEntry: (entry: JsonObject) => void, { entries, characters }: EntryLimits) {
    this.#onEntry = onEntry;
    this.#maxEntries = entries ?? MAX_ENTRIES;
    this.#maxCharacters = characters ?? MAX_CHARACTERS;
  }

  push(piece: string): void {
    this.#piece = piece;
    this.#from = 0;
    for (this.#at = 0; this.#at < piece.length && !this.#ended; this.#at += 1) {
      const character = piece.charAt(this.#at);
      if (this.#thinking) this.#think(character);
      else if (this.#depth === 0) this.#seek(character);
      else this.#follow(character);
      this.#noteLine(character);
    }
    if (this.#depth > 0) this.#buffered += piece.slice(this.#from);
    this.#piece = '';
  }

  end(): void {
    if (this.#depth > 0) this.#giveUp();
    this.#ended = true;
  }

  #noteLine(character: string): void {
    if (character === '\n') [this.#indent, this.#onlyIndent, this.#mayStart] = [0, true, true];
    else if (this.#onlyIndent && (character === ' ' || character === '\t')) this.#indent += 1;
    else this.#onlyIndent = false;
  }

  #think(character: string): void {
    if (CLOSING_TAGS.includes(this.#tagAt(character))) [this.#thinking, this.#mayStart] = [false, true];
  }

  /** Looks for the start of an object. */
  #seek(character: string): void {
    if (this.#mayStart && character === '{') this.#start();
    else if (this.#tag !== '' || (this.#mayStart && character === '<')) {
      const tag = this.#tagAt(character);
      this.#thinking = OPENING_TAGS.includes(tag);
      this.#mayStart = CLOSING_TAGS.includes(tag);
    } else if (!BEFORE_OBJECT.includes(character)) this.#mayStart = false;
  }

  /** The tag that this character completes, or ''. */
  #tagAt(character: string): string {
    const grown = this.#tag + character.toLowerCase();
    if (TAGS.includes(grown)) {
      this.#tag = '';
      return grown;
    }
    const isTag = TAGS.some((tag) => tag.startsWith(grown));
    this.#tag = isTag ? grown : character === '<' ? '<' : '';
    return '';
  }

  #start(): void {
    if (this.#entries >= this.#maxEntries) {
      [this.isFull, this.#ended] = [true, true];
      return;
    }
    [this.#buffered, this.#from] = ['', this.#at];
    [this.#depth, this.#inString, this.#escaped, this.#word] = [1, false, false, ''];
    this.#objectIndent = this.#indent;
  }

  /** Reads the current object to its end. */
  #follow(character: string): void {
    if (this.#buffered.length + this.#at - this.#from >= this.#maxCharacters) this.#giveUp();
    else if (this.#inString) this.#followString(character);
    else if (character === '"') [this.#inString, this.#word] = [true, ''];
    else if (character === '{' && this.#onlyIndent && this.#indent <= this.#objectIndent) {
      this.#giveUp();
      this.#start();
    } else if (character === '[' && this.#depth === 1 && this.#word === WRAPPING) this.#drop();
    else if (character === '{' || character === '[') {
      this.#depth += 1;
      if (this.#depth > MAX_DEPTH) this.#giveUp();
    } else if (character === '}' || character === ']') {
      this.#depth -= 1;
      if (this.#depth === 0) this.#finish();
    }
  }

  #followString(character: string): void {
    // A line feed inside a string means that its quotes do not match.
    if (character === '\n') this.#giveUp();
    else if (this.#escaped) this.#escaped = false;
    else if (character === '\\') this.#escaped = true;
    else if (character === '"') {
      this.#inString = false;
      return;
    }
    this.#word += character;
  }

  #finish(): void {
    const text = this.#buffered + this.#piece.slice(this.#from, this.#at + 1);
    this.#drop();
    let entry: JsonObject;
    try {
      entry = JSON.parse(text);
    } catch {
      this.broken += 1;
      return;
    }
    this.#entries += 1;
    this.#onEntry(entry);
  }

  /** Drops the current object as broken and skips the rest of its line. */
  #giveUp(): void {
    this.broken += 1;
    this.#drop();
    this.#mayStart = false;
  }

  #drop(): void {
    [this.#buffered, this.#depth, this.#mayStart] = ['', 0, true];
  }
}
