import { expect, test } from "vitest";
import { permissionsText } from "./command-texts.ts";

test("/permissions says where a rule stands in words that people know", () => {
  const rule = { action: "allow", text: "Bash(ls)", origin: "~/settings.json" } as const;
  const rules = [
    { ...rule, layer: "managed" },
    { ...rule, layer: "command_line" },
    { ...rule, action: "deny", layer: "user_project" },
    { ...rule, layer: "project" },
    { ...rule, action: "ask", layer: "user" },
    { ...rule, action: "ask", layer: "user" },
  ] as const;
  expect(permissionsText(rules, [{ rule: "Bash(cat)" }]).split("\n")).toEqual([
    "allow  Bash(ls)  (your company's settings)",
    "allow  Bash(ls)  (the command line)",
    "deny   Bash(ls)  (your settings for this project)",
    "allow  Bash(ls)  (the project's settings)",
    "ask    Bash(ls)  (your settings)",
    "allow  Bash(cat)  (this session)",
    "To remove a saved rule, delete it from ~/settings.json.",
    "Rules of this session end with the session (/new).",
  ]);
  expect(permissionsText([], [])).toBe("No rules. The mode and the risk of a call decide.");
});
