import path from "node:path";
import type { DoctorCheck } from "../contract/app/app.ts";
import type { HookHandler, HookSetting } from "../contract/settings.ts";
import { inProject } from "../host/state/trust.ts";
import { isInterpreter, reservedWords, scriptEnding, shellBuiltins } from "../programs/interpreters.ts";

export interface HookPlaces {
  readonly workspace: string;
  readonly home: string;
  readonly search: readonly string[];
  readonly exists: (path: string) => boolean;
}

export function examineHooks(hooks: readonly HookSetting[], places: HookPlaces): DoctorCheck {
  const name = "hooks";
  if (hooks.length === 0) return { name, state: "absent", detail: "none configured" };
  const absent = hooks.flatMap(({ event, handler, origin }) => {
    const file = filesOf(handler, places).find((one) => !isThere(one, places));
    return file === undefined ? [] : [{ text: `${event}: ${file} does not exist (${origin})`, origin }];
  });
  const [first] = absent;
  if (first === undefined) return { name, state: "ok", detail: `${hooks.length} configured` };
  const detail = [`${hooks.length} configured`, ...absent.map(({ text }) => text)].join("\n");
  return { name, state: "warning", detail, fix: `correct or remove the hook in ${first.origin}` };
}

/** The program and its script. Words that a shell would expand are skipped. */
function filesOf({ command, args }: HookHandler, places: HookPlaces): readonly string[] {
  const words = args === undefined ? shellWords(command, places.home) : [command, ...args];
  const [program, ...rest] = words;
  if (program === undefined || shellBuiltins.has(program) || reservedWords.has(program)) return [];
  const script = isInterpreter(path.basename(program)) ? rest[0] : undefined;
  const isScript = script !== undefined && !script.startsWith("-") && (/\//.test(script) || scriptEnding.test(script));
  return isScript ? [program, path.resolve(places.workspace, script)] : [program];
}

function shellWords(text: string, home: string): readonly string[] {
  const written = inProject(text.replace(/(?<!\S)~(?=\/)|\$HOME\b|\$\{HOME\}/g, home));
  const bare = written.replace(/"([^"\s]*)"|'([^'\s]*)'/g, "$1$2");
  return /^(?!\w+\+?=)[\p{L}\p{N}_@+=:,./\s-]+$/u.test(bare) ? bare.trim().split(/\s+/) : [];
}

function isThere(file: string, { search, workspace, exists }: HookPlaces): boolean {
  if (file.includes("/")) return exists(path.resolve(workspace, file));
  return search.some((directory) => exists(path.join(directory, file)));
}
