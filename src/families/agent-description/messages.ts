import type { Kind } from '../../contract/job.ts';
import { fault, type JobFault, member, quoted, shortened } from '../../contract/job-fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { MAX_METHODS } from '../../service-descriptions/read-service-description.ts';
import { suppliedSchema } from '../supplied.ts';
import { choiceIn, chooseInterface, isInline } from './choose-interface.ts';
import { readDescription } from './description.ts';
import { descriptionText } from './dossier.ts';

/** JSON Schemas of the members of a job. */
export const messageSchemas = {
  agreement: {
    type: 'object',
    required: ['description'],
    description: 'An agent description, and what of it is agreed on.',
    properties: {
      description: {
        type: ['string', 'object'],
        description: 'The description: its JSON text, or parsed.',
      },
      interface: {
        type: ['string', 'integer'],
        description:
          'The name, id, address or type of the interface, or its number from 0; may be absent if there is one.',
      },
      methods: {
        type: 'array',
        items: { type: 'string' },
        minItems: 1,
        maxItems: MAX_METHODS,
        description: 'The methods of the interface; all if absent.',
      },
      didDocument: {
        type: ['string', 'object'],
        description: 'The DID document of the signer, for the proof of the description.',
      },
    },
  },
  own: {
    supplied: suppliedSchema,
  },
  testCases: { type: 'array', description: 'Further cases, besides the examples of the interface.' },
  complaint: {
    type: 'object',
    required: ['error'],
    properties: { error: { type: ['string', 'object'], description: 'What went wrong.' } },
    description: "The peer's error: a text, or the error object of JSON-RPC.",
  },
};

/** Faults that the schemas do not find: options that this family does not have, a wrong choice, a missing text. */
export function messageFaults(_: Kind, data: JsonObject): JobFault[] {
  return [...optionFaults(data), ...choiceFaults(data)];
}

function choiceFaults(data: JsonObject): JobFault[] {
  const agreement = member(data, 'agreement');
  const text = descriptionText(member(agreement, 'description'));
  const { description } = text === undefined ? {} : readDescription(text);
  if (description === undefined) return [];
  const supplied = member(data, 'supplied');
  const choice = choiceIn(member(agreement, 'interface'));
  const found = chooseInterface(description, choice, (url) => typeof member(supplied, url) === 'string');
  if (!found.ok) return found.isJobFault ? [fault('JOB_INVALID', '/agreement/interface', found.reason)] : [];
  const { index, url } = found.chosen;
  if (isInline(found.chosen) || url === undefined || typeof member(supplied, url) === 'string') return [];
  const reason = `found no text for ${quoted(url)}, wanted the document of interface ${index}: nothing is fetched`;
  return [fault('JOB_INVALID', '/supplied', reason)];
}

/** Payloads are JSON, and an amended description would not be the one that its agent publishes. */
const WANTED = { payload: 'json', onContradiction: 'dispute' } as const;

function optionFaults(data: JsonObject): JobFault[] {
  return Object.entries(WANTED).flatMap(([name, wanted]) => {
    const given = member(data, name);
    if (typeof given !== 'string' || given === wanted) return [];
    const found = `found ${quoted(given)}, wanted "${wanted}" in the family agent-description`;
    return [fault('JOB_INVALID', `/${name}`, found, { expected: wanted, actual: shortened(given) })];
  });
}
