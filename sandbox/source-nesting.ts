import { policy } from './policy.ts';

/**
 * Prefix operators in a row nest like brackets. So do statements without brackets, arrows, labels, comparisons and the
 * parts of a namespace.
 */
const prefix =
  /[!~+-]\s{0,9}|\b(?:typeof|void|delete|await|new|else|do)\s{1,9}|\b(?:if|for|while|with)\s{0,9}\([^()]{0,99}\)\s{0,9}|(?<![\w$])[\w$]{1,99}\s{0,9}(?:=>|:|\.|<)\s{0,9}/;
const [eachPrefix, prefixChain] = [new RegExp(prefix, 'g'), new RegExp(`(?:${prefix.source})+`, 'g')];

/**
 * The index at which a source nests deeper than the policy allows; `undefined` if it does not. Brackets in strings
 * count too, which does no harm.
 */
export function tooDeepAt(source: string): number | undefined {
  const most = policy.maxNesting.default;
  let depth = 0;
  for (let at = 0; at < source.length; at += 1) {
    const character = source[at] as string;
    if ('([{'.includes(character)) depth += 1;
    else if (')]}'.includes(character)) depth = Math.max(0, depth - 1);
    if (depth > most) return at;
  }
  for (const { 0: chain, index } of source.matchAll(prefixChain))
    if (chain.length >= most && (chain.match(eachPrefix)?.length ?? 0) >= most) return index;
  return undefined;
}
