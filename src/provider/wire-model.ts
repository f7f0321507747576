import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";

/** One endpoint's model, whoever speaks its wire: one of the SDK's packages, or code of our own. */
export interface WireModel {
  ask(options: LanguageModelV4CallOptions): Promise<WireAnswer>;
}

interface WireAnswer {
  readonly parts: PartSource;
  readonly headers: Readonly<Record<string, string>> | undefined;
}

/** What an answer brings, as it comes. */
export interface PartSource {
  /** `undefined` at the end. */
  next(): Promise<readonly LanguageModelV4StreamPart[] | undefined>;
  /** Ends the request, too. Never throws. */
  cancel(): void;
}
