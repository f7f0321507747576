import type { Mode } from "../../contract/verdict.ts";
import type { Occasion } from "./occasion.ts";

export interface HookCircumstances {
  readonly session: string;
  readonly cwd: string;
  readonly mode: Mode;
}

export function hookInput({ event, fields }: Occasion, { session, cwd, mode }: HookCircumstances): string {
  return JSON.stringify({
    session_id: session,
    // The log is no text that a hook could read, and nothing of it is shown in the sandbox.
    transcript_path: "",
    cwd,
    hook_event_name: event,
    permission_mode: mode === "bypass" ? "bypassPermissions" : mode,
    ...fields(),
  });
}
