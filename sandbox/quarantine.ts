/** Where digests of bundles that killed a cell are kept, so that no worker runs them again. */
export interface Quarantine {
  /** `undefined` where it cannot be told now: then each goes on by what it knows itself. */
  has(digest: string): Promise<boolean | undefined>;
  /** Rejects where it cannot be shared: then this process alone keeps it out. */
  add(digest: string): Promise<void>;
}

/** A quarantine of this process alone. */
export function memoryQuarantine(): Quarantine {
  const digests = new Set<string>();
  return {
    has: async (digest) => digests.has(digest),
    add: async (digest) => {
      digests.add(digest);
    },
  };
}
