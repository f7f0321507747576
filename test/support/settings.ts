import { sha256 } from "../../src/base/digest.ts";
import { type LoadOptions, loadSettings } from "../../src/settings/load-settings.ts";
import { settingsPaths } from "../../src/settings/settings-paths.ts";

export const hashShape = /^sha256:[0-9a-f]{64}$/;

export const paths = settingsPaths({
  workspace: "/ws",
  managedPath: "/etc/policy.json",
  gauntletHome: "/home/ann/.gauntlet",
});

interface World {
  readonly files?: Readonly<Record<string, unknown>>;
  readonly commandLine?: LoadOptions["commandLine"];
}

/** Text and bytes of the same files. */
export function filePorts(files: Readonly<Record<string, unknown>>): Pick<LoadOptions, "readText" | "findFile"> {
  const readText = (path: string) => {
    const content = files[path];
    return content === undefined || typeof content === "string" ? content : JSON.stringify(content);
  };
  const findFile = (file: string) => {
    const text = readText(file);
    if (text !== undefined) return { file, state: sha256(text) };
    return Object.keys(files).some((name) => name.startsWith(`${file}/`)) ? { file } : undefined;
  };
  return { readText, findFile };
}

export function load({ files = {}, commandLine = {} }: World) {
  return loadSettings({
    workspace: "/ws",
    home: "/home/ann",
    managedPath: "/etc/policy.json",
    commandLine,
    ...filePorts(files),
  });
}

export function loaded(world: World) {
  const outcome = load(world);
  if (!outcome.ok) throw new Error(outcome.failure.message);
  return outcome.value;
}

export function refused(world: World) {
  const outcome = load(world);
  if (outcome.ok) throw new Error("expected a failure");
  return outcome.failure;
}
