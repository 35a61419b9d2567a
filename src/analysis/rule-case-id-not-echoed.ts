import type { Case } from '../contract/agreement.ts';
import type { Finding } from '../contract/finding.ts';
import type { ToolAnswer } from '../contract/job.ts';
import { type Json, pointerTokens, valueAt } from '../kernel/json.ts';
import { pointersOf } from './located-json.ts';
import type { PlacedFinding, Rule } from './rule.ts';
import { CORRELATION, FILE_NUMBER, REQUEST_ID, SaidEchoes } from './said-echoes.ts';

/**
 * An id that the answers of the other cases repeat is not the one of another case: a slip of who copied the case. An error where the document
 * has the id repeated, else a warning. An id that by its name says which message is which, and that the document has repeated, is no other one either.
 */
export const ruleCaseIdNotEchoed: Rule = {
  name: 'case-id-not-echoed',
  check({ job, agreement }, { parts }) {
    const cases = agreement.cases.filter(({ negative }) => !negative);
    const [first] = cases;
    const requests = agreement.cases.map(({ request }) => request);
    if (first === undefined || cases.length < 2) return [];
    const said = new SaidEchoes(parts.own.prose, job.tools);
    const told = new Set(job.tools.flatMap(({ examples = [] }) => examples.flatMap(valuesOf)));
    return pointersOf(first.request, MAX_PLACES).flatMap(({ pointer, value }) => {
      return isAnyId(value) ? slipsAt(pointer, cases, { said, told, requests }) : [];
    });
  },
};

/** Places of a request that are looked at. */
const MAX_PLACES = 100;

/** An id that was sent, and what came back in its place. */
interface Pair {
  each: Case;
  sent: Json;
  answered: Json;
}

/** What may tell an answer its ids: the document, and the tools by what they answer. */
interface Sources {
  said: SaidEchoes;
  told: ReadonlySet<Json>;
  /** Of all cases, such as are answered with a failure as well. */
  requests: readonly Json[];
}

function slipsAt(pointer: string, cases: readonly Case[], { said, told, requests }: Sources): PlacedFinding[] {
  const pairs = cases.flatMap((each): Pair[] => {
    const [sent, answered] = [valueAt(each.request, pointer), valueAt(each.response, pointer)];
    return isAnyId(sent) && isAnyId(answered) ? [{ each, sent, answered }] : [];
  });
  const wrong = pairs.filter(({ sent, answered }) => sent !== answered);
  if (wrong.length === 0 || wrong.length > MAX_SLIPS) return [];
  const sent = new Set(pairs.map((pair) => pair.sent));
  if (sent.size < pairs.length || wrong.some(({ answered }) => told.has(answered))) return [];
  const name = pointerTokens(pointer).at(-1) ?? '';
  const namesExchange = CORRELATION.test(name) || REQUEST_ID.test(name);
  const isCopied = wrong.every(({ answered }) => requests.some((request) => valueAt(request, pointer) === answered));
  if (!isCopied && !namesExchange) return [];
  const perSlip = (pairs.length - wrong.length) / wrong.length;
  const isId = namesExchange || WHOLE_ID.test(name) || FILE_NUMBER.test(name);
  const isSaid =
    perSlip >= (isId && isCopied ? 1 : 2) &&
    (namesExchange || FILE_NUMBER.test(name) ? said.isSaidOf(name) : said.isEcho(name));
  if (!isSaid && !(namesExchange && isCopied && perSlip >= 2)) return [];
  // A short text or a number of two digits may be anything.
  if (!isSaid && pairs.some(({ sent }) => isShort(sent))) return [];
  return wrong.map(({ each, ...pair }) => ({
    finding: findingOf(each, pointer, pair, { isSaid, isCopied }),
    text: 'cases',
    at: each.responseSpan?.start ?? each.testCase,
  }));
}

/** Names of what is an id of the message and of nothing in it, where the document has it repeated. */
const WHOLE_ID = /^(?:id|uuid|rid|ref|reference|seq(?:uence)?(?:[_-]?(?:no|number))?|nonce|correlation)$/i;

function valuesOf(answer: ToolAnswer): Json[] {
  return 'output' in answer ? pointersOf(answer.output, 100).map(({ value }) => value) : [];
}

/** More than these are no slips. */
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
  { isSaid, isCopied }: { isSaid: boolean; isCopied: boolean },
): Finding {
  return {
    code: 'DOCUMENT_CASE_ID_NOT_ECHOED',
    severity: isSaid ? 'error' : 'warning',
    in: 'response',
    testCase: each.testCase,
    pointer,
    message: `Cannot answer case ${each.testCase} as the others: the id at ${pointer} is ${isCopied ? 'that of another case' : 'another one'}, wanted that of its request`,
    expected: sent,
    actual: answered,
    ...(isSaid ? { amendment: { of: 'response', patch: [{ op: 'replace', path: pointer, value: sent }] } } : {}),
  };
}
