import { sha256Hex } from '../kernel/digest.ts';

/**
 * Untrusted text between two lines that it cannot forge: both contain a digest of the text, so text that includes them
 * would have another digest.
 */
export function dataBlock(label: string, text: string): string {
  const mark = sha256Hex(`${label}\n${text}`).slice(0, 32);
  return `----- BEGIN ${label} ${mark} -----\n${text}\n----- END ${label} ${mark} -----`;
}
