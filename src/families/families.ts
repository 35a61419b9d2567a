import { CodedError } from '../kernel/errors.ts';
import { agentDescription } from './agent-description/agent-description.ts';
import { agora } from './agora/agora.ts';
import { anp } from './anp/anp.ts';
import { anpNegotiate } from './anp-negotiate/anp-negotiate.ts';
import type { Family } from './family.ts';
import { uagents } from './uagents/uagents.ts';

/** Every family of agreements; the first is the default. */
export const families: readonly [Family, ...Family[]] = [anp, anpNegotiate, agora, uagents, agentDescription];

/** The family with a name; `undefined` if there is none. */
export function familyNamed(name: string): Family | undefined {
  return families.find((family) => family.name === name);
}

/** The family of a valid job. Throws `DEFECT_FAMILY` if there is none. */
export function familyOf({ family }: { family: string }): Family {
  const found = familyNamed(family);
  if (found === undefined)
    throw new CodedError('DEFECT_FAMILY', `Cannot read agreement: found family "${family}", wanted a known one`);
  return found;
}
