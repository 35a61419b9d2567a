import { isObject, type Json } from '../../kernel/json.ts';
import {
  FAILS,
  FAILURE,
  LOOK_UP,
  NEVER_REPEATED,
  NO_MATTER,
  NOT_DONE,
  SEVERAL_FAIL,
  STAYS,
  WHICHEVER_SYSTEM,
} from '../../lexicon/failing.ts';
import { either } from '../../lexicon/phrases.ts';
import { QUALIFIED, UNAVAILABLE } from '../../lexicon/qualifying.ts';
import type { CheckFacts } from '../check.ts';
import { hasWord, leavesOf } from '../scalar-kinds.ts';
import type { Subject } from '../subject.ts';
import {
  allSentencesOf,
  codeOf,
  constantsIn,
  documentedAnswersOf,
  holdsConstant,
  memberNamesOf,
  saysThatFails,
  sentencesOf,
  spaced,
  stemsOf,
} from './documented-answers.ts';
import { inOwnWords } from './failure-rules.ts';
import { failsElsewhere, isActOf } from './owed-names.ts';

/**
 * What the document calls the failure of this very tool, where an answer has neither that name nor one for failures of whatever system:
 * from sentences that have this tool alone fail. Empty as well where one of them makes up for the failure, or a case shows that they are
 * to be read otherwise.
 */
export function missingNamesOf(facts: CheckFacts, tool: string, answer: Json): readonly string[] {
  const own = failureNamesOf(facts, tool);
  if (own.length === 0 || holdsConstant(answer, own)) return [];
  const { spoken } = namesByTool(facts.subject);
  const others = new Set([...spoken].flatMap(([name, names]) => (name === tool ? [] : [...names])));
  const { ownFailures, ownFailureSentences, otherFailures } = documentedAnswersOf(facts.subject);
  // A verdict that stands beside the name of every tool's failure, as `error` beside its reason, is not that of any failure.
  const all = [...spoken.values()].flatMap((names) => [...names]);
  const isGeneral = (name: string) =>
    ownFailureSentences.some(
      ({ sentence, constants }) =>
        constants.includes(name) &&
        !all.some((other) => other !== name && hasWord(sentence, other)) &&
        (WHICHEVER_SYSTEM.test(sentence) || !failsElsewhere(facts.subject, sentence, tool)),
    );
  const general = [...ownFailures.filter(isGeneral), ...otherFailures].filter((name) => !others.has(name));
  return holdsConstant(answer, general) ? [] : own;
}

/** The sentence by which the answer stays what it is where this very tool fails; `undefined` where the document has none. */
export function staysTheSame(subject: Subject, tool: string): string | undefined {
  return namesByTool(subject).harmless.get(tool);
}

/**
 * The sentence by which a member is true, false or null where this very tool fails, with an answer that has it otherwise, or not at all though
 * that of the case has it; `undefined` where there is none.
 */
export function saysOtherwise(subject: Subject, tool: string, before: Json, answer: Json): string | undefined {
  return namesByTool(subject).flags.find((flag) => {
    if (flag.tool !== tool || OPEN.test(flag.sentence)) return false;
    const was = valuesOf(before, flag.member);
    return was.length > 0 && !was.includes(flag.value) && !valuesOf(answer, flag.member).includes(flag.value);
  })?.sentence;
}

/**
 * The sentence by which an answer has a name, or a truth value, although this very tool fails, with an answer that has lost what that of the
 * case has; `undefined` where there is none.
 */
export function saysKept(subject: Subject, tool: string, before: Json, answer: Json): string | undefined {
  return namesByTool(subject).told.find((one) => {
    if (one.tool !== tool) return false;
    const { names, pairs } = one;
    const isLost = ({ member, value }: Pair) =>
      valuesOf(before, member).includes(value) &&
      valuesOf(answer, member).length > 0 &&
      !valuesOf(answer, member).includes(value);
    return (
      pairs.some(isLost) ||
      (names.length > 0 &&
        names.every((name) => holdsConstant(before, [name])) &&
        names.some((name) => !holdsConstant(answer, [name])))
    );
  })?.sentence;
}

/**
 * The sentence by which an answer has a name where this very tool fails, with an answer that has none of those, and neither had that of the
 * case; `undefined` where there is none.
 */
