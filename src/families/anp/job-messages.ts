import type { Kind } from '../../contract/job.ts';
import { fault, type JobFault, member, quoted, shortened } from '../../contract/job-fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { messageSchemas } from './messages.ts';

/**
 * The schemas of the messages in a job. What a job does not read may be anything, and it does not judge the number of a
 * round: peers are not all exact.
 */
export const jobSchemas = {
  agreement: inJob('protocolNegotiation', ['sequenceId', 'candidateProtocols', 'status']),
  testCases: inJob('testCasesNegotiation', ['testCases', 'status']),
  complaint: inJob('fixErrorNegotiation', ['errorDescription']),
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

function inJob(action: 'protocolNegotiation' | 'testCasesNegotiation' | 'fixErrorNegotiation', required: string[]) {
  const properties: Record<string, JsonObject> = messageSchemas[action].properties;
  const read = ['action', ...required].map((name): [string, JsonObject] => {
    const { minimum: _, ...schema } = properties[name] ?? {};
    return [name, schema];
  });
  const description = required.includes('status') ? { description: 'accepted; any in a review.' } : {};
  return {
    type: 'object',
    required: ['action', ...required],
    properties: { ...Object.fromEntries(read), status: { type: 'string', ...description } },
  };
}

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
