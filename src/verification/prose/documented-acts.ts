import type { Tool } from '../../contract/job.ts';
import { isObject, type Json } from '../../kernel/json.ts';
import {
  CONDITION,
  DONE_ALWAYS,
  LEFT_OPEN,
  NOT_ALWAYS,
  NOT_CALLED,
  NOTHING_CHANGED,
  NOTHING_ELSE,
  ONLY_AFTER_CHECKS,
  OTHERWISE,
  TAKES_BACK,
  WITHOUT_EFFECT,
} from '../../lexicon/acting.ts';
import { FAILS, FAILURE } from '../../lexicon/failing.ts';
import { atTheEnd } from '../../lexicon/phrases.ts';
import { FOR_EACH, ONCE } from '../../lexicon/quantifying.ts';
import { answersLineByLine, reportsFailure } from '../failure-answer.ts';
import { hasWord, leavesOf } from '../scalar-kinds.ts';
import { isReadOnly, type Subject } from '../subject.ts';
import {
  allSentencesOf,
  constantIn,
  constantsIn,
  excerpt,
  holdsConstant,
  memberNamesOf,
  sentencesOf,
  spaced,
  stemsOf,
} from './documented-answers.ts';
import { pairsIn } from './failure-names.ts';
import { unwrapped } from './unwrapped.ts';

/** Participles that do not begin as their verbs do. */
const IRREGULAR: Readonly<Record<string, string>> = {
  bought: 'buy',
  drawn: 'draw',
  given: 'give',
  held: 'hold',
  kept: 'keep',
  lent: 'lend',
  made: 'make',
  paid: 'pay',
  put: 'put',
  sent: 'send',
  set: 'set',
  sold: 'sell',
  taken: 'take',
  told: 'tell',
  withdrawn: 'withdraw',
  written: 'write',
};

/** Participles that leave no act out. */
const WHATEVER =
  /^(?:changed|modified|altered|touched|done|written|getan|gemacht|(?:ver|ge)ändert|fait|modifié|changé|hace|cambia|modifica)$/;

/** Tools that do not count as a change: they write down, tell others, or hold what the next step needs. */
const NO_CHANGE =
  /^(?:(?:un)?lock|begin|start|open|close|connect|acquire|release|roll|undo|cancel|revert|void|refund|notify|alert|inform|tell|send|mail|email|push|emit|publish|post|audit|log|record|track|count|queue|enqueue)/i;

/** Whether a participle is that of a word in the name of a tool. */
function isDoneBy(participle: string, tool: string): boolean {
  const done = participle.toLowerCase();
  const words = tool
    .replace(/(?<=[\p{Ll}\d])(?=\p{Lu})/gu, ' ')
    .toLowerCase()
    .split(/[\s_-]+/);
  const verb = IRREGULAR[done];
  if (verb !== undefined) return words.includes(verb);
  const stem = /^(?:ge)?(\p{L}{3,}?)(?:e?t|en|é|a)$/u.exec(done.replace(PARTED_PARTICIPLE, '$<prefix>'))?.[1];
  if (stem !== undefined && !done.endsWith('ed') && words.some((word) => bare(word).startsWith(bare(stem))))
    return true;
  return words.some(
    (word) =>
      word.length >= 3 &&
      done.endsWith('d') &&
      done.startsWith(word.replace(/[ey]$/, '')) &&
      done.length <= word.length + 3,
  );
}

/** The syllable that stands within German participles: "eingetragen" is that of "eintragen". */
const PARTED_PARTICIPLE =
  /^(?<prefix>ab|an|auf|aus|bei|ein|fest|frei|her|hin|los|mit|nach|um|vor|weg|weiter|zu|zurück|zusammen)ge(?=\p{L}{3,}(?:t|en)$)/u;

/** A word without its accents. */
function bare(word: string): string {
  return word.normalize('NFD').replace(/\p{M}/gu, '');
}

