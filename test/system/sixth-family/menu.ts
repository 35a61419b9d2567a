import type { Interaction, LocatedSchema } from '../../../src/contract/agreement.ts';
import { member } from '../../../src/contract/job-fault.ts';
import { type Family, withoutProse } from '../../../src/families/family.ts';
import { sha256Hex } from '../../../src/kernel/digest.ts';
import { isObject, type Json, type JsonObject } from '../../../src/kernel/json.ts';

/** What two parties ask each other: each question by its schema, with the schemas of what may answer it. */
interface Menu {
  questions: { name: string; asked: Json; answers: Json[] }[];
}

/** A family that exists in tests alone: agreements are JSON, with several questions, each with answers of its own. */
export const menu: Family = {
  name: 'menu',
  timeoutMs: 20_000,
  schemas: { agreement: { type: 'object', required: ['questions'] }, complaint: { type: 'object' } },
  faults: () => [],
  documentIn({ agreement }) {
    return isObject(agreement) ? { text: JSON.stringify(agreement), pointer: '/agreement' } : undefined;
  },
  hashOf: sha256Hex,
  open: ({ agreement, testCases }) => ({
    document: JSON.stringify(agreement),
    cases: Array.isArray(testCases) ? testCases : null,
  }),
  carry: ({ document, cases }) => ({
    agreement: JSON.parse(document),
    ...(cases === null || typeof cases === 'string' ? {} : { testCases: [...cases] }),
  }),
  textsIn: (message) => (Array.isArray(message.questions) ? { document: JSON.stringify(message) } : undefined),
  read({ document, cases }) {
    const { questions } = JSON.parse(document) as Menu;
    const located = (schema: Json): LocatedSchema => ({ schema, start: 0, end: 0, heading: '' });
    const interactions = questions.map(
      ({ name, asked, answers }): Interaction => ({ name, request: located(asked), replies: answers.map(located) }),
    );
    const all = interactions.flatMap(({ request, replies }) =>
      request === null ? [...replies] : [request, ...replies],
    );
    return {
      ...withoutProse,
      interactions,
      payload: 'json',
      cases: (Array.isArray(cases) ? cases : []).map(({ request, response, expected = '' }, index) => ({
        testCase: index + 1,
        request,
        response,
        expected,
        negative: false,
      })),
      faults: [],
      schemas: all.map((schema) => ({ ...schema, claim: null })),
      document: { text: document, blocks: [] },
    };
  },
  complaint: (message) => String(member(message, 'grievance') ?? ''),
  canSay: () => true,
  say(said): JsonObject[] {
    if (said.what === 'dispute') return [{ said: 'dispute', places: said.findings.map(({ pointer = '' }) => pointer) }];
    return [{ said: said.what }];
  },
};
