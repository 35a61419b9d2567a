import type { Tool } from '../../contract/job.ts';
import type { Observation, Scenario } from '../../contract/trial.ts';
import type { Json } from '../../kernel/json.ts';
import { ESCAPED, QUOTED_FIELDS } from '../../lexicon/forming.ts';
import { validatorOf } from '../../schemas/validator-of.ts';
import type { CheckFacts, SeenCase } from '../check.ts';
import { allSentencesOf } from '../prose/documented-answers.ts';
import { leavesOf } from '../scalar-kinds.ts';
import { replacedAt } from '../worlds/variations.ts';

/** A case in which a text that messages carry has signs of their form in it, and how it must not stand in what is written. */
export interface FieldWithSigns {
  one: SeenCase;
  /** What must not stand in it. */
  bare: string;
  /** Whether that may stand behind a quotation mark. */
  canBeQuoted: boolean;
  sentence: string;
  scenario: Scenario;
}

/** Cases of which texts are changed, and changes of one. */
const [maxCases, maxPlans] = [3, 6];

/** How much of the end of a text is looked for where it must not stand, in UTF-16 units. */
const maxTail = 60;

/** Texts with signs that the document has written otherwise: of CSV in quotes with the quotes doubled, of XML as entities. */
export function fieldsWithSigns(facts: CheckFacts): FieldWithSigns[] {
  const { subject, cases } = facts;
  if (subject.payload !== 'text') return [];
  const sentences = allSentencesOf(subject);
  // What is said may be meant of the other side's messages: a case must show it for those that are written.
  const shown = cases.map((one) => writtenBy(facts, one)).join('\n');
  const quoting = /"[^"\n]+"/.test(shown) ? sentences.find((sentence) => QUOTED_FIELDS.test(sentence)) : undefined;
  const escaping = /&(?:amp|lt|gt);/.test(shown) ? sentences.find((sentence) => ESCAPED.test(sentence)) : undefined;
  return cases
    .map((one) => {
      const written = writtenBy(facts, one);
      return carriedTexts(facts, one).flatMap((carried) => {
        const separator = quoting === undefined ? undefined : separatorBeside(carried.text, written);
        if (quoting !== undefined && separator !== undefined)
          return [`${carried.text}"q`, `${carried.text} "q"${separator} z`, `${carried.text}${separator}z`].flatMap(
            (raw) => {
              const held = { one, bare: raw, canBeQuoted: !raw.includes('"'), sentence: quoting };
              return planOf(facts, held, carried, raw, quoted);
            },
          );
        if (escaping !== undefined && isElement(written, carried.text))
          return [' <b', ' & c'].flatMap((signs) => {
            // Signs that the text has itself are written otherwise in any case.
            const tail = /[\p{L}\p{N} .-]+$/u.exec(carried.text.slice(-maxTail))?.[0];
            const held = { one, bare: `${tail}${signs}`, canBeQuoted: false, sentence: escaping };
            return tail === undefined ? [] : planOf(facts, held, carried, `${carried.text}${signs}`, entities);
          });
        return [];
      });
    })
    .filter((plans) => plans.length > 0)
    .slice(0, maxCases)
    .flatMap((plans) => plans.slice(0, maxPlans));
}

/** What a run wrote that holds a text as it stands, though the document has signs of it written otherwise. */
export function unescapedIn(
  { subject }: CheckFacts,
  { bare, canBeQuoted }: FieldWithSigns,
  seen: Observation,
): string | undefined {
  const written = subject.role === 'provider' ? [seen.value] : seen.sends.map(({ request }) => request);
  return written.find(
    (text): text is string =>
      typeof text === 'string' &&
      text
        .split(bare)
        .slice(0, -1)
        .some((before) => !(canBeQuoted && before.endsWith('"'))),
  );
}

/** Whether a text is the whole of an element, with its signs written as they must be. */
function isElement(written: string, text: string): boolean {
  const forms = [entities(text), entities(text).replaceAll('"', '&quot;').replaceAll("'", '&apos;')];
  return forms.some((form) => written.includes(`>${form}<`));
}

