import { hostname, userInfo } from 'node:os';

/** Who acts, for others to see: the name given, else the user and host of this process. */
export function operatorName(given: string | undefined): string {
  if (given !== undefined && given !== '') return given;
  return `${userName()}@${hostname()}`;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under an id without a name.
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}
