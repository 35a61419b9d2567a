import { CORRELATION, REQUEST_ID } from '../../analysis/documented-echoes.ts';
import type { Case } from '../../contract/agreement.ts';
import type { Loose } from '../../contract/job.ts';
import type { Json } from '../../kernel/json.ts';
import { leavesOf } from '../scalar-kinds.ts';

/** Names of the time at which a message was made. Other times are named after what they are about. */
const MESSAGE_TIME_NAME =
  /^(?:time_?stamp|ts|(?:sent|requested|responded|answered|generated)_?at|(?:request|response|message|send|sent|server|current)_?time(?:_?stamp)?|时间戳)$/i;

/** Most places of one kind that are examined. */
const MAX_PLACES = 50;

/** The places, at the top of a message or in a header, that hold the time at which it was made. */
export function messageTimePlaces(messages: readonly Json[]): Loose[] {
  const pointers = messages.flatMap((message) =>
    leavesOf(message).flatMap(({ pointer, name }) =>
      MESSAGE_TIME_NAME.test(name) && /^(?:\/[^/\d][^/]*){1,2}$/.test(pointer) ? [pointer] : [],
    ),
  );
  return [...new Set(pointers)].slice(0, MAX_PLACES).map((pointer) => ({ pointer, as: 'time' }));
}

/** The places of a response that hold its own message id: named as one, with a value that the request lacks. */
export function responseIdPlaces({ request, response }: Case): Loose[] {
  const sent = new Set(leavesOf(request).map(({ value }) => value));
  return leavesOf(response)
    .filter(
      ({ name, value }) => (CORRELATION.test(name) || REQUEST_ID.test(name)) && value !== null && !sent.has(value),
    )
    .slice(0, MAX_PLACES)
    .map(({ pointer }) => ({ pointer, as: 'id' }));
}
