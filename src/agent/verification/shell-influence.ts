import type { ShellNode, SimpleCommand } from "../../shell/tree.ts";
import { literalWords } from "./literal-words.ts";

/**
 * Builtins after which the same words may mean something else, or after which nothing runs at all. A program of its
 * own can do neither to the shell that started it.
 */
const changers = new Set([
  ...[".", "source", "eval", "exec", "exit", "return", "logout", "break", "continue", "suspend", "kill", "trap"],
  ...["alias", "unalias", "hash", "enable", "shopt", "builtin", "command", "coproc", "unset", "read", "mapfile"],
  ...["readarray", "getopts", "let", "?"],
]);
const assigners = new Set(["export", "declare", "typeset", "local", "readonly", "env"]);

/** Variables that choose which program a name is, or what a runner does when it is told to check. */
const riskyNames =
  /^(?:PATH|BASH_ENV|ENV|SHELL|SHELLOPTS|BASHOPTS|LD_\w+|npm_config_\w+|(?:GNU)?MAKEFLAGS|PYTEST_ADDOPTS|GOFLAGS)$/i;
/** Code that a runner loads first could end it well. */
const riskyOptions = /(?:^|[\s'"])(?:-r|-e|-c|--(?:require|import|loader|experimental-loader|eval|check))\b/;

/** May what stands behind it mean something else, or not run, because of it? */
export function changesMeaning(node: ShellNode): boolean {
  switch (node.kind) {
    case "simple": {
      const [first, ...rest] = literalWords(node);
      if (first === undefined) return isRisky(node);
      if (changers.has(first)) return true;
      if (first === "set") return !rest.every((word) => plainOptions.test(word));
      if (first === "printf") return rest.includes("-v");
      return assigners.has(first) && rest.some((word) => assignsRisky(word));
    }
    case "sequence":
      return node.items.some((item) => changesMeaning(item.node));
    case "group":
      return !node.copy && changesMeaning(node.body);
    case "conditional":
      return (
        node.branches.some(({ test, body }) => changesMeaning(test) || changesMeaning(body)) ||
        (node.otherwise !== undefined && changesMeaning(node.otherwise))
      );
    case "loop":
      return changesMeaning(node.test) || changesMeaning(node.body);
    case "for-each":
      return riskyNames.test(node.name) || changesMeaning(node.body);
    case "choice":
      return node.bodies.some(changesMeaning);
    case "opaque":
      return true;
    default:
      return false;
  }
}

const plainOptions = /^(?:[-+][euxo]+|errexit|nounset|xtrace|pipefail)$/;

/** An assignment in front of it makes it another program, or a runner that checks nothing. */
export function isRisky(node: SimpleCommand): boolean {
  const values = node.assignments.map(({ name, value }) => `${name}=${value.text}`);
  const words = literalWords(node);
  const own = words[0] === "env" ? words.slice(1) : [];
  return [...values, ...own].some(assignsRisky);
}

function assignsRisky(word: string): boolean {
  const [, name, value = ""] = /^([A-Za-z_]\w*)(?:\+?=([\s\S]*))?$/.exec(word) ?? [];
  if (name === undefined) return false;
  return riskyNames.test(name) || (name === "NODE_OPTIONS" && riskyOptions.test(value));
}

const onlyLooks = new Set([
  ...["cd", "pushd", "popd", "pwd", "echo", "printf", "true", "false", ":", "set", "export", "test", "[", "exit"],
  ...["ls", "cat", "head", "tail", "grep", "rg", "wc", "which", "type", "date", "sleep", "wait", "time"],
]);

/** For all that its words tell. */
export function mayChangeFiles(node: SimpleCommand): boolean {
  const [first] = literalWords(node);
  if (node.redirects.some(({ kind }) => kind === "write" || kind === "change")) return true;
  return first !== undefined && !onlyLooks.has(first);
}
