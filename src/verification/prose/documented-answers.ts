import { isObject, type Json, valueAt } from '../../kernel/json.ts';
import { ANY_SYSTEM, BOTH_FAIL, FAILS, OTHER_FAILURES, SEVERAL_FAIL, THE_TOOL } from '../../lexicon/failing.ts';
import { UNAVAILABLE } from '../../lexicon/qualifying.ts';
import { EMPTY, SOME_TEXT } from '../../lexicon/quantifying.ts';
import { CHECKED, INCOMPLETE, MISSING_MEMBERS, OR_ELSE, WRONG_IN_GENERAL } from '../../lexicon/refusing.ts';
import { decodedText, hasWord, leavesOf } from '../scalar-kinds.ts';
import type { Subject } from '../subject.ts';
import { INVALID_REQUESTS, inOwnWords, OWN_FAILURES, speaksOfBroken } from './failure-rules.ts';
import { tellsReportedName } from './reported-names.ts';
import { unwrapped } from './unwrapped.ts';
import { writtenOut } from './written-out.ts';

/** The constants by which a document names the answers to a kind of failure; empty where it names none. */
export interface DocumentedAnswers {
  /** To a failing system of our own. */
  ownFailures: string[];
  /** The sentences that these come from, each with its own. */
  ownFailureSentences: { sentence: string; constants: string[] }[];
  /** To failures that no other sentence speaks of. */
  otherFailures: string[];
  /** To a request that breaks the agreement. */
  invalidRequests: string[];
  /** To a request without a member that it must have, where the document speaks of just that. */
  missingMembers: string[];
  /** To what is missing or empty in whatever way. */
  incomplete: string[];
}

const read = new WeakMap<Subject, DocumentedAnswers>();

/**
 * Reads the constants out of the sentences that speak of failures: codes of three digits, quoted words, and words in capitals that a schema
 * or a case has as a value.
 */
export function documentedAnswersOf(subject: Subject): DocumentedAnswers {
  const answers = read.get(subject) ?? readAnswers(subject);
  read.set(subject, answers);
  return answers;
}

function readAnswers(subject: Subject): DocumentedAnswers {
  const values = knownValues(subject);
  const ownFailures = new Set<string>();
  const otherFailures = new Set<string>();
  const ownFailureSentences: DocumentedAnswers['ownFailureSentences'] = [];
  const invalidRequests = new Set<string>();
  const missingMembers = new Set<string>();
  const incomplete = new Set<string>();
  const toolStems = stemsOf(
    subject.tools.map(({ name, description }) => `${spaced(name)} ${description ?? ''}`).join(' '),
  );
  const isRequester = subject.task !== undefined;
  // Who asks has systems of its own that fail, and a peer whose failures are another matter.
  const isFailure = (clause: string): boolean =>
    isRequester
      ? saysThatFails(clause, toolStems, false, subject.tools.length === 1 ? THE_TOOL : NO_SYSTEMS)
      : OWN_FAILURES.test(clause) || saysThatFails(clause, toolStems, subject.tools.length === 1);
  let before = '';
  for (const sentence of isRequester ? requesterSentencesOf(subject) : sentencesOf(subject.agreement)) {
    if (!SEVERAL_FAIL.test(inOwnWords(sentence))) {
      const found = rowNameIn(sentence, isFailure, values) ?? failureNamesIn(sentence, isFailure, values);
      // A truth value without its member names nothing.
      const constants = found.filter((constant) => !/^(?:true|false|null)$/.test(constant));
      for (const constant of constants) ownFailures.add(constant);
      const whole = /\b(?:that|this|it) fails\b/i.test(sentence) ? `${before} ${sentence}` : sentence;
      if (constants.length > 0) ownFailureSentences.push({ sentence: whole, constants });
    }
    for (const constant of namesIn(sentence, (clause) => OTHER_FAILURES.test(clause), values))
      otherFailures.add(constant);
    const own = inOwnWords(sentence);
    // "done, unless the request is broken" names what all others are answered.
    const isInvalid = (clause: string) => INVALID_REQUESTS.test(clause) || speaksOfBroken(clause);
    if (
      (speaksOfBroken(sentence) || (WRONG_IN_GENERAL.test(own) && INVALID_REQUESTS.test(own))) &&
      !SYNTAX.test(sentence) &&
      !UNLESS.test(own)
    )
      for (const constant of namesIn(sentence, isInvalid, values)) invalidRequests.add(constant);
    if ((CHECKED.test(before) && OR_ELSE.test(own)) || (CHECKED.test(own) && /\|.+\|/.test(own))) {
      const [only, ...others] = strongest(new Set(constantsOf(sentence, values)));
      if (only !== undefined && others.length === 0) invalidRequests.add(only);
    }
    for (const constant of namesIn(sentence, (clause) => MISSING_MEMBERS.test(clause), values))
      missingMembers.add(constant);
    for (const constant of namesIn(sentence, (clause) => INCOMPLETE.test(clause), values)) incomplete.add(constant);
    if (sentence.trim() !== '') before = sentence;
  }
  return {
    ownFailures: strongest(ownFailures, (name) => ownFailureSentences.some(({ sentence }) => isQuoted(name, sentence))),
    ownFailureSentences,
    otherFailures: [...otherFailures].filter((constant) => !PAIR.test(constant)),
    invalidRequests: strongest(invalidRequests),
    missingMembers: strongest(missingMembers),
    incomplete: strongest(incomplete),
  };
}

