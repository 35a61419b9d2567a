import type { Case } from '../contract/agreement.ts';
import { isObject, type Json, valueAt } from '../kernel/json.ts';
import { reportsFailure } from './failure.ts';
import { pointersOf } from './located-json.ts';

type Exchange = Pick<Case, 'request' | 'response'>;

/** A number that says how it went, by the name of its member. */
const TELLING_NAME = /(?:code|status|state|result|outcome|verdict)$/i;

const REFUSAL =
  /\b(?:bad|malformed|illegal|wrong|incorrect|broken|invalid|unreadable|unusable|unpars(?:e)?able|(?:un|mis)formed|out of order|against|violat\w*|breaks?|breach\w*|nonsense|incomplete|not (?:a )?(?:valid|allowed|understood|usable|in order|as agreed|follow\w*|conform\w*|fit|match\w*|keep|compl[yi]\w*)|(?:cannot|can't|could not) (?:be )?(?:read|parse[d]?|understand|understood|use[d]?)|errors?|fail(?:s|ed|ure)?|reject(?:s|ed)?|refuse[sd]?|denied)\b|ungültig|ungueltig|fehlerhaft|verstößt|verletzt|falsch|nicht dem schema|invalid[aeo]s?\b|inválid|inv[aá]lid|non valid|incorrect|malformad|mal formée?|erron|ne respecte pas|no cumple|não cumpre|non rispetta|ongeldig|不正|無効|誤り|違反|不符|无效|错误|非法|不合法|不正确|有误|拒绝|失败|异常|잘못|유효하지/i;

/** Lines and clauses of a document that are looked through, and the longest, in UTF-16 units. */
const [MAX_CLAUSES, MAX_CLAUSE] = [5_000, 300];

/** Values of an answer that are looked at, and words that are looked for in a document. */
const [MAX_VALUES, MAX_WORDS] = [40, 400];

/** What a document says of answers, as far as the answers to broken requests are concerned. */
export class Refusals {
  readonly #codes: ReadonlySet<string>;
  readonly #prose: string;
  readonly #known = new Map<string, boolean>();
  #refusing: string | undefined;

  constructor(codes: ReadonlySet<string>, prose: string) {
    this.#codes = codes;
    this.#prose = prose;
  }

  /**
   * Says whether the answer to a request that breaks its schema turns that request down: it reports a failure; it says what no answer to a sound
   * request says, be it a word of refusal (`state: "invalid"`) or a value that the document explains by one (`2 bad query`); or it withholds the
   * data that sound requests are answered with, and has none of its own.
   */
  turnsDown(answered: Exchange & { expected: string }, sound: readonly Exchange[]): boolean {
    if (reportsFailure(answered.response, this.#codes, answered.expected)) return true;
    const usual = new Set(sound.flatMap(({ response }) => tellingValues(response)));
    const own = tellingValues(answered.response).filter((value) => !usual.has(value));
    if (own.some((value) => typeof value === 'string')) return true;
    return (
      [...own, ...this.#ownWords(answered, sound)].some((value) => this.#isRefusal(value)) ||
      this.#withholds(answered, sound)
    );
  }

  /** The scalars of an answer, other than echoes, that no sound request is answered with in the same place. */
  #ownWords({ request, response }: Exchange, sound: readonly Exchange[]): (string | number)[] {
    const echoes = scalarsOf(request);
    return leavesOf(response).flatMap(({ pointer, value }) => {
      if (typeof value !== 'string' && typeof value !== 'number') return [];
      if (value === '' || value === 0 || String(value).length > MAX_WORD || echoes.has(value)) return [];
      return sound.some((one) => valueAt(one.response, pointer) === value) ? [] : [value];
    });
  }

  /** Whether the document explains a value by a word of refusal, in the same clause or the same row of a table. */
  #isRefusal(value: string | number): boolean {
    this.#refusing ??= this.#prose
      .split(/\n/, MAX_CLAUSES)
      .flatMap((line) => (line.includes('|') ? [line] : line.split(/[;,，；、]|[.。](?!\w)/)))
      .slice(0, MAX_CLAUSES)
      .map((clause) => clause.slice(0, MAX_CLAUSE))
      .filter((clause) => REFUSAL.test(clause))
      .join('\n');
    return this.#isIn('refusing', this.#refusing, value);
  }

  #stands(value: string | number): boolean {
    return this.#isIn('prose', this.#prose, value);
  }

  #isIn(where: string, text: string, value: string | number): boolean {
    const key = `${where} ${value}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#known.size >= MAX_WORDS) return false;
    const found = standsIn(text, String(value));
    this.#known.set(key, found);
    return found;
  }

  /**
   * Whether an answer has nothing where sound requests are answered with data, and all that it does have are echoes, words of the document and
   * what has no place in those answers; and whether no sound request is answered in the same way, unless that way says nothing at all.
   */
  #withholds({ request, response }: Exchange, sound: readonly Exchange[]): boolean {
    if (!isObject(response)) return false;
    const given = sound.map((one) => ({ ...one, echoes: scalarsOf(one.request), leaves: leavesOf(one.response) }));
    const kept = given.flatMap(({ leaves, echoes }) =>
      leaves.filter(({ value }) => !isNothing(value) && !echoes.has(value)).map(({ pointer }) => pointer),
    );
    const missing = [...new Set(kept)].filter((pointer) => isWithheld(response, pointer));
    if (missing.length === 0) return false;
    const echoes = scalarsOf(request);
    const told = leavesOf(response).filter(({ value }) => !isNothing(value) && !echoes.has(value));
    const own = told.filter(({ pointer, value }) => !sound.some((one) => valueAt(one.response, pointer) === value));
    const hasData = own.some(
      ({ pointer, value }) =>
        typeof value !== 'boolean' &&
        sound.some((one) => !isNothing(valueAt(one.response, pointer) ?? null)) &&
        !this.#stands(value as string | number),
    );
    if (hasData) return false;
    if (own.length > 0) return true;
    if (told.length === 0) return missing.some((pointer) => nullAt(response, pointer));
    const nulls = missing.filter((pointer) => nullAt(response, pointer));
    return nulls.length > 0 && !sound.some((one) => nulls.every((pointer) => isWithheld(one.response, pointer)));
  }
}

/** Longest word that a document is searched for. */
const MAX_WORD = 60;

/** The words of refusal in an answer, and its numbers that say how it went. */
function tellingValues(answer: Json, depth = 0): (string | number)[] {
  if (!isObject(answer) || depth > 2) return [];
  return Object.entries(answer)
    .slice(0, 50)
    .flatMap(([name, member]) => {
      if (typeof member === 'string') return member.length <= 40 && SAYS_NO.test(member) ? [member] : [];
      if (typeof member === 'number') return TELLING_NAME.test(name) ? [member] : [];
      return tellingValues(member, depth + 1);
    });
}
