import path from "node:path";
import { isInside } from "../contract/path-scope.ts";
import { isOwnPath } from "../host/own-path.ts";
import { isBuildTool } from "./build-tools.ts";
import { interpretersIn } from "./command-code.ts";
import type { Search } from "./named-files.ts";
import { findsFiles, installedPlaces, launchers, packageManagers, plainName } from "./runtimes.ts";

const ending = /\.(?:[cm]?[jt]sx?|py|sh)$/i;

/** The tool that an interpreter is given as its script: by that one's name, or by the package that it lies in. */
export function toolAsScript(
  said: readonly string[],
  { base, workspace }: Pick<Search, "base" | "workspace">,
): string | undefined {
  return interpretersIn(said)
    .flatMap(({ script }) => (script === undefined || isOwn(path.resolve(base, script), workspace) ? [] : [script]))
    .flatMap((script) => [path.basename(script), ...packagesOn(script)])
    .map((name) => plainName(name.replace(ending, "").replace(/^_/, "").replace(/-cli$/, "")))
    .find((name) => isBuildTool(name) || findsFiles.has(name) || packageManagers.has(name) || launchers.has(name));
}

/** A script that the project wrote may be called as it likes. */
function isOwn(file: string, workspace: string): boolean {
  const isPlain = ending.test(file) && isInside(file, workspace) && isOwnPath(file, workspace);
  return isPlain && !installedPlaces.test(path.relative(workspace, file));
}

function packagesOn(script: string): readonly string[] {
  return Array.from(script.matchAll(/(?:^|\/)node_modules\/(?:@[^/]+\/)?([^/@.][^/]*)\//g), ([, name = ""]) => name);
}
