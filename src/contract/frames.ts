import type { Json } from '../kernel/json.ts';

/**
 * One side of an exchange whose frame was opened: its payload, if that can be read, and what is wrong with it. Both, if
 * a readable payload is in a wrong frame.
 */
export interface OpenedFrame {
  payload?: Json;
  fault?: { found: string; wanted: string };
}

/** Opens the frames of one exchange, given as base64. Never throws. */
export type OpenFrames = (
  frames: { request: Json; response: Json },
  payload: 'json' | 'text',
) => { request: OpenedFrame; response: OpenedFrame };
