import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import type { RunningProcess, Sandbox, SandboxDescription, SpawnRequest } from "../contract/ports.ts";
import { type SpawnedProcess, spawnProcess } from "../host/spawn-process.ts";
import { type BackendOptions, checkDirectory, graceMs } from "./backend.ts";
import { DescriptorList } from "./descriptor-list.ts";
import { withAdditions } from "./environment.ts";
import { neutralGit } from "./neutral-git.ts";
import { FirstWords, followProgram, followShell } from "./running.ts";
import { preludeVariable, shellArguments, shellPrelude } from "./shell-prelude.ts";
import { checkText } from "./shell-text.ts";

/** Runs commands as they are, with the same clean environment: no sandbox here, or one around all of us. */
export class Unconfined implements Sandbox {
  readonly description: SandboxDescription;
  readonly #options: BackendOptions;

  constructor(description: SandboxDescription, options: BackendOptions) {
    this.description = description;
    this.#options = options;
  }

  shell(text: string, request: Omit<SpawnRequest, "argv">): Outcome<RunningProcess> {
    const refusal = checkText(text) ?? checkDirectory(request) ?? checkExists(request.cwd);
    if (refusal !== undefined) return refusal;
    const { bash, environment, files, workspaceRoots } = this.#options;
    const list = new DescriptorList();
    list.add("channel");
    list.add(files.open(shellPrelude));
    const git = neutralGit(workspaceRoots);
    const env = { ...withAdditions({ ...environment, ...git }, request.env), ...preludeVariable };
    const firstWords = new FirstWords();
    const spawned = this.#spawn({ ...request, argv: shellArguments(bash, text) }, { list, env, firstWords });
    if (!spawned.ok) return spawned;
    return ok(followShell({ ...nothingElse, spawned: spawned.value, firstWords, check: () => undefined }));
  }

  program(request: SpawnRequest): Outcome<RunningProcess> {
    const refusal = checkDirectory(request) ?? checkExists(request.cwd);
    if (refusal !== undefined) return refusal;
    const env = withAdditions(this.#options.environment, request.env);
    const firstWords = new FirstWords();
    const spawned = this.#spawn(request, { list: new DescriptorList(), env, firstWords });
    if (!spawned.ok) return spawned;
    return ok(followProgram({ ...nothingElse, spawned: spawned.value, firstWords, ran: () => true }));
  }

  close(): void {
    this.#options.files.close();
    this.#options.pipes?.close();
  }

  #spawn(
    request: SpawnRequest,
    options: {
      readonly list: DescriptorList;
      readonly env: Readonly<Record<string, string>>;
      readonly firstWords: FirstWords;
    },
  ): Outcome<SpawnedProcess> {
    const mark = randomUUID();
    try {
      return spawnProcess({
        argv: request.argv,
        cwd: request.cwd,
        env: { ...options.env, [markName]: mark },
        marker: `${markName}=${mark}`,
        descriptors: options.list.given,
        pipes: this.#options.pipes,
        ownLevels: 0,
        graceMs,
        onStdout: request.onStdout,
        onStderr: options.firstWords.listen(request.onStderr),
      });
    } finally {
      options.list.close();
    }
  }
}

/** By this a process that left its group and its parent is still found when its command is ended. */
const markName = "GAUNTLET_COMMAND";

const nothingElse = { gone: async () => {}, cleanUp: () => {} };

function checkExists(cwd: string): Outcome<never> | undefined {
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  return fail("runtime_precondition_failed", `${cwd} is not a directory`);
}
