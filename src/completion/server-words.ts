import type { Prompt } from '../contract/completion.ts';
import { INVISIBLE } from '../kernel/invisible-characters.ts';

/** Most characters of a server's words that an error repeats, and that are searched for secrets. */
const MAX_SHOWN_CHARACTERS = 200;
const MAX_READ_CHARACTERS = 600;
/** A match of this length is a quote of the prompt; a shorter one is ordinary language. */
const QUOTE_CHARACTERS = 24;
/** Shortest turn that is removed as a whole. */
const TURN_CHARACTERS = 8;

/** A server's words for an operator: shortened, without invisible characters, the API key or quotes of the prompt. */
export function shownWords(words: string, apiKey: string | undefined, prompt: Prompt): string {
  const keyless = apiKey === undefined || apiKey === '' ? words : words.replaceAll(apiKey, '…');
  const plain = plainText(keyless.slice(0, MAX_READ_CHARACTERS)).replaceAll(/\bsk-\S+/g, 'sk-…');
  return withoutQuotes(plain, prompt).slice(0, MAX_SHOWN_CHARACTERS).trim();
}

function withoutQuotes(words: string, { system, turns }: Prompt): string {
  const texts = [system, ...turns.map(({ text }) => text)].map(plainText);
  let shown = words;
  for (const text of texts) if (text.length >= TURN_CHARACTERS) shown = shown.replaceAll(text, '…');
  const asked = texts.join('\n');
  let kept = '';
  for (let at = 0; at < shown.length; ) {
    const length = quotedLength(shown, at, asked);
    kept += length === 0 ? shown.charAt(at) : '…';
    at += Math.max(1, length);
  }
  return kept;
}

/** Length of the quote that starts at a position; 0 = no quote. */
function quotedLength(words: string, from: number, asked: string): number {
  const found = asked.indexOf(words.slice(from, from + QUOTE_CHARACTERS));
  if (found === -1 || from + QUOTE_CHARACTERS > words.length) return 0;
  let length = QUOTE_CHARACTERS;
  while (from + length < words.length && words[from + length] === asked[found + length]) length += 1;
  return length;
}

/** A text on one line without escapes, because a server may repeat the request as JSON. */
function plainText(text: string): string {
  return text
    .replaceAll(/\\+[nrt]/g, ' ')
    .replaceAll('\\', '')
    .replaceAll(INVISIBLE, ' ')
    .replaceAll(/\s+/g, ' ');
}
