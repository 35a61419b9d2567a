import type { Case } from '../contract/agreement.ts';
import type { Finding } from '../contract/finding.ts';
import type { ToolAnswer } from '../contract/job.ts';
import { pointersOf } from '../documents/located-json.ts';
import type { PlacedFinding } from '../families/family.ts';
import { type Json, pointerTokens, valueAt } from '../kernel/json.ts';
import { CORRELATION, type DocumentedEchoes, FILE_NUMBER, REQUEST_ID } from './documented-echoes.ts';
import { mayReplyElsewhere, type ReplyPlace, replyPlaces } from './reply-places.ts';
import type { Rule } from './rule.ts';
import { areTagged, hasOtherTag, tagOf } from './text-tags.ts';

/**
 * A case repeats the id of its request as the other cases do, and as the document says. A wrong id is usually a copying
 * mistake. An error only if JSON-RPC or the response schema requires the id, or if the cases confirm a sentence about
 * an id whose name identifies messages. Otherwise a warning, because a sentence may mean something else.
 */
export const ruleCaseIdNotEchoed: Rule = {
  name: 'case-id-not-echoed',
  check({ job, agreement }, { echoes, prose }) {
    const sound = agreement.cases.filter(({ negative }) => !negative);
    const [first] = sound;
    if (first === undefined) return [];
    const { cases, text } = agreement;
    if (areTagged(cases, text, 1)) {
      const slips = cases.filter((each) => hasOtherTag(each, text));
      return slips.map((each) => {
        const sent = { sent: tagOf(each.request) ?? null, answered: tagOf(each.response) ?? null };
        return placed({ each, ...sent }, '', { isSure: false, isCopied: false });
      });
    }
    const toolValues = new Set(job.tools.flatMap(({ examples = [] }) => examples.flatMap(valuesOf)));
    const sources = { echoes, toolValues, prose, loose: new Set(job.loose.map(({ pointer }) => pointer)) };
    const echoed = pointersOf(first.request, MAX_PLACES).flatMap(({ pointer, value }) => {
      if (!isAnyId(value)) return [];
      const slips = slipsAt(pointer, cases, sources);
      return slips.length > 0 ? slips : othersAt(pointer, sound, sources);
    });
    return [...echoed, ...replyPlaces(sound, echoes).flatMap((place) => repliesAt(place, cases, sources))];
  },
};

/** Most places of a request that are examined. */
const MAX_PLACES = 100;

/** A sent id, and the one returned in its place. */
interface Pair {
  each: Case;
  sent: Json;
  answered: Json;
}

/** How certain it is that an id is wrong. */
interface Known {
  /** Whether more than a sentence or the other cases requires the repetition. */
  isSure: boolean;
  /** Whether it is another case's id. */
  isCopied: boolean;
}

/** Where the ids of an answer may come from: the document, and the answers of the tools. */
interface Sources {
  echoes: DocumentedEchoes;
  toolValues: ReadonlySet<Json>;
  prose: string;
  /** Pointers to values that may differ. */
  loose: ReadonlySet<string>;
}

/**
 * The ids sent at one place and returned at another, for all cases. Of refused requests, only those whose answer
 * repeats some request's id.
 */
function pairsAt(sentAt: string, answeredAt: string, cases: readonly Case[]): { pairs: Pair[]; sent: Set<Json> } {
  const all = new Set(cases.map(({ request }) => valueAt(request, sentAt)));
  const pairs = cases.flatMap((each): Pair[] => {
    const [sent, answered] = [valueAt(each.request, sentAt), valueAt(each.response, answeredAt)];
    if (!isAnyId(sent) || !isAnyId(answered) || (each.negative && !all.has(answered))) return [];
    return [{ each, sent, answered }];
  });
  return { pairs, sent: new Set([...all].filter((value) => value !== undefined)) };
}

function slipsAt(pointer: string, cases: readonly Case[], { echoes, toolValues }: Sources): PlacedFinding[] {
  const { pairs, sent } = pairsAt(pointer, pointer, cases);
  const wrong = pairs.filter(({ sent, answered }) => !isAlike(sent, answered));
  if (wrong.length === 0 || wrong.length > MAX_SLIPS) return [];
  if (wrong.some(({ answered }) => toolValues.has(answered))) return [];
  const name = pointerTokens(pointer).at(-1) ?? '';
  // An id used by several requests identifies a thing. An answer need not repeat it unless the document says so.
  const together = Map.groupBy(pairs, (pair) => pair.sent);
  const unsure = echoes.isReturned(name) ? wrong : pairs;
  if (unsure.some((pair) => (together.get(pair.sent)?.length ?? 0) > 1)) return [];
  const namesExchange = CORRELATION.test(name) || REQUEST_ID.test(name);
  const isCopied = wrong.every(({ answered }) => sent.has(answered));
  const isStandard = isJsonRpcId(pointer, cases);
  const perSlip = (pairs.length - wrong.length) / wrong.length;
  const isId = namesExchange || WHOLE_ID.test(name) || FILE_NUMBER.test(name);
  const isReturned = perSlip >= 2 && (echoes.isDescribed(name) || (isId && echoes.isReturned(name)));
  if (!isCopied && !namesExchange && !isStandard && !isReturned) return [];
  const isDocumented =
    (isStandard && perSlip >= 1) ||
    (perSlip >= (isCopied && (isId || echoes.isReturned(name)) ? 1 : 2) &&
      (echoes.isDescribed(name) ||
        (namesExchange || FILE_NUMBER.test(name) ? echoes.isRepeated(name) : echoes.isEcho(name))));
  if (!isDocumented && !(namesExchange && isCopied && perSlip >= 2)) return [];
  // A short text or a number of two digits may mean anything, and so may the answer to an invalid request.
  if (!isDocumented && pairs.some(({ sent }) => isShort(sent))) return [];
  if (!isDocumented && wrong.some(({ each }) => each.negative)) return [];
  const isSure =
    (isStandard && isDocumented) || echoes.isDescribed(name) || (perSlip >= 1 && echoes.isAlwaysReturned(name));
  return wrong.map((pair) => placed(pair, pointer, { isSure, isCopied }));
}

