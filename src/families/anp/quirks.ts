/** A deviation from the specification that a reader can tolerate. */
export type Quirk =
  /** The first round has number 1 instead of 0. If you begin, begin with 1 too: such a peer answers with 2 anyway. */
  | 'rounds-from-one'
  /** After a party ends the negotiation, the other one repeats that end, with the number of its own last round. */
  | 'end-repeated'
  /** JSON for the application has no header. Its first byte, `{` or `[`, has the type bits of an application frame. */
  | 'application-unframed'
  /** JSON has comments and trailing commas. */
  | 'json-comments';

/** The quirks of each known peer. `versions` are those in which the quirks were seen, or read in the sources. */
export const peerQuirks: readonly { peer: string; versions: readonly string[]; quirks: readonly Quirk[] }[] = [
  // Seen: the Python SDK, as package `anp`.
  { peer: 'anp', versions: ['0.9.2'], quirks: ['rounds-from-one', 'end-repeated'] },
  // Read in its sources: the same SDK under its earlier name, with the module `simple_node`.
  {
    peer: 'agent-connect',
    versions: ['0.2.0', '0.3.0', '0.3.1', '0.3.2', '0.3.4', '0.3.5'],
    quirks: ['rounds-from-one', 'end-repeated', 'application-unframed'],
  },
  // The examples in the specification itself.
  { peer: 'specification', versions: ['1.0'], quirks: ['json-comments'] },
];

/** The quirks of a peer in a version; none if it is not in the table. */
export function quirksOf(peer: string, version: string): readonly Quirk[] {
  return peerQuirks.find((row) => row.peer === peer && row.versions.includes(version))?.quirks ?? [];
}
