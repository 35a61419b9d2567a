/**
 * Languages that separate words with spaces. Arabic is not here: it writes articles and pronouns together with the
 * word.
 */
const SPACED = ['de', 'fr', 'es', 'pt', 'it', 'nl', 'ru'] as const;

/** Languages and signs that do not separate words. */
const UNSPACED = ['zh', 'ja', 'ko', 'ar', 'signs'] as const;

type Language = 'en' | (typeof SPACED)[number] | (typeof UNSPACED)[number];

/**
 * The phrases for one notion, by language, in a readable notation. A phrase matches whole words, in any case;
 * `fails|falls over` are two phrases. `fail*` matches any ending, `*fehler` any beginning. `both … fail` allows up to
 * 60 characters of the same sentence in between, `both …20 fail` up to 20. `(does|did) not` is a non-capturing group.
 * Everything else is regular expression syntax: `errors?`, `vac[ií]o`, `(?! is needed)`. In languages with spaces, a
 * phrase begins and ends with a letter or digit.
 */
export type Phrases = Partial<Record<Language, readonly string[]>>;

/** Patterns for word boundaries, letters, and gaps within a sentence. */
interface Script {
  start: string;
  end: string;
  letter: string;
  gap: string;
}

// Ranges, because V8 compiles case-insensitive `\p{L}` nine times slower, and each table uses it several times.
const LETTER = String.raw`a-z\xaa\xb5\xba\xc0-\xd6\xd8-\xf6\xf8-\u02c1\u02e0-\u02e4\u0370-\u037d\u037f-\u058f\u05d0-\u05ff\u0620-\u0669\u066e-\u06d3\u06d5-\u0963\u0966-\u1fff\u2c00-\u2dff\u3005-\u3007\u3041-\u30fa\u30fc-\ud7ff\uf900-\ufdff`;
const SIGN_OF_WORD = String.raw`${LETTER}\d\xb2\xb3\xb9\uff10-\uff19_`;

// `\b` sees a word end next to accented and Cyrillic letters.
const LATIN: Script = { start: String.raw`\b`, end: String.raw`\b`, letter: String.raw`\w`, gap: String.raw`[^.\n]` };
const LETTERS: Script = {
  ...LATIN,
  start: `(?<![${SIGN_OF_WORD}])`,
  end: `(?![${SIGN_OF_WORD}])`,
  letter: `[${LETTER}]`,
};
const SIGNS: Script = { start: '', end: '', letter: `[${LETTER}]`, gap: String.raw`[^。\n]` };

/** One regular expression that matches any of the phrases. Its gaps are bounded, so matching is linear in the text. */
export function phrases(table: Phrases): RegExp {
  return new RegExp(
    scriptsOf(table)
      .map(([script, list]) => anyOf(list, script))
      .join('|'),
    'iu',
  );
}

function scriptOf(language: Language): Script {
  if (language === 'en') return LATIN;
  return (SPACED as readonly string[]).includes(language) ? LETTERS : SIGNS;
}

/** Groups phrases with the same word boundaries, so that each boundary is matched only once. */
function scriptsOf(table: Phrases): [Script, readonly string[]][] {
  const lists = new Map<Script, string[]>();
  for (const [language, list] of Object.entries(table) as [Language, readonly string[]][]) {
    const script = scriptOf(language);
    lists.set(script, [...(lists.get(script) ?? []), ...list]);
  }
  return [...lists];
}

function anyOf(list: readonly string[], script: Script): string {
  const all = list.flatMap(choicesOf);
  const openStart = all.filter((phrase) => phrase.startsWith('*'));
  const bounded = all.filter((phrase) => !phrase.startsWith('*'));
  return [
    ...(openStart.length > 0 ? [withSharedEndings(openStart, script)] : []),
    ...(bounded.length > 0 ? [`${script.start}(?:${withSharedEndings(bounded, script)})`] : []),
  ].join('|');
}

/**
 * Joins phrases; neighbours with the same ending share one boundary, because compiling a letter class takes a
 * millisecond.
 */
function withSharedEndings(list: readonly string[], script: Script): string {
  const groups: { isOpen: boolean; sources: string[] }[] = [];
  for (const phrase of list) {
    const isOpen = phrase.endsWith('*');
    const group = groups.at(-1);
    const source = sourceOf(phrase, script);
    if (group?.isOpen === isOpen) group.sources.push(source);
    else groups.push({ isOpen, sources: [source] });
  }
  return groups
    .map(({ isOpen, sources }) => (isOpen ? sources.join('|') : `(?:${sources.join('|')})${script.end}`))
    .join('|');
}

/** Splits a phrase at `|` outside parentheses. */
function choicesOf(phrase: string): string[] {
  const choices = [''];
  let depth = 0;
  for (const character of phrase) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character === '|' && depth === 0) choices.push('');
    else choices[choices.length - 1] += character;
  }
  return choices;
}

/** The regular expression for a phrase, without its outer boundaries. */
function sourceOf(phrase: string, script: Script): string {
  const { start, end, letter, gap } = script;
  return phrase
    .split(/ ?(…\d*) ?/)
    .map((part, index, parts) => {
      if (index % 2 === 1) return `${gap}{0,${part.slice(1) || 60}}`;
      const words = part
        .replace(/^\*|\*$/g, '')
        .replaceAll('*', `${letter}*`)
        .replace(/\((?!\?)/g, '(?:');
      const head = index === 0 || part.startsWith('*') ? '' : start;
      return `${head}${words}${part.endsWith('*') || index === parts.length - 1 ? '' : end}`;
    })
    .join('');
}
