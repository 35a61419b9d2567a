/** Most modules of one program: making the library's types ready takes longer than checking one module against them. */
export const MAX_TOGETHER = 8;

/** The one import that a module needs. */
const OWN_IMPORT = /^import (?:type )?\{[\w\s,]*\} from (?:'\.\/types'|"\.\/types");?$/gm;

/** Whatever could reach another module of the same program, or what all of them share; escapes might hide it. */
const REACHES_OUT = /\b(?:import|require|declare|global|module|namespace)\b|\bfrom\s*(?:['"`]|\/[/*])|\\u/;

/** Whether a module is certain to see nothing but its own `./types`, and to change nothing for others: one that is not is checked by itself. */
export function standsAlone(source: string): boolean {
  return !REACHES_OUT.test(source.replaceAll(OWN_IMPORT, ''));
}
