import type { Finding } from '../../contract/finding.ts';
import type { OpenedFrame, OpenFrames } from '../../contract/frames.ts';
import type { Job } from '../../contract/job.ts';
import { fault } from '../../contract/job-fault.ts';
import { aboutUs, type Exchange, exchangeOf, pointerTo, type Side } from './exchange.ts';

/**
 * The exchanges of a job that can be compared, and findings about frames that cannot be read or have a wrong type. A
 * frame of our own that cannot be read is a fault of the job.
 */
export function openedExchanges(
  { exchanges = [] }: Pick<Job, 'exchanges'>,
  payload: 'json' | 'text',
  peerSide: Side,
  open: OpenFrames | undefined,
): { exchanges: Exchange[]; findings: Finding[] } {
  const findings: Finding[] = [];
  const readable = exchanges.flatMap(({ framed, ...given }, index): Exchange[] => {
    const exchange = { ...given, index };
    if (framed !== true || open === undefined) return [exchange];
    const { request, response } = open(given, payload);
    for (const [side, { payload: value, fault: wrong }] of [
      ['request', request] as const,
      ['response', response] as const,
    ]) {
      if (wrong === undefined) continue;
      if (side === peerSide) findings.push(invalid(exchange, side, wrong));
      // An exchange that cannot be compared is not clean.
      else if (value === undefined) findings.push(jobFault(exchange, side, wrong));
      else findings.push(aboutUs(invalid(exchange, side, wrong)));
    }
    if (request.payload === undefined || response.payload === undefined) return [];
    return [{ ...exchange, request: request.payload, response: response.payload }];
  });
  return { exchanges: readable, findings };
}

type Wrong = NonNullable<OpenedFrame['fault']>;

function invalid(exchange: Exchange, side: Side, { found, wanted }: Wrong): Finding {
  return {
    ...exchangeOf(exchange),
    code: 'DOCUMENT_EXCHANGE_FRAME_INVALID',
    severity: 'error',
    pointer: pointerTo(exchange, side, ''),
    message: `Cannot read ${side} of exchange ${exchange.index + 1}: found ${found}, wanted ${wanted}`,
    expected: wanted,
    actual: found,
  };
}

/** A frame of our own that cannot be read. */
function jobFault({ index }: Exchange, side: Side, { found, wanted }: Wrong): Finding {
  const told = fault('JOB_INVALID', `/exchanges/${index}/${side}`, `found ${found}, wanted ${wanted}`, {
    expected: wanted,
    actual: found,
  });
  return { ...told, severity: 'error', in: 'job' };
}
