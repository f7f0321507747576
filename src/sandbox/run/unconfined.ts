import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { RunningProcess, Sandbox, SandboxDescription, SpawnRequest } from "../../contract/ports.ts";
import { unlessTooLarge } from "../../host/files/read-small-text.ts";
import { spawnProcess } from "../../host/process/spawn-process.ts";
import { neutralGit } from "../git/configuration.ts";
import { withAdditions } from "../plan/environment.ts";
import { type BackendOptions, checkDirectory, graceMs, notPrepared } from "./backend.ts";
import { DescriptorList } from "./descriptor-list.ts";
import { FirstWords, type Follow, followProgram, followShell, ShellChannel } from "./running.ts";
import { checkText, preludeVariable, shellArguments, shellPrelude } from "./shell-prelude.ts";

export class Unconfined implements Sandbox {
  readonly description: SandboxDescription;
  readonly #findOptions: () => BackendOptions;

  constructor(description: SandboxDescription, findOptions: () => BackendOptions) {
    this.description = description;
    this.#findOptions = findOptions;
  }

  get #options(): BackendOptions {
    return this.#findOptions();
  }

  shell(text: string, request: Omit<SpawnRequest, "argv">): Outcome<RunningProcess> {
    const refusal = checkText(text) ?? checkDirectory(request) ?? checkExists(request.cwd);
    if (refusal !== undefined) return refusal;
    const { bash, environment, parts, workspaceRoots } = this.#options;
    const git = unlessTooLarge(() => neutralGit(workspaceRoots, { readOnly: request.profile.writable.length === 0 }));
    if (!git.ok) return git;
    const launched = this.#launch(request, shellArguments(bash, text), {
      env: { ...withAdditions({ ...environment, ...git.value }, request.env), ...preludeVariable },
      fill: (list) => {
        list.add("channel");
        list.add(parts.files.open(shellPrelude()));
      },
    });
    if (!launched.ok) return launched;
    if (launched.value.spawned.channel === undefined) throw new Error("A shell needs its channel");
    const channel = new ShellChannel(launched.value.spawned.channel, () => undefined);
    channel.begin("g");
    return ok(followShell({ ...launched.value, channel }));
  }

  program(request: SpawnRequest): Outcome<RunningProcess> {
    const refusal = checkDirectory(request) ?? checkExists(request.cwd);
    if (refusal !== undefined) return refusal;
    const env = withAdditions(this.#options.environment, request.env);
    const launched = this.#launch(request, request.argv, { env, fill: () => {} });
    return launched.ok ? ok(followProgram({ ...launched.value, ran: () => true })) : launched;
  }

  async close(): Promise<void> {
    this.#options.parts.rest();
  }

  #launch(
    { cwd, stdin, onStdout, onStderr }: Omit<SpawnRequest, "argv">,
    argv: SpawnRequest["argv"],
    options: {
      readonly env: Readonly<Record<string, string>>;
      readonly fill: (list: DescriptorList) => void;
    },
  ): Outcome<Follow> {
    const { parts } = this.#options;
    const list = new DescriptorList();
    const firstWords = new FirstWords();
    const mark = randomUUID();
    parts.used();
    try {
      options.fill(list);
      if (stdin instanceof Uint8Array) list.giveInput(parts.files.openOnce(stdin));
      const spawned = spawnProcess({
        argv,
        cwd,
        env: { ...options.env, [markName]: mark },
        marker: `${markName}=${mark}`,
        descriptors: list.given,
        stdin: stdin === "open" ? "open" : list.input,
        pipes: parts.pipes,
        ownLevels: 0,
        graceMs,
        onStdout,
        onStderr: firstWords.listen(onStderr),
      });
      if (!spawned.ok) return spawned;
      return ok({ spawned: spawned.value, firstWords, gone: async () => {}, cleanUp: () => parts.used() });
    } catch (error) {
      return notPrepared(error);
    } finally {
      list.close();
    }
  }
}

/** By this a process that left its group and its parent is still found when its command is ended. */
const markName = "GAUNTLET_COMMAND";

function checkExists(cwd: string): Outcome<never> | undefined {
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  return fail("runtime_precondition_failed", `${cwd} is not a directory`);
}
