/** A part of an agreement's text that only machines read: UTF-16 offsets of what is between its fences. */
export interface TextPart {
  start: number;
  end: number;
}

/** The parts of an agreement's text. */
export interface AgreementText {
  /** The protocol artifact, as it came. */
  artifact?: TextPart;
  /** What was selected of it. */
  selection?: TextPart;
  /** The schemas of its methods, by URI. */
  schemas: ReadonlyMap<string, TextPart>;
  /** What the agreement says in words. */
  words: string;
}

/** The same parts as texts of their own. */
export interface AgreementParts {
  artifact?: string;
  selection?: string;
  schemas: ReadonlyMap<string, string>;
  words: string;
}

const ARTIFACT = 'Protocol artifact';
const SELECTION = 'Selection';
const SCHEMA = 'Schema';
const WORDS = 'Words';

/** The text of an agreement: Markdown with every part under a heading, and each part for machines in a fence. */
export function writeAgreementText({ artifact, selection, schemas, words }: AgreementParts): string {
  return [
    ...(artifact === undefined ? [] : [fenced(ARTIFACT, artifact)]),
    ...(selection === undefined ? [] : [fenced(SELECTION, selection)]),
    ...[...schemas].map(([uri, text]) => fenced(`${SCHEMA} ${JSON.stringify(uri)}`, text)),
    `# ${WORDS}\n\n${words}`,
  ].join('');
}

/** The parts of such a text; `undefined` for any other text. In time linear in it. */
export function readAgreementText(text: string): AgreementText | undefined {
  const schemas = new Map<string, TextPart>();
  const found: AgreementText = { schemas, words: '' };
  for (let at = 0; ; ) {
    HEADING.lastIndex = at;
    const [heading, title = '', fence = ''] = HEADING.exec(text) ?? [];
    if (heading === undefined) {
      if (!text.startsWith(LAST, at)) return undefined;
      return { ...found, words: text.slice(at + LAST.length) };
    }
    const start = at + heading.length;
    const end = text.indexOf(`\n${fence}\n\n`, start);
    if (end < 0) return undefined;
    const part = { start, end };
    if (title === ARTIFACT) found.artifact = part;
    else if (title === SELECTION) found.selection = part;
    else {
      const uri = uriIn(title);
      if (uri === undefined) return undefined;
      schemas.set(uri, part);
    }
    at = end + fence.length + 3;
  }
}

/** The parts of such a text as texts of their own. */
export function agreementParts(text: string): AgreementParts | undefined {
  const read = readAgreementText(text);
  if (read === undefined) return undefined;
  const { artifact, selection, schemas, words } = read;
  const textOf = ({ start, end }: TextPart) => text.slice(start, end);
  return {
    ...(artifact === undefined ? {} : { artifact: textOf(artifact) }),
    ...(selection === undefined ? {} : { selection: textOf(selection) }),
    schemas: new Map([...schemas].map(([uri, part]) => [uri, textOf(part)])),
    words,
  };
}

const HEADING = /# (Protocol artifact|Selection|Schema "[^\n]*")\n\n(`{3,})json\n/y;
const LAST = `# ${WORDS}\n\n`;

function fenced(title: string, text: string): string {
  let fence = '```';
  for (const [ticks] of text.matchAll(/`{3,}/g)) if (ticks.length >= fence.length) fence = `${ticks}\``;
  return `# ${title}\n\n${fence}json\n${text}\n${fence}\n\n`;
}

function uriIn(title: string): string | undefined {
  try {
    return String(JSON.parse(title.slice(SCHEMA.length + 1)));
  } catch {
    return undefined;
  }
}
