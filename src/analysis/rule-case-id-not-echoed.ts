import type { Case } from '../contract/agreement.ts';
import type { Finding } from '../contract/finding.ts';
import type { ToolAnswer } from '../contract/job.ts';
import { type Json, pointerTokens, valueAt } from '../kernel/json.ts';
import { pointersOf } from './located-json.ts';
import type { PlacedFinding, Rule } from './rule.ts';
import { CORRELATION, REQUEST_ID, SaidEchoes } from './said-echoes.ts';

/**
 * An id that the answers of the other cases repeat is not the one of another case: a slip of who copied the case. An error where the document
 * has the id repeated, else a warning.
 */
export const ruleCaseIdNotEchoed: Rule = {
  name: 'case-id-not-echoed',
  check({ job, agreement }, { parts }) {
    const cases = agreement.cases.filter(({ negative }) => !negative);
    const [first] = cases;
    if (first === undefined || cases.length < 2) return [];
    const said = new SaidEchoes(parts.own.prose, job.tools);
    const told = new Set(job.tools.flatMap(({ examples = [] }) => examples.flatMap(valuesOf)));
    return pointersOf(first.request, MAX_PLACES).flatMap(({ pointer, value }) => {
      return isId(value) ? slipsAt(pointer, cases, { said, told }) : [];
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
}

function slipsAt(pointer: string, cases: readonly Case[], { said, told }: Sources): PlacedFinding[] {
  const pairs = cases.flatMap((each): Pair[] => {
    const [sent, answered] = [valueAt(each.request, pointer), valueAt(each.response, pointer)];
    return isId(sent) && isId(answered) ? [{ each, sent, answered }] : [];
  });
  const wrong = pairs.filter(({ sent, answered }) => sent !== answered);
  if (wrong.length === 0 || wrong.length > MAX_SLIPS) return [];
  const sent = new Set(pairs.map((pair) => pair.sent));
  if (sent.size < pairs.length || wrong.some(({ answered }) => !sent.has(answered) || told.has(answered))) return [];
  const name = pointerTokens(pointer).at(-1) ?? '';
  const namesExchange = CORRELATION.test(name) || REQUEST_ID.test(name);
  const perSlip = (pairs.length - wrong.length) / wrong.length;
  const isSaid = namesExchange
    ? perSlip >= 1 && said.isSaidOf(name)
    : perSlip >= 2 && (said.isEcho(name) || (ID_NAME.test(name) && said.isSaidOf(name)));
  if (!isSaid && !(namesExchange && perSlip >= 2)) return [];
  // A number of two digits may be anything.
  if (!isSaid && pairs.some(({ sent }) => typeof sent === 'number' && Math.abs(sent) < 100)) return [];
  return wrong.map(({ each, ...pair }) => ({
    finding: findingOf(each, pointer, pair, isSaid),
    text: 'cases',
    at: each.responseSpan?.start ?? each.testCase,
  }));
}

/** Names of numbers of files and papers, which answers refer to. */
const ID_NAME =
  /(?:nummer|number|_no|Nr|vorgang|aktenzeichen|folio|protocolo|expediente|номер|編号|番号|编号|流水号|单号|标识)$/i;

function valuesOf(answer: ToolAnswer): Json[] {
  return 'output' in answer ? pointersOf(answer.output, 100).map(({ value }) => value) : [];
}

/** More than these are no slips. */
const MAX_SLIPS = 3;

function isId(value: Json | undefined): value is string | number {
  return typeof value === 'string' ? value.length >= 3 : Number.isInteger(value) && Math.abs(Number(value)) >= 10;
}

function findingOf(each: Case, pointer: string, { sent, answered }: Omit<Pair, 'each'>, isSaid: boolean): Finding {
  return {
    code: 'DOCUMENT_CASE_ID_NOT_ECHOED',
    severity: isSaid ? 'error' : 'warning',
    in: 'response',
    testCase: each.testCase,
    pointer,
    message: `Cannot answer case ${each.testCase} as the others: the id at ${pointer} is that of another case, wanted that of its request`,
    expected: sent,
    actual: answered,
    ...(isSaid ? { amendment: { of: 'response', patch: [{ op: 'replace', path: pointer, value: sent }] } } : {}),
  };
}
