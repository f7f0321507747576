import type { Outcome } from "./codes.ts";

/** What a person wrote in this project before, for them to take up again. No session and no model reads it. */
export interface PromptHistory {
  /** Oldest first. What cannot be read is as if it were not there. */
  read(): readonly string[];
  /** Secrets in it are kept as the log keeps them: as marks. */
  add(text: string): Outcome<void>;
}
