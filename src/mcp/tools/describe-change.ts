import { canonicalJson } from "../../base/digest.ts";
import { groupedNumber, visibleText } from "../../base/text.ts";
import type { ServerTool } from "../../contract/server/server.ts";
import type { ApprovedDefinition, Definition } from "../host/server-state.ts";
import { bounded } from "./bounded-text.ts";

const maxEditLength = 1_500;
const mostCompared = 256 * 1024;
const mostCharacters = 64 * 1024;

export async function describeChange(
  before: ApprovedDefinition | "unreadable" | undefined,
  { tool }: Definition,
): Promise<string> {
  const now = textOf(tool);
  if (before === undefined || before === "unreadable") {
    return `The approved definition cannot be read. Current definition${shareOf(now)}:\n${bounded(now, mostCharacters)}`;
  }
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import("diff");
  const agreed = textOf(before.tool);
  const names = [`approved/${tool.name}`, `current/${tool.name}`] as const;
  const options = { maxEditLength, headerOptions: FILE_HEADERS_ONLY };
  const isLong = agreed.length > mostCompared || now.length > mostCompared;
  const patch = isLong ? undefined : createTwoFilesPatch(...names, agreed, now, undefined, undefined, options);
  if (patch !== undefined) return visibleText(patch);
  return [
    "The change is too large for a diff.",
    `Approved definition${shareOf(agreed)}:`,
    bounded(agreed, mostCharacters),
    `Current definition${shareOf(now)}:`,
    bounded(now, mostCharacters),
  ].join("\n");
}

function textOf(tool: ServerTool): string {
  return `${JSON.stringify(JSON.parse(canonicalJson(tool)), null, 2)}\n`;
}

function shareOf({ length }: string): string {
  if (length <= mostCharacters) return "";
  return ` (the first ${groupedNumber(mostCharacters)} of ${groupedNumber(length)} characters)`;
}
