/** A constant of JavaScript source. */
export type Literal = { text: string } | { number: number };

type Token =
  | { kind: 'text'; text: string }
  | { kind: 'number'; number: number }
  | { kind: 'name' | 'mark'; text: string };

/**
 * The constants of a JavaScript module: strings, parts of templates, numbers, member names, regular expressions, and
 * values composed of them that can be computed without running it: concatenated strings, joined and reversed lists,
 * character codes, base64. Comments do not count. Never throws; for invalid JavaScript it returns what it can read.
 */
export function literalsOf(source: string): Literal[] {
  const tokens = tokenize(source);
  const literals: Literal[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'text') literals.push({ text: token.text });
    else if (token.kind === 'number') literals.push({ number: token.number });
    else if (
      token.kind === 'name' &&
      (isMark(tokens[index + 1], ':') || isMark(tokens[index - 1], '.') || isMark(tokens[index - 1], '?.'))
    )
      literals.push({ text: token.text });
  }
  literals.push(...assembled(tokens));
  return literals;
}

/**
 * The numbers of a JavaScript module as written: as numbers, as whole strings, and as counts in regular expressions.
 */
export function numbersOf(source: string): number[] {
  return tokenize(source).flatMap((token) => {
    if (token.kind === 'number') return [token.number];
    if (token.kind !== 'text') return [];
    if (/^-?\d+(?:\.\d+)?$/.test(token.text)) return [Number(token.text)];
    return [...token.text.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].flatMap(([, least, most]) =>
      [least, most].flatMap((digits) => (digits ? [Number(digits)] : [])),
    );
  });
}

function isMark(token: Token | undefined, text: string): boolean {
  return token?.kind === 'mark' && token.text === text;
}

/** Strings that the source composes of constants. */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one walk with a branch for each kind of node.
function assembled(tokens: readonly Token[]): Literal[] {
  const found: Literal[] = [];
  const add = (text: string): void => {
    if (text.length < 2) return;
    found.push({ text });
    const number = Number(text);
    if (text.trim() !== '' && Number.isFinite(number)) found.push({ number });
    found.push({ text: [...text].reverse().join('') });
  };
  for (let at = 0; at < tokens.length; at += 1) {
    // 'P12' + '345', also with numbers in between.
    if (isConstant(tokens[at]) && !isMark(tokens[at - 1], '+')) {
      let text = textOf(tokens[at]);
      let next = at + 1;
      while (isMark(tokens[next], '+') && isConstant(tokens[next + 1])) {
        text += textOf(tokens[next + 1]);
        next += 2;
      }
      if (next > at + 1) add(text);
      const single = tokens[at];
      if (single?.kind === 'text' && single.text.length >= 4) {
        const bytes = /^[A-Za-z0-9+/]+={0,2}$/.test(single.text)
          ? Buffer.from(single.text, 'base64').toString('utf8')
          : '';
        if (/^[\u0020-\u007e\n]{3,}$/.test(bytes)) found.push({ text: bytes });
        const hex = /^(?:[0-9a-f]{2}){3,}$/i.test(single.text) ? Buffer.from(single.text, 'hex').toString('utf8') : '';
        if (/^[\u0020-\u007e]{3,}$/.test(hex)) found.push({ text: hex });
        if (/^[\u0020-\u007e]+$/.test(single.text)) found.push({ text: [...single.text].reverse().join('') });
      }
    }
    // ['P12', '345'].join('') and String.fromCharCode(80, 49, …)
    if (isMark(tokens[at], '[') || isMark(tokens[at], '(')) {
      const items: Token[] = [];
      let next = at + 1;
      while (isConstant(tokens[next])) {
        items.push(tokens[next] as Token);
        next += 1;
        if (isMark(tokens[next], ',')) next += 1;
      }
      if (items.length > 1 && (isMark(tokens[next], ']') || isMark(tokens[next], ')'))) {
        for (const joint of ['', '-', ' ']) add(items.map(textOf).join(joint));
        const codes = items.map((item) => (item.kind === 'number' ? item.number : -1));
        if (codes.every((code) => Number.isInteger(code) && code >= 9 && code < 0x10000))
          add(String.fromCharCode(...codes.slice(0, 10_000)));
      }
    }
  }
  return found;
}

function isConstant(token: Token | undefined): boolean {
  return token?.kind === 'text' || token?.kind === 'number';
}

function textOf(token: Token | undefined): string {
  return token === undefined ? '' : token.kind === 'number' ? String(token.number) : token.text;
}

