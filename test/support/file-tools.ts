import * as fs from "node:fs";
import * as path from "node:path";
import { expect } from "vitest";
import type { ArtifactStore } from "../../src/contract/artifact.ts";
import { fail, ok } from "../../src/contract/codes.ts";
import { isInside } from "../../src/contract/effect.ts";
import type { Baseline } from "../../src/contract/events/fact.ts";
import type { PreconditionView, ToolContext } from "../../src/contract/ports.ts";
import type { Summary, Tool } from "../../src/contract/tool.ts";
import type { Permit } from "../../src/contract/verdict.ts";
import { resolvePath } from "../../src/effects/resolve-path.ts";
import { createJournal } from "../../src/execution/journal.ts";
import { narrowFiles } from "../../src/execution/narrow-ports.ts";
import { createHostFiles } from "../../src/host/files/files.ts";
import { createMetadata } from "../../src/host/files/metadata.ts";
import { createRedactor } from "../../src/log/redact/redact.ts";
import { fileTools } from "../../src/tools/index.ts";

interface Called {
  readonly code: string;
  readonly phase: "validate" | "execute";
  readonly message?: string;
  readonly field?: string | undefined;
  readonly summary?: Summary;
}

/** A session in miniature: schema, preconditions, effects, a port narrowed to just those effects, run, faces. */
export function openSession(place: string) {
  const root = path.join(place, "work");
  const workspace = { root, roots: [root], cwd: root, home: path.join(place, "home") };
  const metadata = createMetadata();
  const host = createHostFiles({ trash: path.join(place, "trash") });
  const baselines = new Map<string, Baseline>();
  const { secretsIn } = createRedactor(new Uint8Array(32));
  const resolve: ToolContext["resolve"] = (written) =>
    resolvePath(written, { metadata, base: root, home: workspace.home });

  const view: PreconditionView = {
    workspace,
    resolve,
    facts(ref) {
      if (!isInside(ref.resolved, root) || path.basename(ref.resolved) === ".env") return undefined;
      const stat = metadata.lstat(ref.resolved);
      return stat === undefined ? { exists: false } : { exists: true, stat };
    },
    baseline: (file) => baselines.get(file),
    content: async (file) =>
      baselines.has(file) ? host.tagged("check").read(file) : fail("runtime_precondition_failed", "not read"),
    artifactSize: () => undefined,
    job: () => undefined,
  };

  async function call(name: string, given: Record<string, unknown>, meanwhile = () => {}): Promise<Called> {
    const tool = fileTools.find((candidate) => candidate.name === name) as Tool<unknown> | undefined;
    if (tool?.summarize === undefined) throw new Error(`no tool ${name}`);
    const parsed = await tool.input["~standard"].validate(given);
    if (parsed.issues !== undefined) return { code: "schema_invalid", phase: "validate" };
    const refusal = await tool.preconditions?.(parsed.value, view);
    if (refusal !== undefined) return { phase: "validate", field: undefined, ...refusal };

    const { effects } = await tool.effects(parsed.value, view);
    meanwhile();
    const journal = createJournal();
    const artifacts = {
      put: (kind, content) => ok({ kind, id: "", bytes: content.length }),
    } as Partial<ArtifactStore> as ArtifactStore;
    const permit = { effects, exceptions: [] as Permit["exceptions"] } as Permit;
    const context: Partial<ToolContext> = {
      workspace,
      resolve,
      secretsIn,
      files: narrowFiles({
        files: host.tagged("inv"),
        permit,
        journal,
        artifacts,
        invocationId: "inv",
        record: () => ok([]),
      }),
      session: {
        baseline: (file) => baselines.get(file),
        recordBaseline: (baseline) => void baselines.set(baseline.path, baseline),
        forgetBaseline: (file) => void baselines.delete(file),
      } as ToolContext["session"],
      clock: { now: () => 0 },
      signal: new AbortController().signal,
    };
    const result = await tool.run(parsed.value, context as ToolContext);
    expect(journal.forced).toBeUndefined();
    const summary = tool.summarize(result, parsed.value);
    expect(summary.user.length).toBeLessThanOrEqual(summary.summary.length + modelText(summary).length);
    return { phase: "execute", summary, ...(result.ok ? { code: "ok" } : result.failure) };
  }

  const at = (name: string) => path.join(root, name);
  return {
    root,
    view,
    baselines,
    at,
    call,
    put(name: string, content: string | Uint8Array) {
      fs.mkdirSync(path.dirname(at(name)), { recursive: true });
      fs.writeFileSync(at(name), content);
    },
    get: (name: string) => fs.readFileSync(at(name), "utf8"),
  };
}

export function modelText(summary: Summary | undefined): string {
  return (summary?.model ?? []).map((draft) => ("text" in draft ? draft.text : "")).join("\n");
}
