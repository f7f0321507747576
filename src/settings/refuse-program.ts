import path from "node:path";
import { readLaunch } from "../contract/launcher.ts";
import { isInside } from "../contract/path-scope.ts";
import type { StdioServer } from "../contract/server.ts";
import { runsProject } from "./build-tools.ts";
import { hasCode, hasOddEnv, interpretersIn, managersOwn, yes } from "./command-code.ts";
import type { Refused, Search } from "./named-files.ts";
import {
  findsFiles,
  launchers,
  launches,
  packageManagers,
  plainName,
  runners,
  shells,
  startsItsWords,
  wrappers,
} from "./runtimes.ts";
import { toolAsScript } from "./tool-scripts.ts";

/** These let a package manager run what another package.json says. */
const otherPackage =
  /^(?:-w|-ws|-C|-F|-r|--(?:workspaces?|prefix|dir|cwd|filter|recursive|include-workspace-root|global-prefix))(?:=|$)|^-[wCF].|^--prefi/;
const ofItsOwnAccord = /^--(?:test|watch-path|experimental-default-config-file|test-[\w-]+)(?:=|$)/;

interface Words {
  /** The command and its arguments, word by word. */
  readonly said: readonly string[];
  /** What Node's own variable holds. */
  readonly ofNode: readonly string[];
}

/** Why nobody can say what a program runs, whatever its other words lead to. */
export function refuseProgram(setting: StdioServer, { said, ofNode }: Words, search: Search): Refused | undefined {
  const [first = "", ...rest] = said;
  const names = said.map(plainName);
  const program = plainName(first);
  const launched = readLaunch(setting, search.workspace)?.refused !== undefined;
  const wraps = wrappers.has(program) || shells.has(program) || launched;
  const started = wraps ? said : handedBy(hands, said);
  const starter = started.map(plainName).find((name) => startsItsWords.has(name));
  if (starter !== undefined) return { why: `${starter} can run what its own words say`, byScript: true };
  if (hasOddEnv(said)) return { why: "env is given more than variables and a program", byScript: true };
  if (hasCode(said)) return { why: "it has code on its command line", byScript: true };
  const managed = said.some((_, at) => managersOwn(names[at] ?? "", said.slice(at + 1)).some(isOther));
  const isYarns = names.some((name, at) => name.startsWith("yarn") && /^workspaces?$/.test(said[at + 1] ?? ""));
  if (managed || isYarns || Object.keys(setting.env ?? {}).some((name) => managersVariable.test(name))) {
    return { why: "it runs what another package says" };
  }
  if (said.some((word, at) => keepsCode(word, said[at + 1] ?? "", search))) {
    return { why: "it takes what it runs from a directory of the project that it fills itself" };
  }
  const own = interpretersIn(said).filter(({ name }) => /^node(?:js)?$/.test(name));
  if ([...own.flatMap((one) => one.options), ...ofNode].some((word) => ofItsOwnAccord.test(word))) {
    return { why: "node would run files that nobody names" };
  }
  const finder =
    started.map(plainName).find((name) => findsFiles.has(name)) ??
    buildToolIn(said, wraps) ??
    toolAsScript(said, search);
  if (finder !== undefined) return { why: `${finder} would run files that nobody names`, byScript: true };
  const isTest = interpretersIn(said).some(({ name, script }) => /^(?:bun|deno)$/.test(name) && script === "test");
  if (isTest) return { why: `${program} would run files that nobody names` };
  const isTold = program === "java" && rest.some((word) => word.startsWith("@"));
  return isTold ? { why: "java is told its words by a file" } : undefined;
}

/** `uvx --cache-dir .uv`: what was fetched once is taken from there. */
function keepsCode(word: string, next: string, { base, workspace }: Search): boolean {
  const [option = "", ...value] = word.split("=");
  if (option !== "--cache-dir") return false;
  return isInside(path.resolve(base, value.length === 0 ? next : value.join("=")), workspace);
}

/** The tool among the words that would run what the project holds. */
function buildToolIn(said: readonly string[], wraps: boolean): string | undefined {
  const started = new Set(wraps ? said : handedBy(handsTools, said));
  const at = said.findIndex((word, place) => {
    const isStarted = started.has(word) || verbs.test(said[place + 1] ?? "");
    return isStarted && runsProject(plainName(word), said.slice(place + 1));
  });
  return at === -1 ? undefined : plainName(said[at] ?? "");
}

/**
 * A launcher that is started among these words, and that we cannot start elsewhere: it runs what the project has
 * installed, by names that only its packages tell.
 */
export function launcherIn(said: readonly string[]): number | undefined {
  const program = plainName(said[0] ?? "");
  const wraps = wrappers.has(program) || shells.has(program) || runners.has(program);
  const started = new Set(wraps ? said : handedBy(handsTools, said));
  const at = said.findIndex((word, place) => {
    const name = plainName(word);
    if (!started.has(word)) return false;
    const isTold = () => firstOf(said.slice(place + 1)).some((next) => launches(name, next));
    return launchers.has(name) || (packageManagers.has(name) && isTold());
  });
  return at === -1 ? undefined : at;
}

export function refuseInstalled(setting: StdioServer, said: readonly string[], workspace: string): Refused | undefined {
  const at = launcherIn(said);
  if (at === undefined || readLaunch(setting, workspace)?.launch !== undefined) return undefined;
  return { why: `${plainName(said[at] ?? "")} would run what the project has installed`, byScript: true };
}

/** What follows one of these may be a program. */
const hands = /^(?:npx|bunx|pnpx|uvx|-m|run|exec|dlx|x|--)$/;
const handsTools = /^(?:npx|bunx|pnpx|uvx|-m|run|exec|dlx|x|--|-S|yarn|yarnpkg|pnpm|bun|corepack)$/;
/** Before these a tool's name is no word like any other, wherever it stands. */
const verbs = /^(?:run|exec|build|compose|test|start|dev)$/;

/** The first word, and those that stand where one of these hands on. */
function handedBy(handing: RegExp, said: readonly string[]): readonly string[] {
  return [...said.slice(0, 1), ...said.flatMap((word, at) => (handing.test(word) ? firstOf(said.slice(at + 1)) : []))];
}

/** Options, what may be their values, and the first word that is neither. */
function firstOf(words: readonly string[]): readonly string[] {
  const isFree = (word: string, at: number) => {
    const before = words[at - 1] ?? "";
    return !word.startsWith("-") && (!/^-[^=]*$/.test(before) || yes.test(before));
  };
  return words.slice(0, words.findIndex(isFree) + 1 || undefined);
}

const managersVariable = /^npm_config_(?:workspaces?|prefix|local_prefix|dir|filter|recursive|call|c)$/i;

function isOther(word: string): boolean {
  return otherPackage.test(word);
}

/** Does the program want the package.json, as `npm run` does? */
export function runsScriptOfPackage(said: readonly string[]): boolean {
  return interpretersIn(said).some(
    ({ name, options }) => /^node(?:js)?$/.test(name) && options.some((word) => /^--run(?:=|$)/.test(word)),
  );
}
