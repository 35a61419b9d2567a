import type { Answer, Call, RunReport } from './contract.ts';
import type { Death } from './death.ts';

/** An answer on its way to the run that made the call. */
export interface GivenAnswer {
  run: number;
  call: number;
  answer: Answer;
}

/** A sender of runs, as a cell calls it back. */
export interface CellListener {
  report?(run: number, report: RunReport): void;
  call?(run: number, call: number, made: Call): void;
  /** Called when the cell has dealt with every frame that it was sent. */
  idle?(): void;
  died(death: Death): void;
}