/** A text that is told, whether by the request, the task or a tool. */
interface Carried {
  text: string;
  /** Where the task has it; absent where the request, which is a text, or a tool does. */
  pointer?: string;
  isOfTool: boolean;
}

/** The texts that a case is told and that stand in what is written in it. */
function carriedTexts({ subject }: CheckFacts, { one, seen }: SeenCase): Carried[] {
  const isPlain = (text: Json): text is string =>
    typeof text === 'string' && /^[\p{L}\p{N}][\p{L}\p{N} .'-]*$/u.test(text) && /\p{L}{2}/u.test(text);
  const told = seen.calls.flatMap(({ output }) => leavesOf(output ?? null).map(({ value }) => value));
  const ofTools = [...new Set(told)]
    .filter((text) => typeof text === 'string' && /^[^\n]*\p{L}{2}[^\n]*$/u.test(text))
    .map((text) => ({ text: String(text), isOfTool: true }));
  if (subject.role === 'requester')
    return leavesOf(one.input).flatMap(({ pointer, value }) =>
      isPlain(value) ? [{ text: value, pointer, isOfTool: false }] : [],
    );
  const asked = String(one.input)
    .split(/[\n;,|\t<>]/)
    .filter(isPlain);
  return [...ofTools, ...[...new Set(asked)].map((text) => ({ text, isOfTool: false }))];
}

function writtenBy({ subject }: CheckFacts, { one, seen }: SeenCase): string {
  return subject.role === 'provider' ? String(one.output) : seen.sends.map(({ request }) => request).join('\n');
}

/** What parts a text from the field beside it, where it is a whole field of some line. */
function separatorBeside(text: string, written: string): string | undefined {
  for (const line of written.split('\n'))
    for (const separator of [';', ',', '|', '\t']) {
      const fields = line.split(separator);
      if (fields.length > 1 && fields.includes(text)) return separator;
    }
  return undefined;
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

function entities(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The case with a text that has such signs, written as the document has it where it comes in a text. */
function planOf(
  { subject }: CheckFacts,
  held: Omit<FieldWithSigns, 'scenario'>,
  { text, pointer, isOfTool }: Carried,
  raw: string,
  write: (text: string) => string,
): FieldWithSigns[] {
  const { one } = held;
  const { input } = one.one;
  if (isOfTool) {
    const tools = subject.tools.map((tool) => withText(tool, text, raw));
    const isAllowed = tools.every(({ name, examples }) =>
      (examples ?? []).every(
        (example) => !('output' in example) || subject.surface.toolOutputIssues(name, example.output).length === 0,
      ),
    );
    return isAllowed ? [{ ...held, scenario: { ...one.scenario, tools: tools as Scenario['tools'] } }] : [];
  }
  if (pointer === undefined) {
    const field = new RegExp(`(?<=^|[\\n;,|\\t>])${RegExp.escape(text)}(?=$|[\\n;,|\\t<])`, 'gu');
    const changed = String(input).replace(field, () => write(raw));
    return changed === input ? [] : [{ ...held, scenario: { ...one.scenario, input: changed } }];
  }
  const changed = replacedAt(input, pointer, raw);
  const schema = subject.task?.inputSchema;
  const validator = schema === undefined ? undefined : validatorOf(schema);
  if (validator?.ok && !validator.allows(changed)) return [];
  return [{ ...held, scenario: { ...one.scenario, input: changed } }];
}

/** A tool that tells one text where its examples have another. */
function withText(tool: Tool, text: string, other: string): Tool {
  const examples = (tool.examples ?? []).map((example) =>
    'output' in example
      ? {
          ...example,
          output: leavesOf(example.output).reduce(
            (output: Json, { pointer, value }) => (value === text ? replacedAt(output, pointer, other) : output),
            example.output,
          ),
        }
      : example,
  );
  return { ...tool, examples };
}
