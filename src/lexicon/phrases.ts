/** Languages whose words stand apart; Arabic is not among them: its articles and pronouns are written in one with the word. */
const PARTED = ['de', 'fr', 'es', 'pt', 'it', 'nl', 'ru'] as const;

/** Languages and signs whose words nothing parts from what is beside them. */
const UNPARTED = ['zh', 'ja', 'ko', 'ar', 'signs'] as const;

type Language = 'en' | (typeof PARTED)[number] | (typeof UNPARTED)[number];

/**
 * The phrases of a notion, by language, in a notation for readers. A phrase stands for itself as whole words, whatever their case;
 * `fails|falls over` are two. `fail*` leaves open how a word goes on, `*fehler` how it begins. `both … fail` has up to 60 characters of
 * the same sentence between, `both …20 fail` up to 20. `(does|did) not` is a choice that captures nothing. All else is as in a regular
 * expression: `errors?`, `vac[ií]o`, `(?! is needed)`. Where words stand apart, a phrase begins and ends with a letter or digit.
 */
export type Phrases = Partial<Record<Language, readonly string[]>>;

/** What bounds a word, and what may stand within a sentence. */
interface Script {
  start: string;
  end: string;
  letter: string;
  gap: string;
}

// What letters are, as ranges: V8 takes nine times as long to compile `\p{L}` where case does not count, and each table has it several times.
const LETTER = String.raw`a-z\xaa\xb5\xba\xc0-\xd6\xd8-\xf6\xf8-\u02c1\u02e0-\u02e4\u0370-\u037d\u037f-\u058f\u05d0-\u05ff\u0620-\u0669\u066e-\u06d3\u06d5-\u0963\u0966-\u1fff\u2c00-\u2dff\u3005-\u3007\u3041-\u30fa\u30fc-\ud7ff\uf900-\ufdff`;
const SIGN_OF_WORD = String.raw`${LETTER}\d\xb2\xb3\xb9\uff10-\uff19_`;

// Beside an accented or Cyrillic letter `\b` sees the end of a word where there is none.
const LATIN: Script = { start: String.raw`\b`, end: String.raw`\b`, letter: String.raw`\w`, gap: String.raw`[^.\n]` };
const LETTERS: Script = {
  ...LATIN,
  start: `(?<![${SIGN_OF_WORD}])`,
  end: `(?![${SIGN_OF_WORD}])`,
  letter: `[${LETTER}]`,
};
const SIGNS: Script = { start: '', end: '', letter: `[${LETTER}]`, gap: String.raw`[^。\n]` };

/** One expression that finds any of the phrases. Its gaps are bounded, so it takes time in proportion to a text. */
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
  return (PARTED as readonly string[]).includes(language) ? LETTERS : SIGNS;
}

/** The phrases that are bounded alike, together: what bounds them is looked for once. */
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
  const open = all.filter((phrase) => phrase.startsWith('*'));
  const bounded = all.filter((phrase) => !phrase.startsWith('*'));
  return [
    ...(open.length > 0 ? [endedAlike(open, script)] : []),
    ...(bounded.length > 0 ? [`${script.start}(?:${endedAlike(bounded, script)})`] : []),
  ].join('|');
}

/** The phrases, those beside each other that end alike with one end for all: to compile a class of letters takes a millisecond. */
function endedAlike(list: readonly string[], script: Script): string {
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

/** The phrases that bars outside of brackets part. */
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

/** The expression for a phrase but for what bounds it. */
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
