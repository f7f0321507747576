import type { CommandPattern } from "./command-pattern.ts";
import { matchesPath } from "./path-pattern.ts";
import type { RuleTarget } from "./rule.ts";

/** Why an allow rule opens more than anybody can have looked at. */
export function overbroad(target: RuleTarget): string | undefined {
  switch (target.kind) {
    case "command":
      return overbroadCommand(target.pattern);
    case "path": {
      const { ops, pattern } = target;
      const everything = pattern === undefined || matchesPath(pattern, pattern.base);
      if (everything && ops.includes("write")) return "it allows every change below its base";
      if (everything && ops.includes("delete")) return "it allows deleting everything below its base";
      return everything && pattern?.base === "/" ? "it allows reading the whole disk" : undefined;
    }
    case "tool":
      return target.names.includes("web_fetch") ? "it allows every host" : undefined;
    case "server":
      return target.tool === undefined ? `it allows every tool of the server ${target.server}` : undefined;
    default:
      return undefined;
  }
}

function overbroadCommand(pattern: CommandPattern): string | undefined {
  if (pattern.kind === "every") return "it allows every command";
  if (pattern.kind === "exact") return undefined;
  const words = pattern.kind === "prefix" ? pattern.words : pattern.text.split(/\s+/);
  const [program = "", ...rest] = words;
  if (program.includes("*")) return "it leaves the program open";
  const name = program.slice(program.lastIndexOf("/") + 1).replace(/(?<=[a-z])[\d.]+$/, "");
  // What stands before the first star is fixed; what comes after it is anything.
  const open = rest.findIndex((word) => word.includes("*"));
  const fixed = (open === -1 ? rest : rest.slice(0, open)).filter((word) => !word.startsWith("-"));
  const [verb, ...more] = fixed;
  const endsOpen = open === -1 || open === rest.length - 1;
  const unbound = anything.has(name) || (endsOpen && withCommands.has(name));
  // A flag in front may take the next word as its value, and redirect everything behind it.
  const flagged = withCommands.has(name) && rest[0]?.startsWith("-");
  if ((unbound && (verb === undefined || flagged)) || appended.has(name)) return `${name} can run or fetch anything`;
  const runs = verb !== undefined && more.length === 0 && runners.get(name)?.includes(verb);
  return runs ? `${name} ${verb} can run or fetch anything` : undefined;
}

/** Programs whose arguments are programs, or that reach other machines. */
const anything: ReadonlySet<string> = new Set([
  ..."sh bash dash zsh ksh fish ash busybox env eval exec source . command builtin".split(" "),
  ..."sudo su doas nice nohup timeout setsid stdbuf time watch script flock chroot unshare nsenter".split(" "),
  ..."ssh npx bunx pnpx uvx systemd-run tmux screen at make just".split(" "),
  ..."python node deno bun ruby perl php lua awk gawk mawk sed tclsh osascript vim vi emacs gdb sqlite psql".split(" "),
  ..."curl wget nc ncat socat scp sftp rsync telnet ftp openssl".split(" "),
]);

/** Programs that can be made to run something by what is appended, however they begin. */
const appended: ReadonlySet<string> = new Set(["find", "fd", "parallel", "xargs"]);

/** Programs that do everything as long as nothing says which of their commands is meant. */
const withCommands: ReadonlySet<string> = new Set([
  ..."git gh docker podman kubectl npm pnpm yarn pip pipx uv poetry cargo go gradle mvn dotnet bundle composer".split(
    " ",
  ),
]);

/** Sub-commands that take a program to run, or fetch one. */
const runners: ReadonlyMap<string, readonly string[]> = new Map([
  ["npm", ["exec", "x"]],
  ["pnpm", ["exec", "dlx"]],
  ["yarn", ["exec", "dlx"]],
  ["bun", ["x"]],
  ["pipx", ["run"]],
  ["uv", ["run", "tool"]],
  ["poetry", ["run"]],
  ["bundle", ["exec"]],
  ["go", ["run"]],
  ["docker", ["run", "exec"]],
  ["podman", ["run", "exec"]],
  ["kubectl", ["exec", "run"]],
  ["git", ["config", "submodule"]],
]);
