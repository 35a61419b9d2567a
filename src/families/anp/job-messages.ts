import type { Kind } from '../../contract/job.ts';
import { fault, type JobFault, member, quoted, shortened } from '../../contract/job-fault.ts';
import { isObject, type JsonObject } from '../../kernel/json.ts';
import { messageSchemas } from './messages.ts';

/**
 * The schemas of the messages in a job. What a job does not read may be anything, and it does not judge the number of a
 * round: peers are not all exact.
 */
export const jobSchemas = {
  agreement: inJob('protocolNegotiation', 'The accepted protocolNegotiation message.', {
    sequenceId: 'The number of the round in which it was accepted.',
    candidateProtocols: 'The exact text of the protocol document.',
    status: 'accepted; any in a review.',
  }),
  testCases: inJob('testCasesNegotiation', 'The accepted testCasesNegotiation message.', {
    testCases: 'The exact text of the cases.',
    status: 'accepted; any in a review.',
  }),
  complaint: inJob('fixErrorNegotiation', "The peer's fixErrorNegotiation message.", {
    errorDescription: 'What the peer complains about, in words.',
  }),
  own: {
    baseProtocols: {
      type: 'object',
      description: 'The texts of protocols that the agreement modifies, by URI.',
      additionalProperties: {
        type: 'object',
        description: 'One such protocol.',
        required: ['content'],
        properties: {
          content: { type: 'string', description: 'Its text.' },
          sha256: { $ref: '#/$defs/sha256', description: 'The SHA-256 of this text, checked where given.' },
        },
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

/** The schema of a message in a job: the members that a job reads, each with what it is. */
function inJob(
  action: 'protocolNegotiation' | 'testCasesNegotiation' | 'fixErrorNegotiation',
  description: string,
  members: Readonly<Record<string, string>>,
) {
  const properties: JsonObject = messageSchemas[action].properties;
  const read = Object.entries(members).map(([name, about]): [string, JsonObject] => {
    // Peers write more than one status.
    const schema = name === 'status' ? { type: 'string' } : properties[name];
    return [name, { ...(isObject(schema) ? schema : {}), description: about }];
  });
  return {
    type: 'object',
    description,
    required: ['action', ...Object.keys(members)],
    properties: {
      action: { const: action, description: 'The kind of message.' },
      status: { type: 'string', description: 'How far the peers are with it.' },
      ...Object.fromEntries(read),
    },
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
