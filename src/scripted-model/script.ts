import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isPurpose, type Purpose } from './purpose.ts';

/** A reply written by hand, with what a prompt must and must not contain for it to be given. */
export interface Script {
  /** Of its file. */
  name: string;
  /** Where the reply comes from; nothing written by hand is called recorded. */
  origin: 'hand-written';
  /** Which questions it answers. */
  to: Purpose;
  present: readonly string[];
  absent: readonly string[];
  reply: string;
}

/** Reads every script (`*.md`) of a folder. Throws where one of them cannot be read as a script. */
export function readScripts(directory: string): Script[] {
  return readdirSync(directory)
    .filter((file) => file.endsWith('.md') && file !== 'README.md')
    .sort()
    .map((file) => parseScript(file, readFileSync(join(directory, file), 'utf8')));
}

/**
 * A script is a head between two lines of `---` and the reply below it. Lines of the head are `origin: hand-written`,
 * `to: …` (a purpose, `candidate` where there is no such line), `present: "…"` and `absent: "…"`, the texts as JSON
 * strings; there may be several of the latter two.
 */
export function parseScript(name: string, text: string): Script {
  const parts = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text.replaceAll('\r\n', '\n'));
  if (parts === null) throw new Error(`Cannot read script "${name}": no head, wanted one between two lines of "---"`);
  const [, head = '', reply = ''] = parts;
  const script = {
    name,
    origin: '',
    to: 'candidate',
    present: [] as string[],
    absent: [] as string[],
    reply: reply.trim(),
  };
  for (const line of head.split('\n')) {
    const [, key = '', value = ''] = /^(\w+): (.*)$/.exec(line) ?? [];
    if (key === 'origin' || key === 'to') script[key] = value.trim();
    else if (key === 'present' || key === 'absent') script[key].push(String(JSON.parse(value)));
    else if (line.trim() !== '')
      throw new Error(`Cannot read script "${name}": line "${line}", wanted origin, to, present or absent`);
  }
  if (script.origin !== 'hand-written')
    throw new Error(`Cannot read script "${name}": origin "${script.origin}", wanted "hand-written"`);
  const { to } = script;
  if (!isPurpose(to))
    throw new Error(`Cannot read script "${name}": to "${to}", wanted candidate, judge, read or confirm`);
  if (script.present.length === 0)
    throw new Error(`Cannot read script "${name}": no condition, wanted at least one text that the prompt contains`);
  return { ...script, origin: 'hand-written', to };
}

/**
 * The scripts that fit a question best: of those for its purpose the ones with the most conditions among those whose
 * conditions all hold. More than one is a fault of the scripts.
 */
export function fittingScripts(scripts: readonly Script[], prompt: string, purpose: Purpose = 'candidate'): Script[] {
  const fitting = scripts.filter(
    ({ to, present, absent }) =>
      to === purpose && present.every((text) => prompt.includes(text)) && !absent.some((text) => prompt.includes(text)),
  );
  const weight = ({ present, absent }: Script): number => present.length + absent.length;
  const most = Math.max(...fitting.map(weight));
  return fitting.filter((script) => weight(script) === most);
}