export function saysOwed(
  subject: Subject,
  tool: string,
  before: Json,
  answer: Json,
): { sentence: string; names: readonly string[] } | undefined {
  // Another sentence may make up for the failure.
  const isOpen = (other: string) => !NEVER_REPEATED.test(other) && (NO_MATTER.test(other) || OPEN.test(other));
  const sentences = sentencesOnFailureOf(subject, tool);
  return namesByTool(subject).told.find(
    (one) =>
      one.tool === tool &&
      one.names.length > 0 &&
      !sentences.some((other) => !other.includes(one.sentence) && isOpen(other)) &&
      !NO_MATTER.test(one.sentence.replace(ALL_THE_SAME, ' ')) &&
      !holdsConstant(before, one.names) &&
      !holdsConstant(answer, one.names),
  );
}

/** What only says that something else is as it was. */
const ALL_THE_SAME = /\ball the same\b/i;

/** Words by which a sentence has more than one failure, or more than one thing to say of it. */
const OPEN =
  /\b(?:unless|except|(?<!\b(?:if|when) |^[\s*-]*)only|again|twice|second|third|otherwise|instead|may|might|can|cached?|default)\b|(?<!\p{L})(?:sonst|erneut|nochmals?|außer|sauf|sinon|salvo|sino)(?!\p{L})|否则|除非|默认|缓存/iu;

/**
 * Whether a sentence about what this tool does, and could not do, has a name that the answer has: it may have another name for every other
 * failure, or none but the usual one, with what is left out then.
 */
export function isSaidOf(subject: Subject, tool: string, names: readonly string[], answer: Json): boolean {
  return sentencesOf(subject.agreement).some((sentence) => {
    const clause = sentence.split(/[:：,，]/).find((one) => COULD_NOT.test(one));
    if (clause === undefined || names.some((name) => hasWord(sentence, name))) return false;
    const meant = toolsNamed(subject.tools, clause);
    const isMeant = (meant.length > 0 ? meant : toolsMeant(subject.tools, clause)).some(({ name }) => name === tool);
    return isMeant && holdsConstant(answer, answerNamesIn(subject, sentence));
  });
}

const COULD_NOT = either(FAILS, FAILURE, NOT_DONE);

/** All that an answer has under a name. */
function valuesOf(answer: Json, member: string): Json[] {
  if (typeof answer !== 'object' || answer === null) return [];
  return Object.entries(answer).flatMap(([name, value]) => [
    ...(name === member ? [value] : []),
    ...valuesOf(value, member),
  ]);
}

/** The sentences that have this very tool fail, alone or as one of several of which any may. */
export function sentencesOnFailureOf(subject: Subject, tool: string): readonly string[] {
  return namesByTool(subject).sentences.get(tool) ?? [];
}

function failureNamesOf({ subject, cases }: CheckFacts, tool: string): readonly string[] {
  const hasFailed = ({ seen }: CheckFacts['cases'][number]) =>
    seen.calls.some((call) => call.tool === tool && call.error !== undefined);
  const names = (namesByTool(subject).clear.get(tool) ?? []).filter(
    (name) => !cases.some((one) => !hasFailed(one) && holdsConstant(one.one.output, [name])),
  );
  return cases.some((one) => hasFailed(one) && !holdsConstant(one.one.output, names)) ? [] : names;
}

interface NamesByTool {
  /** Of every sentence that has the tool fail, whatever else it says. */
  spoken: ReadonlyMap<string, ReadonlySet<string>>;
  /** Of the tools whose sentences say nothing else, without what is said of other tools as well. */
  clear: ReadonlyMap<string, readonly string[]>;
  /** Of the tools whose failing does not matter to the answer, the sentence that says so. */
  harmless: ReadonlyMap<string, string>;
  /** The sentences that have a tool fail, alone or as one of several of which any may. */
  sentences: ReadonlyMap<string, readonly string[]>;
  /** Of sentences that have one tool fail, the members with the truth value that they have then. */
  flags: readonly (Pair & { tool: string; sentence: string })[];
  /** Of plain sentences that have one tool fail and nothing undone, what answers have then. */
  told: readonly { tool: string; sentence: string; names: readonly string[]; pairs: readonly Pair[] }[];
}

/** A member with what a sentence has it be. */
interface Pair {
  member: string;
  value: boolean | null;
}

const read = new WeakMap<Subject, NamesByTool>();

