import type { Agreement } from '../contract/agreement.ts';
import type { Finding } from '../contract/finding.ts';
import type { PlacedFinding } from '../families/family.ts';
import { isObject, type Json, pointerTokens } from '../kernel/json.ts';

/** Sorts findings in reading order: the document before the cases, and members by their order in the text. */
export function inDocumentOrder(found: readonly PlacedFinding[], agreement: Agreement): PlacedFinding[] {
  const numbers = new MemberNumbers();
  const paths = new Map<PlacedFinding, readonly number[]>();
  const pathOf = (placed: PlacedFinding) => {
    const known = paths.get(placed) ?? numbers.pathOf(rootOf(placed.finding, agreement), placed.finding.pointer ?? '');
    paths.set(placed, known);
    return known;
  };
  return found.toSorted((one, other) => {
    if (one.text !== other.text) return one.text === 'document' ? -1 : 1;
    return one.at - other.at || sideOf(one) - sideOf(other) || comparePaths(pathOf(one), pathOf(other));
  });
}

/** In structured cases, both sides have the same offset. */
function sideOf({ finding }: PlacedFinding): number {
  return finding.in === 'response' ? 1 : 0;
}

function rootOf({ in: place, testCase }: Finding, { cases, requestSchema, responseSchema }: Agreement): Json {
  if (place === 'requestSchema') return requestSchema?.schema ?? null;
  if (place === 'responseSchema') return responseSchema?.schema ?? null;
  if (place !== 'request' && place !== 'response') return null;
  return cases.find((one) => one.testCase === testCase)?.[place] ?? null;
}

/** An enclosing place comes first. */
function comparePaths(one: readonly number[], other: readonly number[]): number {
  for (const [depth, number] of one.entries()) {
    const difference = number - (other[depth] ?? -1);
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}

/** The positions of members and items in their values; cached per object. */
class MemberNumbers {
  readonly #known = new Map<object, ReadonlyMap<string, number>>();

  /** The positions of the members along a pointer, as far as it exists. */
  pathOf(root: Json, pointer: string): readonly number[] {
    const path: number[] = [];
    let here: Json | undefined = root;
    for (const token of pointerTokens(pointer)) {
      if (Array.isArray(here)) {
        path.push(Number(token));
        here = here[Number(token)];
      } else if (isObject(here)) {
        const number = this.#numbersOf(here).get(token);
        if (number === undefined) break;
        path.push(number);
        here = here[token];
      } else break;
    }
    return path;
  }

  #numbersOf(value: object): ReadonlyMap<string, number> {
    const known = this.#known.get(value) ?? new Map(Object.keys(value).map((name, index) => [name, index]));
    this.#known.set(value, known);
    return known;
  }
}
