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

export interface Asking {
  readonly asks: InputRequests;
  readonly state?: unknown;
}

export interface Refused {
  readonly refused: { readonly message: string; readonly facts: Readonly<Record<string, unknown>> };
}

export interface Watching {
  end(): void;
}

export interface ClientExchange {
  readonly signal: AbortSignal;
  readonly outlastsRounds: boolean;
  readonly can: {
    readonly forms: boolean;
    readonly pages: boolean;
    readonly sampling: boolean;
    readonly roots: boolean;
  };
  readonly clientName?: string;
  readonly answers: Readonly<Record<string, unknown>>;
  readonly state: unknown;
  progress(update: { readonly progress: number; readonly total?: number; readonly message?: string }): Promise<void>;
  log(level: LoggingLevel, text: string): Promise<void>;
}

export interface McpOffer {
  readonly info: { readonly name: string; readonly version: string };
  readonly instructions?: string;
  readonly tools?: {
    list(): readonly Tool[] | Promise<readonly Tool[]>;
    call(
      request: { readonly name: string; readonly input: Readonly<Record<string, unknown>> },
      exchange: ClientExchange,
    ): Promise<CallToolResult | Asking>;
  };
  readonly prompts?: {
    list(): readonly Prompt[] | Promise<readonly Prompt[]>;
    get(
      request: { readonly name: string; readonly values: Readonly<Record<string, string>> },
      exchange: ClientExchange,
    ): Promise<GetPromptResult | Asking | Refused | undefined>;
  };
  readonly resources?: {
    list(): readonly Resource[] | Promise<readonly Resource[]>;
    templates(): readonly ResourceTemplateType[] | Promise<readonly ResourceTemplateType[]>;
    read(uri: string, exchange: ClientExchange): Promise<ReadResourceResult | Asking | Refused | undefined>;
    watch?(uri: string, exchange: ClientExchange): Promise<Watching | Asking | Refused | undefined>;
    readonly tellsOfOthers?: true;
  };
  complete?(
    target: { readonly prompt: string } | { readonly template: string },
    argument: {
      readonly name: string;
      readonly value: string;
      readonly others?: Readonly<Record<string, string>>;
    },
    exchange: ClientExchange,
  ): readonly string[] | Promise<readonly string[] | Refused>;
  readonly logging?: true;
}

/** Resources that one connection may watch. */
export const mostWatched = 128;
