import { Buffer } from "node:buffer";
import { fail, ok } from "../../contract/codes.ts";
import type { Sandbox, SpawnRequest } from "../../contract/ports.ts";
import { isProtectedVariable } from "../plan/environment.ts";
import { becomeProgram } from "./shell-prelude.ts";

export interface ServeRequest extends Pick<SpawnRequest, "argv" | "cwd" | "profile" | "connections" | "cache"> {
  readonly env: Readonly<Record<string, string>>;
  readonly withheld: readonly string[];
}

type Listener = SpawnRequest["onStdout"];

const mostWords = 4_096;

/** Variables that could affect the start of the sandbox are set only inside it. */
export function serveProgram(sandbox: Pick<Sandbox, "shell">, request: ServeRequest) {
  const { argv, cwd, profile, connections, cache } = request;
  const variables = Object.entries(request.env);
  const odd = variables.find(([name]) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  if (odd !== undefined) return fail("bad_request", `${JSON.stringify(odd[0])} is not a valid variable name.`);
  const inside = Object.fromEntries(variables.filter(([name]) => isProtectedVariable(name)));
  const withheld = request.withheld.filter((name) => !Object.hasOwn(request.env, name));
  const output = Promise.withResolvers<Listener>();
  let told: Listener | undefined;
  let words = Buffer.alloc(0);
  const started = sandbox.shell(becomeProgram(argv, { set: inside, unset: withheld }), {
    cwd,
    profile,
    // Empty from the start: the environment of the sandbox's first process is readable too.
    env: { ...Object.fromEntries(withheld.map((name) => [name, ""])), ...request.env },
    stdin: "open",
    onStdout: (chunk) => (told === undefined ? output.promise.then((listener) => listener(chunk)) : told(chunk)),
    onStderr(chunk) {
      words = Buffer.from(Buffer.concat([words, chunk]).subarray(-mostWords));
    },
    connections,
    cache,
  });
  if (!started.ok) return started;
  const { exited, kill, write } = started.value;
  if (write === undefined) throw new Error("A program with an open input needs a writer");
  return ok({
    write,
    onOutput(listener: Listener) {
      told = listener;
      output.resolve(listener);
    },
    lastWords: () => words.toString("utf8"),
    exited,
    async kill() {
      // With unread output the end of the process would not be detected.
      output.resolve(() => {});
      await kill();
    },
  });
}
