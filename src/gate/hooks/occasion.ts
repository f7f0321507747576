import type { OutputStream } from "../../contract/artifact.ts";
import type { GateQuestion } from "../../contract/gate.ts";
import type { HookEvent } from "../../contract/settings.ts";
import type { RawResult } from "../../contract/tool.ts";
import type { Mode, PermissionPrompt, PermissionRequest } from "../../contract/verdict.ts";
import { spellingsOf, toolFamily } from "../rules/tool-names.ts";

export interface Occasion {
  readonly event: HookEvent;
  readonly names: readonly string[];
  readonly fields: () => Readonly<Record<string, unknown>>;
  readonly question?: GateQuestion;
}

export function preToolUse(question: GateQuestion): Occasion {
  return { event: "PreToolUse", names: toolNames(question), fields: () => callFields(question), question };
}

export function permissionRequest(question: GateQuestion, prompt: PermissionPrompt): Occasion {
  const fields = () => ({ ...callFields(question), gauntlet_prompt: prompt });
  return { event: "PermissionRequest", names: toolNames(question), fields, question };
}

export function postToolUse(question: GateQuestion, result: RawResult<unknown>, durationMs: number): Occasion {
  const told = () => ({ ...callFields(question), tool_response: responseOf(result.data), duration_ms: durationMs });
  const names = toolNames(question);
  if (result.ok) return { event: "PostToolUse", names, fields: told, question };
  const { code, message } = result.failure;
  const failed = { error: message, gauntlet_code: code, is_interrupt: code === "cancelled" };
  return { event: "PostToolUseFailure", names, fields: () => ({ ...told(), ...failed }), question };
}

export function sessionStart(source: "startup" | "resume"): Occasion {
  return { event: "SessionStart", names: [source], fields: () => ({ source }) };
}

export function sessionEnd(reason: string): Occasion {
  return { event: "SessionEnd", names: [reason], fields: () => ({ reason }) };
}

export function waitingForPerson({ id, tool, prompt: { title, action } }: PermissionRequest): Occasion {
  const notification_type = "permission_prompt";
  const about = { message: `${title} ${action}`, title, notification_type };
  const fields = () => ({ ...about, tool_name: writtenName(tool), request_id: id });
  return { event: "Notification", names: [notification_type], fields };
}

export function userPromptSubmit(prompt: string, piped?: string): Occasion {
  return { event: "UserPromptSubmit", names: [], fields: () => ({ prompt, gauntlet_piped: piped }) };
}

export function stop({ active, lastMessage }: { readonly active: boolean; readonly lastMessage?: string }): Occasion {
  const fields = () => ({ stop_hook_active: active, last_assistant_message: lastMessage });
  return { event: "Stop", names: [], fields };
}

export function preCompact(trigger: "manual" | "auto", instructions = ""): Occasion {
  return { event: "PreCompact", names: [trigger], fields: () => ({ trigger, custom_instructions: instructions }) };
}

const creators = ["write", "patch", "move"];

/** Tools that change files also match `Edit`, and those that create files `Write`: a hook must not miss any. */
function toolNames({ checked: { tool } }: GateQuestion): readonly string[] {
  const names = [tool.name, ...tool.aliases];
  if (toolFamily("edit").includes(tool.name)) names.push("edit");
  if (creators.includes(tool.name)) names.push("write");
  return [...new Set(names.flatMap(spellingsOf))];
}

function writtenName(tool: string): string {
  return spellingsOf(tool)[1] ?? tool;
}

function callFields({ checked, report }: GateQuestion): Readonly<Record<string, unknown>> {
  const { tool, input, intent } = checked;
  return {
    tool_name: writtenName(tool.name),
    tool_input: foreignInput(input, tool.inputAliases),
    tool_use_id: intent.id,
    gauntlet_tool: tool.name,
    gauntlet_input: input,
    gauntlet_effects: report.effects,
  };
}

/** Field names that hooks written for other agents read. Without them such a hook would read `undefined` and pass. */
const foreignFields = ["file_path", "timeout"];

function foreignInput(input: unknown, aliases: Readonly<Record<string, string>>): unknown {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return input;
  const foreign = new Map(
    foreignFields.flatMap((name) => (Object.hasOwn(aliases, name) ? [[aliases[name], name]] : [])),
  );
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [foreign.get(key) ?? key, value]));
}

function responseOf(data: unknown): unknown {
  const text = JSON.stringify(data ?? null, (_key, inner: unknown) => (isStream(inner) ? streamText(inner) : inner));
  if (text.length > longestResponse) return { omitted: `${text.length} characters` };
  return JSON.parse(text);
}

const longestResponse = 1024 * 1024;

function isStream(value: unknown): value is OutputStream {
  return typeof value === "object" && value !== null && "notable" in value && "head" in value && "tail" in value;
}

function streamText({ complete, head, tail }: OutputStream): string {
  return complete ?? `${head}\n…\n${tail}`;
}

export interface HookCircumstances {
  readonly session: string;
  readonly cwd: string;
  readonly mode: Mode;
}

export function hookInput({ event, fields }: Occasion, { session, cwd, mode }: HookCircumstances): string {
  return JSON.stringify({
    session_id: session,
    // Hooks cannot read the log: the sandbox hides it.
    transcript_path: "",
    cwd,
    hook_event_name: event,
    permission_mode: mode === "bypass" ? "bypassPermissions" : mode,
    ...fields(),
  });
}
