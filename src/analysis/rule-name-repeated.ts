import type { Finding } from '../contract/finding.ts';
import type { PlacedFinding } from '../families/family.ts';
import type { Json } from '../kernel/json.ts';
import { escapedLine, quoteText } from '../kernel/quote.ts';
import { memberNames } from '../schemas/member-names.ts';
import { type JsonText, jsonTexts, placeIn, placesIn } from './json-texts.ts';
import type { Rule } from './rule.ts';

/** No object has two members with the same name. Parsers silently take one of them, usually the last. */
export const ruleNameRepeated: Rule = {
  name: 'name-repeated',
  check({ agreement }, reading) {
    return [...jsonTexts(agreement, reading).flatMap(inText).take(MAX_FOUND)];
  },
};

/** Most findings of this rule. */
const MAX_FOUND = 50;

function* inText(json: JsonText): Generator<PlacedFinding> {
  // Counting is cheap and shows whether parsing dropped a member; only then are places searched.
  // YAML with a repeated name is not read at all.
  if (json.isYaml === true || colonsIn(json) === membersOf(json.value)) return;
  for (const { node, pointer } of placesIn(json)) {
    const seen = new Set<string>();
    const reported = new Set<string>();
    for (const { name } of node.members ?? []) {
      if (seen.has(name) && !reported.has(name)) {
        reported.add(name);
        yield { finding: findingOf(name, pointer, json), text: json.text, at: json.start };
      }
      seen.add(name);
    }
  }
}

function findingOf(name: string, pointer: string, text: JsonText): Finding {
  const at = pointer === '' ? '' : ` of the object at ${escapedLine(pointer)}`;
  return {
    code: 'DOCUMENT_NAME_REPEATED',
    severity: 'warning',
    ...placeIn(text, pointer),
    message: `Cannot tell members apart: the name ${quoteText(name)}${at} appears twice and the last one counts, wanted each name once`,
    actual: name,
  };
}

const [QUOTE, BACKSLASH, COLON] = [0x22, 0x5c, 0x3a];

/** The number of colons outside strings: one per written member. */
function colonsIn({ written, start, end }: JsonText): number {
  let count = 0;
  for (let at = start; at < end; at += 1) {
    const code = written.charCodeAt(at);
    if (code === COLON) count += 1;
    else if (code === QUOTE) {
      for (at += 1; at < end && written.charCodeAt(at) !== QUOTE; at += 1) {
        if (written.charCodeAt(at) === BACKSLASH) at += 1;
      }
    }
  }
  return count;
}

function membersOf(value: Json): number {
  let count = 0;
  const pending = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    if (Array.isArray(next)) {
      for (const item of next) pending.push(item);
      continue;
    }
    for (const name of memberNames(next)) {
      count += 1;
      pending.push(next[name] as Json);
    }
  }
  return count;
}
