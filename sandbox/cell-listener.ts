import type { Call, RunReport } from './contract.ts';
import type { Death } from './death.ts';

/** A sender of runs, as a cell calls it back. */
export interface CellListener {
  report?(run: number, report: RunReport): void;
  call?(run: number, call: number, made: Call): void;
  /** Called when the cell has finished every frame that it was sent. */
  idle?(): void;
  died(death: Death): void;
}
