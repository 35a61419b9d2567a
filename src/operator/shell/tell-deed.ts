import type { Deed } from '../../../queues/index.ts';
import { moment } from './print.ts';

/** Who did something, when and why, for a person. */
export function tellDeed({ by, reason, atMs }: Deed): string {
  return `by ${by} at ${moment(atMs)}${reason === null ? '' : `: ${reason}`}`;
}
