import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { RunningProcess, Sandbox, SandboxDescription, SpawnRequest } from "../../contract/ports.ts";
import { unlessTooLarge } from "../../host/files/read-small-text.ts";
import { type SpawnedProcess, spawnProcess } from "../../host/process/spawn-process.ts";
import { neutralGit } from "../git/configuration.ts";
import { withAdditions } from "../plan/environment.ts";
import { type BackendOptions, checkDirectory, graceMs, notPrepared } from "./backend.ts";
import { DescriptorList } from "./descriptors.ts";
import { FirstWords, follow, ShellChannel } from "./running.ts";
import { checkText, preludeVariable, shellArguments, shellPrelude } from "./shell-prelude.ts";

export class Unconfined implements Sandbox {
  readonly description: SandboxDescription;
  readonly #findOptions: () => BackendOptions;

  constructor(description: SandboxDescription, findOptions: () => BackendOptions) {
    this.description = description;
    this.#findOptions = findOptions;
  }

  shell(text: string, request: Omit<SpawnRequest, "argv">): Outcome<RunningProcess> {
    const refusal = checkText(text) ?? checkDirectory(request) ?? checkExists(request.cwd);
    if (refusal !== undefined) return refusal;
    const { bash, environment, workspaceRoots } = this.#findOptions();
    const git = unlessTooLarge(() => neutralGit(workspaceRoots, { readOnly: request.profile.writable.length === 0 }));
    if (!git.ok) return git;
    const env = { ...withAdditions({ ...environment, ...git.value }, request.env), ...preludeVariable };
    const launched = this.#launch({ ...request, argv: shellArguments(bash, text), env }, shellPrelude());
    if (!launched.ok) return launched;
    const { spawned } = launched.value;
    if (spawned.channel === undefined) throw new Error("A shell needs its channel");
    const channel = new ShellChannel(spawned.channel, () => undefined);
    channel.begin("g");
    return ok(follow({ ...launched.value, channel }));
  }

  program(request: SpawnRequest): Outcome<RunningProcess> {
    const refusal = checkDirectory(request) ?? checkExists(request.cwd);
    if (refusal !== undefined) return refusal;
    const launched = this.#launch({ ...request, env: withAdditions(this.#findOptions().environment, request.env) });
    return launched.ok ? ok(follow(launched.value)) : launched;
  }

  async close(): Promise<void> {
    this.#findOptions().pipes?.rest();
  }

  #launch(
    { argv, cwd, env, stdin, onStdout, onStderr }: SpawnRequest,
    prelude?: string,
  ): Outcome<{ readonly spawned: SpawnedProcess; readonly firstWords: FirstWords }> {
    const { pipes, scratch } = this.#findOptions();
    const list = new DescriptorList(scratch);
    const firstWords = new FirstWords();
    const mark = randomUUID();
    try {
      if (prelude !== undefined) {
        list.addChannel();
        list.addContent(prelude);
      }
      const spawned = spawnProcess({
        argv,
        cwd,
        env: { ...env, [markName]: mark },
        marker: `${markName}=${mark}`,
        descriptors: list.given,
        stdin: stdin instanceof Uint8Array ? list.open(stdin) : stdin,
        pipes,
        ownLevels: 0,
        graceMs,
        onStdout,
        onStderr: firstWords.listen(onStderr),
      });
      return spawned.ok ? ok({ spawned: spawned.value, firstWords }) : spawned;
    } catch (error) {
      return notPrepared(error);
    } finally {
      list.close();
    }
  }
}

/** Finds processes that left their group and their parent when the command is ended. */
const markName = "GAUNTLET_COMMAND";

function checkExists(cwd: string): Outcome<never> | undefined {
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  return fail("runtime_precondition_failed", `${cwd} is not a directory`);
}
