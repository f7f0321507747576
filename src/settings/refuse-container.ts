import path from "node:path";
import { isInside, isInsideAny } from "../contract/path-scope.ts";
import { isContainer, type Mount, mountsIn, namesBehind } from "./mounted-names.ts";
import type { Refused, Search } from "./named-files.ts";
import { tellsPrograms } from "./refuse-environment.ts";

/** Options of `docker run` that say nothing about what runs, and where it looks for that. */
const switches = /^(?:-[itdq]+|--(?:rm|init|interactive|tty|detach|quiet|read-only)(?:=\w+)?)$/;
const valued =
  /^(?:-[uplme]|-v|--(?:volume|mount|env|name|pull|platform|network|net|user|publish|memory|cpus|label|cap-drop))$/;
const harmless = /^(?:NODE_ENV|PYTHON(?:UNBUFFERED|IOENCODING|UTF8|DONTWRITEBYTECODE)|\w+_PROXY)$/i;
/** Here lie the programs of an image, and what tells them how to run. */
const ofImages = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/root", "/usr"];

interface Given {
  /** Word by word, and as they are written. */
  readonly said: readonly string[];
  readonly words: readonly string[];
  /** What the entry's variables hold. */
  readonly values: readonly string[];
}

/** Why nobody can say what a container runs that is shown the project. */
export function refuseContainer({ said, words, values }: Given, search: Search): Refused | undefined {
  const mounts = mountsIn([...words, ...said]).filter((mount) => isNear(mount, search));
  if (mounts.length === 0) return undefined;
  const [program = "", verb, ...rest] = words;
  if (!isContainer(program) || verb !== "run")
    return { why: "a container that is shown the project is not plainly run" };
  const name = path.basename(program);
  const options = optionsOf(rest);
  if ("odd" in options) return { why: `${name} is given ${options.odd}, and could run something else with it` };
  if (mounts.some(({ there }) => hidesImage(there))) {
    return { why: `${name} puts files of the project where those of the image lie` };
  }
  const leads = (text: string) => mounts.some((mount) => namesBehind(`${text}/`, mount).length > 0);
  const isTold = options.variables.some((one) => {
    const [variable = ""] = one.split("=");
    return leads(one) || (tellsPrograms(variable) && !harmless.test(variable));
  });
  return isTold || values.some(leads)
    ? { why: `${name} is given a variable that could make programs load files of the project` }
    : undefined;
}

/** What stands before the image. */
function optionsOf(words: readonly string[]): { readonly variables: readonly string[] } | { readonly odd: string } {
  const variables: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (!word.startsWith("-")) return { variables };
    if (switches.test(word)) continue;
    const end = word.startsWith("--") ? word.indexOf("=") : -1;
    const option = end === -1 ? word : word.slice(0, end);
    if (!valued.test(option)) return { odd: option };
    if (end === -1) at += 1;
    if (/^(?:-e|--env)$/.test(option)) variables.push(end === -1 ? (words[at] ?? "") : word.slice(end + 1));
  }
  return { odd: "no image" };
}

function isNear({ here, isPlace }: Mount, { base, workspace }: Search): boolean {
  const place = path.resolve(base, here);
  return isPlace && (isInside(place, workspace) || isInside(workspace, place));
}

function hidesImage(there: string): boolean {
  return there === "" || (isInsideAny(there, ofImages) && !isInside(there, "/usr/src"));
}
