import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isPurpose, type Purpose } from './purpose.ts';

/** A hand-written reply, with the texts that a prompt must and must not contain. */
export interface Script {
  /** Name of its file. */
  name: string;
  /** Where the reply comes from: a hand-written reply must not pass as a recorded one. */
  origin: 'hand-written';
  /** The purpose of the questions that it answers. */
  to: Purpose;
  present: readonly string[];
  absent: readonly string[];
  reply: string;
}

/** Reads every script (`*.md`) in a folder. Throws if one cannot be read. */
export function readScripts(directory: string): Script[] {
  return readdirSync(directory)
    .filter((file) => file.endsWith('.md') && file !== 'README.md')
    .sort()
    .map((file) => parseScript(file, readFileSync(join(directory, file), 'utf8')));
}

/**
 * Reads a script: a head between two lines of `---`, and the reply below it. Lines of the head are `origin:
 * hand-written`, `to: …` (a purpose; default `candidate`), `present: "…"` and `absent: "…"` with JSON strings; the last
 * two may repeat. Throws an error if the text is not a script.
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
 * The scripts that match a question best: those for its purpose whose conditions all hold, and of these the ones with
 * the most conditions. More than one is a fault of the scripts.
 */
export function matchingScripts(scripts: readonly Script[], prompt: string, purpose: Purpose = 'candidate'): Script[] {
  const matching = scripts.filter(
    ({ to, present, absent }) =>
      to === purpose && present.every((text) => prompt.includes(text)) && !absent.some((text) => prompt.includes(text)),
  );
  const weight = ({ present, absent }: Script): number => present.length + absent.length;
  const most = Math.max(...matching.map(weight));
  return matching.filter((script) => weight(script) === most);
}
