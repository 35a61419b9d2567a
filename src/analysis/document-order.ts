import type { Agreement } from '../contract/agreement.ts';
import type { Finding } from '../contract/finding.ts';
import type { PlacedFinding } from '../families/family.ts';
import { isObject, type Json, pointerTokens } from '../kernel/json.ts';

/** Findings as whoever reads document and cases comes upon their places: the document before the cases, and members as they follow each other. */
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
    return one.at - other.at || sideOf(one) - sideOf(other) || compared(pathOf(one), pathOf(other));
  });
}

/** Structured cases have one offset for both sides. */
function sideOf({ finding }: PlacedFinding): number {
  return finding.in === 'response' ? 1 : 0;
}

function rootOf({ in: place, testCase }: Finding, { cases, requestSchema, responseSchema }: Agreement): Json {
  if (place === 'requestSchema') return requestSchema?.schema ?? null;
  if (place === 'responseSchema') return responseSchema?.schema ?? null;
  if (place !== 'request' && place !== 'response') return null;
  return cases.find((one) => one.testCase === testCase)?.[place] ?? null;
}

/** What is around a place comes before it. */
function compared(one: readonly number[], other: readonly number[]): number {
  for (const [depth, number] of one.entries()) {
    const difference = number - (other[depth] ?? -1);
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}

/** The numbers of members and items as they stand in their values; those of wide values are counted once. */
class MemberNumbers {
  readonly #known = new Map<object, ReadonlyMap<string, number>>();

  /** The numbers of the members that a pointer leads through, as far as it leads. */
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
