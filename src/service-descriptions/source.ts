import type { Finding } from '../contract/finding.ts';
import { dialectAround } from '../documents/completed-schema.ts';
import type { LocatedJson } from '../documents/located-json.ts';
import { escapeToken, type Json, pointerTokens } from '../kernel/json.ts';
import { MAX_QUOTE_CHARS, quoteText } from '../kernel/quote.ts';
import { decoded } from '../schemas/schema-names.ts';
import type { DescriptionFault } from './service-description.ts';

/** A value of a description, with its JSON pointer there. */
export interface Placed {
  node: LocatedJson;
  pointer: string;
}

/** Where a description is in a text. */
export interface DescriptionPlace {
  /** Its value; references in it start here. */
  root: LocatedJson;
  /** UTF-16 offset of the outermost JSON value that contains it, and its pointer in that value. */
  start: number;
  pointer: string;
  baseUri?: string | undefined;
}

/** Longest chain of references. */
const MAX_REFERENCES = 8;

/** Most faults of one description. */
const MAX_FAULTS = 50;

/** A description that is being read: finds its parts, follows its references, collects its faults. Never throws. */
export class Source {
  readonly place: DescriptionPlace;
  readonly dialect: string | undefined;
  readonly faults: DescriptionFault[] = [];
  readonly #members = new WeakMap<LocatedJson, Map<string, LocatedJson>>();

  constructor(place: DescriptionPlace) {
    this.place = place;
    this.dialect = dialectAround(place.root.value);
  }

  get root(): Placed {
    return { node: this.place.root, pointer: '' };
  }

  /** A member of an object; `undefined` if it has no such member, or is not an object. */
  at(holder: Placed | undefined, name: string): Placed | undefined {
    const node = holder && this.#membersOf(holder.node).get(name);
    return node && { node, pointer: `${holder.pointer}/${escapeToken(name)}` };
  }

  /** The text of a member; empty if the member is not a text. */
  text(holder: Placed | undefined, name: string): string {
    const value = this.at(holder, name)?.node.value;
    return typeof value === 'string' ? value : '';
  }

  /** The items of a list; none if it is not a list. */
  items(list: Placed | undefined): Placed[] {
    return (list?.node.items ?? []).map((node, index) => ({ node, pointer: `${list?.pointer}/${index}` }));
  }

  /** The members of an object, in text order, without repeated ones; none if it is not an object. */
  members(holder: Placed | undefined): { name: string; member: Placed }[] {
    if (holder === undefined) return [];
    return [...this.#membersOf(holder.node)].map(([name, node]) => ({
      name,
      member: { node, pointer: `${holder.pointer}/${escapeToken(name)}` },
    }));
  }

  /** What a value refers to by `$ref`, or the value itself; `undefined`, with a fault, if that leads nowhere. */
  resolved(given: Placed | undefined): Placed | undefined {
    let here = given;
    for (let followed = 0; here !== undefined; followed += 1) {
      const reference = this.at(here, '$ref')?.node.value;
      if (typeof reference !== 'string') return here;
      const found = followed < MAX_REFERENCES && reference.startsWith('#') ? this.#find(reference) : undefined;
      if (found === undefined) {
        this.#badReference(here, reference, followed);
        return undefined;
      }
      here = found;
    }
    return undefined;
  }

  /** Reports a fault of the description at a place. */
  fault(severity: Finding['severity'], place: Placed, found: string, wanted: string): void {
    const at = place.pointer === '' ? '' : ` at ${quoteText(place.pointer)}`;
    const message = `Cannot read service description${at}: found ${found}, wanted ${wanted}`;
    const [actual, expected] = [found.replaceAll('`', '"'), wanted];
    this.#add({ code: 'DOCUMENT_DESCRIPTION_INVALID', severity, in: 'document', message, expected, actual }, place);
  }

  /** Reports that a wanted method is not in the description. */
  unknownMethod(name: string): void {
    const message = `Cannot find method: found none called ${quoteText(name)}, wanted one of this description`;
    const actual = name.slice(0, MAX_QUOTE_CHARS).toWellFormed();
    this.#add({ code: 'DOCUMENT_METHOD_UNKNOWN', severity: 'error', in: 'document', message, actual }, this.root);
  }

  #badReference(place: Placed, reference: string, followed: number): void {
    if (!reference.startsWith('#')) {
      const message = `Cannot follow reference at ${quoteText(place.pointer)}: found ${quoteText(reference)} in another document, wanted one in this description`;
      const actual = reference.slice(0, MAX_QUOTE_CHARS).toWellFormed();
      this.#add({ code: 'DOCUMENT_REFERENCE_EXTERNAL', severity: 'error', in: 'document', message, actual }, place);
      return;
    }
    const found =
      followed < MAX_REFERENCES ? `a reference to nothing, ${quoteText(reference)}` : 'references in a circle';
    this.fault('error', place, found, 'a part of this description');
  }

  #add(finding: Finding, { pointer, node }: Placed): void {
    if (this.faults.length >= MAX_FAULTS) return;
    this.faults.push({
      finding: { ...finding, pointer: this.place.pointer + pointer },
      text: 'document',
      at: node.start,
    });
  }

  #find(reference: string): Placed | undefined {
    const pointer = decoded(reference.slice(1));
    if (pointer === undefined || (pointer !== '' && !pointer.startsWith('/'))) return undefined;
    let node: LocatedJson | undefined = this.place.root;
    for (const token of pointerTokens(pointer)) {
      node =
        /^(?:0|[1-9]\d{0,8})$/.test(token) && node?.items !== undefined
          ? node.items[Number(token)]
          : node && this.#membersOf(node).get(token);
    }
    return node && { node, pointer };
  }

  #membersOf(node: LocatedJson): Map<string, LocatedJson> {
    const known = this.#members.get(node) ?? new Map((node.members ?? []).map((member) => [member.name, member.node]));
    this.#members.set(node, known);
    return known;
  }
}

/** How a fault names a value: by its type, or as a quotation if it is a text, a number or a boolean. */
export function kindOf(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return quoteText(String(value));
}
