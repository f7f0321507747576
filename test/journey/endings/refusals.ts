import { truncateSync } from "node:fs";
import { agreeable, heldQuestion, openGauntlet } from "../../support/gauntlet.ts";
import type { Workspace } from "../../support/workspace.ts";
import { bash, callProbe, type Ending, edit, only, probe, read, write } from "./ending.ts";

/** Ends before anything ran. */
export const refusals: readonly Ending[] = [
  {
    why: "a name that no tool has",
    code: "unknown_tool",
    phase: "lookup",
    happened: "nothing",
    act: async (workspace) => (await openGauntlet(workspace)).call({ tool: "raed", input: { path: "a.txt" } }),
  },
  {
    why: "a writing tool in plan mode",
    code: "tool_not_visible",
    phase: "lookup",
    happened: "nothing",
    act: async (workspace) => (await openGauntlet(workspace, { mode: "plan", onAsk: agreeable() })).call(write),
  },
  {
    why: "a tool that a bare deny rule removed",
    code: "tool_not_visible",
    phase: "lookup",
    happened: "nothing",
    act: async (workspace) =>
      (await openGauntlet(workspace, { settings: { permissions: { deny: ["Bash"] } } })).call(bash("true")),
  },
  {
    why: "a tool that a deny rule removed, by another of its names",
    code: "tool_not_visible",
    phase: "lookup",
    happened: "nothing",
    act: async (workspace) =>
      (await openGauntlet(workspace, { settings: { permissions: { deny: ["Bash"] } } })).call({
        tool: "shell",
        input: { command: "true" },
      }),
  },
  {
    why: "a tool whose feature is off",
    code: "tool_not_visible",
    phase: "lookup",
    happened: "nothing",
    act: async (workspace) => (await openGauntlet(workspace, { tools: [probe({ feature: "beta" })] })).call(callProbe),
  },
  {
    why: "a hook that says no",
    code: "hook_denied",
    phase: "permission",
    happened: "nothing",
    act: async (workspace) =>
      (
        await openGauntlet(workspace, {
          settings: { hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "echo not now >&2; exit 2" }] }] } },
        })
      ).call(read("a.txt")),
  },
  {
    why: "a field of the wrong type",
    code: "schema_invalid",
    phase: "validate",
    happened: "nothing",
    act: async (workspace) => (await openGauntlet(workspace)).call({ tool: "read", input: { path: 3 } }),
  },
  {
    why: "a command that bash would reject",
    code: "runtime_precondition_failed",
    phase: "validate",
    happened: "nothing",
    act: async (workspace) => (await openGauntlet(workspace)).call(bash("if true; then")),
  },
  {
    why: "an edit of a file that was not read",
    code: "runtime_precondition_failed",
    phase: "validate",
    happened: "nothing",
    act: async (workspace) => (await openGauntlet(workspace, { onAsk: agreeable() })).call(edit("one", "two")),
  },
  {
    why: "a file that is not there",
    code: "file_not_found",
    phase: "validate",
    happened: "nothing",
    act: async (workspace) => (await openGauntlet(workspace)).call(read("b.txt")),
  },
  {
    why: "old_string that does not occur",
    code: "text_not_found",
    phase: "validate",
    happened: "nothing",
    act: (workspace) => afterReading(workspace, edit("three", "two")),
  },
  {
    why: "old_string that occurs twice",
    code: "ambiguous_target",
    phase: "validate",
    happened: "nothing",
    act: (workspace) => afterReading(workspace, edit("o", "0")),
  },
  {
    why: "a file that somebody else changed after it was read",
    code: "stale_file_baseline",
    phase: "validate",
    happened: "nothing",
    touches: true,
    act: (workspace) => afterReading(workspace, edit("one", "two"), () => workspace.write("a.txt", "one, otherwise\n")),
  },
  {
    why: "a file above the limit of read",
    code: "budget_exceeded",
    phase: "validate",
    happened: "nothing",
    touches: true,
    async act(workspace) {
      truncateSync(workspace.write("large.txt", ""), 17 * 1024 * 1024);
      return (await openGauntlet(workspace)).call(read("large.txt"));
    },
  },
  {
    why: "a secret",
    code: "policy_denied",
    phase: "permission",
    happened: "nothing",
    act: async (workspace) => (await openGauntlet(workspace, { onAsk: agreeable() })).call(read(".env")),
  },
  {
    why: "a person says no",
    code: "user_denied",
    phase: "permission",
    happened: "nothing",
    act: async (workspace) =>
      (await openGauntlet(workspace, { onAsk: async ({ id }) => ({ request: id, answer: "deny" }) })).call(write),
  },
  {
    why: "nobody to ask",
    code: "approval_unavailable",
    phase: "permission",
    happened: "nothing",
    act: async (workspace) => (await openGauntlet(workspace)).call(write),
  },
  {
    why: "nobody answers in time",
    code: "approval_expired",
    phase: "permission",
    happened: "nothing",
    act: async (workspace) =>
      (
        await openGauntlet(workspace, {
          settings: { limits: { approvalMs: 5 } },
          onAsk: () => new Promise(() => {}),
        })
      ).call(write),
  },
  {
    why: "an interrupt while the question waits",
    code: "cancelled",
    phase: "permission",
    happened: "nothing",
    async act(workspace) {
      const question = heldQuestion();
      const gauntlet = await openGauntlet(workspace, { onAsk: question.onAsk });
      const call = gauntlet.call(write);
      await question.asked;
      await gauntlet.session.interrupt();
      return call;
    },
  },
  {
    why: "an interrupt while the call waits for its lane",
    code: "cancelled",
    phase: "schedule",
    happened: "nothing",
    async act(workspace) {
      const question = heldQuestion();
      const gauntlet = await openGauntlet(workspace, { onAsk: question.onAsk });
      const batch = gauntlet.batch([write, read("a.txt")]);
      await question.asked;
      await gauntlet.session.interrupt();
      return only((await batch).slice(1));
    },
  },
  {
    why: "an interrupt while the call is checked",
    code: "cancelled",
    phase: "schedule",
    happened: "nothing",
    async act(workspace) {
      let checking = () => {};
      let go = () => {};
      const reached = new Promise<void>((resolve) => (checking = resolve));
      const tool = probe({
        async preconditions() {
          checking();
          await new Promise<void>((resolve) => (go = resolve));
          return undefined;
        },
        run: async () => {
          workspace.write("ran.txt", "");
          return { ok: true, data: {} };
        },
      });
      const gauntlet = await openGauntlet(workspace, { tools: [tool], onAsk: agreeable() });
      const call = gauntlet.call(callProbe);
      await reached;
      const interrupted = gauntlet.session.interrupt();
      go();
      await interrupted;
      return call;
    },
  },
  {
    why: "a tool that needs isolation where there is none",
    code: "sandbox_unavailable",
    phase: "schedule",
    happened: "nothing",
    act: async (workspace) =>
      (
        await openGauntlet(workspace, {
          settings: { sandbox: { backend: "none" } },
          tools: [probe({ requiresSandbox: true })],
          onAsk: agreeable(),
        })
      ).call(callProbe),
  },
  {
    why: "an id that was used before",
    code: "bad_request",
    phase: "lookup",
    happened: "nothing",
    unrecorded: true,
    async act(workspace) {
      const gauntlet = await openGauntlet(workspace);
      await gauntlet.call({ id: "same", ...read("a.txt") });
      return gauntlet.call({ id: "same", ...read("a.txt") });
    },
  },
  {
    why: "an intent without a tool",
    code: "bad_request",
    phase: "lookup",
    happened: "nothing",
    unrecorded: true,
    act: async (workspace) => (await openGauntlet(workspace)).call({ tool: "", input: {} }),
  },
];

async function afterReading(workspace: Workspace, intent: ReturnType<typeof edit>, between: () => void = () => {}) {
  const gauntlet = await openGauntlet(workspace, { onAsk: agreeable() });
  await gauntlet.call(read("a.txt"));
  between();
  return gauntlet.call(intent);
}
