/** Why a cell has ended. All but `exit` are the parent's doing. */
export type Cause = 'exit' | 'watchdog' | 'memory' | 'frame' | 'closed';

/** What is known of a cell's death. */
export interface Death {
  cause: Cause;
  /** The frame that it was working on, if any. */
  frame: number | undefined;
  /** The run that it said it was executing alone, if any. */
  run: number | undefined;
  /** Growth of its resident memory since it was last at rest, in MB; 0 if unknown. */
  grownMb: number;
  /**
   * The same since the least that it ever had at rest. V8 keeps the pages of isolates that are gone, and a run that
   * fills those pages makes nothing grow.
   */
  heldMb: number;
}
