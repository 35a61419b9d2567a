import type { Case } from '../contract/agreement.ts';
import type { Tool } from '../contract/job.ts';
import { pointersOf } from '../documents/located-json.ts';
import { isObject, type Json, keepsDigits, pointerTokens } from '../kernel/json.ts';
import type { Violation } from '../schemas/violations.ts';
import { typeOf } from './amendment-plan.ts';

/** Most values that are looked at for what stands elsewhere. */
const MAX_LOOKED_AT = 2_000;

/**
 * Tells a case that writes a value in another type than everything else does, such as `"0.40"` for a number, from a schema that is
 * too narrow: at that place the schema, and most values of all cases or a tool, have the type that the case lacks.
 */
export class CaseSlips {
  readonly #values: readonly Json[];
  readonly #tools: readonly Tool[];
  /** By place and keyword: whether most values there are as wanted. */
  readonly #usual = new Map<string, boolean>();
  #told: ReadonlySet<Json> | undefined;

  constructor(cases: readonly Case[], side: 'request' | 'response', tools: readonly Tool[]) {
    this.#values = cases.map((each) => each[side]);
    this.#tools = tools;
  }

  /** The same value in the type that the schema wants; `undefined` where the case is not known to be a slip. */
  meantBy({ keyword, schemaPointer, expected, actual = null, pointer }: Violation): Json | undefined {
    if (keyword !== 'type' && keyword !== 'enum') return undefined;
    const isWanted = (value: Json): boolean =>
      keyword === 'type' ? isOfType(value, expected) : Array.isArray(expected) && expected.includes(value);
    const meant = respelled(actual).find(isWanted);
    if (meant === undefined || this.#toldByTools().has(actual)) return undefined;
    if (this.#toldByTools().has(meant)) return meant;
    const key = `${pointer.replaceAll(ITEMS, '*')} ${schemaPointer}`;
    const isUsual = this.#usual.get(key) ?? isMostly(this.#valuesAt(pointerTokens(pointer)), isWanted);
    this.#usual.set(key, isUsual);
    return isUsual ? meant : undefined;
  }

  /** What all cases have at a place, whichever item of a list it is in. */
  #valuesAt(tokens: readonly string[]): readonly Json[] {
    let here: Json[] = [...this.#values];
    for (const token of tokens)
      here = here.slice(0, MAX_LOOKED_AT).flatMap((value) => {
        if (Array.isArray(value)) return ITEM.test(token) ? value : [];
        return isObject(value) && Object.hasOwn(value, token) ? [value[token] as Json] : [];
      });
    return here.slice(0, MAX_LOOKED_AT);
  }

  /** The single values in what tools answer with. */
  #toldByTools(): ReadonlySet<Json> {
    this.#told ??= new Set(
      this.#tools
        .flatMap(({ examples = [], otherwise }) => [...examples, ...(otherwise === undefined ? [] : [otherwise])])
        .flatMap((answer) => ('output' in answer ? pointersOf(answer.output, MAX_LOOKED_AT) : []))
        .map(({ value }) => value),
    );
    return this.#told;
  }
}

const ITEM = /^\d+$/;
const ITEMS = /(?<=\/)\d+(?=\/|$)/g;

function isMostly(values: readonly Json[], isWanted: (value: Json) => boolean): boolean {
  const wanted = values.filter(isWanted).length;
  return wanted > 0 && wanted >= values.length - wanted;
}

function isOfType(value: Json, wanted: Json): boolean {
  const type = typeOf(value);
  const types = Array.isArray(wanted) ? wanted : [wanted];
  return types.some((one) => one === type || (one === 'number' && type === 'integer'));
}

const NUMERAL = /^-?(?:0|[1-9]\d{0,30})(?:\.\d{1,30})?$/;

/** What a single value would be in other types. */
function respelled(value: Json): Json[] {
  if (typeof value === 'number' || typeof value === 'boolean') return [String(value)];
  if (value === 'true' || value === 'false') return [value === 'true'];
  return typeof value === 'string' && NUMERAL.test(value) && keepsDigits(value) ? [Number(value)] : [];
}