function namesByTool(subject: Subject): NamesByTool {
  const known = read.get(subject) ?? readNames(subject);
  read.set(subject, known);
  return known;
}

function readNames(subject: Subject): NamesByTool {
  const spoken = new Map<string, Set<string>>();
  const unclear = new Set<string>();
  const harmless = new Map<string, string>();
  const sentences = new Map<string, string[]>();
  const flags: (Pair & { tool: string; sentence: string })[] = [];
  const told: NamesByTool['told'][number][] = [];
  let spokenOf: string | undefined;
  const all = withHeads(subject, allSentencesOf(subject));
  for (const [at, sentence] of all.entries()) {
    const before = spokenOf;
    const named = toolsNamed(subject.tools, sentence);
    if (sentence.trim() !== '' && (named.length > 0 || !IT.test(sentence))) {
      const acts = sentence.match(/\b(?<=the )\p{L}{3,}ing\b/gu) ?? [];
      const meant =
        named.length > 0 ? named : subject.tools.filter(({ name }) => acts.some((act) => isActOf(act, name)));
      spokenOf = meant.length === 1 ? meant[0]?.name : undefined;
    }
    const said = [...withoutValues(sentence).matchAll(named.length > 0 ? EACH_SAYS_FAILS : EACH_FAILS)];
    if (said.length === 0) continue;
    const names = answerNamesIn(subject, sentence);
    const isClear =
      names.length > 0 &&
      !SEVERAL_FAIL.test(inOwnWords(sentence)) &&
      !NO_MATTER.test(sentence) &&
      !QUALIFIED.test(sentence);
    // In a row the name of an answer may say so as well: "Change failed".
    const failing =
      said.map((fails) => toolsThatFail(subject, sentence, fails, before)).find((tools) => tools.length > 0) ?? [];
    const whole = withWhatFollows(sentence, all[at + 1] ?? '');
    if (failing.length === 1 && STAYS.test(whole)) harmless.set(failing[0] as string, whole);
    for (const tool of SEVERAL_FAIL.test(inOwnWords(sentence)) && failing.length > 1 ? [] : failing) {
      sentences.set(tool, [...(sentences.get(tool) ?? []), whole]);
      if (!SEVERAL_FAIL.test(inOwnWords(sentence)))
        for (const pair of pairsIn(subject, whole)) flags.push({ tool, ...pair, sentence: whole });
    }
    const then = whatComesOf(sentence, said.at(-1) as RegExpExecArray);
    // What is said of one or another that fails is said of each.
    const each = then === undefined || SEVERAL_FAIL.test(inOwnWords(sentence)) ? [] : failing;
    for (const tool of each)
      told.push({ tool, sentence, names: answerNamesIn(subject, then ?? ''), pairs: pairsIn(subject, then ?? '') });
    for (const tool of failing) {
      // That it is not tried again says nothing of the answer.
      if (!isClear && !(names.length === 0 && NEVER_REPEATED.test(sentence) && !NO_MATTER.test(sentence)))
        unclear.add(tool);
      const known = spoken.get(tool) ?? new Set();
      spoken.set(tool, known);
      for (const name of names) known.add(name);
    }
  }
  const sets = [...spoken.values()];
  const clear = [...spoken].flatMap(([tool, names]): [string, string[]][] => {
    const alone = [...names].filter((name) => sets.every((set) => set === names || !set.has(name)));
    return unclear.has(tool) ? [] : [[tool, alone.length > 0 ? alone : [...names]]];
  });
  return { spoken, clear: new Map(clear), harmless, sentences, flags, told };
}

/** What a plain sentence has come of a failure; `undefined` where it leaves anything open, or says what is not. */
function whatComesOf(sentence: string, fails: RegExpExecArray): string | undefined {
  const behind = sentence.slice(fails.index + fails[0].length);
  const at = behind.search(/[,:：，—–|]|^\s+(?:the )?(?:answer|response|reply|result|outcome|status) /);
  const then = at < 0 ? '' : behind.slice(at).replace(/\bas (?:if|though)\b/gi, ' ');
  return then === '' || OPEN.test(sentence) || CONDITIONS.test(then) || DENIES.test(then) ? undefined : then;
}

