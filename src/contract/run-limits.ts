/** What a run may use up. Absent: no limit of that kind. */
export interface RunLimits {
  /** Model requests that led to an answer. */
  readonly maxTurns?: number;
  readonly maxCostUsd?: number;
  /** Input and output together. */
  readonly maxTokens?: number;
  readonly maxMs?: number;
}
