import type { Outcome } from "./codes.ts";
import type { CallUnderWay } from "./server.ts";

/** Name of the effect for a server that uses the model. No tool of this name is offered. */
export const samplingEffect = "sampling/createMessage";

/** The one rule that lets a server use the model without a question. A rule for all that the server does is none. */
export function samplingRule(server: string): string {
  return `mcp__${server}__${samplingEffect}`;
}

/** A server's words for the model: all of them are shown, and all that is shown is sent. */
export interface SamplingWords {
  readonly system?: string;
  readonly messages: readonly { readonly role: "user" | "assistant"; readonly text: string }[];
}

export interface Sampling {
  readonly server: string;
  /** The call that the server answers with it. */
  readonly call: CallUnderWay;
  readonly words: SamplingWords;
  /** Of the answer. */
  readonly maxTokens: number;
}

/** A model that says something beside the conversation of its session, in whose budget it stays. */
export interface SideModel {
  /** About how many tokens these words are. */
  weigh(words: SamplingWords): number;
  /** Why the run that is under way cannot pay for it. */
  refusal(asked: Omit<Sampling, "call">): string | undefined;
  /** What it used is on record when this settles, however it ended. */
  ask(asked: Omit<Sampling, "call">, signal: AbortSignal): Promise<SideAnswer>;
}

export interface SideAnswer {
  readonly tokens: number;
  readonly said: Outcome<{ readonly text: string; readonly model: string; readonly stop: "end" | "length" }>;
}

/** Whether a server may use the model, this once. */
export type SamplingVerdict =
  | { readonly decision: "allowed"; readonly by: string }
  | { readonly decision: "denied"; readonly why: string };

/** What a session with a model lends to servers whose entries say so. */
export interface SamplingDesk {
  /** Absent while the session is being opened. */
  model(): SideModel | undefined;
  /** Tokens that the server has used in this session, in earlier processes as well. */
  used(server: string): number;
  /** Settles by a rule or by a person, and at the signal. */
  judge(sampling: Sampling, signal: AbortSignal): Promise<SamplingVerdict>;
}
