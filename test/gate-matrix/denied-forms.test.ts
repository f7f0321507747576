import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileRules } from "../../src/gate/rules/compile-rules.ts";
import { guardReason } from "../../src/gate/rules/match-rules.ts";
import { subCommands } from "../../src/programs/sub-commands.ts";
import { gateFor, questionOf } from "./asking.ts";
import type { Fixture } from "./fixture.ts";
import { makeRuleProject } from "./rule-project.ts";

const modes = ["default", "auto", "bypass"] as const;

async function decisions(fixture: Fixture, command: string, rule: string, action: "deny" | "ask" = "deny") {
  const gate = gateFor(fixture, { user: { [action]: [rule] } });
  const verdicts = await Promise.all(
    modes.map(async (mode) => gate.judge(await questionOf(fixture, `bash ${command}`, { mode }))),
  );
  return verdicts.map((verdict) => (verdict.rule === rule ? verdict.decision : "not by the rule"));
}

const commit = "Bash(git commit:*)";
const push = "Bash(git push:*)";
const deploy = "Bash(npm run deploy:*)";

const evasions: readonly (readonly [string, readonly string[]])[] = [
  [
    commit,
    [
      "git -C . commit -m x",
      "git -P commit",
      "git -c x=y commit",
      "git -c x=y -c a=b -C src commit",
      "git --git-dir=.git commit",
      "git --git-dir .git commit",
      "git --frobnicate commit",
      "git --frobnicate x commit",
      "git -c alias.x=commit x",
      'git -c "$x" ci',
      "/usr/bin/git --no-pager commit",
      "/usr/lib/git-core/git-commit -m x",
      "g=git; $g commit",
      "g=git; $g -C . commit",
      'g=git; "$g" commit',
      "G=g; $G''it commit",
      'a="git commit"; $a -m x',
      "$(echo git) commit",
      "`echo git` commit",
      "gi? commit",
      "{git,commit}",
      'git "$x"',
      "git $x -m y",
      'git -C "$d" commit',
      "git -C $d commit",
      'env git --no-pager commit -m "x"',
      "sudo git -C . commit",
      "sudo -u root $g commit",
      'eval "$x"',
      'bash -c "$x"',
      'sh -cx "$x"',
      "bash -c 'git -C . commit'",
      "find . -exec git -C . commit \\;",
      "xargs git -C . commit",
      "f() { git -C . commit; }; eval f",
      "if frob; then git -P commit; fi",
    ],
  ],
  ["Bash(git checkout:*)", ["git --no-pager checkout -b other"]],
  ["Bash(git checkout -b:*)", ["git --no-pager checkout -q -b other"]],
  ["Bash(git push --force:*)", ["git push -q --force", "git -C . push -o x --force", "git push $x"]],
  ["Bash(git add:*)", ["git stage x", "git -C . stage x"]],
  ["Bash(git * main)", ["git -C . push --quiet main", "$g push main", 'git "$x" main']],
  [
    deploy,
    [
      "npm run-script deploy",
      "npm rum deploy",
      "npm urn deploy",
      "npm run-scr deploy",
      "npm runScript deploy",
      "npm run --silent deploy",
      "npm run --prefix . deploy",
      "npm -s run deploy",
      "npm --prefix . run deploy",
      "npm --prefix=. --silent rum --loglevel silent deploy",
      "npm run -- deploy",
      'npm run "$x"',
      "npm $x deploy",
      "npx npm -s run deploy",
      "npm exec -- npm run --silent deploy",
      "sudo npm rum deploy",
      "npx npx npx npx npx npm rum deploy",
    ],
  ],
  ["Bash(npm run deploy)", ["npm run deploy --silent", "npm --silent run-script deploy", "npm run deploy --prefix ."]],
  ["Bash(npm install:*)", ["npm i x", "npm add x", "npm isntall x", "npm -g in x"]],
  ["Bash(npm test)", ["npm t", "npm tst", "npm run test", "npm --silent run test"]],
  ["Bash(npm publish:*)", ["npm publ", "npm --tag x publish"]],
  ["Bash(npx vitest:*)", ["npm exec vitest", "npm x -- vitest run", "npx -y vitest"]],
  ["Bash(pnpm run deploy:*)", ["pnpm deploy", "pnpm -r run deploy", "pnpm -F x run deploy", "pnpm --dir . deploy"]],
  ["Bash(yarn deploy:*)", ["yarn run deploy", "yarn --cwd . deploy", "yarn workspace x deploy"]],
  ["Bash(bun run deploy:*)", ["bun --cwd . run deploy", "bun deploy"]],
  [
    "Bash(pip install:*)",
    ["pip3 install x", "python -m pip install x", "python3 -I -m pip -q install x", "pip -q install x"],
  ],
  ["Bash(cargo publish:*)", ["cargo +nightly publish", "cargo --config x=y publish", "cargo -q publish"]],
  ["Bash(cargo test:*)", ["cargo t"]],
  [
    "Bash(docker run:*)",
    ["docker --context x run y", "docker -D run y", "docker container run y", "docker -H x run y"],
  ],
  ["Bash(kubectl delete:*)", ["kubectl -n x delete pod y", "kubectl --context=x delete y"]],
  ["Bash(go test:*)", ["go -C x test ./..."]],
  ["Bash(make deploy:*)", ["make -C . deploy", "make A=1 deploy", "make build deploy", "make -j 4 deploy"]],
  ["Bash(terraform apply:*)", ["terraform -chdir=x apply"]],
  ["Bash(rm -rf:*)", ["rm -v -rf x", "/bin/rm -rf x", "$x -rf x"]],
];

