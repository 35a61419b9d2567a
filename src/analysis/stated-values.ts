import { ANSWERED } from '../lexicon/exchanging.ts';
import { NO_ANSWER } from '../lexicon/failing.ts';
import { NOT_SAID_OF_ANSWERS } from '../lexicon/qualifying.ts';
import { STARTS } from './unparted-words.ts';

/** Most sentences that are looked through, and the longest, in UTF-16 units. */
const [MAX_SENTENCES, MAX_SENTENCE] = [5_000, 500];

/** Most text that names are looked for in, in UTF-16 units, and most names. */
const [MAX_LENGTH, MAX_NAMES] = [50_000, 40];

/** What stands between a member and the value it is given: "`state` is `GONE`", `error: "TOO_LATE"`, "el estado es `COMPLETO`". */
const GIVEN = String.raw`[\s:：=]{0,3}(?:(?:is|as|es|ist|lautet|est|sera|wird|será|é|è|为|是|设为)\s{0,2})?[\s:：=]{0,2}`;

/** What a sentence names that speaks of what the asking side makes of an answer. */
const ASKING_SIDE = /(?<![a-z])(?:client|requester|caller|time[ds]?|timeouts?)(?![a-z])|请求方|客户端|超时/i;

const MARKED = /["'“”`][A-Za-z]/;

const MARK = '["\'“”`]';

/** The values between quotation marks that sentences of a document give to members of answers by their names; never in a condition, or where it is denied. */
export class StatedValues {
  readonly #sentences: readonly string[];
  readonly #words: string;
  #looks = 0;

  constructor(prose: string) {
    let length = 0;
    this.#sentences = prose
      .split(/\n|[。；;]|[.!?](?=\s)/, MAX_SENTENCES)
      .map((sentence) => sentence.slice(0, MAX_SENTENCE))
      .filter((text) => {
        if (length > MAX_LENGTH || !MARKED.test(text)) return false;
        length += text.length;
        // Where no answer comes, the asking side has to say something.
        return !NO_ANSWER.test(text) && !ASKING_SIDE.test(text);
      });
    this.#words = this.#sentences.join('\n').toLowerCase();
  }

  /** What is given to the member of this name. */
  of(name: string): Set<string> {
    const values = new Set<string>();
    if (!this.#words.includes(name.toLowerCase()) || this.#looks >= MAX_NAMES) return values;
    this.#looks += 1;
    const given = new RegExp(
      `(?<![.-])(?:(?<=的)|${STARTS})${MARK}{0,2}${RegExp.escape(name)}${MARK}{0,2}${GIVEN}${MARK}{1,2}([A-Za-z][A-Za-z0-9_-]{1,60})${MARK}`,
      'giu',
    );
    for (const text of this.#sentences) {
      for (const { 1: value = '', index } of text.matchAll(given)) {
        const clause =
          text
            .slice(0, index)
            .split(/[,，:：(（]/)
            .at(-1) ?? '';
        const isOfAThing = /\bwith\b/i.test(clause) && !ANSWERED.test(text.slice(0, index));
        if (!isOfAThing && !NOT_SAID_OF_ANSWERS.test(clause)) values.add(value);
      }
    }
    return values;
  }
}
