import { type Interaction, type LocatedSchema, MAX_CASES, type Texts } from '../../contract/agreement.ts';
import type { FoundSchema } from '../../documents/find-schemas.ts';
import type { Json } from '../../kernel/json.ts';
import { type FamilyReading, withoutProse } from '../family.ts';
import { type Model, type Protocol, readManifest } from './manifest.ts';
import { shownModels } from './marks.ts';

/** The answer to a request that wants no reply. */
const NOTHING: Json = { title: 'NoReply', description: 'Nothing is sent.', type: 'null' };

/** Reads a manifest: each request is an interaction with its replies. */
export function readAgreement({ document, cases }: Texts): FamilyReading {
  const { root, protocol, faults } = readManifest(document);
  const interactions = protocol === undefined ? [] : interactionsOf(protocol, document);
  const schemas = new Set(interactions.flatMap(({ request, replies }) => [...(request ? [request] : []), ...replies]));
  const blocks = root === undefined ? [] : [{ start: root.start, end: root.end, value: root.value, lenient: false }];
  const listed = Array.isArray(cases) ? cases.slice(0, MAX_CASES) : [];
  return {
    ...withoutProse,
    interactions: interactions.length > 0 ? interactions : [{ name: '', request: null, replies: [] }],
    payload: 'json',
    cases: listed.map(({ request, response, expected = '' }, index) => ({
      testCase: index + 1,
      request,
      response,
      expected,
      negative: false,
    })),
    faults,
    schemas: [...schemas].map((schema): FoundSchema => ({ ...schema, claim: null })),
    document: { text: document, blocks },
  };
}

function interactionsOf(protocol: Protocol, document: string): Interaction[] {
  const shown = shownModels(protocol);
  const located = new Map<Model, LocatedSchema>();
  const of = (model: Model): LocatedSchema => {
    const { name, start, end, schema } = model;
    const known = located.get(model) ?? { schema: shown.get(model) ?? schema, start, end, heading: name };
    located.set(model, known);
    return known;
  };
  const nothing = { schema: NOTHING, start: document.length, end: document.length, heading: 'no reply' };
  return protocol.interactions.map(({ request, replies }) => ({
    name: request.name,
    request: of(request),
    replies: [...(wantsReply(replies, protocol) ? [] : [nothing]), ...replies.map(of)],
  }));
}

/** Whether a request wants an answer; one whose only reply is `ErrorMessage` is just a notification. */
export function wantsReply(replies: readonly Model[], { errorMessage }: Protocol): boolean {
  return replies.some((reply) => reply !== errorMessage);
}
