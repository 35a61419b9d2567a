import type { Analyzed } from '../contract/agreement.ts';
import type { Finding } from '../contract/finding.ts';
import { protocolProposal } from '../families/anp/encode.ts';
import type { JsonObject } from '../kernel/json.ts';
import { distinctAmendments } from './distinct-amendments.ts';
import { editJsonText } from './edit-json-text.ts';

/** Counter-offers with the amendments written into the text where it stands, every other character kept. */
export function proposalsFor(analyzed: Analyzed, findings: readonly Finding[]): JsonObject[] {
  const { job, agreement } = analyzed;
  const settled = findings.filter(({ severity, amendment }) => severity === 'error' && amendment !== undefined);
  let text = agreement.text;
  const edits = distinctAmendments(settled).flatMap(({ of, patch }) => {
    const located =
      of === 'requestSchema' ? agreement.requestSchema : of === 'responseSchema' ? agreement.responseSchema : null;
    return located === null || located.baseUri !== undefined ? [] : [{ start: located.start, patch }];
  });
  // From the end of the document to its start, so that no edit moves the next one's place.
  for (const { start, patch } of edits.toSorted((a, b) => b.start - a.start)) {
    text = editJsonText(text, start, patch)?.text ?? text;
  }
  return text === agreement.text ? [] : [protocolProposal(job.agreement, text, settled, agreement.language)];
}
