import { parseShell } from "../../shell/parse-shell.ts";
import type { ShellNode } from "../../shell/tree.ts";
import { literalWords } from "./literal-words.ts";

const endsWell = new Set(["true", ":", "echo", "printf", "exit 0"]);

/** A script that ends well whatever happens in it says nothing, whatever it is called. */
export function cannotFail(script: string): boolean {
  const { root, syntaxError } = parseShell(script);
  return syntaxError === undefined && (isNegated(script) || alwaysWell(root));
}

function alwaysWell(node: ShellNode): boolean {
  switch (node.kind) {
    case "simple": {
      const words = literalWords(node);
      return endsWell.has(words[0] === "exit" ? words.join(" ") : (words[0] ?? ""));
    }
    case "group":
      return alwaysWell(node.body);
    case "sequence": {
      const last = node.items.at(-1);
      if (last === undefined || !alwaysWell(last.node)) return false;
      const before = node.items.slice(0, -1);
      if (last.before !== "&&") return !before.some((item) => isErrexit(item.node));
      return before.every((item) => alwaysWell(item.node));
    }
    default:
      return false;
  }
}

function isErrexit(node: ShellNode): boolean {
  return node.kind === "simple" && literalWords(node)[0] === "set";
}

/** `!` turns an end around; where it stands, what an exit code means is not read. */
export function isNegated(command: string): boolean {
  return /(?:^|[\s;&|(){])!\s/.test(command);
}
