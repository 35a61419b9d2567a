import type { Tool } from '../../contract/job.ts';
import type { Observation, Scenario } from '../../contract/trial.ts';
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { equalJson } from '../../schemas/equal-json.ts';
import { caseScenario } from '../case-scenarios.ts';
import type { CheckFacts, SeenCase } from '../check.ts';
import { decodedText, leavesOf } from '../scalar-kinds.ts';
import type { Subject } from '../subject.ts';

/** A case with one scalar of its request changed. */
export interface Variation {
  seenCase: SeenCase;
  pointer: string;
  name: string;
  input: Json;
  scenario: Scenario;
}

/**
 * The variations of a case that its request schema allows: numbers changed a little and a lot, texts a little, booleans
 * flipped.
 */
export function variationsOf({ subject }: CheckFacts, seenCase: SeenCase, limit: number): Variation[] {
  const { one } = seenCase;
  const base = caseScenario(subject, one);
  const found: Variation[] = [];
  const leaves = leavesOf(one.input);
  // Round by round: each place has its turn before the limit is reached.
  for (let round = 0; round < 4; round += 1) {
    for (const { pointer, name, value } of leaves) {
      const other = variedScalars(value)[round];
      if (other === undefined || found.length >= limit) continue;
      const input = replacedAt(one.input, pointer, other);
      if (
        subject.surface.requestIssues(input).length > 0 ||
        subject.cases.some(({ request }) => JSON.stringify(request) === JSON.stringify(input))
      )
        continue;
      found.push({ seenCase, pointer, name, input, scenario: { ...base, input } });
    }
  }
  return found;
}

/** Most numbers of one text that are changed, one at a time. */
const maxNumbers = 8;

/**
 * The variations of a case with a text request, one for each of its first numbers: changing all at once may break its
 * form.
 */
export function numbersInText({ subject }: CheckFacts, seenCase: SeenCase): Variation[] {
  const { input } = seenCase.one;
  if (subject.payload !== 'text' || typeof input !== 'string') return [];
  return asVariations(subject, seenCase, withOtherNumbers(input));
}

/** The text with one number changed, for each of its first numbers. */
function withOtherNumbers(text: string): string[] {
  return [...text.matchAll(/\d+/g)].slice(0, maxNumbers).flatMap(({ 0: digits, index }) => {
    const others =
      digits.length > maxDigits
        ? eachDigit(digits)
        : [increased(digits, 1), increased(digits, Number(digits) + farther)];
    return others.map((next) => text.slice(0, index) + next + text.slice(index + digits.length));
  });
}

/** The case with each of these texts as its request, without those of other cases. */
function asVariations(subject: CheckFacts['subject'], seenCase: SeenCase, texts: readonly string[]): Variation[] {
  const base = caseScenario(subject, seenCase.one);
  return texts
    .filter((input) => !subject.cases.some(({ request }) => request === input))
    .map((input) => ({ seenCase, pointer: '', name: '', input, scenario: { ...base, input } }));
}

/** The variations of a case with a base64 text as its request, one for each of its first numbers. */
export function numbersInBase64({ subject }: CheckFacts, seenCase: SeenCase): Variation[] {
  const { input } = seenCase.one;
  if (subject.payload !== 'text' || typeof input !== 'string' || !isBase64(input)) return [];
  const inner = decodedText(input.trim());
  if (inner === undefined) return [];
  return asVariations(
    subject,
    seenCase,
    withOtherNumbers(inner).map((text) => Buffer.from(text).toString('base64')),
  );
}

/** Added to twice a number: small ones must also change the answer, however it is rounded. */
const farther = 30;

/** More digits than this are several fixed-width fields. */
const maxDigits = 12;

/** Most digits of one run that are changed, one at a time. */
const maxPlaces = 6;

function eachDigit(digits: string): string[] {
  const step = (digits.length - 1) / (maxPlaces - 1);
  return Array.from({ length: maxPlaces }, (_, nth) => {
    const place = Math.round(nth * step);
    return `${digits.slice(0, place)}${(Number(digits[place]) + 1) % 10}${digits.slice(place + 1)}`;
  });
}

/** The digits with their last twelve increased: fixed-width fields follow each other without a separator. */
function increased(digits: string, by: number): string {
  const last = digits.slice(-maxDigits);
  return digits.slice(0, -maxDigits) + String(Number(last) + by).padStart(last.length, '0');
}

/**
 * The variations of a case with a hexadecimal or base64 text as its request: two adjacent bytes swapped. The last ones
 * first, since headers come before them. A sum over the bytes stays right.
 */
