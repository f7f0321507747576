import path from "node:path";
import { isRecord } from "../contract/is-record.ts";
import { bindInstalledPrograms } from "./bind-implied.ts";
import { createDescribe, type Describe } from "./described-files.ts";
import { bindNames, type Refused, type Search } from "./named-files.ts";
import type { ReadText } from "./parse-settings-text.ts";
import { launcherIn } from "./refuse-program.ts";
import { plainName } from "./runtimes.ts";

const switches = /^(?:-y|--yes|--no|--no-install|-q|--quiet)$/;
const plainPackage = /^(?:@\w[\w.-]*\/)?\w[\w.-]*$/;

/** The command that a hook has `npx` run, or why nobody can say what it would be; nothing where it starts none. */
export function launchedBy(words: readonly string[]): { readonly name: string } | Refused | undefined {
  const said = words.flatMap((word) => word.split(/\s+/));
  const at = launcherIn(said);
  if (at === undefined) return undefined;
  const launcher = plainName(said[at] ?? "");
  if (at > 0 || launcher !== "npx") return instead(launcher);
  const [first = ""] = words.slice(1).filter((word) => !switches.test(word));
  if (first === "") return { why: "npx is told no command" };
  const second = said.slice(said.indexOf(first));
  const next = launcherIn(second);
  if (next !== undefined) return instead(plainName(second[next] ?? ""));
  if (first.startsWith("-"))
    return { why: `npx is given ${first.split("=")[0]}, and could run something else with it` };
  return plainPackage.test(first)
    ? { name: first }
    : { why: `npx is told ${first}, which is no plain name of an installed command` };
}

function instead(launcher: string): Refused {
  return { why: `${launcher} would run what cannot be bound; npx and the name of an installed command can be` };
}

/** What npx runs by that name is bound, where it is installed in the project and is called so. */
export function bindLaunched(name: string, search: Search, readText: ReadText): Refused | undefined {
  const command = path.basename(name);
  const elsewhere = refuseOther(name, search, createDescribe(readText));
  if (elsewhere !== undefined) return elsewhere;
  const found = bindNames([`node_modules/.bin/${command}`], search);
  if ("why" in found) return found;
  if (found.bound === 0) return { why: `npx would run ${name}, which is not installed in the project` };
  const others = bindNames([`node_modules/${name}/package.json`, `node_modules/.bin/${name}`, ".npmrc"], search);
  return "why" in others ? others : bindInstalledPrograms([search.workspace], search);
}

function refuseOther(name: string, { workspace }: Search, describe: Describe): Refused | undefined {
  try {
    const own = describe(workspace);
    const isInDirectory = isRecord(own.directories) && own.directories.bin !== undefined;
    if (isInDirectory || hasCommand(own.bin, own.name, name)) {
      return { why: `npx would run ${name} of the project's own package` };
    }
    if (!name.includes("/")) return undefined;
    const { bin, name: called } = describe(path.join(workspace, "node_modules", name));
    const isSame = called === name && commandOf(bin, path.basename(name)) === path.basename(name);
    return isSame ? undefined : { why: `npx would run a command of ${name} that is called otherwise` };
  } catch {
    return { why: "a package.json that npx reads is none that can be read" };
  }
}

/** Npx prefers what the project's own package calls so. */
function hasCommand(bin: unknown, called: unknown, name: string): boolean {
  if (isRecord(bin)) return Object.keys(bin).some((key) => path.basename(key) === path.basename(name));
  return bin !== undefined && (typeof called !== "string" || path.basename(called) === path.basename(name));
}

/** The one that npx takes when it is told the package. */
function commandOf(bin: unknown, name: string): string | undefined {
  if (typeof bin === "string") return name;
  if (!isRecord(bin)) return undefined;
  const [first] = Object.keys(bin);
  return new Set(Object.values(bin)).size === 1 || !Object.hasOwn(bin, name) ? first : name;
}
