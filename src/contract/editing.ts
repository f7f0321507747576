import type { App } from "./app.ts";
import type { Outcome } from "./codes.ts";
import type { ModelNeed } from "./model.ts";
import type { Mode } from "./verdict.ts";

/** Sessions for an editor that speaks the Agent Client Protocol on our standard input and output. */
export interface Editing {
  readonly version: string;
  readonly input: AsyncIterable<Uint8Array>;
  /** Settles when more may be written. Rejects when nobody reads any more, or what is written is lost. */
  readonly write: (text: string) => Promise<void>;
  /** Every session has the directory that the editor names. */
  readonly openApp: (directory: string) => Promise<Outcome<App>>;
  /** The directory of whoever started us: sessions are listed from here when the editor names none. */
  readonly directory: string;
  readonly model: ModelNeed;
  readonly mode?: Mode;
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly stop: AbortSignal;
}
