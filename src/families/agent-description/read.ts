import { type Case, type Interaction, type LocatedSchema, MAX_CASES, type Texts } from '../../contract/agreement.ts';
import type { FoundSchema } from '../../documents/find-schemas.ts';
import { type LocatedJson, nodeAt } from '../../documents/located-json.ts';
import { quoteText } from '../../kernel/quote.ts';
import { equalJson } from '../../schemas/equal-json.ts';
import {
  descriptionRoot,
  readDescriptionAt,
  readServiceDescription,
} from '../../service-descriptions/read-service-description.ts';
import type { ServiceDescription } from '../../service-descriptions/service-description.ts';
import { wordlessParts } from '../../service-descriptions/wordless-parts.ts';
import { type FamilyReading, type PlacedFinding, tooManyCases, withoutProse } from '../family.ts';
import { chooseInterface, isInline } from './choose-interface.ts';
import { type Description, inlineDocument, placed, readDescription } from './description.ts';
import { type Dossier, openDossier } from './dossier.ts';

/** Reads a description, its proof, and the chosen interface: each method is an interaction, each example a case. */
export function readAgreement({ document, cases }: Texts): FamilyReading {
  const dossier = openDossier(document);
  const { start, end } = dossier.description;
  const { description, root, lenient = false, faults } = readDescription(document, start, end);
  const service = description && root && serviceOf(dossier, description, root);
  const interactions = service?.interactions ?? [];
  const schemas = new Set(interactions.flatMap(({ request, replies }) => [...(request ? [request] : []), ...replies]));
  const listed = Array.isArray(cases) ? cases : [];
  const found = [...listed.map(({ request, response, expected = '' }) => ({ request, response, expected }))];
  for (const { request, response, expected } of service?.cases ?? []) {
    const isListed = found.some((one) => equalJson(one.request, request) && equalJson(one.response, response));
    if (!isListed) found.push({ request, response, expected });
  }
  return {
    ...withoutProse,
    interactions: interactions.length > 0 ? interactions : [UNREADABLE],
    payload: 'json',
    cases: found.slice(0, MAX_CASES).map((one, index): Case => ({ testCase: index + 1, ...one, negative: false })),
    faults: [...faults, ...proofFaults(dossier), ...(service?.faults ?? []), ...tooManyCases(found.length)],
    schemas: [...schemas].map((schema: LocatedSchema): FoundSchema => ({ ...schema, claim: null })),
    ...(root !== undefined && service?.node !== undefined ? { data: wordless(document, root, service.node) } : {}),
    lenient: root !== undefined && lenient ? [{ start: root.start, end: root.end }] : [],
    document: {
      text: document,
      blocks:
        root === undefined
          ? []
          : [{ start: root.start, end: root.end, value: root.value, lenient, isYaml: root.isBlock === true }],
    },
  };
}

/** The interaction of an interface that cannot be read; a finding says why. */
export const UNREADABLE: Interaction = {
  name: '',
  request: { schema: true, start: 0, end: 0, heading: '' },
  replies: [{ schema: true, start: 0, end: 0, heading: '' }],
};

/**
 * The methods of the chosen interface with the JSON or YAML they were read from, or a fault that says why there are
 * none.
 */
function serviceOf(dossier: Dossier, description: Description, root: LocatedJson): Service {
  const { text, choice, methods, interfaceText } = dossier;
  const found = chooseInterface(description, choice, (url) => url === interfaceText?.uri);
  if (!found.ok) return unusable(found.reason, root.start);
  const { index, protocol, url } = found.chosen;
  if (interfaceText !== undefined) {
    const read = descriptionRoot(text, interfaceText);
    if (!('root' in read)) return readServiceDescription(text, { methods }, interfaceText);
    const place = { root: read.root, start: read.root.start, pointer: '' };
    return { ...readDescriptionAt(place, { methods }), node: read.root };
  }
  const inline = isInline(found.chosen) ? inlineDocument(root, index) : undefined;
  if (inline !== undefined && typeof inline.node.value === 'string')
    return readServiceDescription(inline.node.value, { methods });
  if (inline !== undefined) {
    const place = { root: inline.node, start: root.start, pointer: inline.pointer };
    return { ...readDescriptionAt(place, { methods }), node: inline.node };
  }
  const what = url === undefined ? 'without a document' : 'whose document is not supplied';
  const named = protocol === '' ? '' : `${quoteText(protocol)} `;
  return unusable(`found ${named}interface ${index} ${what}, wanted its text`, root.start);
}

/** What a service description says, and where it is. */
type Service = Pick<ServiceDescription, 'interactions' | 'cases' | 'faults'> & { node?: LocatedJson };

/** All of a document except the sentences: the agent's description of itself, and those in the chosen interface. */
function wordless(document: string, root: LocatedJson, node: LocatedJson): { start: number; end: number }[] {
  const own = nodeAt(root, '/description');
  const kept = typeof own?.value === 'string' ? [own] : [];
  const outside = [...kept, node].toSorted((one, other) => one.start - other.start);
  const starts = [0, ...outside.map(({ end }) => end)];
  const parts = starts.map((start, index) => ({ start, end: outside[index]?.start ?? document.length }));
  return [...parts, ...wordlessParts(document, node, node.end)];
}

function unusable(reason: string, at: number): Service {
  const message = `Cannot use interface: ${reason}`;
  const { finding } = placed({ code: 'DOCUMENT_INTERFACE_UNUSABLE', message }, at);
  return { interactions: [], cases: [], faults: [{ finding, text: 'document', at }] };
}

function proofFaults({ proof, description }: Dossier): PlacedFinding[] {
  if (proof === undefined || proof.status === 'absent' || proof.status === 'verified') return [];
  const message = `Cannot verify proof of the description: ${proof.reason}`;
  const fault = placed({ code: 'DOCUMENT_PROOF_WRONG', pointer: '/proof', message }, description.start);
  if (proof.status === 'wrong') return [fault];
  return [{ ...fault, finding: { ...fault.finding, code: 'DOCUMENT_PROOF_UNVERIFIED', severity: 'warning' } }];
}
