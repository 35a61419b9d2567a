import { MAX_CASES } from '../../contract/agreement.ts';
import { sideNamedIn } from '../../documents/claims.ts';
import type { JsonBlock } from '../../documents/json-blocks.ts';
import { type CaseText, type CaseTexts, isPayloadFault, type PayloadText } from './case-text.ts';

/** Longest text before an unlabelled payload that may name its side, in UTF-16 units. */
const MAX_BEFORE = 200;

/**
 * The cases of a text without labels: under each heading two JSON values, a request and its response; or, without
 * headings, such pairs with an arrow or a word for an answer between the two. `undefined` if the text has another
 * structure, or if its labelled cases were read already.
 */
export function pairedCases(text: string, { cases: labelled, heads, json }: CaseTexts): CaseTexts | undefined {
  const { blocks, broken } = json;
  const isMissing = (side: 'request' | 'response') =>
    labelled.every((each) => isPayloadFault(each[side]) && each[side].reason === 'missing');
  if (!isMissing('request') && !isMissing('response')) return undefined;
  if (broken.length > 0 || blocks.length === 0 || blocks.some(({ lenient }) => lenient)) return undefined;
  const groups = heads.length > 0 ? underHeads(heads, blocks) : inPairs(blocks);
  const cases: CaseText[] = [];
  let before = 0;
  for (const { head, values } of groups) {
    const [first, second] = values;
    if (first === undefined || second === undefined || values.length > 2) return undefined;
    const [above, between] = [
      text.slice(Math.max(before, head.start, first.start - MAX_BEFORE), first.start),
      text.slice(first.end, second.start),
    ];
    before = second.end;
    const sides = [sideNamedIn(above), sideNamedIn(between.slice(-MAX_BEFORE))] as const;
    if (heads.length === 0 && sides[1] === null && !LEADS_TO.test(between)) return undefined;
    const isTurned = sides[0] === 'response' && sides[1] === 'request';
    cases.push({
      ...head,
      request: payloadOf(isTurned ? second : first),
      response: payloadOf(isTurned ? first : second),
      expected: '',
    });
  }
  return { cases: cases.slice(0, MAX_CASES), headings: cases.length, heads: [...heads], json };
}

/** What may separate a request from its response. */
const LEADS_TO = /^[\s`|]*(?:→|⟶|⇒|➔|[-=]{1,2}>|\|)[\s`|]*$/;

interface Group {
  head: CaseTexts['heads'][number];
  values: JsonBlock[];
}

function underHeads(heads: CaseTexts['heads'], blocks: readonly JsonBlock[]): Group[] {
  const groups = heads.map((head): Group => ({ head, values: [] }));
  let at = -1;
  for (const block of blocks) {
    while ((groups[at + 1]?.head.start ?? Number.POSITIVE_INFINITY) <= block.start) at += 1;
    groups[at]?.values.push(block);
  }
  return groups;
}

function inPairs(blocks: readonly JsonBlock[]): Group[] {
  const firsts = blocks.filter((_, index) => index % 2 === 0);
  return firsts.map((first, index) => ({
    head: { number: index + 1, start: first.start },
    values: blocks.slice(index * 2, index * 2 + 2),
  }));
}

function payloadOf({ start, end, value }: JsonBlock): PayloadText {
  return { value, span: { start, end }, raw: { start, end, indent: 0 } };
}
