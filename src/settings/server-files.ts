import path from "node:path";
import { createFiller, type Environment } from "../contract/fill-variables.ts";
import { type ServerSetting, urlOfServer } from "../contract/server.ts";
import {
  type Binding,
  bindNames,
  filesOf,
  type NamedFiles,
  namesIn,
  type Refused,
  type Search,
  searchIn,
} from "./named-files.ts";

interface ServerPlace extends NamedFiles {
  readonly environment: Environment;
}

/** A word with one of these is a program of its own, and may name anything in any way. */
const codeLike = /[\n;|&()<>"'`{}]/;
/** What a runtime tries when a name is none of a file. */
const endings = ["", ".js", ".mjs", ".cjs", ".ts", ".py", ".sh"];
/** What a runtime starts, or a package begins with, when it is given a directory. */
const entries = ["package.json", "index.js", "index.mjs", "index.cjs", "index.ts", "__main__.py", "__init__.py"];
/** Programs that are told by a file what to run. */
const orders: ReadonlyMap<string, string> = new Map([
  ...["npm", "pnpm", "yarn", "bun"].map((program) => [program, "package.json"] as const),
  ["deno", "deno.json"],
  ["make", "Makefile"],
  ["uv", "pyproject.toml"],
]);

/**
 * The files of the project that a server's program, its arguments and its environment lead to. Packages and
 * addresses are names too, so a name that leads nowhere is no reason to refuse: when a file of that name comes, it
 * is bound and asked about. Variables are looked into, because they may lead into the project; what they hold is
 * never told.
 */
export function serverFiles(setting: ServerSetting, place: ServerPlace): Binding {
  if (!("command" in setting)) return { ok: true, files: [] };
  const { command, args = [], env = {}, cwd = "." } = setting;
  const { fill } = createFiller(place.environment);
  const base = path.resolve(place.workspace, fill(cwd));
  const search: Search = { ...searchIn(place), base };
  const program = path.basename(fill(command));
  for (const word of [command, ...args]) {
    const refused = refuseCode(word) ?? bindWord(word, fill, search, program);
    if (refused !== undefined) return { ok: false, why: refused.why };
  }
  for (const word of [...Object.values(env), orders.get(program) ?? ""]) {
    const refused = bindWord(word, fill, search, program);
    if (refused !== undefined) return { ok: false, why: refused.why };
  }
  return { ok: true, files: filesOf(search) };
}

function refuseCode(word: string): Refused | undefined {
  // With its defaults: they are the project's words as well.
  const literal = createFiller({}).fill(word);
  if (!codeLike.test(literal) || urlOfServer.safeParse(literal).success) return undefined;
  return { why: `the word ${JSON.stringify(word)} could be more than a name` };
}

function bindWord(
  written: string,
  fill: (text: string) => string,
  search: Search,
  program: string,
): Refused | undefined {
  const word = fill(written);
  for (const piece of new Set([word, ...word.split(/[\s=:,]/)])) {
    for (const name of namesIn(piece)) {
      if (name === "") continue;
      const candidates = isDirectory(name, search)
        ? [...entries, program].map((entry) => path.join(name, entry))
        : endings.map((ending) => `${name}${ending}`);
      const done = bindNames(candidates, search);
      // Never the name itself: a variable may have put a secret there.
      if ("why" in done) return { why: `${JSON.stringify(written)} leads to something that cannot be bound` };
    }
  }
  return undefined;
}

/** Something is there, and something could be in it. */
function isDirectory(name: string, { base, hashFile }: Search): boolean {
  try {
    hashFile(`${path.resolve(base, name)}/.`);
    return false;
  } catch {
    return true;
  }
}
