import type {
  CallToolResult,
  GetPromptResult,
  InputRequests,
  LoggingLevel,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
  Tool,
} from "@modelcontextprotocol/server";

/**
 * Questions to the client that have to be answered first. Once they are, the same request comes again with the answers
 * and with `state`, whichever era the client is of.
 */
export interface Asking {
  readonly asks: InputRequests;
  readonly state?: unknown;
}

/** Why a request came to nothing. Only the answer to a call of a tool has a place for that: elsewhere it is an error. */
export interface Refused {
  readonly refused: { readonly message: string; readonly facts: Readonly<Record<string, unknown>> };
}

export interface Watching {
  /** The client does not want to be told any longer. */
  end(): void;
}

/** One request of one client. */
export interface Exchange {
  /** Aborts when the client takes the request back or is gone. */
  readonly signal: AbortSignal;
  /** It is the same request in every round, so that its end is the end of all of them. */
  readonly outlastsRounds: boolean;
  /** What the client says that it can do. */
  readonly can: {
    readonly forms: boolean;
    readonly pages: boolean;
    readonly sampling: boolean;
    readonly roots: boolean;
  };
  /** What the client says that it is. */
  readonly clientName?: string;
  /** Answers to what an earlier round asked, as they came. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** What the earlier round left, proven to be ours; `undefined` in the first one. */
  readonly state: unknown;
  /** Told to the client where it wants to know. */
  progress(update: { readonly progress: number; readonly total?: number; readonly message?: string }): Promise<void>;
  log(level: LoggingLevel, text: string): Promise<void>;
}

/** What is offered to clients. All of it is asked anew for each request, so it may change. */
export interface Offer {
  readonly info: { readonly name: string; readonly version: string };
  readonly instructions?: string;
  readonly tools?: {
    list(): readonly Tool[] | Promise<readonly Tool[]>;
    call(
      request: { readonly name: string; readonly input: Readonly<Record<string, unknown>> },
      exchange: Exchange,
    ): Promise<CallToolResult | Asking>;
  };
  readonly prompts?: {
    list(): readonly Prompt[] | Promise<readonly Prompt[]>;
    /** `undefined` when there is none of this name. */
    get(
      request: { readonly name: string; readonly values: Readonly<Record<string, string>> },
      exchange: Exchange,
    ): Promise<GetPromptResult | Asking | Refused | undefined>;
  };
  readonly resources?: {
    list(): readonly Resource[] | Promise<readonly Resource[]>;
    templates(): readonly ResourceTemplateType[] | Promise<readonly ResourceTemplateType[]>;
    /** `undefined` when there is none at this address. */
    read(uri: string, exchange: Exchange): Promise<ReadResourceResult | Asking | Refused | undefined>;
    /**
     * The client is told whenever it changes from now on. `undefined` when nothing at this address can be watched, and
     * absent where nothing can be.
     */
    watch?(uri: string, exchange: Exchange): Promise<Watching | Asking | Refused | undefined>;
    /** Clients are told when there are others. */
    readonly tellsOfOthers?: true;
  };
  /** What could stand for an argument of a prompt or of a resource template. */
  complete?(
    target: { readonly prompt: string } | { readonly template: string },
    argument: {
      readonly name: string;
      readonly value: string;
      /** The other arguments, as far as the client has them. */
      readonly others?: Readonly<Record<string, string>>;
    },
    exchange: Exchange,
  ): readonly string[] | Promise<readonly string[] | Refused>;
  readonly logging?: true;
}