/** What a sentence says is not done: participles, or `true` for whatever could be, or for whatever else than what it has done. */
function undoneIn(sentence: string): readonly (string | true)[] {
  if (NOTHING_ELSE.test(sentence)) return [true];
  if (/\b(?:unless|except|but|only|until|nothing (?:else|more|further|new))\b/i.test(sentence)) return [];
  if (NOTHING_CHANGED.test(sentence)) return [true];
  const nothing = [
    ...sentence.matchAll(
      /\b(?:nothing|no \p{L}+) (?:is|are|was|gets|has been|will be|may be|must be|shall be|is to be) (?:ever )?(\p{L}+)/giu,
    ),
  ].flatMap(([, done]) => done ?? []);
  if (nothing.length > 0) return nothing;
  const other = notDoneElsewhere(sentence);
  if (other !== undefined) return [other];
  const done = notDoneIn(sentence);
  return done === undefined ? [] : [done];
}

/** The participle of what is not done, in German, French and Spanish sentences. */
function notDoneElsewhere(sentence: string): string | undefined {
  const form =
    /(?<!\p{L})(?:(?:wird|werden|darf|dürfen)(?: (?!nicht)\p{L}+){0,4} (?:nichts?|kein\p{L}{0,2} \p{L}+) (?<de>ge\p{L}+|\p{L}+(?:t|en))(?!\p{L})|(?:rien|ni \p{L}+|\p{L}+) n['’](?:est|a été) (?:pas |jamais )?(?<fr>\p{L}+é)e?s?(?!\p{L})|(?:no se|nada se) (?<es>\p{L}{4,})(?!\p{L}))/iu;
  const { de, fr, es } = form.exec(sentence)?.groups ?? {};
  return de ?? fr ?? es;
}

/** What is said not to be done by `is not` and its like. */
function notDoneIn(sentence: string): string | undefined {
  const not = /(?<before>[^,，:()]*)\b(?:is|are|must|shall|will) not (?:be )?(?<done>\p{L}+)/iu.exec(sentence)?.groups;
  if (not === undefined) return undefined;
  const before = not.before ?? '';
  // Where every part that depends on another has its own verb, this is the verb of the sentence itself.
  const parts = before.match(/\b(?:if|when|where|that|which|who|whose|while|as long as|in case|once)\b/gi) ?? [];
  const verbs = before.match(/\b(?:is|are|was|were|has|have|had|exceeds?|lacks?)\b/gi) ?? [];
  const isState = parts.length > verbs.length;
  if (isState || /\b(?:yet|already|still)\b/i.test(sentence)) return undefined;
  // Of one thing that is not changed, another may be.
  return WHATEVER.test(not.done ?? '') ? undefined : not.done;
}

/** A sentence by which a tool must not be called. */
export interface Denial {
  sentence: string;
  /** Whether it denies whatever changes something, rather than what this very tool does. */
  isGeneral: boolean;
}

/** A request and its answer. */
interface Answered {
  input: Json;
  output: Json;
}

/** The sentence by which a tool must not be called where this is the answer; `undefined` where the document has none. */
export function forbiddenBy(subject: Subject, { input, output }: Answered, tool: string): Denial | undefined {
  if (answersLineByLine(input, output)) return undefined;
  const sentences = allSentencesOf(subject);
  for (const [index, sentence] of sentences.entries()) {
    if (saysElse(subject, sentence, output)) continue;
    if (isReserved(sentence, output, tool)) return { sentence: excerpt(sentence), isGeneral: false };
    const undone = undoneIn(sentence).find((done) => {
      const isGeneral = done === true || WHATEVER.test(done);
      const isMeant = NOTHING_ELSE.test(sentence) ? !speaksOf(sentence, tool) : !hasWord(sentence, tool);
      return isGeneral ? !NO_CHANGE.test(tool) && isMeant : isDoneBy(done, tool);
    });
    if (undone === undefined) continue;
    const denial = { sentence: excerpt(sentence), isGeneral: undone === true || WHATEVER.test(undone) };
    if (isAsked(sentence, input)) return denial;
    // What is not done may be the name of another answer.
    const rest = undone === true ? sentence : sentence.replace(new RegExp(`\\b${undone}\\b(?![\`"”])`, 'iu'), ' ');
    const head = headOfItem(subject, sentences, index);
    const constant = constantIn(subject, rest) ?? constantBeside(subject, sentences, index) ?? head?.constant;
    if (constant === undefined || !isAnswer(subject, output, constant) || isPlainWord(sentence, constant)) continue;
    // Where another sentence has the same answer come with the act, it stands for more than one outcome.
    const isElsewhere = sentences.some(
      (other) =>
        other !== sentence &&
        other !== head?.sentence &&
        hasWord(other, constant) &&
        undoneIn(other).length === 0 &&
        speaksOf(other, tool),
    );
    if (!isElsewhere) return denial;
  }
  return rehearsed(sentences, input) ?? saysFalse(subject, output, tool) ?? doneOtherwise(subject, output, tool);
}

/** Whether a sentence has a name as a word of the language, which has a noun behind it: the house list is not asked. */
function isPlainWord(sentence: string, name: string): boolean {
  if (!/^\p{Ll}+$/u.test(name) || new RegExp(`["'“„\`]${name}["'”“\`]`, 'u').test(sentence)) return false;
  return new RegExp(`\\b(?:the|an?|our|its) ${name} \\p{Ll}{3,}`, 'u').test(sentence);
}

/** Whether a sentence has a member of an answer be true, false or null that is not so in this one: it is about another answer. */
function saysElse(subject: Subject, sentence: string, output: Json): boolean {
  return pairsIn(subject, sentence).some(
    ({ member, value }) => isObject(output) && Object.hasOwn(output, member) && output[member] !== value,
  );
}

/**
 * The item by which a tool acts where none of the items before it holds ("Otherwise it is stored"), where the answer is one that such an
 * item names, and some case is answered with none of those.
 */
function doneOtherwise(subject: Subject, output: Json, tool: string): Denial | undefined {
  const holds = (answer: Json) => (names: string[]) => names.every((name) => holdsConstant(answer, [name]));
  const item = otherwiseOf(subject).find(
    ({ said, before }) =>
      speaksOf(withoutArguments(said), tool) &&
      !comesWith(subject, output, tool) &&
      before.some((names) => holds(output)(names) && !names.some((name) => hasWord(said, name))) &&
      subject.cases.some(({ response }) => !before.some(holds(response))),
  );
  return item && { sentence: excerpt(item.said), isGeneral: false };
}

/** Whether a sentence has a tool act whatever the answer is, or with one of this very name. */
export function comesWith(subject: Subject, output: Json, tool: string): boolean {
  const told = leavesOf(output).flatMap(({ value }) =>
    typeof value === 'string' && value.length > 2 && hasWord(subject.agreement.text, value) ? [value] : [],
  );
  const has = (answer: Json, name: string) => leavesOf(answer).some(({ value }) => value === name);
  // What is said of one refusal by a name that others have as well is not said of this one.
  const isShared = (name: string) =>
    reportsFailure(output) === true &&
    subject.cases.some(({ response }) => has(response, name) && told.some((other) => !has(response, other)));
  const names = told.filter((name) => !isShared(name));
  const members = memberNamesOf(subject.responseSchema, 0);
  return sentencesOf(subject.agreement).some((whole) => {
    // What an answer tells of an act is not the act; and another failure is no act that is always done.
    const sentence = whole
      .replace(/`([\p{L}\p{N}_]+)`/gu, (code, name) => (members.includes(name) ? ' ' : code))
      .replace(FAILS_AS_WELL, ' ')
      .replace(COMES_IN, ' ');
    if (!speaksOf(withoutArguments(sentence), tool) || NOT_ALWAYS.test(sentence) || HAS_ALSO.test(sentence))
      return false;
    return DONE_ALWAYS.test(sentence) || (hasWord(sentence, tool) && names.some((name) => hasWord(sentence, name)));
  });
}

/** A condition that every request meets. */
const COMES_IN =
  /\b(?:when|if|once|as soon as|whenever) (?:an?|the|any) [^,.]{0,30}?\b(?:comes? in|arrives?|is received|reaches us|fits (?:the|its) schema)\b[^,.]*,/gi;

const FAILS_AS_WELL = /\b(?:fails?|breaks?) (?:as well|too|also)\b/gi;

/** What something that was acted on has beside other things, which is no act. */
const HAS_ALSO =
  /\balso (?:has|have|contains?|carr(?:y|ies)|includes?|holds?|tells?)\b|(?<!\p{L})(?:hat|haben|enthält|enthalten|nennt) auch(?!\p{L})|también (?:tiene|contiene|lleva)|(?:a|contient|porte) aussi(?!\p{L})/iu;

/** A sentence without what calls in code are told: a tool may have the name of that. */
function withoutArguments(sentence: string): string {
  return sentence.replace(/(?<=[`"“]\w{1,64})\([^)`"”]*\)/gu, ' ');
}

/** What is done where none of the items before it holds, and the names of the answers in each of these. */
interface Otherwise {
  said: string;
  before: string[][];
}

const otherwise = new WeakMap<Subject, Otherwise[]>();

function otherwiseOf(subject: Subject): Otherwise[] {
  const known = otherwise.get(subject) ?? readOtherwise(subject);
  otherwise.set(subject, known);
  return known;
}

function readOtherwise(subject: Subject): Otherwise[] {
  const found: Otherwise[] = [];
  let before: string[][] = [];
  for (const line of unwrapped(subject.agreement.text).split('\n', maxLines)) {
    const isItem = ITEM_MARK.test(line);
    const said = line.replace(ITEM_MARK, '').slice(0, maxLine);
    if (before.length > 0 && OTHERWISE.test(said)) found.push({ said, before: [...before] });
    else if (isItem) {
      const names = constantsIn(subject, said);
      if (names.length > 0) before.push(names);
    } else if (/^\S/.test(line)) before = [];
  }
  return found;
}

/** The mark of an item of a list. */
const ITEM_MARK = /^\s*(?:[-*•]\s+|\d{1,2}(?:[.)]\s+|、\s*))/u;

/** Lines that are looked through for items, and the longest, in UTF-16 units. */
const [maxLines, maxLine] = [5_000, 1_000];

/** The sentence by which a request with a switch such as `dryRun`, that is on, has no effect. */
function rehearsed(sentences: readonly string[], input: Json): Denial | undefined {
  const on = isObject(input)
    ? Object.keys(input).filter(
        (name) =>
          input[name] === true &&
          /^(?:is_?)?(?:dry_?run|simulate|simulation|preview|rehearsal|(?:validate|check)_?only)$/i.test(name),
      )
    : [];
  const sentence = sentences.find((one) => WITHOUT_EFFECT.test(one) && on.some((name) => hasWord(one, name)));
  return sentence === undefined ? undefined : { sentence: excerpt(sentence), isGeneral: true };
}

/** The sentence by which a tool acts only once all is checked; `undefined` where the document has none. */
export function onlyAfterChecks(subject: Subject, tool: string): string | undefined {
  const said = allSentencesOf(subject).find((sentence) => ONLY_AFTER_CHECKS.test(sentence) && speaksOf(sentence, tool));
  return said === undefined ? undefined : excerpt(said);
}

/** The sentence by which a tool must not be called after another has failed; `undefined` where the document has none. */
export function forbiddenAfter(subject: Subject, failed: string, tool: string): string | undefined {
  const others = subject.tools.map(({ name }) => name).filter((name) => name !== failed && name !== tool);
  return allSentencesOf(subject)
    .map((sentence) => partAbout(sentence, failed, others))
    .find(
      (sentence) =>
        FAILURE.test(sentence) &&
        hasWord(sentence, failed) &&
        (isLeftUncalled(sentence, failed, tool) ||
          deniesAct(sentence, tool) ||
          (!CHANGES_NOTHING.test(sentence) &&
            !NO_CHANGE.test(tool) &&
            !hasWord(sentence, tool) &&
            undoneIn(sentence).some((done) => done === true || WHATEVER.test(done)))),
    )
    ?.trim()
    .slice(0, 200);
}

/** Whether a sentence says that nothing is done of what a tool does. */
export function deniesAct(sentence: string, tool: string): boolean {
  return undoneIn(sentence).some((done) => done !== true && !WHATEVER.test(done) && isDoneBy(done, tool));
}

/** Whether a sentence says that nothing else is done, of whatever a tool does. */
export function deniesAllElse(sentence: string, tool: string): boolean {
  return NOTHING_ELSE.test(sentence) && !BUT_FOR.test(sentence) && !NO_CHANGE.test(tool) && !hasWord(sentence, tool);
}

/** Words by which something is done all the same. */
const BUT_FOR = /\b(?:unless|except|but|only|until|apart from|besides|other than|may)\b/i;

/** That a failure leaves all as it is: what was to be done is done all the same. */
const CHANGES_NOTHING = /\bnothing (?:happens|changes)\b/i;

/** A sentence without what it says of other tools that fail: "`read` fails (nothing is stored), or `store` fails (it is noted)". */
function partAbout(sentence: string, failed: string, others: readonly string[]): string {
  const at = sentence.indexOf(failed);
  if (at < 0) return sentence;
  const [starts, ends]: [number[], number[]] = [[], []];
  for (const other of others) {
    const place = sentence.indexOf(other);
    if (place < 0) continue;
    if (place < at && FAILURE.test(sentence.slice(place, at))) starts.push(at);
    if (place > at && FAILURE.test(sentence.slice(at, place)) && FAILURE.test(sentence.slice(place))) ends.push(place);
  }
  return sentence.slice(Math.max(0, ...starts), Math.min(sentence.length, ...ends));
}

/** Whether a plain sentence has one tool fail and, behind that, another not called. */
function isLeftUncalled(sentence: string, failed: string, tool: string): boolean {
  const at = (name: string) => sentence.toLowerCase().indexOf(name.toLowerCase());
  return (
    at(failed) < at(tool) &&
    hasWord(sentence, tool) &&
    FAILURE.test(sentence.slice(0, at(tool))) &&
    !/\b(?:unless|except|only|until|before|again|twice|but)\b|除非|之前/i.test(sentence) &&
    UNCALLED.test(sentence.slice(at(failed), at(tool)))
  );
}

const UNCALLED = atTheEnd(NOT_CALLED);

/** Whether a sentence has something done with one answer alone, and the answer is another. */
function isReserved(sentence: string, output: Json, tool: string): boolean {
  const { done, also, name } =
    /\b(?:nothing|no \p{L}+) (?:is|may be|must be|will be) (?<done>\p{L}+)(?: (?:and|or) (?:nothing|no \p{L}+(?: \p{L}+)?) (?:is|may be|must be|will be) (?<also>\p{L}+))? unless the (?:answer|outcome|result|status|verdict|decision|code) is [`"“]?(?<name>[\p{L}\p{N}_-]+)[`"”]?\s*(?:[.;(]|$)/iu.exec(
      sentence,
    )?.groups ?? {};
  const alone =
    /只有\s*[`"“]?(?<name>[\p{L}\p{N}_-]+?)[`"”]?\s*(?:时)?才(?:可以|可|能|会)?(?:调用|使用|执行)\s*[`"“]?(?<tool>[A-Za-z]\w*)/u.exec(
      sentence,
    )?.groups;
  if (alone?.name !== undefined && alone.tool === tool)
    return !leavesOf(output).some(({ value }) => hasWord(String(value), alone.name as string));
  return (
    done !== undefined &&
    name !== undefined &&
    (isDoneBy(done, tool) || (also !== undefined && isDoneBy(also, tool))) &&
    !leavesOf(output).some(({ value }) => hasWord(String(value), name))
  );
}

/** Whether a sentence begins with a switch that a request has set: "`dryRun` true", "if `test` is true". */
function isAsked(sentence: string, input: Json): boolean {
  const { name, value } =
    /^[\s*•-]*(?:\d+[.)] )?(?:(?:if|when|where|with) )?[`"“]?(?<name>[\p{L}\p{N}_]+)[`"”]?(?: is| =|:)? [`"]?(?<value>true|false)[`"]?\s*[:,]\s*(?:then )?(?:nothing|no|it|they|the \p{L}+) /iu.exec(
      sentence,
    )?.groups ?? {};
  return name !== undefined && isObject(input) && input[name] === (value?.toLowerCase() === 'true');
}

/** How a sentence begins that goes on about the answer of the one before. */
const GOES_ON =
  /^\s*(?:then |in (?:that|this) case,? |sonst (?:wird|geschieht) )?(?:nothing|nichts|rien|nada)\b|^\s*(?:es wird nicht|it is not)\b/i;

/** The constant of the sentence, or part of one, beside one that has something not done. */
function constantBeside(subject: Subject, sentences: readonly string[], index: number): string | undefined {
  const [before, own = '', after] = [sentences[index - 1], sentences[index], sentences[index + 1]];
  // A part with a condition of its own is not about the answer beside it.
  if (undoneIn(own).length === 0 || CONDITION.test(own)) return undefined;
  if (before !== undefined && (/;\s*$/.test(before) || GOES_ON.test(own))) return constantIn(subject, before);
  return after !== undefined && /;\s*$/.test(own) ? constantIn(subject, after) : undefined;
}

/** How the sentence begins with which an item or row does that gives an answer its meaning. */
const HEAD_OF_ITEM = /^\s*(?:[-*•]|\d+[.)]|\|)\s*[`"“]?[\p{L}\p{N}_-]+[`"”]?\s*[:|–—]/u;

/** Most sentences of an item that are looked through for its head. */
const maxItemSentences = 4;

/** The answer whose item a sentence ends, where that goes on about it: "`LOCKED`: the door is locked. This is told first. Nothing is opened." */
function headOfItem(
  subject: Subject,
  sentences: readonly string[],
  index: number,
): { constant: string; sentence: string } | undefined {
  const own = sentences[index] ?? '';
  if (!GOES_ON.test(own) || CONDITION.test(own)) return undefined;
  for (let at = index - 1; at >= Math.max(0, index - maxItemSentences); at -= 1) {
    const sentence = sentences[at] ?? '';
    if (sentence.trim() === '') return undefined;
    const constant = constantIn(subject, sentence);
    if (HEAD_OF_ITEM.test(sentence)) return constant === undefined ? undefined : { constant, sentence };
    if (constant !== undefined) return undefined;
  }
  return undefined;
}

function isAnswer({ payload }: Subject, answer: Json, constant: string): boolean {
  // What an item of a list has is not said of the whole.
  return leavesOf(answer).some(
    ({ pointer, name, value }) =>
      !/\/\d+(?:\/|$)/.test(pointer) &&
      (String(value) === constant ||
        (typeof value === 'boolean' && `${name}: ${value}` === constant) ||
        (payload === 'text' && hasWord(String(value), constant))),
  );
}

/** Whether a sentence names a tool, or what it does. */
export function speaksOf(sentence: string, tool: string): boolean {
  return hasWord(sentence, tool) || [...sentence.matchAll(/\p{L}{3,}/gu)].some(([word]) => isDoneBy(word, tool));
}

/** Members by which an answer tells whether something was done. */
function saysFalse(subject: Subject, answer: Json, tool: string): Denial | undefined {
  for (const { pointer, name, value } of leavesOf(answer)) {
    if (value !== false || !/^\p{L}+$/u.test(name) || /\/\d+\//.test(pointer)) continue;
    if (NO_CHANGE.test(tool)) continue;
    const sentence = sentencesOf(subject.agreement).find((one) => {
      const done = new RegExp(
        `(?<!\\p{L})${name}\\W{0,2} (?:tells|says|shows|is|means) (?:\\p{L}+ )?(?:whether|if) (?:anything|something) (?:was|is|has been) (\\p{L}+)`,
        'iu',
      ).exec(one)?.[1];
      return done !== undefined && WHATEVER.test(done);
    });
    if (sentence !== undefined) return { sentence: excerpt(sentence), isGeneral: true };
  }
  return undefined;
}

/** What a document's table or list of codes says of one that stands for a refusal. */
const REFUSED =
  /\b(?:refused|rejected|denied|declined|forbidden|not (?:allowed|permitted|possible|accepted|carried out|executed))\b/i;

/** Whether the document's list of codes says that the code of an answer is a refusal. */
export function isRefusalCode({ agreement }: Subject, answer: Json): boolean {
  return leavesOf(answer).some(({ name, value }) => {
    if (typeof value !== 'number' || !/(?:^|_)(?:status|code|result)$|(?:Code|Status|Result)$/.test(name)) return false;
    const head = new RegExp(`^[\\s*|•-]*[\`"]?${value}[\`"]?\\s*(?:[:|=–—-]|->)\\s*(.+)$`, 'u');
    return sentencesOf(agreement).some((sentence) => REFUSED.test(head.exec(sentence)?.[1] ?? ''));
  });
}

/** The part of a sentence that names something, without what stands in brackets. */
function clauseWith(sentence: string, name: string): string {
  const plain = sentence.replace(/(?<![\p{L}\p{N}_])\([^()]*\)/gu, ' ');
  return plain.split(/[,，:：—](?![^(]*\))/).find((clause) => hasWord(clause, name)) ?? sentence;
}

/** What is done, in the passive: "the reservations are released", "the fee is then refunded". */
const IS_DONE =
  /\b(?<verb>is|are|gets?|(?:must|will|shall) be) (?:(?:then|all|both|immediately) )?(?<done>\p{L}{4,}d)\b/giu;

/** Words by which a clause has something done on a condition, or not at all. */
const OPEN_OR_DENIED = /\b(?:if|when|unless|until|while|only|no|not|nothing|never|may|might|can|could|should)\b/i;

/** The same in other languages. */
const OPEN_OR_DENIED_ELSEWHERE =
  /(?<![\p{L}_])(?:wenn|falls|sofern|nicht|kein\p{L}*|nie\p{L}*|kann|können|darf|si|cuando|no|nunca|pueden?|salvo|quand|pas|jamais|aucune?|peut|peuvent|se|quando|não|podem?|non|mai|può|possono)(?![\p{L}_])|不|未|无需|勿|如果|若|可以|可能/iu;

/** Words by which something is undone without us, or at another time. */
const BY_ITSELF =
  /\b(?:by (?:it|them)sel(?:f|ves)|automatic\w*|every (?:night|day|hour)|nightly|overnight|later|after \d+|by hand|manually|staff|operators?|expires?|lapses?)\b|(?<!\p{L})(?:von selbst|automatisch|von Hand|später|automáticamente|automatiquement|más tarde|plus tard)(?!\p{L})|自动|人工|稍后/iu;

/** That something is free, where nobody makes it so. */
const FREE_AS_IT_IS = /(?<!\b(?:give[ns]?|sets?|makes?|made)\b[^.,]{0,40})\bfree\b/gi;

/** How a condition begins, up to the end of its clause. */
const CONDITION_ON =
  /(?<!\p{L})(?:if|when|whenever|where|should|in case|wenn|falls|si|cuando|quand|lorsque|se|quando)(?!\p{L}).*$|(?:如果|若|当).*$/iu;

/** The parts of sentences behind and before that by which something fails or is declined: what is done then. */
function consequencesOf(sentence: string, isCause: (clause: string) => boolean): string[] {
  return sentence.split(/[,，;；:：|]/).flatMap((clause) => {
    if (!isCause(clause)) return [clause];
    const end = FAILS.exec(clause);
    return [clause.replace(CONDITION_ON, ' '), end === null ? '' : clause.slice(end.index + end[0].length)];
  });
}

/** Whether a clause has something done with a tool, rather than speaks of what it told. */
function isUsed(clause: string, tool: string): boolean {
  return new RegExp(
    `(?:(?<!\\p{L})(?:with|by|using|through|calls?|mit|per|über|con|mediante|avec|par|com)\\s+|(?:用|调用|通过)(?:一次)?\\s*)[\`"“]?${tool}(?![\\p{L}\\p{N}_])`,
    'iu',
  ).test(clause);
}

/**
 * A sentence that has a tool called where something fails or is declined, and whether once for each of several things; a condition may make
 * it another matter. It has the verb of its name, or names one that takes back what was done, or has any word for that, where the tool is the
 * only one that does; of a tool that is one of the acts itself, it must say both.
 */
export function demandedIn(
  sentences: readonly string[],
  { name: tool, description = '' }: Tool,
  { takesBack, isOnly, isAct, isAlone }: { takesBack: boolean; isOnly: boolean; isAct: boolean; isAlone: boolean },
  isCause: (clause: string) => boolean = (clause) => FAILS.test(clause),
): { sentence: string; isForEach: boolean } | undefined {
  for (const sentence of sentences) {
    for (const clause of consequencesOf(sentence, isCause)) {
      if ([OPEN_OR_DENIED, OPEN_OR_DENIED_ELSEWHERE, BY_ITSELF].some((words) => words.test(clause))) continue;
      for (const { groups, index } of clause.matchAll(IS_DONE))
        if (!isAct && isDoneBy(groups?.done ?? '', tool))
          return {
            sentence: excerpt(sentence),
            isForEach: groups?.verb === 'are' && /\b(?:all|every|each|already)\b/i.test(clause.slice(0, index)),
          };
      // A text may be free as well, and an order cancelled of which other things are held.
      const isUndoing = TAKES_BACK.test(clause.replaceAll(FREE_AS_IT_IS, ' '));
      const isNamed = hasWord(clause, tool);
      const words = stemsOf(`${spaced(tool)} ${description}`);
      const isMeant = isOnly && [...stemsOf(clause)].some((stem) => words.has(stem));
      if (
        isAct ? isUndoing && isAlone && isUsed(clause, tool) : isNamed ? isUndoing || takesBack : isUndoing && isMeant
      )
        return { sentence: excerpt(sentence), isForEach: false };
    }
  }
  return undefined;
}

/** A sentence that has a tool used, by its name, or only by the verb that the name begins with. */
export function demandOf({ agreement }: Subject, tool: string): { sentence: string; isNamed: boolean } | undefined {
  const mark = /\p{Ll}\p{Lu}|_/u.test(tool) ? '' : '(?:with|by|calls?|using|through|uses?|调用|使用|用) ?';
  const named = new RegExp(`${mark}[\`"“]${tool}[\`"”]|(?<![\\p{L}\\p{N}_.])${tool}\\(`, 'iu');
  const sentences = sentencesOf(agreement);
  const isPlain = (sentence: string) => !LEFT_OPEN.test(clauseWith(sentence, tool));
  const own = sentences.filter((sentence) =>
    new RegExp(`(?<![\\p{L}\\p{N}_])${tool}(?![\\p{L}\\p{N}_])`, 'u').test(sentence),
  );
  const byName = own.find((sentence) => named.test(sentence) && isPlain(sentence));
  if (byName !== undefined) return { sentence: excerpt(byName), isNamed: true };
  const verb = /^\p{Ll}{4,}(?=\p{Lu}|_|$)/u.exec(tool)?.[0];
  if (verb === undefined || own.length > 0) return undefined;
  const does = new RegExp(
    `\\b${verb.replace(/y$/, '(?:y|ie)')}e?s\\b(?= (?:the|an?|it|its|this|that|each|every)\\b)`,
    'iu',
  );
  const byVerb = sentences.find((sentence) => does.test(sentence) && isPlain(sentence));
  return byVerb === undefined ? undefined : { sentence: excerpt(byVerb), isNamed: false };
}

/** The sentence by which a tool acts once; where no other tool acts, it need not have its name. */
export function sentenceOnce(subject: Subject, tool: string): string | undefined {
  const acting = subject.tools.filter(({ name }) => !isReadOnly(subject, name));
  const reading = subject.tools.filter(({ name }) => isReadOnly(subject, name));
  const isMeant = (sentence: string): boolean =>
    hasWord(sentence, tool) ||
    speaksOf(sentence, tool) ||
    does(sentence, tool) ||
    (acting.length === 1 && !reading.some(({ name }) => hasWord(sentence, name) || does(sentence, name)));
  return sentencesOf(subject.agreement)
    .find((sentence) => isOnce(sentence) && isMeant(sentence))
    ?.trim()
    .slice(0, 200);
}

/** Whether a sentence has something done once, and not once for each of several: before that, or in the same clause. */
function isOnce(sentence: string): boolean {
  const once = ONCE.exec(sentence);
  if (once === null) return false;
  const end = once.index + once[0].length;
  const rest = /^[^,;:()，；：（）、]*/u.exec(sentence.slice(end))?.[0] ?? '';
  return !FOR_EACH.test(sentence.slice(0, end) + rest);
}

/** Whether a sentence has the verb that a tool's name begins with, as what somebody does. */
function does(sentence: string, tool: string): boolean {
  const verb = /^\p{Ll}{4,}(?=\p{Lu}|_|$)/u.exec(tool)?.[0];
  return verb !== undefined && new RegExp(`\\b${verb}e?s\\b`, 'i').test(sentence);
}
