import type { Job } from '../contract/job.ts';
import { isAmongWords, wordsOf } from '../documents/unspaced-words.ts';
import { isObject, type Json } from '../kernel/json.ts';
import { ANSWER_REPEATS } from '../lexicon/exchanging.ts';
import { phrases } from '../lexicon/phrases.ts';
import { ALTERNATIVE, DEPENDING } from '../lexicon/qualifying.ts';
import { EQUALS, IN_ANSWER, OF_REQUEST, REPEATED_IN_PART, REPEATS } from '../lexicon/repeating.ts';
import { allSubschemas } from '../schemas/schema-walk.ts';

/** Names of members that only identify a message. */
export const CORRELATION =
  /^(?:corr|idempotency[_-]?key|(?:message|msg|correlation|corr|trace|span|nachricht(?:en)?|mensaje|messaggio)[_-]?(?:id|no|number|uuid)|id[_-]?(?:message|mensaje|nachricht|messaggio)|nonce|消息(?:id|编号|标识))$/i;

/** A request id identifies a message too, unless it is the only thing that the request asks about. */
export const REQUEST_ID =
  /^(?:(?:request|req|anfragen?|petici[oó]n|solicitud|requ[eê]te|demande)[_-]?(?:id|no|number|uuid)|id[_-]?(?:anfrage|petici[oó]n|solicitud|requ[eê]te|demande)|请求(?:id|编号|标识))$/i;

/** Names of members that identify a message if the document says they are repeated. */
const MAY_BE_ECHO =
  /^(?:id|uuid|rid|ref|reference|seq(?:uence)?(?:[_-]?(?:no|number))?|[cmt]id|tag|token|nonce|correlation|folio|protocolo|vorgang|aktenzeichen|référence|referencia|referência)$|(?:Id|ID|Uuid|Ref|Tag|[_-](?:id|uuid|ref|tag))$/;

/** Names of file and document numbers that answers refer to. */
export const FILE_NUMBER =
  /(?:nummer|number|_no|Nr|vorgang|aktenzeichen|folio|protocolo|expediente|номер|编号|番号|编号|流水号|单号|标识)$/i;

/** Full words that sentences use for short member names. */
const FULL_WORDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['id', ['identifier', 'kennung', 'identifiant', 'identificador', 'identificativo']],
  ['ref', ['reference', 'referenz', 'référence', 'referencia', 'referência', 'riferimento']],
  ['seq', ['sequence']],
]);

/** Words for the tag at the start of a text that identifies the message. */
const TAG_OF_MESSAGE = phrases({
  en: ['tags?', '(message|msg|correlation|sequence) (ids?|identifiers?|numbers?|no)', 'nonce'],
  de: ['Nachrichten(nummer|kennung|id)'],
  fr: ['numéro (de|du) message'],
  es: ['número de(l)? mensaje'],
  zh: ['消息(编号|标识|号|id)'],
});

/** Words before "tag" that do not name a thing with a tag. */
const BEFORE_TAG =
  /^(?:an?|the|its|this|that|their|which|whose|each|every|no|any|own|same|another|other|new|unique|short|with|of|by|and|or|leading|numbered|request|message|correlation|sequence|client|caller|reply|response|answer|line)$/i;

/**
 * Most subschemas of the response whose descriptions are read, and longest description, in UTF-16 units. Longer ones
 * discuss more than one thing.
 */
const [MAX_DESCRIBED, MAX_DESCRIPTION] = [200, 120];

/** Most member names searched for in the clauses of a document. */
const MAX_NAMES = 40;

/**
 * The members that the answer repeats, as stated by the document or by descriptions in the response schema. Members
 * that are inputs of a tool are excluded.
 */
export class DocumentedEchoes {
  readonly #text: string;
  readonly #toolInputs: ReadonlySet<string>;
  readonly #response: Json | undefined;
  readonly #results = new Map<string, boolean>();
  #repeats: readonly Clause[] | undefined;
  /** All clauses about repetition, joined into one. */
  #repeated: Clause | undefined;
  #equating: readonly Clause[] | undefined;
  #tagRepeated: boolean | undefined;

  /** Descriptions that say that a member is the same as in the request, by member name. */
  #described: ReadonlyMap<string, Clause> | undefined;

