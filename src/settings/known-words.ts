import path from "node:path";
import { launchOf } from "../contract/launcher.ts";
import type { StdioServer } from "../contract/server.ts";
import { isOwnPath } from "../host/own-path.ts";
import { isRunner } from "./bound-program.ts";
import { interpretersIn } from "./command-code.ts";
import type { Search } from "./named-files.ts";
import { installedPlaces, plainName, shells, startsItsWords, wrappers } from "./runtimes.ts";

const code = /\.(?:[cm]?[jt]sx?|py|sh|bash|rb|pl|php|lua|jl|r)$/i;
const valued: ReadonlySet<string> = new Set(["-p", "--package", "--from", "--spec", "--python"]);
/** What is called so is a server, and starts nothing that it is told. */
const ofServer = /(?:^|[-_.])(?:mcp|server)(?:[-_.]|$)/;
const startsOthers =
  /(?:^|[-_.])(?:run|runner|exec|dev|cli|framework|build|watch|proxy|hub|gateway|bridge|inspector|launcher|use|wrapper|stdio|shell|terminal|commands?)(?:[-_.]|$)/;

/**
 * How many of the first words say which package is fetched and run, where that is a server: what follows is given to it,
 * to work on. Of others nobody knows whether they run what they are told.
 */
export function wordsOfPackage(setting: StdioServer, workspace: string): number | undefined {
  const launch = launchOf(setting, workspace);
  if (launch === undefined) return undefined;
  const words = [path.basename(setting.command), ...(setting.args ?? [])];
  let at = words[0] === "uv" ? 3 : words[0]?.endsWith("x") && words[0] !== "pipx" ? 1 : 2;
  // A launch is understood, so no other option has a value.
  while (words[at]?.startsWith("-") && words[at] !== "--") at += valued.has(words[at] ?? "") ? 2 : 1;
  if (words[at] === "--") at += 1;
  return isServer(words[at] ?? "") ? at + 1 : undefined;
}

/** By its name. */
function isServer(command: string): boolean {
  const name = plainName(command);
  if (name === "mcp") return command.startsWith("@");
  return ofServer.test(name) && !startsOthers.test(name) && !isRunner(name);
}

/** They have words of their own before a script, some of them with values. */
const hasOwnWords = /^(?:bun|deno)$/;
/** With these a module of the project is what Python finds first, but for what is built into it. */
const plainModule = /^-[uBqOv]*m$/;
const plainSwitch = /^-[uBqOv]+$/;
const builtIn = /^(?:runpy|os|site|io|abc|codecs|stat|importlib|zipimport)(?:\.|$)/;
const ofPython = /^PYTHON(?!UNBUFFERED$|IOENCODING$|UTF8$|DONTWRITEBYTECODE$)/i;

/**
 * The same of a program or script that is bound by now. One that lies behind a link is another's, and of what was
 * installed nobody knows more than its name.
 */
export function wordsOfProgram(
  { env = {} }: StdioServer,
  words: readonly string[],
  search: Search,
): number | undefined {
  const [program = "", first = "", second = ""] = words;
  const name = path.basename(program);
  const isOwn = (word: string) => {
    const file = path.resolve(search.base, word);
    const isPlain = !installedPlaces.test(path.relative(search.workspace, file)) || isServer(path.basename(file));
    return search.found.has(file) && isOwnPath(file, search.workspace) && isPlain;
  };
  const isScript = (word: string) => !word.startsWith("-") && code.test(word) && isOwn(word);
  if (shells.has(name)) return isScript(first) ? 2 : undefined;
  if (name === "uv") return first === "run" && isScript(second) ? 3 : undefined;
  const [given] = interpretersIn(words.slice(0, 1)).length === 1 ? interpretersIn(words) : [];
  if (given === undefined) return program.includes("/") && isOwn(program) && !isRunner(name) ? 1 : undefined;
  const { script, options } = given;
  // The last of that name: an option before the script may have it as its value.
  if (script !== undefined) {
    return isScript(script) && !hasOwnWords.test(given.name) ? words.lastIndexOf(script) + 1 : undefined;
  }
  const [module = "", option = "", ...switches] = options.toReversed();
  const isPlain = plainModule.test(option) && switches.every((word) => plainSwitch.test(word)) && !builtIn.test(module);
  if (!isPlain || Object.keys(env).some((variable) => ofPython.test(variable))) return undefined;
  const files = [".py", "/__main__.py"].map((end) => module.replaceAll(".", "/") + end);
  return /^(?:python|pypy)/.test(given.name) && files.some(isOwn) ? options.length + 1 : undefined;
}

/** Is there a program among these words that would make something else of those behind it? */
export function startAnother(words: readonly string[]): boolean {
  return words
    .flatMap((word) => word.split(/\s+/))
    .some((word) => {
      const name = plainName(word);
      return wrappers.has(name) || startsItsWords.has(name) || isRunner(name) || interpretersIn([word]).length > 0;
    });
}
