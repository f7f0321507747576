import path from "node:path";
import { runsAnything } from "../contract/launcher.ts";
import type { Search } from "./named-files.ts";
import { runners, scriptName, takesScript } from "./runtimes.ts";

/** Is it known by now what these first words of the command run? */
export function isBound([program = "", script = ""]: readonly string[], { base, found }: Search): boolean {
  const isFile = (word: string) => found.has(path.resolve(base, word));
  const name = path.basename(program);
  if (takesScript.test(name)) return scriptName.test(script) && isFile(script);
  return program.includes("/") && isFile(program) && !isRunner(name);
}

export function isRunner(name: string): boolean {
  return runners.has(name) || runsAnything(name);
}
