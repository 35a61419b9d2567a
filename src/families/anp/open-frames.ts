import type { OpenedFrame, OpenFrames } from '../../contract/frames.ts';
import type { Json } from '../../kernel/json.ts';
import type { Fault } from './fault.ts';
import { type FrameType, unframe } from './frame.ts';
import { type Payload, payloadIn } from './verification.ts';

/**
 * Opens an exchange of frames. A request is a verification message (type 11) or an application message (type 01), and
 * its response is of the same type.
 */
export const openFrames: OpenFrames = ({ request, response }, payload) => {
  const asked = opened(request, ['verification', 'application'], payload);
  const wanted: readonly FrameType[] = asked.type === undefined ? ['verification', 'application'] : [asked.type];
  return { request: asked.frame, response: opened(response, wanted, payload).frame };
};

function opened(
  base64: Json,
  wanted: readonly FrameType[],
  payload: Payload,
): { type?: FrameType; frame: OpenedFrame } {
  const read = unframe(Buffer.from(String(base64), 'base64'));
  if (!read.ok) return { frame: { fault: partsOf(read) } };
  const { type, data } = read;
  const value = payloadIn(data, payload);
  const isWanted = wanted.includes(type);
  const wrongType = isWanted ? {} : { fault: { found: `type ${type}`, wanted: wanted.join(' or ') } };
  const frame = value.ok ? { payload: value.value, ...wrongType } : { fault: partsOf(value), ...wrongType };
  return isWanted ? { type, frame } : { frame };
}

/** What was found and what was wanted, by the message of a fault. */
function partsOf({ message }: Fault): { found: string; wanted: string } {
  const [, found = message, wanted = ''] = /: found (.*), wanted (.*)$/s.exec(message) ?? [];
  return { found, wanted };
}
