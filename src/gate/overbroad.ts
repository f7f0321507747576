import { matchesPath } from "./path-pattern.ts";
import type { RuleTarget } from "./rule.ts";

/** Why an allow rule opens more than anybody can have looked at. */
export function overbroad(target: RuleTarget): string | undefined {
  switch (target.kind) {
    case "command": {
      const { pattern } = target;
      if (pattern.kind === "every") return "it allows every command";
      if (pattern.kind === "wildcard" && pattern.text.startsWith("*")) return "it leaves the program open";
      const [program = "", ...more] = pattern.kind === "prefix" ? pattern.words : [];
      const name = program.slice(program.lastIndexOf("/") + 1);
      const open = anything.has(name) && more.every((word) => word.startsWith("-"));
      return open ? `${name} can run or fetch anything` : undefined;
    }
    case "path": {
      const { ops, pattern } = target;
      const everything = pattern === undefined || matchesPath(pattern, pattern.base);
      if (everything && ops.includes("write")) return "it allows every change below its base";
      if (everything && ops.includes("delete")) return "it allows deleting everything below its base";
      return everything && pattern?.base === "/" ? "it allows reading the whole disk" : undefined;
    }
    case "server":
      return target.tool === undefined ? `it allows every tool of the server ${target.server}` : undefined;
    default:
      return undefined;
  }
}

/** Programs whose arguments are programs, or that reach other machines. */
const anything: ReadonlySet<string> = new Set([
  ..."sh bash dash zsh ksh fish ash busybox env xargs eval exec source command builtin".split(" "),
  ..."sudo su doas nice nohup timeout find ssh npx bunx pnpx uvx docker podman kubectl git make".split(" "),
  ..."python python3 node deno bun ruby perl php lua awk gawk tclsh osascript".split(" "),
  ..."curl wget nc ncat socat scp rsync".split(" "),
]);
