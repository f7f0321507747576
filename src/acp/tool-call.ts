import path from "node:path";
import type { ToolCall, ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import { clip, markedLines } from "../base/text.ts";
import { isFileEffect } from "../contract/effect.ts";
import type { Observation } from "../contract/observation.ts";
import { type PermissionRequest, touchesFilesOnly } from "../contract/verdict.ts";
import { diffContents } from "./diff-contents.ts";

const toolsOfKind: Partial<Record<ToolKind, readonly string[]>> = {
  read: ["read", "list", "read_artifact", "task_output"],
  search: ["grep", "glob", "tool_search"],
  edit: ["write", "edit", "multi_edit", "patch"],
  delete: ["delete"],
  move: ["move"],
  execute: ["bash", "task_stop"],
  think: ["skill"],
};
const kinds = new Map(
  Object.entries(toolsOfKind).flatMap(([kind, tools]) => tools.map((tool) => [tool, kind as ToolKind] as const)),
);

export function kindOf(tool: string): ToolKind {
  return kinds.get(tool) ?? "other";
}

export function endedCall(
  observation: Observation,
  about: { readonly workspace: string; readonly terminals: boolean },
): Omit<ToolCall, "title"> {
  const { intentId, ok, user, summary } = observation;
  const diffs = ok ? diffsOf(observation, about.workspace) : [];
  const words = user.text.trim() === "" ? summary : user.text;
  const shown = [words, ...outputOf(observation)].join("\n\n");
  const wasRun = kindOf(observation.tool) === "execute" && observation.invocationId !== undefined;
  return {
    toolCallId: intentId,
    status: ok ? "completed" : "failed",
    content: diffs.length > 0 ? [...diffs] : [textContent(shown)],
    locations: [...locationsOf(observation)],
    rawOutput: { code: observation.code, summary, auditId: observation.auditId },
    ...(about.terminals && wasRun && closedTerminal(observation, shown)),
  };
}

function outputOf({ tool, ok, model, data = {} }: Observation): readonly string[] {
  const isServers = tool.startsWith("mcp__");
  if (kindOf(tool) === "execute" ? data.exitCode === undefined : !isServers || !ok) return [];
  return model.content
    .filter(({ format, text }) => format !== "diff" && text.trim() !== "")
    .map(({ label, text }) => (label === undefined || isServers ? text : `${label}:\n${text}`));
}

/** The command runs in our sandbox; the editor only shows it. These members of `_meta` are not part of the protocol. */
export function openTerminal(id: string, cwd: string): Pick<ToolCall, "content" | "_meta"> {
  return { content: [{ type: "terminal", terminalId: id }], _meta: { terminal_info: { terminal_id: id, cwd } } };
}

function closedTerminal({ intentId: id, data }: Observation, text: string): Pick<ToolCall, "content" | "_meta"> {
  const code = data?.exitCode;
  const terminal_output = { terminal_id: id, data: text.replace(/\n/g, "\r\n") };
  const terminal_exit = { terminal_id: id, exit_code: typeof code === "number" ? code : null, signal: null };
  return { content: [{ type: "terminal", terminalId: id }], _meta: { terminal_output, terminal_exit } };
}

function diffsOf({ model }: Observation, workspace: string): readonly ToolCallContent[] {
  return model.content
    .filter(({ format }) => format === "diff")
    .flatMap(({ text }) => drawnDiff(text, workspace).drawn);
}

/** `isWhole`: the editor can draw all changes of the diff. */
function drawnDiff(diff: string, workspace: string) {
  const { changes, beside } = diffContents(diff, (written) => path.resolve(workspace, written));
  const drawn = [...changes, ...(beside.length === 0 ? [] : [textContent(beside.join("\n"))])];
  return { drawn, isWhole: changes.length > 0 && beside.length === 0 };
}

export function textContent(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text } };
}

const mostLocations = 20;

function locationsOf({ effects }: Observation): readonly ToolCallLocation[] {
  const seen = effects.seen.flatMap(({ op, target, change }) =>
    change !== undefined || op === "read" ? [target] : [],
  );
  const declared = effects.declared.filter(isFileEffect).map((effect) => effect.path.resolved);
  return [...new Set([...seen, ...declared])].slice(0, mostLocations).map((file) => ({ path: file }));
}

export function askedCall(request: PermissionRequest, workspace: string): ToolCall {
  const { prompt, tool, intentId } = request;
  const isDrawn = touchesFilesOnly(request) || prompt.changes !== undefined;
  const { drawn, isWhole } = drawnDiff(isDrawn ? (prompt.diff ?? "") : "", workspace);
  return {
    toolCallId: intentId,
    title: askedTitle(request),
    name: tool,
    kind: kindOf(tool),
    status: "pending",
    content:
      prompt.changes === undefined
        ? [...drawn.filter(({ type }) => type === "diff"), textContent(questionText(request, isWhole))]
        : [textContent(changesText(request)), ...drawn],
  };
}

function changesText({ prompt }: PermissionRequest): string {
  const { title, action, effects, ended, risk, reason, sandbox, outputLimit } = prompt;
  return [
    title,
    markedLines(action),
    ...effects.map((line) => markedLines(line)),
    ...(ended === undefined ? [] : [`Ended ${ended}`]),
    `Reason: ${reason} (${risk})`,
    `${sandbox} ${outputLimit}`,
  ].join("\n");
}

const longestTitle = 200;

function askedTitle({ prompt, tool }: PermissionRequest): string {
  const [command = "", ...more] = prompt.action.split("\n");
  const [effect = prompt.title] = prompt.effects;
  const isCommand = kindOf(tool) === "execute" && command !== "";
  const title = isCommand ? `${command}${more.length === 0 ? "" : " …"}` : (prompt.call ?? effect);
  return clip(title, longestTitle);
}

function questionText(request: PermissionRequest, isSaid: boolean): string {
  const { about, action, effects, risk, reason, sandbox, parts = [], diff } = request.prompt;
  return [
    ...(isSaid ? [] : [markedLines(action)]),
    ...(about === undefined ? [] : [`Description: ${about}`]),
    `Reason: ${reason} (${risk})`,
    ...(effects.length === 0 ? [] : [`It would: ${effects.join("; ")}`]),
    ...parts,
    ...(touchesFilesOnly(request) ? [] : [`Sandbox: ${sandbox}`]),
    ...(isSaid || diff === undefined ? [] : [markedLines(diff)]),
  ].join("\n");
}
