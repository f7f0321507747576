import { execFileSync } from "node:child_process";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { gateFor, questionOf } from "../gate-matrix/asking.ts";
import type { Fixture } from "../gate-matrix/fixture.ts";
import { makeShellProject } from "../gate-matrix/shell-project.ts";
import { startCampaign } from "./campaign.ts";
import { flagSoup } from "./flag-soup.ts";
import { runForReal } from "./run-for-real.ts";
import { harmless } from "./shell-fragments.ts";
import { compositions } from "./shell-grammar.ts";

const campaign = startCampaign();
const { seed } = campaign;
const mostRuns = 200;

/** With a repository that git really reads. */
function makeProject(): Fixture {
  const fixture = makeShellProject();
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: fixture.root, stdio: "ignore" });
  git("init", "--quiet", "--initial-branch=main");
  git("add", "README.md", "src");
  git("-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "--quiet", "--message", "Start");
  return fixture;
}

async function allowedOf(fixture: Fixture, texts: readonly string[]): Promise<readonly string[]> {
  const gate = gateFor(fixture);
  const allowed: string[] = [];
  for (const text of new Set(texts)) {
    const { decision, apply } = await gate.judge(await questionOf(fixture, `bash ${text}`));
    if (decision === "allow" && apply === undefined) allowed.push(text);
  }
  return allowed;
}

/** The shortest first. */
function changing(fixture: Fixture, texts: readonly string[]): readonly string[] {
  const found = runForReal(texts, { root: fixture.root, cases: path.join(fixture.state, "cases") });
  return found.toSorted((one, other) => one.length - other.length);
}

describe(`what is allowed without asking, seed ${seed}`, { timeout: campaign.timeoutMs }, () => {
  test("a change is seen, whatever kind it is", () => {
    const fixture = makeProject();
    const changes = [
      "touch new.txt",
      "chmod 700 run.sh",
      "echo y > README.md",
      "rm src/a.ts",
      "ln -s x y",
      "touch -d 1999-01-01 run.sh",
    ];
    const looking = ["cat README.md", "git status", "true; false", "exit 3"];
    const cases = path.join(fixture.state, "cases");
    expect(runForReal([...looking, ...changes, ...looking], { root: fixture.root, cases })).toEqual(changes);
  });

  test("harmless commands, however they are put together, change nothing", async () => {
    const fixture = makeProject();
    const texts = fc.sample(compositions(harmless, harmless), { numRuns: campaign.runs(mostRuns), seed });
    const allowed = await allowedOf(fixture, texts);
    // Otherwise this would say nothing about what is allowed, nor the other way round about what is refused.
    expect(allowed.length).toBeGreaterThan(texts.length / 4);
    expect(changing(fixture, allowed)).toEqual([]);
  });

  test("commands with any flags: what is allowed of them changes nothing", async () => {
    const fixture = makeProject();
    const texts = fc.sample(flagSoup, { numRuns: campaign.runs(3_000), seed });
    const allowed = (await allowedOf(fixture, texts)).slice(0, campaign.runs(mostRuns));
    expect(allowed.length).toBeGreaterThan(50);
    expect(changing(fixture, allowed)).toEqual([]);
  });
});
