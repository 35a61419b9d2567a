import { isObject } from '../../kernel/json.ts';
import { ANSWER, ANSWER_TO_ANOTHER, ID_WORD } from '../../lexicon/exchanging.ts';
import { NO_ANSWER } from '../../lexicon/failing.ts';
import { UNSURE } from '../../lexicon/qualifying.ts';
import { REFUSED } from '../../lexicon/refusing.ts';
import { DIFFERS, REPEATS } from '../../lexicon/repeating.ts';
import type { RunnableCase } from '../case-scenarios.ts';
import { hasWord } from '../scalar-kinds.ts';
import type { Subject } from '../subject.ts';
import { allSentencesOf, requesterSentencesOf } from './documented-answers.ts';
import { failureRulesOf } from './failure-rules.ts';
import { tellsReportedName } from './reported-names.ts';

/** Whether the document has the id of an answer match that of the request, or one that does not refused. */
export function demandsMatchingIds({ agreement }: Subject): boolean {
  const { text } = agreement;
  return (
    /\b(?:another|other|different|wrong|unknown|foreign) (?:\w*id|identifier|correlation|reference)s?\b[^.\n]{0,80}\b(?:ignored?|discard\w*|reject\w*|refused?|dropp?e?d?|as an error)\b/i.test(
      text,
    ) ||
    (/\b(?:ids?|identifiers?|message_?ids?|correlation\w*|nonce)\b[^.\n]{0,80}\b(?:do(?:es)? not match|must match|must equal|mismatch|differs?|is unknown)\b[^.\n]{0,80}/i.test(
      text,
    ) &&
      /\b(?:discard|ignore|reject|refuse|drop|treat(?:ed)? as)\w*/i.test(text) &&
      failureRulesOf(text).failures)
  );
}

/** Whether a sentence of document or task, or two in a row, has answers refused whose id is another than that of the request. */
export function hasOthersRefused(subject: Subject, one: RunnableCase['case']): boolean {
  return refusalOfOthers(subject, one) !== undefined;
}

/** Whether that sentence has the id, whatever it is called, by the name of a member. */
export function hasOthersRefusedBy(subject: Subject, one: RunnableCase['case'], name: string): boolean {
  const said = refusalOfOthers(subject, one);
  return said !== undefined && (quotes(said, name) || isAnother(said, name));
}

function refusalOfOthers(subject: Subject, { request, response }: RunnableCase['case']): string | undefined {
  const asked = isObject(request) ? Object.entries(request) : [];
  const answered = isObject(response) ? Object.entries(response) : [];
  const echoes = asked.flatMap(([name, value]) =>
    answered.flatMap(([other, back]) => (typeof value === 'string' && back === value ? [[name, other] as const] : [])),
  );
  const names = echoes.flat();
  const told = requesterSentencesOf(subject).find(
    (one) => ANSWER_TO_ANOTHER.test(one) && (NO_ANSWER.test(one) || REFUSED.test(one)) && !MAY.test(one),
  );
  if (told !== undefined) return told;
  const sentences = allSentencesOf(subject);
  const differs = (sentence: string) =>
    DIFFERS.test(sentence) && (ID_WORD.test(sentence) || names.some((name) => quotes(sentence, name)));
  for (const [index, sentence] of sentences.entries()) {
    if (UNSURE.test(sentence)) continue;
    const [first, before, after] = [-2, -1, 1].map((step) => sentences[index + step] ?? '') as [string, string, string];
    const isTurnedDown = REFUSED.test(sentence);
    const isReported = [sentence, OUTCOME.test(after) ? after : ''].some((text) => tellsReportedName(subject, text));
    if (!isTurnedDown && !isReported) continue;
    if (isTurnedDown && ANSWER_TO_ANOTHER.test(sentence)) return sentence;
    // "The answer repeats the `ref`. If it has another one, …"
    const isRepeated =
      ANSWER.test(before) &&
      REPEATS.test(before) &&
      (ID_WORD.test(before) || names.some((name) => quotes(before, name) || quotes(first, name)));
    if (isRepeated && ANOTHER_ONE.test(sentence)) return `${first} ${before} ${sentence}`;
    if (!ANSWER.test(sentence)) continue;
    if (OTHERS.test(sentence)) {
      if (REPEATED.test(before)) return `${before} ${sentence}`;
      continue;
    }
    if (
      names.some((name) => isAnother(sentence, name)) ||
      echoes.some(([name, other]) => isNot(sentence, other, name)) ||
      (isTurnedDown && differs(sentence)) ||
      ANOTHER_ID.test(sentence)
    )
      return sentence;
  }
  return undefined;
}

