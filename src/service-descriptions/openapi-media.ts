import type { Json } from '../kernel/json.ts';
import type { Placed, Source } from './source.ts';

/** The content of a body, as a handler sees it. */
export interface Media {
  place: Placed;
  /** Absent if the description has none. */
  schema: Placed | undefined;
  isText: boolean;
}

/** The kinds of media types, best first. */
const KINDS: readonly { of: RegExp; isText: boolean }[] = [
  { of: /^application\/(?:[\w.+-]+\+)?json\b/i, isText: false },
  { of: /\bjson\b/i, isText: false },
  { of: /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i, isText: false },
  { of: /^\*\/\*/, isText: false },
  { of: /^text\//i, isText: true },
];

/** The content that handlers get or return: JSON if there is any, else a form, else a text; `undefined` if none. */
export function mediaOf(source: Source, body: Placed | undefined): Media | undefined {
  const types = source.members(source.at(body, 'content'));
  for (const { of, isText } of KINDS) {
    const found = types.find(({ name }) => of.test(name));
    if (found !== undefined) return { place: found.member, schema: source.at(found.member, 'schema'), isText };
  }
  const [other] = types;
  return other && { place: other.member, schema: source.at(other.member, 'schema'), isText: true };
}

/** The schema of a body without one. */
export function bareBody({ isText }: Pick<Media, 'isText'>): Json {
  return isText ? { type: 'string' } : true;
}

/** Most named examples of one body or parameter. */
const MAX_EXAMPLES = 64;

/** The examples of a body or parameter by name. The value of `example` has the empty name. */
export function namedExamples(source: Source, holder: Placed | undefined): Map<string, Json> {
  const found = new Map<string, Json>();
  const single = source.at(holder, 'example')?.node.value;
  if (single !== undefined) found.set('', single);
  for (const { name, member } of source.members(source.at(holder, 'examples')).slice(0, MAX_EXAMPLES)) {
    const value = source.at(source.resolved(member), 'value')?.node.value;
    if (value !== undefined) found.set(name, value);
  }
  return found;
}
