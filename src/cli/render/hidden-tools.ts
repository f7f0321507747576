import type { MenuEntry } from "../../contract/tool-facts.ts";

/** What a model is not offered, by the reason for it, each said once. */
export function hiddenRows(
  menu: readonly MenuEntry[],
  { mostNamed }: { readonly mostNamed: number },
): readonly string[] {
  const hidden = menu.filter(({ visible }) => !visible);
  return [...Map.groupBy(hidden, reasonOf)].map(([reason, tools]) => {
    const named = tools.slice(0, mostNamed).map(({ name }) => name);
    const more = tools.length > mostNamed ? ` and ${tools.length - mostNamed} more` : "";
    return `hidden: ${named.join(", ")}${more} (${reason})`;
  });
}

/** Without the tool's own name, so that tools share it. */
function reasonOf({ name, hiddenBecause = "hidden" }: MenuEntry): string {
  if (hiddenBecause.startsWith(`${name} is `)) return hiddenBecause.slice(name.length + " is ".length);
  return hiddenBecause.startsWith(`${name} `) ? `it${hiddenBecause.slice(name.length)}` : hiddenBecause;
}
