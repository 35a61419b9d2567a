import { member } from '../../contract/job-fault.ts';
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import type { Family } from '../family.ts';
import { readDescription } from './description.ts';
import { documentOf, dossierHash } from './dossier.ts';
import { messageFaults, messageSchemas } from './messages.ts';
import { readAgreement } from './read.ts';
import { messagesFor, SAYABLE } from './say.ts';

/**
 * The Agent Description Protocol (ANP-07): the agreement is one interface of an agent description, its cases are the
 * examples of that interface and those of the job.
 */
export const agentDescription: Family = {
  name: 'agent-description',
  timeoutMs: 30_000,
  schemas: messageSchemas,
  faults: messageFaults,
  documentIn({ agreement, supplied }) {
    const text = documentOf(agreement, supplied);
    return text === undefined ? undefined : { text, pointer: '/agreement/description' };
  },
  hashOf: dossierHash,
  open: ({ agreement, testCases, supplied }) => ({
    document: documentOf(agreement, supplied) ?? '',
    cases: Array.isArray(testCases) ? testCases : null,
  }),
  carry: ({ document, cases }) => ({
    agreement: { description: document },
    ...(cases === null || typeof cases === 'string' ? {} : { testCases: [...cases] }),
  }),
  textsIn(message, written) {
    // A file may hold the description itself, as an agent publishes it.
    const isBare = isDescription(message);
    const carried: JsonObject = isBare ? { description: written ?? message } : message;
    if (!isBare && !holdsDescription(member(message, 'description'))) return undefined;
    const document = documentOf(carried, undefined);
    return document === undefined ? undefined : { document };
  },
  read: readAgreement,
  complaint({ error }) {
    if (typeof error === 'string') return error;
    const message = member(error, 'message');
    return typeof message === 'string' ? message : '';
  },
  canSay: (what) => SAYABLE.has(what),
  say: messagesFor,
};

/** Whether JSON is a description: by its protocol, its type in JSON-LD, or its interfaces. */
function isDescription(value: JsonObject): boolean {
  const type = value['@type'] ?? value.type;
  const isNamed = typeof type === 'string' && /^(?:\w+:)?AgentDescription$/.test(type);
  return isNamed || value.protocolType === 'ANP' || Array.isArray(value['ad:interfaces']);
}

function holdsDescription(given: Json | undefined): boolean {
  if (typeof given !== 'string') return isObject(given) && isDescription(given);
  const { description } = readDescription(given);
  return description !== undefined && isDescription(description.value);
}
