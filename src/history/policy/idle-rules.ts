import path from "node:path";
import type { IntentInput, ToolIntent } from "../../contract/intent.ts";
import type { RuleText } from "../../contract/settings.ts";
import { parseRule } from "../../gate/rules/compile-rules.ts";
import { matchesPath, type PatternPlaces } from "../../gate/rules/path-pattern.ts";
import type { RuleTarget } from "../../gate/rules/rule.ts";
import { initialState } from "../../log/reduce.ts";
import { identifyIntent } from "../../registry/identify-intent.ts";
import type { VerdictParts } from "../../session/parts.ts";
import { questionOf, visibilityContext } from "../../session/question.ts";
import type { TriedPolicy } from "./try-policy.ts";

export interface IdleRule {
  readonly rule: RuleText;
  readonly why: string;
}

/**
 * Allow rules without effect: a call that they name is still refused or asked about. Judged from the rule itself or
 * from its example only; nothing runs.
 */
export async function idleRules(
  rules: readonly RuleText[],
  places: PatternPlaces,
  policy: Omit<TriedPolicy, "setsMode">,
): Promise<readonly IdleRule[]> {
  const view = viewFrom(places, policy);
  const idle: IdleRule[] = [];
  for (const rule of rules) {
    const example = rule.action === "allow" ? exampleOf(rule, places) : undefined;
    const why = example === undefined ? undefined : await whyNot(view, example);
    if (why !== undefined) idle.push({ rule, why });
  }
  return idle;
}

/** A new session with a sandbox: a call that is not allowed there is never allowed. */
function viewFrom({ workspace }: PatternPlaces, policy: Omit<TriedPolicy, "setsMode">): VerdictParts {
  const { roots } = policy.settings;
  return {
    ...policy,
    log: { state: { ...initialState("ses_check"), workspace, cwd: workspace, roots } },
    execution: {
      sandbox: { description: { backend: "bubblewrap", enforces: true, detail: "Commands are confined.", limits: [] } },
    },
  };
}

async function whyNot(view: VerdictParts, { tool, input }: IntentInput): Promise<string | undefined> {
  const intent: ToolIntent = { id: "int_check", tool, input, origin: { source: "program" }, createdAt: "" };
  const identified = await identifyIntent(intent, view.tools.registry, visibilityContext(view));
  if (!identified.ok) return undefined;
  const question = await questionOf({ session: view }, identified.value);
  const { decision, reason, rule } = await view.gate.judge({ ...question, explainOnly: true });
  // A rule against it is reported by the comparison of rules.
  if (decision === "allow" || rule !== undefined) return undefined;
  return `never takes effect: ${decision === "deny" ? "the call is always refused" : "the user is always asked"} (${reason})`;
}

function exampleOf({ text, match }: RuleText, places: PatternPlaces): IntentInput | undefined {
  const parsed = parseRule(text, places, false);
  if ("problem" in parsed) return undefined;
  const { target } = parsed;
  if (target.kind === "command") {
    const command = match[0] ?? (target.pattern.kind === "exact" ? target.pattern.text : undefined);
    return command === undefined ? undefined : { tool: "bash", input: { command } };
  }
  if (target.kind !== "path" || target.pattern === undefined) return undefined;
  const file = match[0] === undefined ? namedPath(text, places) : absolute(match[0], places);
  return file !== undefined && matchesPath(target.pattern, file) ? touching(file, target.ops) : undefined;
}

function touching(file: string, ops: Extract<RuleTarget, { kind: "path" }>["ops"]): IntentInput {
  if (ops.includes("write")) return { tool: "write", input: { path: file, content: "" } };
  return { tool: ops.includes("delete") ? "delete" : "read", input: { path: file } };
}

/** A path that the pattern matches, with a made-up name for each wildcard. */
function namedPath(rule: string, places: PatternPlaces): string | undefined {
  const pattern = /\((.*)\)$/s.exec(rule.trim())?.[1]?.trim();
  if (pattern === undefined || /[?[\]{}\\]/.test(pattern)) return undefined;
  const named = pattern.replace(/\*+/g, "any");
  if (named.startsWith("//")) return path.resolve(named.slice(1));
  return absolute(named.startsWith("/") ? `.${named}` : named, places);
}

function absolute(written: string, { workspace, home }: PatternPlaces): string {
  return written.startsWith("~/") ? path.join(home, written.slice(2)) : path.resolve(workspace, written);
}
