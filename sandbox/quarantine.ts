/** Where digests of bundles that killed a cell are kept, so that no worker runs them again. */
export interface Quarantine {
  has(digest: string): Promise<boolean>;
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
