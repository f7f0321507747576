import type { Opaque, Pipeline, ShellNode } from "./shell-tree.ts";
import { downloaders, wrappers } from "./tables/network.ts";
import { interpreters } from "./tables/runners.ts";

/** `curl … | sh`: something fetched is fed to something that runs what it is fed. */
export function pipesDownload(node: Pipeline): boolean {
  const stages = node.commands.map(commandWords);
  const fetched = stages.findIndex((commands) => commands.some((words) => downloaders.has(programOf(words))));
  return fetched >= 0 && stages.slice(fetched + 1).some((commands) => commands.some(runsItsInput));
}

/** `sh -c "$(curl …)"`, `bash <(curl …)`: both were seen inside something that was not understood. */
export function substitutesDownload(node: Opaque): boolean {
  const programs = node.inside.map(({ words }) => programOf(words));
  return programs.some((name) => downloaders.has(name)) && programs.some((name) => interpreters.has(name));
}

function runsItsInput(words: readonly string[]): boolean {
  if (!interpreters.has(programOf(words))) return false;
  const own = words.slice(words.findIndex((word) => interpreters.has(baseName(word))) + 1);
  // With a program of its own (`python -m json.tool`, `node -e …`) the input is data.
  return !own.some((word) => /^-[cemp]$/.test(word)) && own.every((word) => word.startsWith("-"));
}

/** The program behind wrappers such as `sudo -u x` and `env A=b`. */
function programOf(words: readonly string[]): string {
  const found = words.find((word) => !wrappers.has(baseName(word)) && !/^-|=|^\d/.test(word));
  return baseName(found ?? "");
}

function baseName(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}

function commandWords(node: ShellNode): readonly (readonly string[])[] {
  switch (node.kind) {
    case "simple":
      return [node.words.map((word) => word.value)];
    case "pipeline":
      return node.commands.flatMap(commandWords);
    case "sequence":
      return node.items.flatMap((item) => commandWords(item.node));
    case "group":
      return commandWords(node.body);
    case "opaque":
      return node.inside.map(({ words }) => words);
  }
}
