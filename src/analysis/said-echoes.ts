import type { Job } from '../contract/job.ts';
import { isAmongWords, wordsOf } from '../documents/unspaced-words.ts';
import { isObject, type Json } from '../kernel/json.ts';
import { ANSWER_REPEATS } from '../lexicon/exchanging.ts';
import { phrases } from '../lexicon/phrases.ts';
import { ALTERNATIVE, DEPENDING } from '../lexicon/qualifying.ts';
import { EQUALS, IN_ANSWER, OF_REQUEST, REPEATED_IN_PART, REPEATS } from '../lexicon/repeating.ts';
import { allSubschemas } from '../schemas/schema-walk.ts';

/** Names of members that say which message is which, and nothing about what is asked. */
export const CORRELATION =
  /^(?:corr|idempotency[_-]?key|(?:message|msg|correlation|corr|trace|span|nachricht(?:en)?|mensaje|messaggio)[_-]?(?:id|no|number|uuid)|id[_-]?(?:message|mensaje|nachricht|messaggio)|nonce|消息(?:id|编号|标识))$/i;

/** A request id is one, too, unless it is all that a request asks about. */
export const REQUEST_ID =
  /^(?:(?:request|req|anfragen?|petici[oó]n|solicitud|requ[eê]te|demande)[_-]?(?:id|no|number|uuid)|id[_-]?(?:anfrage|petici[oó]n|solicitud|requ[eê]te|demande)|请求(?:id|编号|标识))$/i;

/** A member that may say which message is which, where the document has it repeated. */
const MAY_BE_ECHO =
  /^(?:id|uuid|rid|ref|reference|seq(?:uence)?(?:[_-]?(?:no|number))?|[cmt]id|tag|token|nonce|correlation|folio|protocolo|vorgang|aktenzeichen|référence|referencia|referência)$|(?:Id|ID|Uuid|Ref|Tag|[_-](?:id|uuid|ref|tag))$/;

/** Names of numbers of files and papers, which answers refer to. */
export const FILE_NUMBER =
  /(?:nummer|number|_no|Nr|vorgang|aktenzeichen|folio|protocolo|expediente|номер|编号|番号|编号|流水号|单号|标识)$/i;

/** What sentences call a member that has a short name. */
const WRITTEN_OUT: ReadonlyMap<string, readonly string[]> = new Map([
  ['id', ['identifier', 'kennung', 'identifiant', 'identificador', 'identificativo']],
  ['ref', ['reference', 'referenz', 'référence', 'referencia', 'referência', 'riferimento']],
  ['seq', ['sequence']],
]);

/** What sentences call that which a text begins with, to say which message it is. */
const TAG_OF_MESSAGE = phrases({
  en: ['tags?', '(message|msg|correlation|sequence) (ids?|identifiers?|numbers?|no)', 'nonce'],
  de: ['Nachrichten(nummer|kennung|id)'],
  fr: ['numéro (de|du) message'],
  es: ['número de(l)? mensaje'],
  zh: ['消息(编号|标识|号|id)'],
});

/** Words before "tag" that name no thing that has one. */
const BEFORE_TAG =
  /^(?:an?|the|its|this|that|their|which|whose|each|every|no|any|own|same|another|other|new|unique|short|with|of|by|and|or|leading|numbered|request|message|correlation|sequence|client|caller|reply|response|answer|line)$/i;

/** Most schemas inside the response's whose descriptions are read, and the longest description, in UTF-16 units: what has more words speaks of more. */
const [MAX_DESCRIBED, MAX_DESCRIPTION] = [200, 120];

/** Most names of members that the clauses of a document are looked through for. */
const MAX_NAMES = 40;

/** The members that a document, or the response schema by a description, says are repeated in the answer; never what a tool takes by that name. */
export class SaidEchoes {
  readonly #text: string;
  readonly #taken: ReadonlySet<string>;
  readonly #response: Json | undefined;
  readonly #known = new Map<string, boolean>();
  #repeats: readonly Clause[] | undefined;
  /** All clauses that have something repeated, as one. */
  #repeated: Clause | undefined;
  #equating: readonly Clause[] | undefined;
  #tagRepeated: boolean | undefined;

  /** Descriptions that say of a member that it is as in the request, by its name. */
  #described: ReadonlyMap<string, Clause> | undefined;

