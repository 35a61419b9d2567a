import type { Observation } from '../../contract/trial.ts';
import { type Leaf, leavesOf } from '../scalar-kinds.ts';

/** Names of members that hold secrets. */
const SECRET =
  /passw|passphrase|\bpwd\b|secret|credential|private|confidential|api_?-?\s?key|access_?-?\s?key|\bpin\b|pin_?code|cvv|\bssn\b|\btoken\b|hash$|(?<![a-z])internal|[a-z]Internal|staff[_ -]?only|机密|保密|隐私|密码|密钥|身份证|内部/i;

/** Whether a member has the name of a secret; for a bare value, whether the tool has. */
export function isSecret(tool: string, name: string): boolean {
  return SECRET.test(name || tool);
}

/** The secrets, by name, that tools returned. */
export function secretsOf({ calls }: Observation): Leaf[] {
  return calls.flatMap(({ tool, output }) => leavesOf(output ?? null).filter(({ name }) => isSecret(tool, name)));
}