/** Words by which a sentence speaks of all but what follows. */
const UNLESS = /\b(?:unless|except)\b|除非|除了|es sei denn|sauf si|salvo (?:si|que|che)|a menos que/i;

/** The constants of a sentence that speaks of something: those of the very clause, where it has any. */
function namesIn(sentence: string, isMeant: (clause: string) => boolean, values: ReadonlySet<string>): string[] {
  if (!isMeant(sentence)) return [];
  const clauses = clausesOf(sentence).filter(isMeant);
  const own = clauses.flatMap((clause) => constantsOf(clause, values));
  // A truth value alone comes with the name that stands beside it.
  if (
    own.length > 0 &&
    own.every((constant) => PAIR.test(constant)) &&
    !/\b(?:otherwise|else|but|only|unless)\b/i.test(sentence)
  )
    return constantsOf(sentence, values);
  // A clause with a name that nothing else shows has no use for those of its neighbours.
  return own.length > 0 || clauses.some((clause) => NAMED.test(withoutTools(clause, values)))
    ? own
    : constantsOf(sentence, values);
}

/** The parts of a sentence between its commas, but for those of code. */
function clausesOf(sentence: string): string[] {
  const whole = sentence.replaceAll(/`[^`\n]*`|\{[^{}\n]*\}/g, (code) => code.replaceAll(',', '\u0000'));
  return whole.split(/[,，、]/).map((clause) => clause.replaceAll('\u0000', ','));
}

/** The line or word at the head of a row that has a system fail, where others of its column are answers of the cases: no schema may list it. */
function rowNameIn(
  sentence: string,
  isFailure: (clause: string) => boolean,
  values: ReadonlySet<string>,
): string[] | undefined {
  const head = headOf(sentence);
  if (head === undefined || !values.has(`row ${head}`) || !isFailure(sentence)) return undefined;
  // Goods are not available as well.
  const meaning = sentence.replace(head, ' ');
  return UNAVAILABLE.test(meaning) && !ANY_SYSTEM.test(meaning) ? undefined : longestPiece(head);
}

/** What stands at the head of a row of a table, of an indented line in columns, or in quotes of an item. */
function headOf(line: string): string | undefined {
  const head =
    /^\s*\|\s*([^|]{2,60}?)\s*\|/.exec(line)?.[1] ??
    /^\s*[-*•]\s+`([^`\n]{2,60})`/.exec(line)?.[1] ??
    /^(?: {2,}|\t)\s*(\S[^|]{1,60}?) {2,}\S/.exec(line)?.[1];
  return head?.replace(/^`(.+)`$/, '$1');
}

/** Fewer rows of which the answers of cases begin with their heads, or have them as words, make no list of answers. */
const leastRows = 2;

/** The heads of rows, as in lists of errors, of which those of others come up in answers: as words of a text, or as the value of a member. */
function rowNames({ agreement, cases, payload }: Subject): string[] {
  const wordsOf = (message: Json) =>
    payload === 'text' ? [String(message)] : leavesOf(message).map(({ value }) => String(value));
  const answers = cases.flatMap(({ response }) => wordsOf(response));
  const requests = cases.flatMap(({ request }) => wordsOf(request));
  const stands = (message: string, head: string) =>
    payload === 'text' ? hasWord(message, longestPiece(head)[0]?.trim() ?? '') : message === head;
  const blocks = agreement.text.split(/\n(?![ \t]*(?:\||[-*•][ \t])| {2,}|\t)/);
  return blocks.flatMap((block) => {
    const heads = block.split('\n').flatMap((line) => headOf(line) ?? []);
    const shown = heads.filter((head) => answers.some((answer) => stands(answer, head)));
    // A list of commands may have one that asks what fails.
    const isAsked = (head: string) => requests.some((request) => stands(request, head));
    return shown.length < leastRows ? [] : heads.filter((head) => !isAsked(head));
  });
}

/** The constants of a sentence that has a system fail, in the whole of it or in a clause. */
function failureNamesIn(sentence: string, isFailure: (clause: string) => boolean, values: ReadonlySet<string>) {
  if (!isFailure(sentence) && !sentence.split(/[,，、]/).some(isFailure)) return [];
  const named = namesIn(sentence, (part) => (part === sentence ? true : isFailure(part)), values);
  if (named.length === 0) return emptiesIn(sentence, values);
  if (named.some((constant) => !isWord(constant))) return named;
  // A word of the language comes with the name that stands beside it.
  return [...named, ...constantsOf(sentence, values).filter((constant) => !isWord(constant) && !PAIR.test(constant))];
}

/** Whether a constant is a word of the language. */
function isWord(constant: string): boolean {
  return /^\p{Ll}+$/u.test(constant);
}

function withoutTools(clause: string, values: ReadonlySet<string>): string {
  return clause.replace(/["“`](\w+)(?:\([^)\n]*\))?["”`]/g, (quoted, word) =>
    values.has(`tool ${word}`) ? ' ' : quoted,
  );
}

/** What fails where no system does. */
const NO_SYSTEM =
  /\b(?:validat\w+|verif\w+|check|checks|checksum|digit|signature|login|authenticat\w+|condition|test|rule)\b/i;

/** An item or row that gives a name a meaning. */
const ITEM = /[:|]|^\s*-?\d+\s{2,}\S/;

/** Who does not answer is not always a system. */
const SOMEBODY =
  /\b(?:customer|client|requester|user|guest|passenger|recipient|owner|caller|agent|peer|party|buyer|seller|member|person|driver|bidder|player|payment|nobody|he|she|they)s?\b/i;

const NO_SYSTEMS = /^\b$/;

/** Whether a clause says that a system fails: any, or one that the tools are named after. */
export function saysThatFails(
  clause: string,
  toolStems: ReadonlySet<string>,
  isOnly: boolean,
  anySystem = ANY_SYSTEM,
): boolean {
  if (!FAILS.test(clause) || NO_SYSTEM.test(clause)) return false;
  // Of an item that says of something that it fails, nothing else can be meant than the only tool there is.
  if (isOnly && ITEM.test(clause) && !SOMEBODY.test(clause) && !INVALID_REQUESTS.test(clause)) return true;
  return anySystem.test(clause) || [...stemsOf(clause)].some((stem) => toolStems.has(stem));
}

/** Words that say nothing of what fails, and those of other languages that stand in any sentence about it. */
const EMPTY_WORD =
  /^(?:(?:when|where|unless|whenever|case|fail|does|answ|resp|with|that|this|then|code|stat|messag|erro|unav|avai|cann|reac|time(?:[sd]|outs?)?$|down|from|have|been|there|requ|retu|resu|outc|problem)|(?:fehl(?:en|t|er|ers|ern)?|(?:fehl)?schlägt|eine[rnms]?|keine[rnms]?|oder|nicht|kann|können|konnten?|wird|werden|wenn|falls|beim?|fallan?|para|cuando|puede|esta|este|estado|cette|dans|pour|avec)$|失败|出错|异常|超时|返回|请求|响应|结果|代码|状态|错误|如果|或者|编号)/;

/** The beginnings of the words of a text that may name something; of Chinese, where nothing parts the words, every two signs. */
export function stemsOf(text: string): Set<string> {
  const words = [...text.toLowerCase().matchAll(/[\p{L}--\p{Script=Han}]{4,}|(?=(\p{Script=Han}{2}))/gv)].map(
    ([word, pair]) => pair ?? word,
  );
  return new Set(words.flatMap((word) => (EMPTY_WORD.test(word) ? [] : [word.slice(0, 4)])));
}

/** A name in the words that it is made of. */
export function spaced(name: string): string {
  return name.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ');
}

/** A sentence about what is no JSON at all: that never reaches a handler. */
const SYNTAX =
  /\b(?:not|no|invalid|malformed|broken|unparsable)\b[^.\n]{0,30}\bjson\b(?! schema)|\bjson\b[^.\n]{0,30}\b(?:syntax|parsed?|parsing)\b/i;

/** What looks like the name of an answer, whether or not a schema or a case has it. */
const NAMED = /["“`][^"”`\n]{2,60}["”`]|(?<![\d.,])-?\d{3,5}(?![\d%])/;

/** The answer where both of two systems fail, by its name; `undefined` where the document has none. */
export function answerIfBothFail(subject: Subject): string | undefined {
  const sentence = sentencesOf(subject.agreement).find((one) => BOTH_FAIL.test(one));
  return sentence === undefined ? undefined : constantIn(subject, sentence);
}

/** Whether a sentence has a word as the value of something, by setting it in quotes. */
function isQuoted(word: string, sentence: string): boolean {
  return ['"', '`', '“', '「', '『', '«', "'"].some((mark) => sentence.includes(`${mark}${word}`));
}

/** Codes, names in capitals and quoted words say more than truth values, and those more than words of a sentence that happen to be values as well. */
function strongest(constants: ReadonlySet<string>, isSetApart: (word: string) => boolean = () => false): string[] {
  const all = [...constants];
  const pairs = all.filter((constant) => PAIR.test(constant));
  const names = all.filter((constant) =>
    PAIR.test(constant) ? NUMBERED.test(constant) : !isWord(constant) || isSetApart(constant),
  );
  const truths = pairs.filter((pair) => /: (?:true|false)$/.test(pair));
  const words = all.filter((constant) => !PAIR.test(constant));
  return [names, truths, words, pairs].find((some) => some.length > 0) ?? [];
}

/** A member with a truth value, nothing, or a number that counts nothing, as in `accepted: false`. */
const PAIR = /^\S+: (?:true|false|null|-?\d+)$/;

/** A member with one of the numbers that it may have, as in `status: 4`. */
const NUMBERED = /^\S+: \d+$/;

/** Whether an answer holds one of the constants, as a value or a word of one. */
export function holdsConstant(answer: Json, constants: readonly string[]): boolean {
  return leavesOf(answer).some(({ name, value }) => {
    if (value === null || typeof value === 'boolean') return constants.includes(`${name}: ${value}`);
    if (typeof value === 'number' && constants.includes(`${name}: ${value}`)) return true;
    // A frame in base64 names what its text does.
    const text = (name === '' && decodedText(String(value))) || String(value);
    return constants.some((constant) => {
      if (!text.includes(constant)) return false;
      // The number of an order that ends so is no code: `q-503`.
      if (text !== constant && OF_A_THING.test(name) && /^\d+$/.test(constant)) return false;
      if (text === constant || /[^\p{L}\p{N}_]/u.test(constant)) return true;
      const words = text.split(/[^\p{L}\p{N}_]+/u);
      // A message of digits without a break, or of fields of fixed widths, has its codes among them.
      const isPacked = name === '' && (words.length === 1 || FILLED.test(text)) && text.length >= 6 && /\d/.test(text);
      return isPacked || words.includes(constant);
    });
  });
}

/** How fields of fixed widths are filled up. */
const FILLED = / {3}|0{6}/;

/** Names of members that tell which thing is meant. */
const OF_A_THING =
  /(?:^|_)(?:id|ref|key|no|nr|number|nummer|numero|número)$|(?:Id|ID|Ref|Key|No|Nr|Number)$|reference|编号|单号$/;

/** Members that tell a reader what happened. */
const TELLING_NAME =
  /^(?:message|msg|reason|detail|description|error_?(?:message|description)?|消息|原因|错误信息|描述)$/i;

/** The place of an empty text in an answer where such texts say something in every case that has them, and the document has none empty. */
export function emptiedText(subject: Subject, answer: Json): string | undefined {
  return leavesOf(answer).find(({ pointer, name, value }) => {
    if (value !== '' || !TELLING_NAME.test(name)) return false;
    const known = subject.cases.flatMap(({ response }) => valueAt(response, pointer) ?? []);
    return (
      known.length > 0 &&
      known.every((text) => typeof text === 'string' && text.trim() !== '') &&
      // What merely comes back from the request tells nobody anything.
      !subject.cases.every(
        ({ request, response }) => isObject(request) && request[name] === valueAt(response, pointer),
      ) &&
      !mayBeEmpty(subject, name)
    );
  })?.pointer;
}

/** Whether a sentence of the document has a member, or texts whatever their names, empty. */
function mayBeEmpty({ agreement }: Subject, name: string): boolean {
  return sentencesOf(agreement).some(
    (sentence) => EMPTY.test(sentence) && (hasWord(sentence, name) || SOME_TEXT.test(sentence)),
  );
}

/** The one constant by which a sentence names an answer; `undefined` where it names none, or several. */
export function constantIn(subject: Subject, sentence: string): string | undefined {
  const [only, ...others] = strongest(new Set(constantsOf(sentence, knownValues(subject))));
  return others.length === 0 ? only : undefined;
}

/** All constants by which a sentence names an answer. */
export function constantsIn(subject: Subject, sentence: string): string[] {
  return constantsOf(sentence, knownValues(subject));
}

/** Sentences and items of the prose, without the schemas. */
export function sentencesOf(agreement: Subject['agreement']): string[] {
  const known = knownSentences.get(agreement);
  if (known !== undefined) return known;
  let { text } = agreement;
  for (const { start, end } of [...agreement.schemas].sort((a, b) => b.start - a.start))
    text = `${text.slice(0, start)}\n${text.slice(end)}`;
  text = writtenOut(text);
  // A text that stands by itself below the words that have it answered belongs to them.
  text = text.replace(STANDS_BELOW, '$1 "$2".\n');
  const sentences = unwrapped(text)
    .split(SENTENCE_ENDS, MAX_SENTENCES)
    .map((sentence) => sentence.slice(0, MAX_SENTENCE));
  knownSentences.set(agreement, sentences);
  return sentences;
}

const STANDS_BELOW =
  /((?<!\p{L})(?:answers?|repl(?:y|ies)|says?|reads?|text|line|Antwort|antwortet|réponse|respuesta|resposta|risposta)):?[ \t]*\n[ \t]*\n(?: {2,}|\t)(?![ {[|#*>`-])([^\n"]{2,120})\n/giu;

/** Where a sentence or item ends; what stands in brackets belongs to the sentence around it. */
const SENTENCE_ENDS = /\n|(?:(?<=[.;!?])\s+(?![\s|])|[。；！？])(?![^()（）\n]{3,300}[)）])/u;

/** The sentences of the task of a requester; none of a provider. */
export function taskSentencesOf({ agreement, task }: Subject): string[] {
  if (task === undefined) return [];
  const known = knownTasks.get(task) ?? { ...agreement, text: task.description, schemas: [] };
  knownTasks.set(task, known);
  return sentencesOf(known);
}

const knownTasks = new WeakMap<NonNullable<Subject['task']>, Subject['agreement']>();

/** What a requester is told of its own part: the sentences of its task, and those of the document with a word that it alone reports. */
export function requesterSentencesOf(subject: Subject): string[] {
  const told = sentencesOf(subject.agreement).filter((sentence) => tellsReportedName(subject, sentence));
  return [...taskSentencesOf(subject), ...told];
}

/** The sentences of the document, and of the task of a requester. */
export function allSentencesOf(subject: Subject): readonly string[] {
  const own = taskSentencesOf(subject);
  return own.length === 0 ? sentencesOf(subject.agreement) : [...sentencesOf(subject.agreement), ...own];
}

const knownSentences = new WeakMap<Subject['agreement'], string[]>();

/** Sentences that are looked at, and the longest, in UTF-16 units: each is searched again and again. */
const [MAX_SENTENCES, MAX_SENTENCE] = [5_000, 1_000];

/** Stands among the known values where payloads are text; no value can be it. */
const TEXT_PAYLOAD = '\u0000text';

/** Stands among the known values where every answer has a number by which outcomes are told apart; no value can be it. */
const CODED = '\u0000code';

/** A number of three to five digits at the head of a row or item, or behind a sign or word at the end of a sentence. */
const LAST_NUMBER =
  /^[\s|*•-]*`?(?<head>\d{3,5})`?\s*(?:\||[:=–—-]\s|\s{2,}\S)|(?:[:=→]|->|\b(?:code|with|is|are|answers?)\b)\s*`?(?<tail>\d{3,5})`?\s*[.;|)]?$/u;

/** A word, with what may stand between it and a name that is its value. */
const MEMBER_BEFORE = /([\p{L}\p{N}_]+)[`"]?\s*(?:is|es|ist|lautet|est|è|é|=|:|：|为|是|[—–])?\s*$/u;

function constantsOf(sentence: string, values: ReadonlySet<string>): string[] {
  const quoted = [
    ...sentence.matchAll(
      /(?<before>为|是|返回|：|answer(?:s|ed)?:? (?:is |with )?|reads? )?(?:`(?<code>[^`\n]{2,60})`|"(?<plain>[^"\n]{2,60})"|“(?<curly>[^”\n]{2,60})”|«\s?(?<angled>[^»\n]{2,60}?)\s?»)/gi,
    ),
  ].flatMap(({ groups, index }) => {
    // What is quoted twice, as a JSON string in code, stands for its content.
    const word = (groups?.code ?? groups?.plain ?? groups?.curly ?? groups?.angled ?? '').replace(
      /^(["'“„「])(.+)["'”“」]$/u,
      '$2',
    );
    const isValue = values.has(word) && /[:=]\s*$/.test(sentence.slice(0, index));
    if (!isValue && (values.has(`member ${word}`) || (values.has(`told ${word}`) && !values.has(word)))) return [];
    if (/^[[{]/.test(word)) return namesInside(word, values);
    const pair = /^["']?(?<name>[\p{L}\p{N}_]+)["']?\s*[:=]\s*["'](?<value>[^"'\n]{2,60})["']$/u.exec(word)?.groups;
    if (pair?.value !== undefined && values.has(`member ${pair.name}`)) return [pair.value];
    const member = MEMBER_BEFORE.exec(sentence.slice(0, index))?.[1];
    const isText = values.has(TEXT_PAYLOAD);
    const isOfMember = values.has(`member ${member}`) || values.has(`member ${member?.toLowerCase()}`);
    if (!isText && (values.has(word) || groups?.before !== undefined || isOfMember)) return [word];
    if (isText && (values.has(word) || groups?.before !== undefined)) return longestPiece(word);
    if (isText && groups?.code !== undefined && /^(?:\p{L}+(?:-\p{L}+)+|\p{Lu}[\p{Lu}_]{2,})$/u.test(word))
      return [word];
    // A line or element of a text payload, with marks where something else is put in.
    const isLine = isText && groups?.code !== undefined && /[=;|,<>]/.test(word);
    return isLine && /err|fail|fault|unavail|fehler|panne/i.test(word) ? longestPiece(word) : [];
  });
  const codes = [
    ...sentence.matchAll(
      /(?<!(?:below|above|over|under|than|most|least|between|to|of|exceeds?|within) )(?<![\d.,])[45]\d\d(?!\d|%|[.,]\d| ?(?:[kcm]?[gm]|m?s|seconds?|minutes?|bytes?|characters?|items?|entries)\b)/gi,
    ),
  ].map(([code]) => code);
  // Where an answer has a code of some form, a longer number at the end, or at the head of a row, can be nothing else.
  const last = values.has(CODED) ? LAST_NUMBER.exec(sentence.trim()) : null;
  const own = last?.groups?.head ?? last?.groups?.tail;
  // In a heading in capitals no word stands out by them.
  const isLoud = /^[\s#*]*\p{Lu}{2,}(?: \p{Lu}{2,})+[\s.:*]*$/u.test(sentence);
  const words = [...sentence.matchAll(/(?<![\p{L}\p{N}_])[\p{L}][\p{L}\p{N}_]*(?![\p{L}\p{N}_])/gu)].flatMap(
    ([word]) => (isName(word, values) && (!isLoud || values.has(word)) ? [word] : []),
  );
  const pairs = [
    ...sentence.matchAll(
      /(?<![\p{L}\p{N}_])([\p{L}][\p{L}\p{N}_]*?)(?=[^\p{L}\p{N}_]|为)`?\s*(?:is|=|:|：|为|[—–])?\s*`?(true|false)\b/gu,
    ),
  ].flatMap(([, word, value]) => {
    // Nothing need part a name from signs before it: "响应中的smsSent为false".
    const name = word?.replace(/^\p{Script=Han}+(?=[A-Za-z])/u, '');
    return name !== undefined && values.has(`member ${name}`) ? [`${name}: ${value}`] : [];
  });
  const numbered = [
    ...sentence.matchAll(
      /(?<![\p{L}\p{N}_])([\p{L}][\p{L}\p{N}_]*?)(?=[^\p{L}\p{N}_]|为)[`"]?\s*(?:is|=|:|：|为)?\s*[`"]?(\d{1,6})(?![\p{L}\p{N}_%]|[.,:]\d)/gu,
    ),
  ].flatMap(([, name, value]) => (values.has(`number ${name}: ${value}`) ? [`${name}: ${value}`] : []));
  const meant = [
    MEANT.exec(sentence)?.groups?.name,
    ...[...sentence.matchAll(/(?<=\|\s*)\p{L}{3,}(?=\s*\|)/gu)].map(([cell]) => cell),
  ];
  for (const name of meant) if (name !== undefined && values.has(name) && !words.includes(name)) words.push(name);
  // A word of a quoted line is no name of its own.
  const free = words.filter((word) => !quoted.some((line) => /[^\p{L}\p{N}_]/u.test(line) && line.includes(word)));
  return [...quoted, ...codes, ...(own === undefined ? [] : [own]), ...free, ...pairs, ...numbered];
}

/** A word that a clause begins with and says the meaning of: even `invalid` and `error` are names there. */
const MEANT =
  /^[\s*•–-]*(?:(?:and|or|und|oder|y|o|et|ou|e)\s+)?(?<name>\p{L}{3,})\s+(?:if|when|whenever|where|wenn|falls|bei|si|cuando|quand|lorsque|se|quando)\s/u;

/** Members that a sentence has null, or below zero where they count something: `price: null`. */
function emptiesIn(sentence: string, values: ReadonlySet<string>): string[] {
  return [
    ...sentence.matchAll(
      /(?<![\p{L}\p{N}_])([\p{L}][\p{L}\p{N}_]*?)(?=[^\p{L}\p{N}_]|为)[`"]?\s*(?:is|=|:|：|为|[—–])?\s*[`"]?(null|[-−]\d+(?![\d.,-]))(?![\p{L}\p{N}_])/gu,
    ),
  ].flatMap(([, name, value]) => (values.has(`member ${name}`) ? [`${name}: ${value?.replace('−', '-')}`] : []));
}

/** The names that a quoted object holds; one that cannot be read has none. */
function namesInside(json: string, values: ReadonlySet<string>): string[] {
  let value: Json;
  try {
    value = JSON.parse(json);
  } catch {
    // Members without quotes, as in code.
    return [...json.matchAll(/:\s*["']([^"'\n]{2,60})["']/g)].flatMap(([, word]) =>
      word !== undefined && values.has(word) ? [word] : [],
    );
  }
  return leavesOf(value).flatMap(({ name, value: leaf }) => {
    if (typeof leaf === 'boolean') return values.has(`member ${name}`) ? [`${name}: ${leaf}`] : [];
    if (typeof leaf === 'number') return leaf >= 400 && leaf < 600 ? [String(leaf)] : [];
    return typeof leaf === 'string' && leaf.length > 1 ? [leaf] : [];
  });
}

/** What of a line stays as it is where dots, or a name in angle brackets that is no element, say that something else is put in. */
function longestPiece(line: string): string[] {
  return line
    .split(/<\/|\/>/.test(line) ? /\.{3}|…/ : /\.{3}|…|<[\p{L}\p{N} _-]+>/u)
    .sort((a, b) => b.length - a.length)
    .slice(0, 1);
}

/** Words in capitals that name no value: abbreviations, and the key words of requirements. */
const NO_NAME =
  /^(?:JSON|HTTP|HTTPS|HTML|ASCII|UTF|CRLF|UUID|URLS?|URIS?|UTC|ISO|RFC|API|XML|CSV|IBAN|ISBN|MUST|SHALL|SHOULD|MAY|NOT|REQUIRED|OPTIONAL|RECOMMENDED|AND|OR|ONLY|ALWAYS|NEVER|ALL|ANY|EVERY|NOTE|IMPORTANT|TODO|REQUEST|RESPONSE|POST|GET|PUT|DELETE|PATCH)$/;

/** The form of a date, a time or a number, as in `YYYY-MM-DD`, `JJJJMMTT`, `HHMM` and `XXXX`. */
const FORM = /^(?:([A-Z])\1+)+$/;

/** Whether a word names a value: in capitals, or a value that a schema or case has. */
function isName(word: string, values: ReadonlySet<string>): boolean {
  if (/^[A-Z][A-Z0-9_]{3,}$/.test(word))
    return values.has(word) || word.includes('_') || (!NO_NAME.test(word) && !FORM.test(word));
  return (
    values.has(word) &&
    (word.length > 2 || /^[A-Z]\d$/.test(word)) &&
    !/^(?:true|false|null|invalid|errors?)$/i.test(word)
  );
}

const known = new WeakMap<Subject, ReadonlySet<string>>();

function knownValues(subject: Subject): ReadonlySet<string> {
  const values = known.get(subject) ?? collectValues(subject);
  known.set(subject, values);
  return values;
}

function collectValues(subject: Subject): Set<string> {
  const { cases, responseSchema, payload, tools, task } = subject;
  const leaves = [
    ...cases.map(({ response }) => response),
    ...(task?.examples ?? []).map(({ output }) => output),
  ].flatMap((answer) => leavesOf(answer));
  // A line of text may have come with its end.
  const values = new Set(leaves.flatMap(({ value }) => (typeof value === 'string' ? [value, value.trimEnd()] : [])));
  // Without a schema the cases alone tell what the members are.
  if (responseSchema === null) for (const { name } of leaves) if (name !== '') values.add(`member ${name}`);
  const collect = (node: Json, depth: number): void => {
    if (depth > 30 || typeof node !== 'object' || node === null) return;
    if (isObject(node)) {
      for (const name of Object.keys(isObject(node.properties) ? node.properties : {})) values.add(`member ${name}`);
      for (const constant of [...(Array.isArray(node.enum) ? node.enum : []), node.const ?? null])
        if (typeof constant === 'string') values.add(constant);
      for (const [name, member] of Object.entries(isObject(node.properties) ? node.properties : {}))
        for (const listed of isObject(member) && Array.isArray(member.enum) ? member.enum : [])
          if (typeof listed === 'number') values.add(`number ${name}: ${listed}`);
    }
    for (const child of Object.values(node)) collect(child, depth + 1);
  };
  collect(responseSchema, 0);
  collect(task?.outputSchema ?? null, 0);
  if (cases.length > 0 && cases.every(({ response }) => isObject(response) && codeOf(response) !== undefined))
    values.add(CODED);
  for (const { name, outputSchema } of tools) {
    values.add(`tool ${name}`);
    for (const told of memberNamesOf(outputSchema ?? null, 0)) values.add(`told ${told}`);
  }
  if (payload === 'text') values.add(TEXT_PAYLOAD);
  for (const head of rowNames(subject)) values.add(`row ${head}`);
  return values;
}

/** The code of an answer: a number of three digits or more in a member that is named for it. */
export function codeOf(answer: Json): number | undefined {
  const leaf = leavesOf(answer).find(
    ({ name, value }) =>
      /^(?:status|result|error|return)?_?code$|^status$|^c[oó]digo$|^(?:状态|返回|结果)?(?:代)?码$/i.test(name) &&
      typeof value === 'number' &&
      value >= 100,
  );
  return leaf?.value as number | undefined;
}

/** The names of the members that a schema declares. */
export function memberNamesOf(node: Json, depth: number): string[] {
  if (depth > 30 || typeof node !== 'object' || node === null) return [];
  const own = isObject(node) && isObject(node.properties) ? Object.keys(node.properties) : [];
  return [...own, ...Object.values(node).flatMap((child) => memberNamesOf(child, depth + 1))];
}

/** A sentence as far as a finding quotes it. */
export function excerpt(sentence: string): string {
  return sentence.trim().slice(0, 200);
}
