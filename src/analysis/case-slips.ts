import type { Case } from '../contract/agreement.ts';
import type { Tool } from '../contract/job.ts';
import { pointersOf } from '../documents/located-json.ts';
import { isObject, type Json, keepsDigits, pointerTokens } from '../kernel/json.ts';
import type { Violation } from '../schemas/violations.ts';
import { typeOf } from './amendment-plan.ts';

/** Most values searched for the same value elsewhere. */
const MAX_SEARCHED = 2_000;

/**
 * Distinguishes a case that writes a value in the wrong type, such as `"0.40"` for a number, from a schema that is too
 * narrow. It is a slip if the schema, and most values of the cases at that place or of a tool, have the other type.
 */
export class CaseSlips {
  readonly #values: readonly Json[];
  readonly #tools: readonly Tool[];
  /** By place and keyword: whether most values there have the wanted type. */
  readonly #usual = new Map<string, boolean>();
  #toolValues: ReadonlySet<Json> | undefined;

  constructor(cases: readonly Case[], side: 'request' | 'response', tools: readonly Tool[]) {
    this.#values = cases.map((each) => each[side]);
    this.#tools = tools;
  }

  /** The value in the type that the schema wants; `undefined` if the case is not known to be a slip. */
  meantBy({ keyword, schemaPointer, expected, actual = null, pointer }: Violation): Json | undefined {
    if (keyword !== 'type' && keyword !== 'enum') return undefined;
    const isWanted = (value: Json): boolean =>
      keyword === 'type' ? isOfType(value, expected) : Array.isArray(expected) && expected.includes(value);
    const meant = inOtherTypes(actual).find(isWanted);
    if (meant === undefined || this.#valuesOfTools().has(actual)) return undefined;
    if (this.#valuesOfTools().has(meant)) return meant;
    const key = `${pointer.replaceAll(ITEMS, '*')} ${schemaPointer}`;
    const isUsual = this.#usual.get(key) ?? isMostly(this.#valuesAt(pointerTokens(pointer)), isWanted);
    this.#usual.set(key, isUsual);
    return isUsual ? meant : undefined;
  }

  /** The values of all cases at a place, in any item of a list. */
  #valuesAt(tokens: readonly string[]): readonly Json[] {
    let here: Json[] = [...this.#values];
    for (const token of tokens)
      here = here.slice(0, MAX_SEARCHED).flatMap((value) => {
        if (Array.isArray(value)) return ITEM.test(token) ? value : [];
        return isObject(value) && Object.hasOwn(value, token) ? [value[token] as Json] : [];
      });
    return here.slice(0, MAX_SEARCHED);
  }

  /** The scalar values in the tools' answers. */
  #valuesOfTools(): ReadonlySet<Json> {
    this.#toolValues ??= new Set(
      this.#tools
        .flatMap(({ examples = [], otherwise }) => [...examples, ...(otherwise === undefined ? [] : [otherwise])])
        .flatMap((answer) => ('output' in answer ? pointersOf(answer.output, MAX_SEARCHED) : []))
        .map(({ value }) => value),
    );
    return this.#toolValues;
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

/** A scalar value in other types. */
function inOtherTypes(value: Json): Json[] {
  if (typeof value === 'number' || typeof value === 'boolean') return [String(value)];
  if (value === 'true' || value === 'false') return [value === 'true'];
  return typeof value === 'string' && NUMERAL.test(value) && keepsDigits(value) ? [Number(value)] : [];
}
