import { enforcing, type Layered, missing, policyFor, questionOf } from "../../test/gate-matrix/asking.ts";
import { type Fixture, makeFixture } from "../../test/gate-matrix/fixture.ts";
import type { RuleText } from "../contract/settings.ts";
import type { Mode, SandboxProfile, Verdict } from "../contract/verdict.ts";
import { createGate } from "./gate.ts";

/** A small repository with a secret, protected configuration, a lockfile and links into and out of it. */
export function makeJudgedProject(): Fixture {
  const fixture = makeFixture({
    "package.json": "{}",
    "package-lock.json": "{}",
    "src/a.ts": "x",
    "src/private/key.txt": "x",
    "docs/x.md": "x",
    "sub/.vscode/settings.json": "{}",
    ".env": "x",
    ".git/HEAD": "x",
    ".git/config": "[core]",
    ".git/objects/ab/cd": "x",
    "run.sh": "x",
  });
  fixture.link("alias", "src/private/key.txt");
  fixture.link("out", "/etc");
  return fixture;
}

/** The verdict for each call. Calls are only judged, never run, so they can share a project. */
export async function verdictsOf(
  calls: readonly string[],
  fixture: Fixture,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const entries = await Promise.all(calls.map(async (call) => [call, await verdictLines(call, fixture)] as const));
  return Object.fromEntries(entries);
}

/**
 * The verdict for a call, and what its process could access once approved. After `when` come rules (`deny
 * Edit(/src/**)`, `ask project Bash(ls)`; user rules if no layer is named), `mode plan`, and `sandbox none` or `sandbox
 * external`.
 */
async function verdictLines(text: string, fixture: Fixture): Promise<readonly string[]> {
  const [call = "", conditions = ""] = text.split(" when ");
  const given = conditions.split(" and ").filter((condition) => condition !== "");
  const mode = settingOf(given, "mode") as Mode | undefined;
  const sandbox = settingOf(given, "sandbox");
  const gate = createGate(policyFor(fixture, rulesOf(given)));
  const question = await questionOf(fixture, call, {
    ...(mode === undefined ? {} : { mode }),
    ...(sandbox === "none" ? { sandbox: missing } : {}),
    ...(sandbox === "external" ? { sandbox: { ...enforcing, backend: "external" } } : {}),
  });
  const verdict = await gate.judge(question);
  const permit =
    verdict.decision === "deny"
      ? undefined
      : verdict.decision === "allow"
        ? gate.permit(question, verdict)
        : gate.permitAnswered(question, verdict, { request: "req_1", answer: "allow" });
  const lines = [...linesOf(verdict), ...(permit === undefined ? [] : [profileLine(permit.sandbox)])];
  return lines.map((line) =>
    line.replaceAll(fixture.home, "HOME").replaceAll(`${fixture.root}/`, "").replaceAll(fixture.root, "."),
  );
}

function settingOf(given: readonly string[], name: string): string | undefined {
  return given.find((condition) => condition.startsWith(`${name} `))?.slice(name.length + 1);
}

function rulesOf(given: readonly string[]): Layered {
  const rules: Record<string, Record<string, string[]>> = {};
  for (const condition of given) {
    const [, action, layer = "user", rule] =
      /^(deny|ask|allow) (?:(managed|command_line|user_project|project|session) )?(.+)$/.exec(condition) ?? [];
    if (action === undefined || rule === undefined) continue;
    const own = rules[layer] ?? {};
    rules[layer] = { ...own, [action]: [...(own[action] ?? []), rule] };
  }
  return rules as Partial<Record<RuleText["layer"], Partial<Record<RuleText["action"], readonly string[]>>>>;
}

function linesOf(verdict: Verdict): readonly string[] {
  const { decision, code, source, risk, firm, rule, ruleOrigin, exceptions, parts = [] } = verdict;
  const { suggestedRules, suggestedFor } = verdict;
  const head = [decision, ...(code === undefined ? [] : [code]), risk, ...(firm ? ["firm"] : []), `by ${source}`];
  return [
    head.join(" "),
    ...(rule === undefined ? [] : [`rule ${rule} from ${ruleOrigin}`]),
    ...exceptions.map((one) => `closed ${one.path} ${one.scope}`),
    ...parts.map((part) => `part ${part.text}: ${part.decision} ${part.risk} [${part.coveredBy.join(", ")}]`),
    ...(suggestedRules === undefined
      ? []
      : [`suggests ${suggestedRules.join(", ")} for ${suggestedFor ?? "anywhere"}`]),
  ];
}

function profileLine({ readable, writable, masked, kept, network, onlyReads, ...profile }: SandboxProfile): string {
  const list = (name: string, paths: readonly string[]) => (paths.length === 0 ? [] : [`${name} ${paths.join(" ")}`]);
  const paths = (exceptions: SandboxProfile["masked"]) => exceptions.map(({ path, reason }) => `${path} (${reason})`);
  return [
    onlyReads ? "profile only reads" : "profile",
    ...list("readable", readable),
    ...list("writable", writable),
    ...list("protected", profile.protected),
    ...list("masked", paths(masked)),
    ...(kept === undefined ? [] : list(kept.alone ? "kept for git alone" : "kept", paths(kept.paths))),
    typeof network === "string"
      ? network
      : `hosts ${network.hosts.map(({ host, by }) => `${host} by ${by}`).join(" ")}`,
  ].join("; ");
}
