import type { Kind } from '../../contract/job.ts';
import { fault, type JobFault, member, quoted, shortened } from '../../contract/job-fault.ts';
import type { JsonObject } from '../../kernel/json.ts';

const status = { type: 'string', description: 'accepted; any in a review.' };

/** The schemas of the messages that a job contains. */
export const messageSchemas = {
  agreement: {
    type: 'object',
    description: 'The accepted protocolNegotiation message.',
    required: ['action', 'sequenceId', 'candidateProtocols', 'status'],
    properties: {
      action: { const: 'protocolNegotiation', description: 'The kind of message.' },
      sequenceId: { type: 'integer', description: 'The number of the round in which it was accepted.' },
      candidateProtocols: { type: 'string', description: 'The exact text of the protocol document.' },
      status,
    },
  },
  testCases: {
    type: 'object',
    description: 'The accepted testCasesNegotiation message.',
    required: ['action', 'testCases', 'status'],
    properties: {
      action: { const: 'testCasesNegotiation', description: 'The kind of message.' },
      testCases: { type: 'string', description: 'The exact text of the cases.' },
      status,
    },
  },
  complaint: {
    type: 'object',
    description: "The peer's fixErrorNegotiation message.",
    required: ['action', 'errorDescription'],
    properties: {
      action: { const: 'fixErrorNegotiation', description: 'The kind of message.' },
      errorDescription: { type: 'string', description: 'What the peer complains about, in words.' },
      status: { type: 'string', description: 'negotiating; an answer to a complaint is refused.' },
    },
  },
};

/**
 * Faults of messages that match their schemas: an agreement must be accepted, and a complaint must not be the answer to
 * one.
 */
export function messageFaults(kind: Kind, data: JsonObject): JobFault[] {
  return [...(kind === 'review' ? [] : statusFaults(data)), ...(kind === 'fix' ? complaintFaults(data) : [])];
}

function statusFaults(data: JsonObject): JobFault[] {
  return ['agreement', 'testCases'].flatMap((name) => {
    const found = member(member(data, name), 'status');
    if (typeof found !== 'string' || found === 'accepted') return [];
    return [
      fault('JOB_NOT_ACCEPTED', `/${name}/status`, `found ${quoted(found)}, wanted "accepted"`, {
        expected: 'accepted',
        actual: shortened(found),
      }),
    ];
  });
}

function complaintFaults(data: JsonObject): JobFault[] {
  const found = member(member(data, 'complaint'), 'status');
  if (found !== 'accepted' && found !== 'rejected') return [];
  const message = `found ${quoted(found)}, the answer to a complaint, wanted one: "negotiating"`;
  return [fault('JOB_INVALID', '/complaint/status', message, { expected: 'negotiating', actual: found })];
}
