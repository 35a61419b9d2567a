import { CONDITION } from '../../lexicon/acting.ts';
import { COUNTS_AS, NOT_SO, OTHER_THAN_ASKED } from '../../lexicon/declining.ts';
import { FAILS, NO_MATTER, STAYS, THE_TOOL } from '../../lexicon/failing.ts';
import { QUALIFIED } from '../../lexicon/qualifying.ts';
import { hasWord } from '../scalar-kinds.ts';
import type { Subject } from '../subject.ts';
import { constantsIn, excerpt, memberNamesOf, sentencesOf, spaced, stemsOf } from './documented-answers.ts';
import { IT, sentencesOnFailureOf } from './failure-names.ts';

/** What a tool tells otherwise than where all is well: a switch, or what it was asked for and did not reach. */
export interface Decline {
  tool: string;
  /** The member that tells it. */
  member: string;
  /** What a switch is then; absent where something else was reached than was asked for. */
  value?: boolean;
}

/** What the document says of a tool that does not do what it was asked for. */
export interface DeclineRule {
  sentence: string;
  /** The names that it has for the answer; empty where it has none, or more to say. */
  names: string[];
  /** Whether it says the same of the tool's failing. */
  isLikeFailing: boolean;
}

/** The rule of the document for an answer by which a tool declines; `undefined` where it has none, or lets it pass. */
export function declineRuleOf(subject: Subject, decline: Decline): DeclineRule | undefined {
  const all = sentencesOf(subject.agreement);
  const rules: DeclineRule[] = [];
  for (const [at, sentence] of all.entries()) {
    if (
      !speaksOfDeclining(
        subject,
        decline,
        sentence,
        all[at - 1] ?? '',
        all.slice(Math.max(0, at - maxBefore), at).join(' '),
      )
    )
      continue;
    if (NO_MATTER.test(sentence) || STAYS.test(sentence) || ALWAYS.test(sentence)) return undefined;
    const isLikeFailing =
      (OR.test(sentence) || COUNTS_AS.test(sentence)) &&
      hasThisFail(subject, decline.tool, sentence, all[at - 1] ?? '');
    const isPlain = !QUALIFIED.test(sentence) || isLikeFailing;
    const names = isPlain ? constantsIn(subject, sentence).filter((name) => !name.includes(': ')) : [];
    rules.push({ sentence: excerpt(sentence), names: [...new Set(names)], isLikeFailing });
  }
  return rules.find((rule) => rule.isLikeFailing) ?? rules.find((rule) => rule.names.length > 0) ?? rules[0];
}

/** Words by which something is said of every answer, and no case of its own. */
const ALWAYS =
  /\b(?:always|never)\b|(?<!\p{L})(?:immer|nie|niemals|toujours|jamais|siempre|nunca)(?!\p{L})|总是|从不/iu;

/** What stands between two things of which the same is said. */
const OR = /(?<!\p{L})(?:or|oder|ou|o|или)(?!\p{L})|或|，也|\/|、/iu;

/** Whether a sentence has this very tool fail as well. */
function hasThisFail(subject: Subject, tool: string, sentence: string, before: string): boolean {
  if (sentencesOnFailureOf(subject, tool).some((one) => one.startsWith(sentence))) return true;
  const others = subject.tools.filter(({ name }) => name !== tool);
  if (!FAILS.test(sentence) || others.some(({ name }) => hasWord(sentence, name) || isMeant(subject, name, sentence)))
    return false;
  return isMeant(subject, tool, sentence) || (THE_CALL.test(sentence) && hasWord(before, tool));
}

