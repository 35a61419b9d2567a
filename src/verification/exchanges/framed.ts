import type { Finding } from '../../contract/finding.ts';
import type { OpenFrames } from '../../contract/frames.ts';
import type { Job } from '../../contract/job.ts';
import { aboutUs, type Exchange, exchangeOf, pointerTo, type Side } from './exchange.ts';

/** The exchanges of a job that can be compared, and findings about frames that cannot be read or have a wrong type. */
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
    for (const [side, { fault }] of [['request', request] as const, ['response', response] as const]) {
      if (fault === undefined) continue;
      const finding = unreadable(exchange, side, fault);
      findings.push(side === peerSide ? finding : aboutUs(finding));
    }
    if (request.payload === undefined || response.payload === undefined) return [];
    return [{ ...exchange, request: request.payload, response: response.payload }];
  });
  return { exchanges: readable, findings };
}

function unreadable(exchange: Exchange, side: Side, { found, wanted }: { found: string; wanted: string }): Finding {
  return {
    ...exchangeOf(exchange),
    code: 'DOCUMENT_EXCHANGE_UNREADABLE',
    severity: 'error',
    pointer: pointerTo(exchange, side, ''),
    message: `Cannot read ${side} of exchange ${exchange.index + 1}: found ${found}, wanted ${wanted}`,
    expected: wanted,
    actual: found,
  };
}
