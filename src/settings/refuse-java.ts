import path from "node:path";
import { isInside } from "../contract/path-scope.ts";
import type { Refused, Search } from "./named-files.ts";
import { plainName } from "./runtimes.ts";

const ofJava = /^(?:javaw?|kotlin|scala|groovy|jshell)$/;
/** By these it takes its own classes, or libraries, from elsewhere. */
const replaces =
  /^(?:-J)?(?:--(?:patch-module|upgrade-module-path)|-Xbootclasspath|-agentlib:|-Djava\.(?:library\.path|ext\.dirs|endorsed\.dirs|home)=)/;
const agent = /^(?:-J)?-(?:agentpath|javaagent):([^=]*)/;
const holdsOptions = /JAVA.*(?:OPTS|OPTIONS)$/i;

interface Variables {
  readonly env: Readonly<Record<string, string>>;
  readonly fill: (text: string) => string;
}

/** Why Java would run other classes than those that are named. */
export function refuseJava(said: readonly string[], { env, fill }: Variables, search: Search): Refused | undefined {
  const options = Object.entries(env).filter(([name]) => holdsOptions.test(name));
  const given = options.flatMap(([, value]) => fill(value).split(/\s+/));
  const words = said.some((word) => ofJava.test(plainName(word))) ? [...said, ...given] : given;
  const odd = words.find((word) => replaces.test(word) || isLoose(agent.exec(word)?.[1], search));
  return odd === undefined ? undefined : { why: `${odd.split(/[:=]/)[0]} makes java run what cannot be told` };
}

function isLoose(file: string | undefined, { base, workspace, found }: Search): boolean {
  if (file === undefined) return false;
  const place = path.resolve(base, file);
  return isInside(place, workspace) && !found.has(place);
}