  constructor(text: string, tools: Job['tools'], response?: Json) {
    this.#text = text;
    this.#response = response;
    this.#toolInputs = new Set(
      tools.flatMap(({ inputSchema }) =>
        isObject(inputSchema) && isObject(inputSchema.properties) ? Object.keys(inputSchema.properties) : [],
      ),
    );
  }

  /** Whether a member's name may identify a message and the document says it is repeated. */
  isEcho(name: string): boolean {
    return MAY_BE_ECHO.test(name) && !this.#toolInputs.has(name) && this.isRepeated(name);
  }

  /** Whether a member is an id or a file number and the document says it is repeated. */
  isIdRepeated(name: string): boolean {
    const isId = FILE_NUMBER.test(name) || CORRELATION.test(name);
    return (
      this.isEcho(name) || this.isDescribed(name) || (isId && !this.#toolInputs.has(name) && this.isRepeated(name))
    );
  }

  /** Whether a sentence of the document says that this member is repeated, whatever its name. */
  isRepeated(name: string): boolean {
    const known = this.#results.get(name);
    if (known !== undefined || this.#results.size >= MAX_NAMES) return known ?? false;
    this.#repeated ??= {
      text: this.#repeating()
        .map(({ text }) => text)
        .join('\n'),
      words: new Set(this.#repeating().flatMap(({ words }) => [...words])),
    };
    const found = names(name)(this.#repeated);
    this.#results.set(name, found);
    return found;
  }

  /** Whether a sentence clearly says that the answer repeats this member of the request. */
  isReturned(name: string): boolean {
    return (
      this.isDescribed(name) ||
      (this.isRepeated(name) && this.#repeating().some((clause) => OF_REQUEST.test(clause.text) && names(name)(clause)))
    );
  }

  /**
   * Whether a sentence says that the tag at the start of texts is repeated. Never if the document also mentions tags of
   * things, such as price tags.
   */
  isTagRepeated(): boolean {
    this.#tagRepeated ??=
      [...this.#text.matchAll(/([a-z]{1,20})[ -]tags?\b/gi)].every(([, word = '']) => BEFORE_TAG.test(word)) &&
      this.#repeating().some(({ text }) => TAG_OF_MESSAGE.test(text));
    return this.#tagRepeated;
  }

  /**
   * Whether every answer repeats this message id of its request unchanged. If so, one wrong case is enough evidence.
   */
  isAlwaysReturned(name: string): boolean {
    if (!CORRELATION.test(name) && !REQUEST_ID.test(name)) return false;
    const described = this.isDescribed(name) ? this.#descriptions().get(name) : undefined;
    const isUnconditional = ({ text }: Clause) =>
      ![REPEATED_IN_PART, ALTERNATIVE, DEPENDING].some((words) => words.test(text));
    return (
      (described !== undefined && isUnconditional(described)) ||
      (this.isRepeated(name) &&
        this.#repeating().some((each) => isOfAnswer(each) && isUnconditional(each) && names(name)(each)))
    );
  }

  /** Whether the response schema describes an id as the request's; the description may also fit the requested thing. */
  isDescribed(name: string): boolean {
    const mayBeId = MAY_BE_ECHO.test(name) || FILE_NUMBER.test(name) || CORRELATION.test(name);
    return mayBeId && !this.#toolInputs.has(name) && this.#descriptions().has(name);
  }

  /** Whether a sentence says that two members with these names are equal. */
  areEqual(one: string, other: string): boolean {
    const [first, second] = [names(one), names(other)];
    this.#equating ??= this.#clausesWith(EQUALS);
    return this.isDescribedBy(other, one) || this.#equating.some((clause) => first(clause) && second(clause));
  }

  /** Whether the response schema describes a member as a differently named member of the request. */
  isDescribedBy(name: string, requested: string): boolean {
    const described = this.#descriptions().get(name);
    return described !== undefined && names(requested)(described);
  }

  #descriptions(): ReadonlyMap<string, Clause> {
    this.#described ??= new Map(
      allSubschemas(this.#response ?? true, MAX_DESCRIBED).flatMap(({ schema }) => {
        const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
        return Object.entries(properties).flatMap(([name, property]): [string, Clause][] => {
          const text = isObject(property) ? property.description : undefined;
          if (
            typeof text !== 'string' ||
            text.length > MAX_DESCRIPTION ||
            !OF_REQUEST.test(text) ||
            ALTERNATIVE.test(text)
          )
            return [];
          return [[name, { text, words: wordsOf(text.toLowerCase()) }]];
        });
      }),
    );
    return this.#described;
  }

  #clausesWith(wanted: RegExp): Clause[] {
    const clauses = this.#text.split(/[\n;。；]|\.(?!\w)/, 5_000).map((clause) => clause.slice(0, 200));
    return clauses
      .filter((clause) => wanted.test(clause))
      .map((text) => ({ text, words: wordsOf(text.toLowerCase()) }));
  }

  #repeating(): readonly Clause[] {
    this.#repeats ??= this.#clausesWith(REPEATS);
    return this.#repeats;
  }
}

/** A clause with its words in lower case, split once for all names searched for. */
interface Clause {
  text: string;
  words: ReadonlySet<string>;
}

/** Whether a clause about repetition says that an answer repeats something of the request. */
function isOfAnswer({ text }: Clause): boolean {
  return ANSWER_REPEATS.test(text) || (OF_REQUEST.test(text) && IN_ANSWER.test(text));
}

/** Returns a test whether a clause contains a member's name. */
function names(name: string): (clause: Clause) => boolean {
  const forms = [name.toLowerCase(), ...(FULL_WORDS.get(name.toLowerCase()) ?? [])];
  return ({ text, words }) => forms.some((form) => words.has(form)) || isAmongWords(name, text, 3);
}
