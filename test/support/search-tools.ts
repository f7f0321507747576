import { spawn } from "node:child_process";
import * as path from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { expect } from "vitest";
import type { ArtifactStore } from "../../src/contract/artifact.ts";
import { ok } from "../../src/contract/codes.ts";
import { isInside, permitsFile } from "../../src/contract/effect.ts";
import type { Files, PreconditionView, Processes, ToolContext } from "../../src/contract/ports.ts";
import type { Summary, Tool } from "../../src/contract/tool.ts";
import type { Permit } from "../../src/contract/verdict.ts";
import { classifyPath } from "../../src/effects/classify-path.ts";
import { resolvePath } from "../../src/effects/resolve-path.ts";
import { createJournal, type Journal } from "../../src/execution/journal.ts";
import { narrowFiles } from "../../src/execution/narrow-ports.ts";
import { createHostFiles } from "../../src/host/files/files.ts";
import { createMetadata } from "../../src/host/files/metadata.ts";
import { createRedactor } from "../../src/log/redact/redact.ts";
import { searchTools } from "../../src/tools/index.ts";

/** The search tools over `place/work`, with a real ripgrep and ports narrowed to the effects of each call. */
export function openSearch(place: string) {
  const root = path.join(place, "work");
  /** Arguments of each run of ripgrep. */
  const runs: (readonly string[])[] = [];
  const reads: string[] = [];
  async function call(name: string, given: Record<string, unknown>): Promise<Summary & { readonly code: string }> {
    const tool = searchTools.find((candidate) => candidate.name === name) as Tool<unknown> | undefined;
    if (tool?.summarize === undefined) throw new Error(`no tool ${name}`);
    const workspace = { root, roots: [root], cwd: root, home: path.join(place, "home") };
    const metadata = createMetadata();
    const resolve: ToolContext["resolve"] = (written) =>
      resolvePath(written, { metadata, base: root, home: workspace.home });
    const view: Partial<PreconditionView> = {
      workspace,
      resolve,
      facts: (ref) => (isInside(ref.resolved, root) ? { exists: ref.kind !== "missing" } : undefined),
    };
    const parsed = await tool.input["~standard"].validate(given);
    if (parsed.issues !== undefined)
      return { ...tool.summarize(refused("schema_invalid", "schema"), given), code: "schema_invalid" };
    const failure = await tool.preconditions?.(parsed.value, view as PreconditionView);
    if (failure !== undefined) {
      return { ...tool.summarize({ ok: false, failure }, parsed.value), code: failure.code };
    }
    const { effects } = await tool.effects(parsed.value, view as PreconditionView);
    const journal = createJournal();
    const context: Partial<ToolContext> = {
      workspace,
      resolve,
      processes: processesFor(effects, runs),
      files: filesFor(place, { effects, journal }),
      isClosed: (file) => {
        const found = classifyPath(file, { ...workspace, stateDirectory: path.join(place, "state") });
        return found === "secret" || found === "state";
      },
      secretsIn: createRedactor(new Uint8Array(32)).secretsIn,
    };
    const result = await tool.run(parsed.value, context as ToolContext);
    reads.push(...journal.seen.map(({ target }) => target));
    const code = result.ok ? "ok" : result.failure.code;
    return { ...tool.summarize(result, parsed.value), code };
  }
  return { call, runs, reads };
}

/** What the real port does: ripgrep, in a directory that the effects name, and nothing else. */
function processesFor(effects: Permit["effects"], runs: (readonly string[])[]): Processes {
  return {
    runPermitted: () => Promise.reject(new Error("a search ran a command")),
    ripgrep(args, { tree, maxBytes }) {
      const permit = { effects, exceptions: [] };
      expect(permitsFile(permit, "read", tree) || permitsFile(permit, "list", tree)).toBe(true);
      runs.push(args);
      return new Promise((resolve) => {
        const child = spawn(rgPath, args, { cwd: tree, stdio: ["ignore", "pipe", "pipe"] });
        let stdout = "";
        let stderr = "";
        child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
          stdout += chunk;
        });
        child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
          stderr += chunk;
        });
        child.on("close", (exitCode) => {
          const cut = stdout.length > maxBytes;
          resolve(ok({ exitCode, stdout: stdout.slice(0, maxBytes), stderr, cut }));
        });
      });
    },
  };
}

function filesFor(place: string, { effects, journal }: Pick<Permit, "effects"> & { readonly journal: Journal }): Files {
  return narrowFiles({
    files: createHostFiles({ trash: path.join(place, "trash") }).tagged("inv"),
    permit: { effects, exceptions: [] as Permit["exceptions"] } as Permit,
    journal,
    artifacts: {} as ArtifactStore,
    invocationId: "inv",
    record: () => ok([]),
  });
}

function refused(code: "schema_invalid", message: string) {
  return { ok: false, failure: { code, message } } as const;
}

export function textOf(summary: Summary): string {
  return summary.model.map((draft) => (draft.format === "stream" ? "" : draft.text)).join("\n");
}
