/** Result of one check beyond the negotiated cases. */
export interface CheckReport {
  name: string;
  result: 'passed' | 'failed' | 'warned' | 'skipped';
  runs: number;
  /** Why it failed, warned or was skipped. */
  message?: string;
}