/** Whether a sentence has the name of a member as code, or one that no word of the language is, such as `messageNo` and `流水号`. */
function quotes(sentence: string, name: string): boolean {
  return (
    [`\`${name}\``, `"${name}"`, `“${name}”`].some((quoted) => sentence.includes(quoted)) ||
    (/\p{Ll}\p{Lu}|\p{L}_\p{L}|[^\u0000-\u024f]{2}/u.test(name) && hasWord(sentence, name))
  );
}

function isAnother(sentence: string, name: string): boolean {
  return (
    /^\w+$/.test(name) &&
    new RegExp(
      `(?<!\\p{L})(?:another|other|different|wrong|foreign|(?:ander|fremd|falsch|abweichend)e[nrs]?|autre|otr[oa]|distint[oa]|outr[oa])\\s+[\`"]?${name}\\b|\\b${name} (?:that|which) (?:was|is|has) (?:not|never) (?:been )?sent\\b`,
      'iu',
    ).test(sentence)
  );
}

/** Whether a sentence has a member of the answer that is not the one of the request, both by their names. */
function isNot(sentence: string, answered: string, asked: string): boolean {
  return (
    quotes(sentence, answered) &&
    quotes(sentence, asked) &&
    new RegExp(`${answered}[\`"”]?,? ${IS_NOT}[^,;.]{0,20}${asked}`, 'iu').test(sentence)
  );
}

const IS_NOT = "(?:is not|isn't|does not equal|nicht|n'est pas|no es|不是|不等于)";

/** What an id is called that is not the one of the request. */
const ANOTHER_ID =
  /\b(?:another|a different|some other|the wrong|an? unknown|a foreign) (?:\p{L}+ )?(?:ids?|identifier|reference|ref|number)\b|(?<!\p{L})(?:andere[nrs]?|fremde[nrs]?|falsche[nrs]?) (?:Kennung|Referenz|Nummer|Vorgangsnummer)(?!\p{L})|(?<!\p{L})(?:otr[oa]|distint[oa]|outr[oa]|autre) (?:identificador|referencia|referência|número|identifiant|référence|numéro)(?!\p{L})/iu;

/** What another id than the one spoken of is called where its name is not repeated. */
const ANOTHER_ONE =
  /\b(?:another|a different|some other|a wrong) (?:one|id|value)\b|\b(?:it|that) (?:differs|is (?:another|different))\b|不一致|不同|(?<!\p{L})(?:ein(?:e[ns]?)? ander[ens]+|une? autre|otr[oa])(?=\s*[,;.:)]|\s+(?:trägt|hat|steht|enthält))/iu;

/** How a sentence begins that has what comes of the one before. */
const OUTCOME = /^\s*(?:(?:the|its|das|le|el) )?(?:outcome|result|ergebnis|résultat|resultado)\b/iu;

const OTHERS = /\b(?:any|all|every)? ?other (?:answers?|repl(?:y|ies)|responses?)\b/i;

const REPEATED = /\b(?:answers?|repl(?:y|ies)|responses?)\b[^.\n]{0,60}\b(?:repeats?|echo\w*|same|copies|carries)\b/i;

const MAY = /\b(?:may|might|unless)\b/i;