export function bytesExchanged({ subject }: CheckFacts, seenCase: SeenCase): Variation[] {
  const { input } = seenCase.one;
  if (typeof input !== 'string') return [];
  const isHex = /^(?:[0-9a-f]{2} ?){4,}$/i.test(input);
  if (!isHex && !isBase64(input)) return [];
  const bytes = (isHex ? input : Buffer.from(input, 'base64').toString('hex')).match(/[0-9a-f]{2}/gi) ?? [];
  const texts = bytes.slice(0, -1).flatMap((byte, at): string[] => {
    const next = bytes[at + 1] as string;
    if (byte === next) return [];
    const exchanged = [...bytes.slice(0, at), next, byte, ...bytes.slice(at + 2)];
    return [
      isHex
        ? exchanged.join(input.includes(' ') ? ' ' : '')
        : Buffer.from(exchanged.join(''), 'hex').toString('base64'),
    ];
  });
  return asVariations(subject, seenCase, texts.reverse());
}

/**
 * Whether a text, apart from spaces around it, is base64: it has letters of both cases or padding, and encodes back to
 * itself.
 */
export function isBase64(text: string): boolean {
  const whole = text.trim();
  if (whole.length < minBase64 || whole.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(whole)) return false;
  const isMixed = /[A-Z]/.test(whole) && /[a-z]/.test(whole) && /\d/.test(whole);
  return (isMixed || whole.endsWith('=')) && Buffer.from(whole, 'base64').toString('base64') === whole;
}

/** Shorter texts may be words. */
const minBase64 = 8;

/** Least integer that is also halved: a computed value may have reached its upper limit. */
const minHalved = 20;

/** Other values of a scalar's type, the nearest first; none for `null`. */
export function variedScalars(value: Json): Json[] {
  if (typeof value === 'number') {
    // Small ones may be counts: half of them may be too few for another answer.
    const isHalved = !Number.isInteger(value) || (Math.abs(value) >= minHalved && Number.isSafeInteger(value));
    const less = isHalved ? (Number.isInteger(value) ? Math.floor(value / 2) : value / 2) : value + 10;
    return [value + 1, value * 2 + 1, less, value * 10].filter((other) => other !== value && Number.isFinite(other));
  }
  if (typeof value === 'boolean') return [!value];
  if (typeof value !== 'string' || value === '') return [];
  const added = (by: number) => value.replace(/\d+/g, (digits) => increased(digits, by));
  if (added(1) === value) return [`${value}${value.slice(-1)}`, [...value].reverse().join(''), value.slice(1)];
  return [
    added(1),
    value.replace(/\d/g, (digit) => String((Number(digit) + 3) % 10)),
    added(2),
    value.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 5) % 10)),
  ];
}

/** The tools, each called one with its answer in this case for any input. */
export function answeringAlike(tools: readonly Tool[], { calls }: Observation): Tool[] {
  return tools.map((tool) => {
    const answered = calls.find((call) => call.tool === tool.name && call.output !== undefined);
    return answered?.output === undefined ? tool : { ...tool, otherwise: { output: answered.output } };
  });
}

/** The tools with a value known like the case's, in their inputs and answers. */
export function knowing({ tools, surface }: Subject, seen: Observation, from: Json | undefined, to: Json): Tool[] {
  const swapped = (value: Json): Json =>
    equalJson(value, from ?? null)
      ? to
      : Array.isArray(value)
        ? value.map(swapped)
        : isObject(value)
          ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, swapped(item)]))
          : value;
  const alike = answeringAlike(tools, seen);
  return tools.map((tool, index) => {
    // A tool that is asked several times need not know everything.
    const isAskedOnce = seen.calls.filter((call) => call.tool === tool.name).length === 1;
    const { otherwise } = (isAskedOnce ? alike[index] : undefined) ?? tool;
    const known = tool.examples ?? [];
    const added = from === undefined ? [] : (swapped(known as unknown as Json) as unknown as typeof known);
    const sound = added.filter(
      (one, nth) =>
        !equalJson(one as unknown as Json, known[nth] as unknown as Json) &&
        !('output' in one && surface.toolOutputIssues(tool.name, one.output).length > 0),
    );
    return { ...tool, examples: [...sound, ...known], ...(otherwise ? { otherwise } : {}) };
  });
}

/** A copy of a value with a replacement at a place. */
export function replacedAt(root: Json, pointer: string, value: Json): Json {
  const tokens = pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
  const put = (node: Json, depth: number): Json => {
    const token = tokens[depth];
    if (token === undefined) return value;
    if (Array.isArray(node)) {
      const index = /^(?:0|[1-9]\d*)$/.test(token) ? Number(token) : -1;
      return index >= 0 && index < node.length ? node.with(index, put(node[index] as Json, depth + 1)) : node;
    }
    if (!isObject(node) || !Object.hasOwn(node, token)) return node;
    // Spreading keeps a member `__proto__`, and assigning to it is then safe.
    const copy: JsonObject = { ...node };
    copy[token] = put(copy[token] as Json, depth + 1);
    return copy;
  };
  return put(root, 0);
}
