import type { Json } from '../kernel/json.ts';
import { constantIn, sentencesOf, spaced, stemsOf } from './documented-answers.ts';
import { hasWord, leavesOf } from './scalar-kinds.ts';
import type { Subject } from './subject.ts';

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
const WHATEVER = /^(?:changed|modified|altered|touched|done|written)$/;

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
  return words.some(
    (word) =>
      word.length >= 3 &&
      done.endsWith('d') &&
      done.startsWith(word.replace(/[ey]$/, '')) &&
      done.length <= word.length + 3,
  );
}

/** What a sentence says is not done: the participle, or `true` for whatever could be. */
function undoneIn(sentence: string): string | true | undefined {
  if (/\b(?:unless|except|but|only|until|nothing (?:else|more|further|new))\b/i.test(sentence)) return undefined;
  if (ALTOGETHER.test(sentence)) return true;
  const nothing =
    /\bnothing (?:is|was|gets|has been|will be|may be|must be|shall be|is to be) (?:ever )?(\p{L}+)/iu.exec(sentence);
  if (nothing) return nothing[1];
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

const ALTOGETHER =
  /\bnothing (?:happens|changes)\b|\bwithout (?:any side[ -]effects?|(?:changing|writing|doing|storing) anything)\b|\bno (?:writes?|writing|side[ -]effects?)\b|\bsin (?:cambiar|modificar|escribir|guardar|hacer) nada\b|\bno se (?:cambia|modifica|guarda|escribe) nada\b|\bohne etwas zu (?:ändern|speichern|schreiben)\b|\bnichts wird (?:geändert|gespeichert|geschrieben)\b|\bsans rien (?:changer|modifier|écrire)\b|不(?:做|作|进行)任何(?:修改|更改|变更|操作)/iu;

/** A sentence by which a tool must not be called. */
export interface Denial {
  sentence: string;
  /** Whether it denies whatever changes something, rather than what this very tool does. */
  isGeneral: boolean;
}

/** The sentence by which a tool must not be called where this is the answer; `undefined` where the document has none. */
export function forbiddenBy(subject: Subject, answer: Json, tool: string): Denial | undefined {
  const sentences = sentencesOf(subject.agreement);
  for (const [index, sentence] of sentences.entries()) {
    const undone = undoneIn(sentence);
    if (undone === undefined) continue;
    const isGeneral = undone === true || WHATEVER.test(undone);
    if (isGeneral ? NO_CHANGE.test(tool) || hasWord(sentence, tool) : !isDoneBy(String(undone), tool)) continue;
    // What is not done may be the name of another answer.
    const rest = undone === true ? sentence : sentence.replace(new RegExp(`\\b${undone}\\b(?![\`"”])`, 'iu'), ' ');
    const constant = constantIn(subject, rest) ?? constantBefore(subject, sentences, index);
    if (constant === undefined || !isAnswer(subject, answer, constant)) continue;
    // Where another sentence has the same answer come with the act, it stands for more than one outcome.
    const isElsewhere = sentences.some(
      (other) =>
        other !== sentence && hasWord(other, constant) && undoneIn(other) === undefined && speaksOf(other, tool),
    );
    if (!isElsewhere) return { sentence: sentence.trim().slice(0, 200), isGeneral };
  }
  return saysFalse(subject, answer, tool);
}

/** The constant of the sentence before one that begins with what is not done. */
function constantBefore(subject: Subject, sentences: readonly string[], index: number): string | undefined {
  const before = sentences[index - 1];
  if (before === undefined || !/^\s*(?:then |in (?:that|this) case,? )?nothing\b/i.test(sentences[index] ?? ''))
    return undefined;
  return constantIn(subject, before);
}

function isAnswer({ payload }: Subject, answer: Json, constant: string): boolean {
  // What an item of a list has is not said of the whole.
  return leavesOf(answer).some(
    ({ pointer, value }) =>
      !/\/\d+(?:\/|$)/.test(pointer) &&
      (String(value) === constant || (payload === 'text' && hasWord(String(value), constant))),
  );
}

/** Whether a sentence names a tool, or what it does. */
function speaksOf(sentence: string, tool: string): boolean {
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
    if (sentence !== undefined) return { sentence: sentence.trim().slice(0, 200), isGeneral: true };
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

/** Words that leave it open whether a tool is used, or say that it is not. */
const OPEN =
  /\b(?:not|never|may|might|can|could|should|optional\w*|or|either|instead|no longer|former\w*|e\.g|for example|such as|unless)\b|\b(?:requester|client|caller|customer) (?:calls|uses|runs|invokes)\b|不|可以|可选|或|例如/iu;

/** The part of a sentence that names something, without what stands in brackets. */
function clauseWith(sentence: string, name: string): string {
  const plain = sentence.replace(/(?<![\p{L}\p{N}_])\([^()]*\)/gu, ' ');
  return plain.split(/[,，:：—](?![^(]*\))/).find((clause) => hasWord(clause, name)) ?? sentence;
}

/** A sentence that has a tool used, by its name, or only by the verb that the name begins with. */
export function demandOf({ agreement }: Subject, tool: string): { sentence: string; isNamed: boolean } | undefined {
  const mark = /\p{Ll}\p{Lu}|_/u.test(tool) ? '' : '(?:with|by|calls?|using|through|uses?|调用|使用|用) ?';
  const named = new RegExp(`${mark}[\`"“]${tool}[\`"”]|(?<![\\p{L}\\p{N}_.])${tool}\\(`, 'iu');
  const sentences = sentencesOf(agreement);
  const isPlain = (sentence: string) => !OPEN.test(clauseWith(sentence, tool));
  const own = sentences.filter((sentence) =>
    new RegExp(`(?<![\\p{L}\\p{N}_])${tool}(?![\\p{L}\\p{N}_])`, 'u').test(sentence),
  );
  const byName = own.find((sentence) => named.test(sentence) && isPlain(sentence));
  if (byName !== undefined) return { sentence: byName.trim().slice(0, 200), isNamed: true };
  const verb = /^\p{Ll}{4,}(?=\p{Lu}|_|$)/u.exec(tool)?.[0];
  if (verb === undefined || own.length > 0) return undefined;
  const does = new RegExp(
    `\\b${verb.replace(/y$/, '(?:y|ie)')}e?s\\b(?= (?:the|an?|it|its|this|that|each|every)\\b)`,
    'iu',
  );
  const byVerb = sentences.find((sentence) => does.test(sentence) && isPlain(sentence));
  return byVerb === undefined ? undefined : { sentence: byVerb.trim().slice(0, 200), isNamed: false };
}

/** The sentence by which every decision is written down with a tool, refusals as well. */
export function recordsAll({ agreement, tools }: Subject, tool: string): string | undefined {
  const description = tools.find(({ name }) => name === tool)?.description ?? '';
  if (!/audit|log|journal|record|trail/i.test(`${tool} ${description}`)) return undefined;
  const stems = stemsOf(`${spaced(tool)} ${description}`);
  const own = sentencesOf(agreement).find(
    (sentence) =>
      /\b(?:every|each|all|any)\b[^.]{0,40}\b(?:decisions?|attempts?|requests?|answers?)\b[^.]{0,60}\b(?:written|recorded|logged|noted|audited)\b/i.test(
        sentence,
      ) &&
      /\brefus\w+ (?:as well|too|included)|\b(?:also|including) (?:those that are )?refus\w+|\balso (?:of )?those\b[^.]{0,20}\brefus/i.test(
        sentence,
      ) &&
      [...stemsOf(sentence)].some((stem) => stems.has(stem)),
  );
  return own?.trim().slice(0, 200);
}

/** Whether the document has something that is not written down with a tool. */
export function leavesOut({ agreement, tools }: Subject, tool: string): boolean {
  const stems = stemsOf(`${spaced(tool)} ${tools.find(({ name }) => name === tool)?.description ?? ''}`);
  return sentencesOf(agreement).some(
    (sentence) =>
      /\b(?:not|never|no)\b[^.]{0,40}\b(?:written|recorded|logged|noted|audited)\b/i.test(sentence) ||
      (/\b(?:not|never|no|except|unless)\b/i.test(sentence) && [...stemsOf(sentence)].some((stem) => stems.has(stem))),
  );
}

/** The sentence by which a tool acts once. */
export function sentenceOnce({ agreement }: Subject, tool: string): string | undefined {
  return sentencesOf(agreement)
    .find(
      (sentence) =>
        /\b(?:exactly|only|just|precisely) once\b(?! (?:the|an?|it|all|this|that|they|he|she|you|we|there|every\w*)\b)|\bat most once\b|\bnever twice\b/i.test(
          sentence,
        ) &&
        !/\b(?:per|each|every|all|copy|copies)\b/i.test(sentence) &&
        (hasWord(sentence, tool) || speaksOf(sentence, tool) || does(sentence, tool)),
    )
    ?.trim()
    .slice(0, 200);
}

/** Whether a sentence has the verb that a tool's name begins with, as what somebody does. */
function does(sentence: string, tool: string): boolean {
  const verb = /^\p{Ll}{4,}(?=\p{Lu}|_|$)/u.exec(tool)?.[0];
  return verb !== undefined && new RegExp(`\\b${verb}e?s\\b`, 'i').test(sentence);
}

/** The members that the document has a tool told, by their names: `audit(door, why)`. */
export function signaturesOf({ agreement }: Subject, tool: string): { members: string[]; sentences: string[] } {
  const form = new RegExp(`(?<![\\p{L}\\p{N}_])${tool}\\(\\s*\\{?([\\p{L}\\p{N}_,\\s]{1,200})\\}?\\s*\\)`, 'u');
  const sentences = sentencesOf(agreement).filter((sentence) => hasWord(sentence, tool));
  const members = sentences.flatMap(
    (sentence) =>
      form
        .exec(sentence)?.[1]
        ?.split(',')
        .map((name) => name.trim()) ?? [],
  );
  return { members: [...new Set(members)].filter((name) => name !== ''), sentences };
}
