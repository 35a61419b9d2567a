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

/** What was read from the service descriptions in a document. */
export interface Described {
  interactions: readonly Interaction[];
  /** Their examples. */
  cases: readonly Case[];
  schemas: readonly FoundSchema[];
  faults: readonly DescriptionFault[];
  /** The parts of the document without sentences. */
  data: readonly { start: number; end: number }[];
}

/** The formats of descriptions that may be a document. Examples of JSON-RPC in a document are only examples. */
const FORMATS: ReadonlySet<string> = new Set(['openrpc', 'openapi-3.0', 'openapi-3.1', 'mcp-tools']);

/** Whether a value is a service description that may be the document of an agreement. */
export function isDescriptionDocument(value: Json): boolean {
  return FORMATS.has(descriptionFormatOf(value) ?? '');
}

/** Most descriptions of one document. */
const MAX_DESCRIPTIONS = 8;

const known = new WeakMap<TextDocument['own'], Described | null>();

/**
 * Reads the OpenRPC, OpenAPI and MCP descriptions in a document, or else in its base protocols. `null` if there are
 * none, or if there are schemas outside them: then those describe the messages.
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
  const descriptions = blocks.filter(({ value }) => isDescriptionDocument(value)).slice(0, MAX_DESCRIPTIONS);
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
  // A description without methods only has parts for the schemas of the document.
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

/** How many cases match the schemas of one of the interactions. */
export function matchingCases(
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
