export const phases = ["lookup", "validate", "permission", "schedule", "execute", "normalize", "write_back"] as const;
export type Phase = (typeof phases)[number];

export type Happened = "nothing" | "done" | "partly" | "unknown";

export interface CodeFacts {
  readonly meaning: string;
  readonly happened: Happened;
  readonly recovery: string;
  readonly retryable: boolean;
}

export const codes = {
  ok: {
    meaning: "The call ran and reached its goal.",
    happened: "done",
    recovery: "Nothing to recover.",
    retryable: false,
  },
  bad_request: {
    meaning: "The request itself could not be read as an intent.",
    happened: "nothing",
    recovery: "Correct what the message names and send it again.",
    retryable: true,
  },
  unknown_tool: {
    meaning: "No tool has this name.",
    happened: "nothing",
    recovery: "Choose a tool from the menu.",
    retryable: true,
  },
  tool_not_visible: {
    meaning: "The tool exists but is not offered in this session, mode or phase.",
    happened: "nothing",
    recovery: "Use a tool from the current menu, or ask the user to change the mode.",
    retryable: true,
  },
  tool_not_loaded: {
    meaning: "The tool is known by name only; its schema was not loaded.",
    happened: "nothing",
    recovery: "Load the tool's schema first, then call it.",
    retryable: true,
  },
  schema_invalid: {
    meaning: "The input does not match the tool's schema.",
    happened: "nothing",
    recovery: "Fix the named field and call again.",
    retryable: true,
  },
  runtime_precondition_failed: {
    meaning: "The input is well formed but cannot be done in the current state.",
    happened: "nothing",
    recovery: "Do what the message names first, then call again.",
    retryable: true,
  },
  file_not_found: {
    meaning: "The file or directory does not exist.",
    happened: "nothing",
    recovery: "Look for the right path with glob or list.",
    retryable: true,
  },
  text_not_found: {
    meaning: "The text to replace does not occur in the file.",
    happened: "nothing",
    recovery: "Read the file again and copy the text exactly, whitespace included.",
    retryable: true,
  },
  ambiguous_target: {
    meaning: "The target matches more than one place.",
    happened: "nothing",
    recovery: "Give more surrounding text so that it matches once, or set replace_all.",
    retryable: true,
  },
  stale_file_baseline: {
    meaning: "The file changed after it was read in this session.",
    happened: "nothing",
    recovery: "Read the file again, then decide whether the change still applies.",
    retryable: true,
  },
  policy_denied: {
    meaning: "A rule, a boundary or the mode forbids what the call would touch.",
    happened: "nothing",
    recovery: "Choose another way that does not touch what was denied; proposing it again changes nothing.",
    retryable: false,
  },
  hook_denied: {
    meaning: "A hook refused the call, or failed, which counts as a refusal.",
    happened: "nothing",
    recovery: "Follow the hook's reason.",
    retryable: false,
  },
  user_denied: {
    meaning: "A person declined the call.",
    happened: "nothing",
    recovery: "Do not repeat it; explain the limitation or take the direction the person gave.",
    retryable: false,
  },
  approval_unavailable: {
    meaning: "The call needs approval and no user could answer.",
    happened: "nothing",
    recovery: "Run with someone who can answer, or add the suggested rule.",
    retryable: false,
  },
  approval_expired: {
    meaning: "The approval ran out, or what it covered changed before the start.",
    happened: "nothing",
    recovery: "Propose the call again to get a new approval.",
    retryable: true,
  },
  timeout: {
    meaning: "The deadline passed; the whole process tree was ended.",
    happened: "unknown",
    recovery: "Check what was changed, then run again with a larger timeout_ms or in the background.",
    retryable: true,
  },
  cancelled: {
    meaning: "The call was cancelled before or while it ran.",
    happened: "unknown",
    recovery: "Check what was changed before proposing it again.",
    retryable: true,
  },
  interrupted: {
    meaning: "The runtime stopped while the call was open; its effects are not known.",
    happened: "unknown",
    recovery: "Inspect the workspace; the call is never run again by itself.",
    retryable: false,
  },
  tool_failed: {
    meaning: "The tool itself failed.",
    happened: "unknown",
    recovery: "Read the message; try another way if it repeats.",
    retryable: false,
  },
  command_failed: {
    meaning: "The command ran and ended with an exit code other than 0 or by a signal.",
    happened: "done",
    recovery: "Read the output; fix the cause, then run it again.",
    retryable: true,
  },
  sandbox_unavailable: {
    meaning: "The isolation that this call needs is not available on this machine.",
    happened: "nothing",
    recovery: "Run `gauntlet doctor` to see what is missing.",
    retryable: false,
  },
  effect_not_permitted: {
    meaning: "The tool tried to touch something that its permit does not name; that access did not happen.",
    happened: "partly",
    recovery: "Nothing to retry: the tool declared less than it does.",
    retryable: false,
  },
  server_unavailable: {
    meaning: "An outside server did not answer.",
    happened: "unknown",
    recovery: "Try again later or without this server.",
    retryable: true,
  },
  budget_exceeded: {
    meaning: "A limit of size, count, time or money was reached.",
    happened: "nothing",
    recovery: "Narrow the request.",
    retryable: true,
  },
  output_invalid: {
    meaning: "The tool's result does not match its own output schema.",
    happened: "done",
    recovery: "The effects stand; the result cannot be relied on.",
    retryable: false,
  },
  log_unavailable: {
    meaning: "The fact could not be stored, so the tool did not run, or its result could not be recorded.",
    happened: "unknown",
    recovery: "Free disk space or repair the state directory; `gauntlet doctor` names it.",
    retryable: true,
  },
} as const satisfies Record<string, CodeFacts>;

export type Code = keyof typeof codes;
export const codeNames = Object.keys(codes) as [Code, ...Code[]];

export interface Failure {
  readonly code: Exclude<Code, "ok">;
  readonly message: string;
  readonly field?: string;
  readonly recovery?: string;
  readonly happened?: Happened;
}

export interface Refusal extends Failure {
  readonly phase: Phase;
}

export type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };

export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

export function fail(
  code: Failure["code"],
  message: string,
  extra: Omit<Failure, "code" | "message"> = {},
): { readonly ok: false; readonly failure: Failure } {
  return { ok: false, failure: { code, message, ...extra } };
}
