import { member } from '../../contract/job-fault.ts';
import type { Statement } from '../../contract/statement.ts';
import type { Json, JsonObject } from '../../kernel/json.ts';
import { escapedLine } from '../../kernel/quote.ts';
import type { UncheckedAgreement } from '../family.ts';
import { chooseInterface } from './choose-interface.ts';
import { readDescription } from './description.ts';
import { documentOf, openDossier, proofReportOf } from './dossier.ts';

/** What can be said. The protocol negotiates nothing; a report is for whoever published or read a description. */
export const SAYABLE: ReadonlySet<Statement['what']> = new Set([
  'generated',
  'failed',
  'dispute',
  'complaint-rejected',
]);

/** Most problems that one report lists. */
const MAX_TOLD = 50;

/** The report of a statement. The Agent Description Protocol has no messages of its own. */
export function messagesFor(statement: Statement, job: UncheckedAgreement): JsonObject[] {
  switch (statement.what) {
    case 'generated': {
      const { handler } = statement;
      const served = handler === undefined ? {} : { handler: { digest: handler.digest, tools: [...handler.tools] } };
      return [{ status: 'served', ...subjectOf(job), ...served }];
    }
    case 'failed':
      return [{ status: 'not-served', ...subjectOf(job), problems: [NO_HANDLER] }];
    case 'dispute':
    case 'complaint-rejected': {
      const told = statement.findings.slice(0, MAX_TOLD).map(({ message }) => escapedLine(message));
      const more = statement.findings.length - told.length;
      const problems = [...told, ...(more > 0 ? [`${more} more problems`] : [])];
      return [
        { status: statement.what === 'dispute' ? 'disputed' : 'complaint-rejected', ...subjectOf(job), problems },
      ];
    }
    // These have nobody to tell, or offer another document, which this protocol cannot do.
    case 'complaint-accepted':
    case 'amended-document':
    case 'amended-cases':
    case 'further-cases':
      return [];
  }
}

const NO_HANDLER = 'Cannot serve interface: found no handler that passes verification, wanted one';

/** What a report is about: the description, its interface, and what is known of its proof. */
function subjectOf({ agreement, supplied }: UncheckedAgreement): JsonObject {
  const proof = proofReportOf(agreement, supplied) as unknown as JsonObject;
  const document = documentOf(agreement, supplied);
  if (document === undefined) return { description: {}, interface: null, proof };
  const { description: place, choice, methods } = openDossier(document);
  const { description } = readDescription(document, place.start, place.end);
  if (description === undefined) return { description: {}, interface: null, proof };
  const { name, did, url } = description;
  const found = chooseInterface(description, choice, (one) => member(supplied, one) !== undefined);
  const entry: Json = found.ok
    ? {
        index: found.chosen.index,
        name: shown(found.chosen.name),
        protocol: shown(found.chosen.protocol),
        ...(found.chosen.humanAuthorization ? { humanAuthorization: true } : {}),
        ...(methods === undefined ? {} : { methods: [...methods] }),
      }
    : null;
  return {
    description: {
      name: shown(name),
      ...(did === '' ? {} : { did: shown(did) }),
      ...(url === '' ? {} : { url: shown(url) }),
    },
    interface: entry,
    proof,
  };
}

/** Longest text of a description in a report, in UTF-16 units. */
const MAX_SHOWN = 1_000;

function shown(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN - 1).toWellFormed()}…`;
}
