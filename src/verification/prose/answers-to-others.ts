import { isObject } from '../../kernel/json.ts';
import { ANSWER, ANSWER_TO_ANOTHER, ID_WORD } from '../../lexicon/exchanging.ts';
import { NO_ANSWER } from '../../lexicon/failing.ts';
import { UNSURE } from '../../lexicon/qualifying.ts';
import { REFUSED } from '../../lexicon/refusing.ts';
import { DIFFERS } from '../../lexicon/repeating.ts';
import type { RunnableCase } from '../case-scenarios.ts';
import { hasWord } from '../scalar-kinds.ts';
import type { Subject } from '../subject.ts';
import { allSentencesOf, taskSentencesOf } from './documented-answers.ts';
import { failureRulesOf } from './failure-rules.ts';

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
export function hasOthersRefused(subject: Subject, { request, response }: RunnableCase['case']): boolean {
  const asked = isObject(request) ? Object.entries(request) : [];
  const answered = isObject(response) ? Object.entries(response) : [];
  const names = asked.flatMap(([name, value]) =>
    answered.flatMap(([other, back]) => (typeof value === 'string' && back === value ? [name, other] : [])),
  );
  const tasks = taskSentencesOf(subject);
  if (tasks.some((one) => ANSWER_TO_ANOTHER.test(one) && (NO_ANSWER.test(one) || REFUSED.test(one)) && !MAY.test(one)))
    return true;
  const sentences = allSentencesOf(subject);
  return sentences.some((sentence, index) => {
    if (!REFUSED.test(sentence) || UNSURE.test(sentence)) return false;
    if (ANSWER_TO_ANOTHER.test(sentence)) return true;
    if (!ANSWER.test(sentence)) return false;
    if (OTHERS.test(sentence)) return REPEATED.test(sentences[index - 1] ?? '');
    return (
      names.some((name) => isAnother(sentence, name)) ||
      (DIFFERS.test(sentence) && (ID_WORD.test(sentence) || names.some((name) => quotes(sentence, name))))
    );
  });
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
      `\\b(?:another|other|different|wrong|foreign)\\s+${name}\\b|\\b${name} (?:that|which) (?:was|is|has) (?:not|never) (?:been )?sent\\b`,
      'i',
    ).test(sentence)
  );
}

const OTHERS = /\b(?:any|all|every)? ?other (?:answers?|repl(?:y|ies)|responses?)\b/i;

const REPEATED = /\b(?:answers?|repl(?:y|ies)|responses?)\b[^.\n]{0,60}\b(?:repeats?|echo\w*|same|copies|carries)\b/i;

const MAY = /\b(?:may|might|unless)\b/i;
