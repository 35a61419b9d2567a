import type { Case, Interaction, LocatedSchema } from '../../contract/agreement.ts';
import type { CaseValidation } from '../../documents/case-validation.ts';
import { descriptionFormatOf } from '../../documents/description-format.ts';
import type { FoundSchema, FoundSchemas } from '../../documents/find-schemas.ts';
import type { JsonBlock } from '../../documents/json-blocks.ts';
import { type LocatedJson, readJson } from '../../documents/located-json.ts';
import { readYaml } from '../../documents/located-yaml.ts';
import type { TextDocument } from '../../documents/text-document.ts';
import type { Json } from '../../kernel/json.ts';
import { type DescribedMethod, interactionsOf } from '../../service-descriptions/described-method.ts';
import { methodsAt } from '../../service-descriptions/read-service-description.ts';
import type { DescriptionFault } from '../../service-descriptions/service-description.ts';
import { wordlessParts } from '../../service-descriptions/wordless-parts.ts';

/** What the service descriptions in a document say. */
export interface Described {
  interactions: readonly Interaction[];
  /** Their examples. */
  cases: readonly Case[];
  schemas: readonly FoundSchema[];
  faults: readonly DescriptionFault[];
  /** Where the document holds no sentences. */
  data: readonly { start: number; end: number }[];
}

/** What agents paste as a document. Examples of JSON-RPC in a document are examples and no more. */
const FORMATS: ReadonlySet<string> = new Set(['openrpc', 'openapi-3.0', 'openapi-3.1', 'mcp-tools']);

/** Whether a value is a description that may be the document of an agreement. */
export function isPasted(value: Json): boolean {
  return FORMATS.has(descriptionFormatOf(value) ?? '');
}

/** Most descriptions of one document. */
const MAX_DESCRIPTIONS = 8;

const known = new WeakMap<TextDocument['own'], Described | null>();

/**
 * Reads the OpenRPC, OpenAPI and MCP descriptions of a document, or else of its base protocols; `null` if there are
 * none, or if the document has schemas besides them, which then describe its messages.
 */
export function describedIn({ own, bases }: TextDocument): Described | null {
  for (const one of [{ ...own, key: own }, ...bases.documents.map((base) => ({ ...base, key: base }))]) {
    const before = known.get(one.key);
    const found = before === undefined ? readAll(one, 'uri' in one ? one.uri : undefined) : before;
    known.set(one.key, found);
    if (found !== null || one.schemas.length > 0) return found;
  }
  return null;
}

function readAll({ text, blocks, schemas }: FoundSchemas, baseUri: string | undefined): Described | null {
  const descriptions = blocks.filter(({ value }) => isPasted(value)).slice(0, MAX_DESCRIPTIONS);
  const isInside = ({ start }: LocatedSchema) =>
    descriptions.some((block) => start >= block.start && start < block.end);
  if (descriptions.length === 0 || !schemas.every(isInside)) return null;
  const methods = new Map<string, DescribedMethod>();
  const faults: DescriptionFault[] = [];
  const data: { start: number; end: number }[] = [];
  for (const block of descriptions) {
    const root = rootOf(text, block);
    const found = root && methodsAt({ root, start: block.start, pointer: '', baseUri });
    faults.push(...(found?.faults ?? []));
    if (root !== undefined && baseUri === undefined) data.push(...wordlessParts(text, root, block.end));
    for (const method of found?.methods ?? []) if (!methods.has(method.name)) methods.set(method.name, method);
  }
  // A description of parts alone serves the schemas of the document.
  if (methods.size === 0 && schemas.length > 0) return null;
  const { interactions, cases } =
    methods.size === 0 ? { interactions: [NOTHING_READ], cases: [] } : interactionsOf([...methods.values()]);
  const found = interactions.flatMap(({ request, replies }): FoundSchema[] => [
    ...(request === null ? [] : [{ ...request, claim: 'request' as const }]),
    ...replies.map((reply) => ({ ...reply, claim: 'response' as const })),
  ]);
  return { interactions, cases, schemas: found, faults, data };
}

/** The one interaction of a description that has no method. */
const NOTHING_READ: Interaction = { name: '', request: null, replies: [] };

function rootOf(text: string, { start, end, isYaml }: JsonBlock): LocatedJson | undefined {
  const reading = isYaml === true ? readYaml(text, start, end)[0] : readJson(text, start, true);
  return reading?.ok === true ? reading.node : undefined;
}

/** How many cases keep the schemas of an interaction. */
export function fitting(
  interactions: readonly Interaction[],
  cases: readonly Case[],
  validation: CaseValidation,
): number {
  return cases.filter(({ request, response }) =>
    interactions.some(
      (one) =>
        one.request !== null &&
        validation.allows(one.request.schema, request) === true &&
        one.replies.some(({ schema }) => validation.allows(schema, response) === true),
    ),
  ).length;
}