describe("a refused command stays refused however it is written", () => {
  const rows = evasions.flatMap(([rule, commands]) => commands.map((command) => [rule, command] as const));
  test.each(rows)("%s: %s", async (rule, command) => {
    const fixture = makeRuleProject();
    expect(await decisions(fixture, command, rule)).toEqual(["deny", "deny", "deny"]);
    expect(await decisions(fixture, command, rule, "ask")).not.toContain("not by the rule");
  });

  test.each(evasions.flatMap(([rule, commands]) => commands.map((command) => [rule, command] as const)))(
    "a hook for %s runs for %s",
    async (text, command) => {
      const fixture = makeRuleProject();
      const [rule] = compileRules([{ text, action: "ask", layer: "user", origin: "x", match: [], noMatch: [] }], {
        workspace: fixture.root,
        home: fixture.home,
      }).rules;
      if (rule === undefined) throw new Error("no rule");
      const question = await questionOf(fixture, `bash ${command}`);
      const policy = { clock: { now: () => 0 } } as Parameters<typeof guardReason>[2];
      expect(guardReason(rule, question, policy)).toEqual(expect.any(String));
    },
  );
});

describe("what is not refused stays so", () => {
  test.each([
    [push, "git status"],
    [push, "git -C . log --oneline"],
    [push, "git --no-pager log push"],
    [push, 'git -C "$d" status'],
    [push, 'git log "$x"'],
    [push, "git commit -m 'git push'"],
    [push, "git stash push"],
    [push, "echo git push"],
    [push, "for f in *.ts; do cat $f; done"],
    [push, "$HOME/bin/frob x"],
    ["Bash(curl:*)", "[ -f x ] && cat package.json"],
    ["Bash(curl:*)", '[ -n "$(ls src)" ] && echo x'],
    [commit, "git -c user.name=x log"],
    [deploy, "npm run build"],
    [deploy, "npm run -s build"],
    [deploy, "npm run test -- --watch"],
    [deploy, "npm --prefix deploy test"],
    [deploy, "npm test"],
    ["Bash(rm -rf:*)", 'rm "$f"'],
    ["Bash(rm -rf:*)", "rm $f"],
    ["Bash(python)", "python -m pytest"],
    ["Bash(make deploy:*)", "make build"],
    ["Bash(git push --force:*)", 'git push origin "$branch"'],
  ])("%s: %s", async (rule, command) => {
    expect(await decisions(makeRuleProject(), command, rule)).toEqual(modes.map(() => "not by the rule"));
  });

  test("a plain form allows nothing", async () => {
    const fixture = makeRuleProject();
    const gate = gateFor(fixture, { user: { allow: [deploy, "Bash(git push:*)"] } });
    for (const command of [
      "npm rum deploy",
      "npm -s run deploy",
      "git -C . push",
      "$g push",
      "npm run --silent deploy",
    ]) {
      const { decision } = await gate.judge(await questionOf(fixture, `bash ${command}`));
      expect({ command, decision }).toEqual({ command, decision: "ask" });
    }
  });
});

test("options in front of a sub-command never lift a refusal", async () => {
  const fixture = makeRuleProject();
  const entry = fc.constantFrom(...subCommands);
  const word = fc.constantFrom("x", ".", "a=b", "src/a");
  const verb = fc.constantFrom("deploy", "frob", "push");
  const sample = entry.chain(({ names, values = [], flags = [] }) =>
    fc.record({
      program: fc.constantFrom(...names),
      verb,
      options: fc.array(
        fc.oneof(
          ...(flags.length > 0 ? [fc.constantFrom(...flags)] : []),
          ...(values.length > 0 ? [fc.tuple(fc.constantFrom(...values), word).map((pair) => pair.join(" "))] : []),
          fc.constantFrom("--unheard", "--unheard=x", "-Z x"),
        ),
        { maxLength: 5 },
      ),
    }),
  );
  await fc.assert(
    fc.asyncProperty(sample, async ({ program, verb, options }) => {
      const command = [program, ...options, verb, "y"].join(" ");
      const gate = gateFor(fixture, { user: { deny: [`Bash(${program} ${verb}:*)`] } });
      const { decision } = await gate.judge(await questionOf(fixture, `bash ${command}`, { mode: "bypass" }));
      expect({ command, decision }).toEqual({ command, decision: "deny" });
    }),
    { numRuns: 300 },
  );
});
