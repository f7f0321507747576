import { hiddenRows } from "../cli/render/hidden-tools.ts";
import { bytesText, type Column, counted, renderTable } from "../cli/render/table.ts";
import type { MenuEntry } from "../contract/tool-facts.ts";

const columns: readonly Column<MenuEntry>[] = [
  { title: "NAME", text: ({ name }) => name },
  { title: "MAY", spare: true, text: ({ risks }) => risks.join(", ") },
  { title: "WHAT IT DOES", text: ({ description }) => firstSentence(description) },
];

/** Which server says it stands in the tool's name already. */
function firstSentence(description: string): string {
  const words = description.replace(/^Tool of the MCP server \S+, in its words: /, "");
  return words.split(/(?<=\.)\s/)[0] ?? "";
}

/** Narrower than this, purposes need all the room. */
const wide = 76;

/** What a model is shown as a table; what it is not shown by the reason for it, each said once. */
export function menuText(menu: readonly MenuEntry[], width: number): string {
  const offered = menu.filter(({ visible }) => visible);
  const shown = offered.filter(({ loaded }) => loaded);
  const left = offered.filter(({ loaded }) => !loaded);
  const bytes = shown.reduce((sum, tool) => sum + tool.bytes, 0);
  const fitting = width < wide ? columns.filter(({ spare }) => spare !== true) : columns;
  const table = renderTable(shown, fitting, { colour: false, columns: width }).text.trimEnd();
  return [
    ...(shown.length === 0 ? [] : [table]),
    `${counted(shown.length, "tool")} with schemas, ${bytesText(bytes)} in every request`,
    ...(left.length === 0 ? [] : [`by name, until searched for: ${namesOf(left)}`]),
    ...hiddenRows(menu, { mostNamed: menu.length }),
  ].join("\n");
}

function namesOf(tools: readonly MenuEntry[]): string {
  return tools.map(({ name }) => name).join(", ");
}
