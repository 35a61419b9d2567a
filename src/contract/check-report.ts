/** How one check beyond the cases went. */
export interface CheckReport {
  name: string;
  result: 'passed' | 'failed' | 'warned' | 'skipped';
  runs: number;
  /** What was found, or why it was skipped. */
  message?: string;
}