/** The call that the sentence before is about. */
const THE_CALL =
  /\b(?:the|this|that) call\b|(?<!\p{L})(?:der|dieser) (?:Aufruf|Ruf)(?!\p{L})|(?<!\p{L})l['’]appel(?!\p{L})|(?<!\p{L})la llamada(?!\p{L})|调用/iu;

function speaksOfDeclining(
  subject: Subject,
  { tool, member, value }: Decline,
  sentence: string,
  before: string,
  earlier: string,
): boolean {
  const rest = sentence.replaceAll(
    new RegExp(`(?<![\\p{L}\\p{N}_])${RegExp.escape(member)}(?![\\p{L}\\p{N}_])`, 'giu'),
    ' ',
  );
  if (value === undefined) {
    // What is compared must be what this tool told, not what another one did before it was asked.
    const isAboutBefore = IT_NOW.test(sentence);
    const [told, about] = isAboutBefore ? [before, `${before} ${sentence}`] : [sentence, sentence];
    const other = OTHER_THAN_ASKED.exec(about);
    const compared = about.slice(0, (other?.index ?? 0) + (other?.[0].length ?? 0));
    const named = subject.tools.filter(({ name }) => hasWord(compared, name));
    const isMeantTool =
      named.length === 0 ? THE_TOOL.test(told) && hasWord(earlier, tool) : named.every(({ name }) => name === tool);
    return other !== null && TELLS.test(told) && hasWord(compared, member) && isMeantTool;
  }
  // "… `filed: true`. If it says false, …"
  if (SAYS_SO.exec(sentence)?.[1] === String(value) && isPaired(before, member, !value)) return true;
  if (!hasWord(sentence, member)) return false;
  // A member of messages may be what is told of others than this tool.
  const isShared = [subject.requestSchema, subject.responseSchema].some((schema) =>
    memberNamesOf(schema, 0).includes(member),
  );
  const isOfTool = hasWord(sentence, tool) || (isMeant(subject, tool, rest) && (!isShared || TELLS.test(sentence)));
  if (isPaired(sentence, member, value)) return !isShared || isOfTool;
  if (value || !isOfTool || !(CONDITION.test(sentence) || COUNTS_AS.test(sentence)) || BECAUSE.test(sentence))
    return false;
  return sentence.split(/[,，;；:：|(]/).some((clause) => {
    const at = clause.toLowerCase().indexOf(member.toLowerCase());
    // That something is not done is a rule; that it was not done is an answer.
    return (
      hasWord(clause, member) &&
      NOT_SO.test(clause.slice(Math.max(0, at - maxApart), at)) &&
      (WAS.test(clause) || TELLS.test(clause))
    );
  });
}

/** How a sentence goes on about a switch of which the one before has the other position. */
const SAYS_SO =
  /^\W*(?:if|when|where) (?:it|that|this) (?:says?|is|tells?|returns?|answers?|gives?) [`"“]?(true|false)\b/i;

/** Sentences before one in which the tool may be named that it calls the tool. */
const maxBefore = 4;

/** Characters between a word and the one by which it is not so. */
const maxApart = 16;

/** Words of what is over, by which something was not done. */
const WAS =
  /\b(?:was|were|has|have|had|did)\b|(?<!\p{L})(?:wurden?|worden|hat|haben|war|fue|ha sido|pudo|quedó|a été|foi|è stat[oa])(?!\p{L})/iu;

/** Words by which a tool answers something. */
const TELLS =
  /\b(?:returns?|returned|tells?|told|answers?|answered|reports?|reported|says?|gives?(?! back)|resolves?)\b|(?<!\p{L})(?:melde[tn]|liefer[tn]|gibt|antwortet|devuelve|responde|informa|renvoie|rend|indique|devolve|retorna|restituisce)(?!\p{L})|返回|返す/iu;

/** Words by which something else is why. */
const BECAUSE = /\b(?:because|since)\b|(?<!\p{L})(?:weil|da|porque|parce que|car)(?!\p{L})|因为/iu;

/** How a sentence begins that goes on about what the one before tells. */
const IT_NOW = new RegExp(
  `${IT.source}|^\\s*(?:wenn|falls|si|cuando|ist|如果|若)\\s*(?:das|dies|er|sie|es|ce|ceci|ese|este|该|这|此)`,
  'iu',
);

/** Whether a sentence has a member with a truth value: `accepted: false`, "`held` is false". */
function isPaired(sentence: string, member: string, value: boolean): boolean {
  const said = value ? 'true' : 'false';
  return new RegExp(
    `(?<![\\p{L}\\p{N}_])${RegExp.escape(member)}[\`"”]?\\s*(?:is|was|as|set to|equals|=+|:|：|为|是|ist|gleich|es|est|vaut|è|é|=>|-|–|—)?\\s*[\`"“]?${said}(?![\\p{L}\\p{N}_])|(?<![\\p{L}\\p{N}_])${said}[\`"”]? (?:for|in|as|als|bei|en|dans) [\`"“]?${RegExp.escape(member)}(?![\\p{L}\\p{N}_])`,
    'iu',
  ).test(sentence);
}

/** Whether words are of a tool, by what it is named after or described as. */
function isMeant({ tools }: Subject, name: string, text: string): boolean {
  const tool = tools.find((one) => one.name === name);
  const words = stemsOf(text);
  return [...stemsOf(`${spaced(name)} ${tool?.description ?? ''}`)].some((stem) => words.has(stem));
}
