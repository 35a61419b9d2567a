/** Keeps the digests of bundles that killed a cell, so that no worker runs them again. */
export interface Quarantine {
  /** Whether the digest is in it; `undefined` if that is unknown now: the sandbox then uses its own list. */
  has(digest: string): Promise<boolean | undefined>;
  /** Rejects if the digest cannot be shared: then only this process refuses the bundle. */
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

/** What one sandbox knows of a quarantine that it may share with others. */
export class KnownQuarantine {
  readonly #quarantine: Quarantine;
  /** Each digest with whether those who share the quarantine know it. */
  readonly #digests = new Map<string, boolean>();

  constructor(quarantine: Quarantine) {
    this.#quarantine = quarantine;
  }

  get size(): number {
    return this.#digests.size;
  }

  /** Whether the bundle must not be run, as far as this sandbox knows. */
  has(digest: string): boolean {
    return this.#digests.has(digest);
  }

  /** Looks the digest up in the shared quarantine. Rejects as `Quarantine.has` does. */
  async refresh(digest: string): Promise<void> {
    const isIn = await this.#quarantine.has(digest);
    if (isIn === true) this.#digests.set(digest, true);
    // Only what was shared can have been released.
    else if (isIn === false && this.#digests.get(digest) === true) this.#digests.delete(digest);
  }

  /**
   * Puts a digest in. Never rejects: if it cannot be shared, this sandbox alone refuses the bundle, and its run still
   * gets its report.
   */
  async add(digest: string): Promise<void> {
    this.#digests.set(digest, false);
    await this.#quarantine.add(digest).then(
      () => this.#digests.set(digest, true),
      () => {},
    );
  }
}
