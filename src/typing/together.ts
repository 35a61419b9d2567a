/** Most modules in one program. Preparing the library types takes longer than checking one module against them. */
export const MAX_TOGETHER = 8;

/** The only import that a module needs. */
const OWN_IMPORT = /^import (?:type )?\{[\w\s,]*\} from (?:'\.\/types'|"\.\/types");?$/gm;

/** Anything that could reach another module of the program or shared state; escapes might hide it. */
const REACHES_OUT = /\b(?:import|require|declare|global|module|namespace)\b|\bfrom\s*(?:['"`]|\/[/*])|\\u/;

/**
 * Whether a module certainly sees only its own `./types` and changes nothing for others. Any other module is checked
 * alone.
 */
export function standsAlone(source: string): boolean {
  return !REACHES_OUT.test(source.replaceAll(OWN_IMPORT, ''));
}