const NAME = /[\p{ID_Start}$_#][\p{ID_Continue}$\u200c\u200d]*/uy;
const NUMBER = /0[xX][0-9a-fA-F_]+n?|0[bB][01_]+n?|0[oO][0-7_]+n?|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?n?/y;
const MARK = /=>|\?\.|\.\.\.|\+\+|--|[&|?]{2}=?|\*\*=?|[=!]==?|<<=?|>>>?=?|[+\-*/%&|^<>]=?|./suy;

function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  // The brace depth at which each open template continues.
  const templates: number[] = [];
  let depth = 0;
  let at = 0;
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0];
  };
  while (at < source.length) {
    const char = source[at] as string;
    if (/\s/.test(char)) at += 1;
    else if (source.startsWith('//', at)) at = endOr(source, source.indexOf('\n', at));
    else if (source.startsWith('/*', at)) at = endOr(source, source.indexOf('*/', at + 2), 2);
    else if (char === '"' || char === "'") {
      const end = endOfQuoted(source, at + 1, char);
      tokens.push({ kind: 'text', text: withoutEscapes(source.slice(at + 1, end)) });
      at = end + 1;
    } else if (char === '`' || (char === '}' && templates.at(-1) === depth)) {
      if (char === '}') templates.pop();
      const end = endOfTemplate(source, at + 1);
      tokens.push({ kind: 'text', text: withoutEscapes(source.slice(at + 1, end)) });
      if (source.startsWith('${', end)) {
        templates.push(depth);
        tokens.push({ kind: 'mark', text: '+' });
        at = end + 2;
      } else at = end + 1;
    } else if (/\d/.test(char) || (char === '.' && /\d/.test(source[at + 1] ?? ''))) {
      const text = match(NUMBER) ?? char;
      const number = Number(text.replace(/_|n$/g, ''));
      tokens.push({ kind: 'number', number });
      at += text.length;
    } else if (char === '/' && startsPattern(tokens.at(-1))) {
      const end = endOfPattern(source, at + 1);
      tokens.push({ kind: 'text', text: source.slice(at + 1, end) });
      at = end + 1;
    } else {
      const name = match(NAME);
      if (name !== undefined) {
        tokens.push({ kind: 'name', text: name });
        at += name.length;
      } else {
        const mark = match(MARK) ?? char;
        if (mark === '{') depth += 1;
        else if (mark === '}') depth -= 1;
        tokens.push({ kind: 'mark', text: mark });
        at += mark.length;
      }
    }
  }
  return tokens;
}

/** Whether a slash after this token starts a regular expression, not a division. */
function startsPattern(before: Token | undefined): boolean {
  if (before === undefined) return true;
  if (before.kind === 'mark') return before.text !== ')' && before.text !== ']' && before.text !== '}';
  return (
    before.kind === 'name' && /^(?:return|typeof|case|in|of|new|delete|void|do|else|await|yield)$/.test(before.text)
  );
}

function endOr(source: string, at: number, width = 0): number {
  return at < 0 ? source.length : at + width;
}

function endOfQuoted(source: string, from: number, quote: string): number {
  for (let at = from; at < source.length; at += 1) {
    if (source[at] === '\\') at += 1;
    else if (source[at] === quote || source[at] === '\n') return at;
  }
  return source.length;
}

function endOfTemplate(source: string, from: number): number {
  for (let at = from; at < source.length; at += 1) {
    if (source[at] === '\\') at += 1;
    else if (source[at] === '`' || source.startsWith('${', at)) return at;
  }
  return source.length;
}

function endOfPattern(source: string, from: number): number {
  let inClass = false;
  for (let at = from; at < source.length; at += 1) {
    const char = source[at];
    if (char === '\\') at += 1;
    else if (char === '[') inClass = true;
    else if (char === ']') inClass = false;
    else if ((char === '/' && !inClass) || char === '\n') return at;
  }
  return source.length;
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  0: '\0',
  '\n': '',
};

function withoutEscapes(text: string): string {
  return text.replace(
    /\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([\s\S]))/g,
    (_all, braced, long, short, plain) => {
      const code = braced ?? long ?? short;
      if (code !== undefined) {
        const point = Number.parseInt(code, 16);
        return point <= 0x10ffff ? String.fromCodePoint(point) : '';
      }
      return ESCAPES[plain as string] ?? (plain as string);
    },
  );
}