/**
 * Ids that differ from those of their requests, although the document clearly requires them to be equal. One
 * case is enough.
 */
function othersAt(
  pointer: string,
  sound: readonly Case[],
  { echoes, toolValues, prose, loose }: Sources,
): PlacedFinding[] {
  const name = pointerTokens(pointer).at(-1) ?? '';
  if (loose.has(pointer) || !echoes.isAlwaysReturned(name)) return [];
  const { pairs, sent: all } = pairsAt(pointer, pointer, sound);
  const others = pairs.filter(
    ({ each, sent, answered }) =>
      // An id that contains the request's id, or an answer with that id elsewhere, has a derived id or its own.
      !String(answered).toLowerCase().includes(String(sent).trim().toLowerCase()) &&
      !pointersOf(each.response, MAX_PLACES).some(({ value }) => value === sent) &&
      // A placeholder for an unreadable id is not an id.
      (all.has(answered) || (/[1-9]/.test(String(answered)) && !prose.includes(String(answered)))) &&
      !toolValues.has(answered) &&
      !mayReplyElsewhere(each),
  );
  const shown = pairs.filter(({ sent, answered }) => isAlike(sent, answered)).length;
  const isSure = echoes.isDescribed(name) || (shown > 0 && shown >= others.length);
  return others.map((pair) => placed(pair, pointer, { isSure, isCopied: all.has(pair.answered) }));
}

/** Whether two ids are equal except for case and surrounding blanks; an answer may normalise the id. */
function isAlike(sent: Json, answered: Json): boolean {
  if (sent === answered) return true;
  const plain = (id: Json) => (typeof id === 'string' ? id.trim().toLowerCase() : id);
  return typeof sent === typeof answered && plain(sent) === plain(answered);
}

/** JSON-RPC 2.0, section 5: a response has the id of its request. */
function isJsonRpcId(pointer: string, cases: readonly Case[]): boolean {
  return (
    pointer === '/id' &&
    cases.every(({ request, response }) => [request, response].every((each) => valueAt(each, '/jsonrpc') === '2.0'))
  );
}

/** Wrong ids where the request's id is returned under another name. */
function repliesAt(
  { request, response, isDocumented, isDescribed, isNamed }: ReplyPlace,
  cases: readonly Case[],
  { toolValues }: Sources,
): PlacedFinding[] {
  const { pairs, sent } = pairsAt(request, response, cases);
  const wrong = pairs.filter(({ sent, answered }) => sent !== answered);
  if (wrong.length === 0 || wrong.length > MAX_SLIPS) return [];
  if (new Set(pairs.map((pair) => pair.sent)).size < pairs.length) return [];
  const isCopied = wrong.every(({ answered }) => sent.has(answered));
  if (wrong.some(({ answered }) => toolValues.has(answered)) || !(isCopied || (isDocumented && isNamed))) return [];
  if ((pairs.length - wrong.length) / wrong.length < (isDocumented ? 1 : 2)) return [];
  if (!isDocumented && (pairs.some(({ sent }) => isShort(sent)) || wrong.some(({ each }) => each.negative))) return [];
  return wrong.map((pair) => placed(pair, response, { isSure: isDescribed, isCopied }));
}

function placed({ each, ...pair }: Pair, pointer: string, how: Known): PlacedFinding {
  return {
    finding: findingOf(each, pointer, pair, how),
    text: 'cases',
    at: each.responseSpan?.start ?? each.testCase,
  };
}

/** Names that identify the message and nothing in it, if the document says the id is repeated. */
const WHOLE_ID = /^(?:id|uuid|rid|ref|reference|seq(?:uence)?(?:[_-]?(?:no|number))?|nonce|correlation)$/i;

function valuesOf(answer: ToolAnswer): Json[] {
  return 'output' in answer ? pointersOf(answer.output, 100).map(({ value }) => value) : [];
}

/** With more wrong ids than these, they are not mistakes. */
const MAX_SLIPS = 3;

function isAnyId(value: Json | undefined): value is string | number {
  return (typeof value === 'string' && value !== '') || Number.isInteger(value);
}

function isShort(id: Json): boolean {
  return typeof id === 'string' ? id.length < 3 : Math.abs(Number(id)) < 100;
}

function findingOf(
  each: Case,
  pointer: string,
  { sent, answered }: Omit<Pair, 'each'>,
  { isSure, isCopied }: Known,
): Finding {
  return {
    code: 'DOCUMENT_CASE_ID_NOT_ECHOED',
    severity: isSure ? 'error' : 'warning',
    in: 'response',
    testCase: each.testCase,
    pointer,
    message: `Cannot answer case ${each.testCase}: the id at ${pointer} is ${isCopied ? "another case's" : 'a different one'}, wanted the request's`,
    expected: sent,
    actual: answered,
    ...(isSure ? { amendment: { of: 'response', patch: [{ op: 'replace', path: pointer, value: sent }] } } : {}),
  };
}