/** Words for what is not. */
const DENIES =
  /\b(?:not|no|never|nothing|none|neither|nor|without|cannot)\b|n['’]t\b|(?<![\p{L}_])(?:kein\p{L}*|nicht\p{L}*|nie|ohne|pas|rien|aucun\p{L}*|sans|sin|nada|não|nem|sem|non|niente|senza)(?![\p{L}_])|[不没無无未]|ない/iu;

/** Words that begin a condition. */
const CONDITIONS =
  /\b(?:if|when|whenever|where|once|unless|until|in case)\b|(?<!\p{L})(?:wenn|falls|sofern|sobald|si|cuando|quand|lorsque|se|quando)(?!\p{L})|如果|若|当/iu;

/** The sentences, with the rows of a table that says by its head that something fails, and by its row only of which tool, saying both. */
function withHeads(subject: Subject, sentences: readonly string[]): string[] {
  let isOfFailures = false;
  return sentences.map((sentence, at) => {
    if (!/^\s*\|/.test(sentence)) isOfFailures &&= sentence.trim() !== '';
    else if (/^[\s|:-]*$/.test(sentences[at + 1] ?? '') && sentences[at + 1]?.includes('-'))
      isOfFailures = SAYS_FAILS.test(sentence);
    if (!isOfFailures || SAYS_FAILS.test(sentence)) return sentence;
    const head = /^\s*\|[\s`]*([\p{L}\p{N}_]+)[\s`]*(?=\|)/u.exec(sentence);
    const only = subject.tools.find(({ name }) => name === head?.[1]);
    return head === null || only === undefined
      ? sentence
      : `| \`${only.name}\` fails ${sentence.slice(head[0].length)}`;
  });
}

/** A sentence with blanks in place of single words in quotes: those are values, whatever they mean. */
function withoutValues(sentence: string): string {
  return sentence.replace(/[`"“]\p{Ll}+[`"”]/gu, (value) => ' '.repeat(value.length));
}

/** A sentence with the one that goes on about the same failure. */
function withWhatFollows(sentence: string, next: string): string {
  const goesOn = (/;\s*$/.test(sentence) && !/^\s*[-*•|#]/.test(next)) || THEN.test(next);
  return goesOn && !FAILS.test(next) ? `${sentence} ${next}` : sentence;
}

/** How a sentence begins by which something is done in the case of the one before. */
const THEN =
  /^\s*(?:then|in (?:that|this|such a) case|dann|in (?:diesem|dem) Fall|entonces|en (?:ese|este|tal) caso|alors|dans ce cas|nesse caso|in tal caso)(?!\p{L})|^\s*(?:此时|这时)/iu;

/** The members of answers that a sentence has be true, false or null. */
export function pairsIn(subject: Subject, sentence: string): Pair[] {
  // Without a schema the cases alone tell what the members are.
  const schema = subject.task?.outputSchema ?? subject.responseSchema;
  const shown = schema === null ? subject.cases.flatMap(({ response }) => leavesOf(response)) : [];
  const told = new Set([...memberNamesOf(schema, 0), ...shown.map(({ name }) => name)]);
  return [...sentence.matchAll(PAIR)].flatMap(({ groups }) => {
    const { member = '', value } = groups ?? {};
    return told.has(member) ? [{ member, value: value === 'null' ? null : value === 'true' }] : [];
  });
}

/** A member with a truth value, or with nothing: "`loans` set to `null`". */
const PAIR =
  /(?<![\p{Script=Latin}\p{N}_])(?<member>[\p{L}--\p{Script=Han}][[\p{L}\p{N}_]--\p{Script=Han}]*)[`"”]?\s*(?:is|are|be|set to|=|:|：|为|是|ist|gleich|auf|es|est|vaut|è|é|[—–])?\s*[`"“]?(?<value>true|false|null)(?![\p{L}\p{N}_])/giv;

/** What says of a tool that is named that it fails. */
const SAYS_FAILS = either(FAILS, FAILURE, /\b(?:throws|raises)\b/);

/** All places of a sentence at which it says that something fails, where tools are named and where none is. */
const [EACH_SAYS_FAILS, EACH_FAILS] = [SAYS_FAILS, FAILS].map(
  ({ source, flags }) => new RegExp(source, `${flags}g`),
) as [RegExp, RegExp];

/** How a sentence begins that goes on about the tool of the one before, or speaks of its call: what fails then is it, or nothing is named. */
export const IT = either(
  /^[\s*-]*(?:(?:when|if|where|should) )?(?:it|this|that)\b|^[\s*-]*(?:fails|breaks|does(?: not|n['’]t) (?:work|answer))\b|^[^.]*\bof (?:this|that) (?:call|act|step|request)\b|^\s*(?:on|in case of|upon) (?:a )?(?:failure|error)\b/,
  /^[^.]*(?<!\p{L})diese[rs]? (?:Aufruf|Schritt)|^\s*(?:(?:wenn|falls|sollte) (?:das|dies|es|er|sie) (?:scheiter|fehlschl|misslin|ausf[aä]ll|nicht)\p{L}*|(?:schlägt|fällt|geht) (?:das|dies|es|er|sie) (?:fehl|aus|schief)|(?:scheitert|misslingt) (?:das|dies|es|er|sie)\s*(?=[,;:]))(?!\p{L})/u,
  /^\s*(?:si|cuando|se|quando) (?:es[ot]|isso|isto|questo|ell[ao]|ela|ele|él|esso)?\s?(?:fall[aeoói]\p{L}*|falh\p{L}*|no responde|não responde|non risponde|da error)\s*(?=[,;:]|$)/u,
  /^\s*(?:si |s['’]|quand )(?:cela |ça |il |elle |celui-ci |celle-ci )?(?:échou\p{L}*|tombe en panne|ne répond pas)\s*(?=[,;:]|$)/u,
  /^\s*(?:如果?|若|当)?(?:调用|操作|该步骤?|此步骤?|它|其)?(?:失败|出错|超时)/,
);

/** How a sentence begins in which "it" is the answer, if something else fails. */
const IT_IS_IF = /^[\s*-]*(?:it|this|that)\b[^.]*\b(?:if|when|whenever|where|should) (?!it\b|this\b|that\b)/i;

/** The tools that a sentence has by their names; one that is a word of the language must stand in quotes. */
export function toolsNamed(tools: Subject['tools'], sentence: string): Subject['tools'] {
  return tools.filter(({ name }) =>
    /^\p{Ll}+$/u.test(name) ? new RegExp(`["“\`]${name}\\b`, 'u').test(sentence) : hasWord(sentence, name),
  );
}

/** What may stand between a tool and the word that it fails, such as that it declines, and between two of which the same is said. */
const [BESIDE, TOGETHER] = [
  /^[\s`"”」』»)(]*(?:(?:\p{L}{1,9}\s)?[`"“]?[\p{L}\p{N}_.]{1,40}\s?[:=：]\s?(?:true|false|null)[`"”]?\s?,?\s?(?:or|oder|或者?|ou|o)\s?)?(?:\p{L}{1,8}\s[`"“„『「«]?){0,2}$/u,
  /^[\s`"“”„『』「」«»,/|、，]*(?:or|and|oder|und|ou|et|o|y|e|u|или|и|または|或者?|和)?[\s`"“„『「«]*$/iu,
];

/** What stands in a cell of its own before the word that a call fails: it is that of the row's tool. */
const ITS_CALL = /^\s*\|.*\|\s*(?:if |when )?(?:the|this|that|its) call\s*$/iu;

/** The tools that a sentence has fail: those whose names stand beside that word, or the one that its words are of. */
function toolsThatFail(
  subject: Subject,
  sentence: string,
  fails: RegExpExecArray,
  spokenOf: string | undefined,
): string[] {
  const { tools } = subject;
  const plain = sentence.toLowerCase();
  // Of a tool that is named more than once, the name in front of the word is meant.
  const placeOf = (name: string) => {
    const before = plain.lastIndexOf(name.toLowerCase(), fails.index - 1);
    return before >= 0 ? before : plain.indexOf(name.toLowerCase());
  };
  const named = toolsNamed(subject.tools, sentence)
    .map(({ name }) => ({ name, at: placeOf(name) }))
    .sort((a, b) => a.at - b.at);
  const ahead = named.filter(({ at }) => at < fails.index);
  if (ahead.length === 1 && named.length === 1 && ITS_CALL.test(sentence.slice(0, fails.index)))
    return named.map(({ name }) => name);
  if (ahead.length > 0) {
    const ends = [...ahead.slice(1).map(({ at }) => at), fails.index];
    const fits = ahead.map(({ name, at }, index) =>
      (index === ahead.length - 1 ? BESIDE : TOGETHER).test(sentence.slice(at + name.length, ends[index])),
    );
    return ahead.slice(fits.lastIndexOf(false) + 1).map(({ name }) => name);
  }
  const [next] = named;
  if (next && BESIDE.test(sentence.slice(fails.index + fails[0].length, next.at))) {
    const apart = named.findIndex(({ at }, index) => {
      const one = named[index - 1];
      return one !== undefined && !TOGETHER.test(sentence.slice(one.at + one.name.length, at));
    });
    return named.slice(0, apart < 0 ? named.length : apart).map(({ name }) => name);
  }
  if (IT.test(sentence) && !IT_IS_IF.test(sentence.slice(0, fails.index)))
    return spokenOf === undefined || next ? [] : [spokenOf];
  const clause = clauseThatFails(sentence, fails);
  const stems = tools.map(({ name, description }) => `${spaced(name)} ${description ?? ''}`).join(' ');
  const acts = clause.match(/\p{L}{3,}(?:ing|ment|tion|al)\b/gu) ?? [];
  const acting = tools.filter(({ name }) => acts.some((act) => isActOf(act, name)));
  if (acting.length > 0) return acting.length === 1 ? acting.map(({ name }) => name) : [];
  const reading = tools.filter((tool) => tool.annotations?.readOnlyHint === true);
  if (reading.length === 1 && LOOK_UP.test(clause)) return reading.map(({ name }) => name);
  // Farther behind it another tool may be one that is called then.
  if (next) return [];
  if (UNAVAILABLE.test(clause) || !saysThatFails(clause, stemsOf(stems), tools.length === 1)) return [];
  if (tools.length === 1) return tools.map(({ name }) => name);
  const end = FAILS.exec(clause);
  const [from, to] = [end?.index ?? 0, (end?.index ?? 0) + (end?.[0].length ?? 0)];
  // Behind the word that something fails may stand what comes of it, and "cannot be read" is said of whatever is.
  const meant = [clause.slice(0, from), clause.slice(0, to), clause]
    .map((part) => toolsMeant(tools, part))
    .find((some) => some.length === 1);
  return (meant ?? []).map(({ name }) => name);
}

/** The clause of a sentence that has something fail: what stands behind a colon, or in the cells behind, is what comes of it. */
function clauseThatFails(sentence: string, fails: RegExpExecArray): string {
  if (!/^\s*\|/.test(sentence)) return sentence.split(/[,，、]|[:：](?=\s)/).find((one) => FAILS.test(one)) ?? sentence;
  const end = sentence.indexOf('|', fails.index + fails[0].length);
  return sentence.slice(0, end < 0 ? undefined : end);
}

/** The tools that words are of: those with the most of them in their names, or else by what they are described as. */
function toolsMeant(tools: Subject['tools'], text: string): Subject['tools'] {
  const words = stemsOf(text);
  const shared = (told: string) => [...stemsOf(told)].filter((stem) => words.has(stem)).length;
  const most = Math.max(0, ...tools.map(({ name }) => shared(spaced(name))));
  return most > 0
    ? tools.filter(({ name }) => shared(spaced(name)) === most)
    : tools.filter(({ description }) => shared(description ?? '') > 0);
}

/** The values of answers that a sentence names: those in quotes or in capitals, those the schema lists, and codes. */
export function answerNamesIn(subject: Subject, sentence: string): string[] {
  const listed = listedOf(subject);
  // Where every answer has such a code, nothing else is meant.
  const isCoded = subject.cases.length > 0 && subject.cases.every(({ response }) => codeOf(response) !== undefined);
  const isOther = (word: string) => listed.members.has(word) || subject.tools.some(({ name }) => name === word);
  const quoted = [...sentence.matchAll(/["“„「『«`]\s?([^\s"”“「」『』«»`]{2,60})\s?["”“」』»`]/gu)].map(
    ([, word = '']) => word,
  );
  // What the schema lists needs no quotes where it fills a cell, or stands as the value of a member, and may be several words within them.
  const cells = /^\s*\|/.test(sentence) ? sentence.split('|').map((cell) => cell.trim()) : [];
  const values = [...sentence.matchAll(/(?<![\p{L}\p{N}_])([\p{L}_]+)(?: =| is|:)? ([\p{L}\p{N}_-]+)/gu)].flatMap(
    ([, member = '', value = '']) => (listed.members.has(member) ? [value] : []),
  );
  // No word of the language has such a sign in it.
  const joined = sentence.match(/(?<![\p{L}\p{N}_-])\p{Ll}+(?:[_-]\p{Ll}+)+(?![\p{L}\p{N}_-])/gu) ?? [];
  const texts = [...sentence.matchAll(/["“„«]([^"”“«»\n]{2,60})["”»]/gu)].map(([, text = '']) => text);
  const codes = cells.filter((cell) => isCoded && CODE_OF_ANSWERS.test(cell));
  const told = [...cells, ...values, ...joined, ...texts].filter((text) => listed.values.has(text)).concat(codes);
  const capitals = [...sentence.matchAll(/(?<![\p{L}\p{N}_-])[A-Z][A-Z0-9_]{3,}(?![\p{L}\p{N}_-])/gu)].map(
    ([word]) => word,
  );
  const numbers = [...sentence.matchAll(/(?<![\p{L}\p{N}_.,:-])[-−]?\d{1,6}(?![\p{N}_%]|[.,:]\d)/gu)].flatMap(
    ({ 0: digits, index }) => {
      const before = sentence.slice(0, index);
      const isCode =
        /(?:^[\s|*•-]*|(?:code|status|result|c[oó]digo)(?: is| ist| es| est| é)?\W{0,4}|[码是为]\s*)$/iu.test(before) ||
        (isCoded && CODE_OF_ANSWERS.test(digits) && ANSWERED_WITH.test(before));
      return isCode || digits.length > 3 ? [digits.replace('−', '-')] : [];
    },
  );
  // Of a text no schema lists anything.
  const called =
    subject.payload === 'text'
      ? [
          ...constantsIn(subject, sentence),
          ...[...sentence.matchAll(CALLED)].flatMap(({ groups }) => groups?.name ?? []),
        ]
      : [];
  return [...new Set([...quoted, ...capitals, ...numbers, ...told, ...called])].filter(
    (word) =>
      !isOther(word) &&
      (called.includes(word) ||
        listed.values.has(word) ||
        /^[A-Z][A-Z0-9]*[_-][A-Z0-9_-]+$/.test(word) ||
        (isCoded && CODE_OF_ANSWERS.test(word))),
  );
}

/** A name of several words in one, and what it is called by. */
const CALLED =
  /(?<!\p{L})(?:faults?|errors?|codes?|reasons?|status|results?|outcomes?)(?: is| with|:)? [`"“]?(?<name>\p{Ll}+(?:[-_]\p{Ll}+)+)(?![\p{L}\p{N}_-])/giu;

/** What stands before a code that is told without being called one. */
const ANSWERED_WITH =
  /(?:[:：]|(?<!\p{L})(?:answer\p{L}*|repl(?:y|ies)|respon\p{L}+|returns?|gives?|it(?:['’]s| is)|antwort\p{L}*|gibt|répond\p{L}*|renvoie|devuelve|retorna)(?: with| mit| con| avec| com)?|返回|应答|回答)\s*$/iu;

/** A code of three digits, as HTTP has them. */
const CODE_OF_ANSWERS = /^[1-5]\d\d$/;

interface Listed {
  /** What the response schema lists, numbers as texts. */
  values: ReadonlySet<string>;
  /** The names of members in both schemas. */
  members: ReadonlySet<string>;
}

const lists = new WeakMap<Subject, Listed>();

function listedOf(subject: Subject): Listed {
  const known = lists.get(subject);
  if (known !== undefined) return known;
  const values = new Set<string>();
  const members = new Set<string>();
  const collect = (node: Json, isAnswer: boolean, depth: number): void => {
    if (depth > 30 || typeof node !== 'object' || node === null) return;
    if (isObject(node)) {
      for (const name of Object.keys(isObject(node.properties) ? node.properties : {})) members.add(name);
      for (const value of isAnswer ? [...(Array.isArray(node.enum) ? node.enum : []), node.const ?? null] : [])
        if (typeof value === 'string' || typeof value === 'number') values.add(String(value));
    }
    for (const child of Object.values(node)) collect(child, isAnswer, depth + 1);
  };
  collect(subject.task?.outputSchema ?? subject.responseSchema, true, 0);
  collect(subject.responseSchema, subject.task === undefined, 0);
  collect(subject.requestSchema, false, 0);
  lists.set(subject, { values, members });
  return { values, members };
}
