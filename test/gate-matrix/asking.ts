import { existsSync, statSync } from "node:fs";
import { digestOf } from "../../src/base/digest.ts";
import type { CheckedQuestion, Gate } from "../../src/contract/gate.ts";
import type { CheckedIntent, IdentifiedIntent } from "../../src/contract/intent.ts";
import type { SandboxDescription } from "../../src/contract/ports.ts";
import type { RuleText } from "../../src/contract/settings.ts";
import type { Tool } from "../../src/contract/tool.ts";
import type { Grant, HookAnswer, Mode } from "../../src/contract/verdict.ts";
import { classifyPath, isProtectedName, isSecretName } from "../../src/effects/classify-path.ts";
import { createGate } from "../../src/gate/gate.ts";
import type { GatePolicy } from "../../src/gate/policy.ts";
import { compileRules } from "../../src/gate/rules/compile-rules.ts";
import { createScan } from "../../src/host/files/scan.ts";
import { defaultSettings } from "../../src/settings/fold-layers.ts";
import { builtinTools } from "../../src/tools/index.ts";
import type { Fixture } from "./fixture.ts";

export const enforcing: SandboxDescription = {
  backend: "bubblewrap",
  enforces: true,
  detail: "Commands are confined.",
  limits: [],
};
export const missing: SandboxDescription = {
  backend: "none",
  enforces: false,
  detail: "Nothing confines commands.",
  limits: [],
};

const tools: ReadonlyMap<string, Tool> = new Map(builtinTools(defaultSettings.limits).map((tool) => [tool.name, tool]));

export interface Circumstances {
  readonly mode?: Mode;
  readonly grants?: readonly Grant[];
  readonly sandbox?: SandboxDescription;
  readonly tool?: Tool;
  readonly explainOnly?: boolean;
  readonly hooked?: HookAnswer;
  readonly answered?: boolean;
  readonly view?: boolean;
}

/** `bash npm test`, `read package.json`, `edit src/a.ts`: a call on one line, asked with the real tools. */
export async function questionOf(
  fixture: Fixture,
  call: string,
  circumstances: Circumstances = {},
): Promise<CheckedQuestion> {
  const [name = "", ...rest] = call.split(" ");
  const tool = circumstances.tool ?? tools.get(name);
  if (tool === undefined) throw new Error(`No tool ${name}`);
  const input = inputOf(name, rest.join(" "));
  await tool.prepare?.();
  const report = await tool.effects(input as never, fixture.view);
  const { mode = "default", grants = [], sandbox = enforcing, explainOnly, hooked, answered, view } = circumstances;
  const identified: IdentifiedIntent = {
    intent: { id: "int_1", tool: name, input, origin: { source: "program" }, createdAt: "2026-01-01T00:00:00.000Z" },
    tool,
    input,
    digest: digestOf([tool.name, tool.version, input]),
    spellings: [],
  };
  return {
    // Whether it could be done is no question of the gate.
    checked: identified as CheckedIntent,
    report,
    assessment: fixture.assess(report),
    mode,
    grants,
    workspace: fixture.facts,
    sandbox,
    ...(explainOnly === undefined ? {} : { explainOnly }),
    ...(hooked === undefined ? {} : { hooked }),
    ...(answered === undefined ? {} : { answered }),
    ...(view === undefined ? {} : { view }),
  };
}

function inputOf(tool: string, argument: string): Record<string, unknown> {
  switch (tool) {
    case "bash":
      return { command: argument };
    case "edit":
      return { path: argument, old_string: "a", new_string: "b" };
    case "write":
      return { path: argument, content: "x" };
    case "move": {
      const [from, to] = argument.split(" ");
      return { from, to };
    }
    case "grep": {
      const [pattern, path = "."] = argument.split(" ");
      return { pattern, path };
    }
    case "glob":
      return { pattern: argument };
    case "multi_edit":
      return { edits: [{ path: argument, old_string: "a", new_string: "b" }] };
    case "patch":
      return { patch: patchOf(argument) };
    case "task_output":
    case "task_stop":
    case "read_artifact":
      return { id: argument };
    default:
      return { path: argument };
  }
}

/** `patch a` changes, `patch +a` creates, `patch -a` deletes. */
function patchOf(argument: string): string {
  const file = argument.replace(/^[+-]/, "");
  const change = argument.startsWith("+")
    ? [`*** Add File: ${file}`, "+x"]
    : argument.startsWith("-")
      ? [`*** Delete File: ${file}`]
      : [`*** Update File: ${file}`, "@@", "-a", "+b"];
  return ["*** Begin Patch", ...change, "*** End Patch"].join("\n");
}

export type Layered = Partial<Record<RuleText["layer"], Partial<Record<RuleText["action"], readonly string[]>>>>;

function rulesOf(layers: Layered): readonly RuleText[] {
  return Object.entries(layers).flatMap(([layer, actions]) =>
    Object.entries(actions).flatMap(([action, texts]) =>
      texts.map((text) => ({
        text,
        action: action as RuleText["action"],
        layer: layer as RuleText["layer"],
        origin: `${layer}.json`,
        match: [],
        noMatch: [],
      })),
    ),
  );
}

export interface Clocked {
  now: number;
}

export function gateFor(...circumstances: Parameters<typeof policyFor>): Gate {
  return createGate(policyFor(...circumstances));
}

export function policyFor(
  fixture: Fixture,
  layers: Layered = {},
  extra: Partial<GatePolicy> & { time?: Clocked } = {},
): GatePolicy {
  const scan = createScan();
  const { time = { now: 1_000 }, ...policy } = extra;
  const { rules } = compileRules(rulesOf(layers), { workspace: fixture.root, home: fixture.home });
  return {
    rules,
    classify: (path) => classifyPath(path, fixture.places),
    findSecrets: (root) => scan.find(root, isSecretName),
    isSecretByAnotherName: (path, roots) =>
      roots.some((root) => scan.find(root, isSecretName).some((secret) => statSync(secret).ino === statSync(path).ino)),
    findRepositories: (root) =>
      existsSync(`${root}/.git`) ? [{ closed: [`${root}/.git`], believed: [`${root}/.git/config`] }] : [],
    findObjectStores: (root) => [`${root}/.git/objects`].filter((path) => existsSync(path)),
    findAbsent: () => [],
    findProtected: (root) => scan.find(root, isProtectedName),
    find: (root, matches) => scan.find(root, matches),
    clock: { now: () => time.now },
    approvalMs: 60_000,
    ...policy,
  };
}
