import { isObject, type Json } from '../../kernel/json.ts';
import { quoteText } from '../../kernel/quote.ts';
import type { Description, OfferedInterface } from './description.ts';

/** How a job names an interface: by its number in the list, from 0, or by its name, id, address or type. */
export type InterfaceChoice = string | number;

/** An interface, or the reason why there is none; `isJobFault`: the job's choice is wrong, not the description. */
export type ChosenInterface =
  | { ok: true; chosen: OfferedInterface }
  | { ok: false; reason: string; isJobFault: boolean };

/**
 * The interface that a job chooses. Without a choice, it is the only interface, or the only one whose document is in
 * the description or among the supplied texts.
 */
export function chooseInterface(
  { interfaces }: Description,
  choice: InterfaceChoice | undefined,
  supplied: (url: string) => boolean,
): ChosenInterface {
  if (interfaces.length === 0) return documentFault('found no interface in the description, wanted one');
  if (choice !== undefined) {
    const named = interfacesNamed(interfaces, choice);
    const [chosen] = named;
    if (chosen !== undefined && named.length === 1) return usable(chosen);
    const found = named.length === 0 ? 'no interface' : `${named.length} interfaces`;
    return jobFault(`found ${found} for ${quoteText(String(choice))}, wanted one of ${listed(interfaces)}`);
  }
  const [only] = interfaces;
  if (only !== undefined && interfaces.length === 1) return usable(only);
  const structured = interfaces.filter(({ isNaturalLanguage }) => !isNaturalLanguage);
  if (structured.length === 0) return documentFault(`found only interfaces in natural language, ${WANTED}`);
  const readable = structured.filter((one) => isInline(one) || supplied(one.url ?? ''));
  const [chosen] = readable;
  if (chosen !== undefined && readable.length === 1) return usable(chosen);
  return jobFault(`found no choice among ${listed(interfaces)}, wanted the name or the number of one`);
}

/** Whether a description contains the document of an interface. */
export function isInline({ inline }: OfferedInterface): boolean {
  return typeof inline === 'string' || (isObject(inline) && Object.keys(inline).length > 0);
}

function usable(chosen: OfferedInterface): ChosenInterface {
  return chosen.isNaturalLanguage
    ? documentFault(`found interface ${chosen.index} in natural language, ${WANTED}`)
    : { ok: true, chosen };
}

const WANTED = 'wanted a structured one: no schema describes sentences, and no handler can be verified against them';

function interfacesNamed(interfaces: readonly OfferedInterface[], choice: InterfaceChoice): OfferedInterface[] {
  if (typeof choice === 'number') return interfaces.filter(({ index }) => index === choice);
  for (const isNamed of [
    ({ name, id, url }: OfferedInterface) => [name, id, url].includes(choice),
    ({ type }: OfferedInterface) => type === choice.replace(/^ad:/, ''),
  ]) {
    const found = interfaces.filter(isNamed);
    if (found.length > 0) return found;
  }
  return [];
}

/** Most interfaces named in one message. */
const MAX_LISTED = 10;

function listed(interfaces: readonly OfferedInterface[]): string {
  const shown = interfaces.slice(0, MAX_LISTED).map(({ index, name, type }) => `${index} ${quoteText(name || type)}`);
  const more = interfaces.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

function documentFault(reason: string): ChosenInterface {
  return { ok: false, reason, isJobFault: false };
}

function jobFault(reason: string): ChosenInterface {
  return { ok: false, reason, isJobFault: true };
}

/** The choice in unvalidated data. */
export function choiceIn(value: Json | undefined): InterfaceChoice | undefined {
  return typeof value === 'string' || typeof value === 'number' ? value : undefined;
}