  constructor(text: string, tools: Job['tools'], response?: Json) {
    this.#text = text;
    this.#response = response;
    this.#taken = new Set(
      tools.flatMap(({ inputSchema }) =>
        isObject(inputSchema) && isObject(inputSchema.properties) ? Object.keys(inputSchema.properties) : [],
      ),
    );
  }

  /** Whether a member says which message is which, and the document has it repeated. */
  isEcho(name: string): boolean {
    return MAY_BE_ECHO.test(name) && !this.#taken.has(name) && this.isSaidOf(name);
  }

  /** Whether a member is an id or the number of a file, and the document has it repeated. */
  isIdRepeated(name: string): boolean {
    const isId = FILE_NUMBER.test(name) || CORRELATION.test(name);
    return this.isEcho(name) || this.isDescribed(name) || (isId && !this.#taken.has(name) && this.isSaidOf(name));
  }

  /** Whether a sentence of the document has this member repeated, whatever its name. */
  isSaidOf(name: string): boolean {
    const known = this.#known.get(name);
    if (known !== undefined || this.#known.size >= MAX_NAMES) return known ?? false;
    this.#repeated ??= {
      text: this.#repeating()
        .map(({ text }) => text)
        .join('\n'),
      words: new Set(this.#repeating().flatMap(({ words }) => [...words])),
    };
    const found = names(name)(this.#repeated);
    this.#known.set(name, found);
    return found;
  }

  /** Whether a sentence says without doubt that the answer has this member as its request has it. */
  isReturned(name: string): boolean {
    return (
      this.isDescribed(name) ||
      (this.isSaidOf(name) && this.#repeating().some((clause) => OF_REQUEST.test(clause.text) && names(name)(clause)))
    );
  }

  /** Whether a sentence has the tag repeated that texts begin with; never where there are tags of things, such as those on goods. */
  isTagRepeated(): boolean {
    this.#tagRepeated ??=
      [...this.#text.matchAll(/([a-z]{1,20})[ -]tags?\b/gi)].every(([, word = '']) => BEFORE_TAG.test(word)) &&
      this.#repeating().some(({ text }) => TAG_OF_MESSAGE.test(text));
    return this.#tagRepeated;
  }

  /** Whether every answer has the id of its message from its request as it stands there: where it does not, no other case need show what is meant. */
  isAlwaysReturned(name: string): boolean {
    if (!CORRELATION.test(name) && !REQUEST_ID.test(name)) return false;
    const described = this.isDescribed(name) ? this.#descriptions().get(name) : undefined;
    const isWhole = ({ text }: Clause) => ![REPEATED_IN_PART, ALTERNATIVE, DEPENDING].some((words) => words.test(text));
    return (
      (described !== undefined && isWhole(described)) ||
      (this.isSaidOf(name) && this.#repeating().some((each) => isOfAnswer(each) && isWhole(each) && names(name)(each)))
    );
  }

  /** Whether the response schema describes an id as that of the request; what is asked about may be described so as well. */
  isDescribed(name: string): boolean {
    const mayBeId = MAY_BE_ECHO.test(name) || FILE_NUMBER.test(name) || CORRELATION.test(name);
    return mayBeId && !this.#taken.has(name) && this.#descriptions().has(name);
  }

  /** Whether a sentence says that two members, by these names, are the same. */
  isSaidOfBoth(one: string, other: string): boolean {
    const [first, second] = [names(one), names(other)];
    this.#equating ??= this.#clausesWith(EQUALS);
    return this.isDescribedBy(other, one) || this.#equating.some((clause) => first(clause) && second(clause));
  }

  /** Whether the response schema describes a member as that of the request by another name. */
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

/** A clause with its words in lower case, taken apart once however many names are looked for in it. */
interface Clause {
  text: string;
  words: ReadonlySet<string>;
}

/** Whether a clause that has something repeated has it repeated in an answer, from the request. */
function isOfAnswer({ text }: Clause): boolean {
  return ANSWER_REPEATS.test(text) || (OF_REQUEST.test(text) && IN_ANSWER.test(text));
}

/** Tells whether a clause has the name of a member in it. */
function names(name: string): (clause: Clause) => boolean {
  const forms = [name.toLowerCase(), ...(WRITTEN_OUT.get(name.toLowerCase()) ?? [])];
  return ({ text, words }) => forms.some((form) => words.has(form)) || isAmongWords(name, text, 3);
}
