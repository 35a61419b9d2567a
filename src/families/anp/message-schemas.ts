import type { Kind } from '../../contract/job.ts';
import { fault, type JobFault, member, quoted, shortened } from '../../contract/job-fault.ts';
import type { JsonObject } from '../../kernel/json.ts';

const status = { type: 'string', description: 'accepted; any in a review.' };

/** The schemas of the messages that a job contains. */
export const messageSchemas = {
  agreement: {
    type: 'object',
    required: ['action', 'sequenceId', 'candidateProtocols', 'status'],
    properties: {
      action: { const: 'protocolNegotiation' },
      sequenceId: { type: 'integer' },
      candidateProtocols: { type: 'string' },
      status,
    },
  },
  testCases: {
    type: 'object',
    required: ['action', 'testCases', 'status'],
    properties: { action: { const: 'testCasesNegotiation' }, testCases: { type: 'string' }, status },
  },
  complaint: {
    type: 'object',
    required: ['action', 'errorDescription'],
    properties: {
      action: { const: 'fixErrorNegotiation' },
      errorDescription: { type: 'string' },
      status: { type: 'string' },
    },
  },
  own: {
    baseProtocols: {
      type: 'object',
      description: 'URI of a protocol that the agreement modifies → its text.',
      additionalProperties: {
        type: 'object',
        required: ['content'],
        properties: { content: { type: 'string' }, sha256: { $ref: '#/$defs/sha256' } },
      },
      default: {},
    },
    peerCapabilities: {
      type: 'array',
      items: { type: 'string' },
      description: "The peer's supportedCapabilities; absent = all of them.",
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
