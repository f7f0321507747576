import { cpSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { SettingsFile } from "../../src/contract/settings.ts";
import type { Mode } from "../../src/contract/verdict.ts";
import { createGauntlet } from "../../src/index.ts";
import { agreeable } from "../support/gauntlet.ts";
import { asRepository } from "../support/repository.ts";
import { workspaceAt } from "../support/workspace.ts";

/** What becomes of the changes, how many questions are asked, and the code of the call. */
type Expected = "applied" | "asked" | "dropped" | "denied" | "unavailable" | "not_run" | "tried";

const outcomes: Readonly<Record<Expected, string>> = {
  applied: "applied, 0 questions, ok",
  asked: "applied, 1 questions, ok",
  dropped: "unchanged, 0 questions, ok",
  denied: "discarded, 0 questions, policy_denied",
  unavailable: "discarded, 0 questions, approval_unavailable",
  not_run: "not run, 0 questions, policy_denied",
  tried: "discarded, 0 questions, ok",
};

const modes: readonly Mode[] = ["default", "acceptEdits", "auto", "dontAsk", "bypass"];

interface Row {
  readonly title: string;
  readonly command: string;
  /** In the order of `modes`. */
  readonly expected: readonly [Expected, Expected, Expected, Expected, Expected];
}

const rows: readonly Row[] = [
  row("a new file", "echo x >new.txt", ["asked", "applied", "applied", "unavailable", "applied"]),
  row("a modified file", "echo x >>a.txt", ["asked", "applied", "applied", "unavailable", "applied"]),
  row("a mode", "chmod +x a.txt", ["asked", "applied", "applied", "unavailable", "applied"]),
  row("a deleted file", "rm b.txt", ["asked", "asked", "applied", "unavailable", "applied"]),
  row("20 deleted files", "sh delete-20.sh", ["asked", "asked", "applied", "unavailable", "applied"]),
  row("21 deleted files", "sh delete-21.sh", ["asked", "asked", "asked", "unavailable", "applied"]),
  row("a replaced directory", "sh replace.sh", ["asked", "asked", "applied", "unavailable", "applied"]),
  row("201 new files", "sh create-201.sh", ["asked", "asked", "applied", "unavailable", "applied"]),
  row("a protected file", "sh protect.sh", ["asked", "asked", "asked", "unavailable", "asked"]),
  row("a cache that git ignores", "sh cache.sh", ["dropped", "applied", "applied", "dropped", "applied"]),
  row("a cache that ignores itself", "sh pytest.sh", ["dropped", "applied", "applied", "dropped", "applied"]),
  row("ignored output named like a tracked file", "sh clean.sh", [
    "asked",
    "asked",
    "applied",
    "unavailable",
    "applied",
  ]),
  row("a cache with an allow rule", "sh coverage.sh", ["applied", "applied", "applied", "applied", "applied"]),
  row("a link out of the workspace", "sh link.sh", ["asked", "asked", "asked", "unavailable", "asked"]),
  row("a lockfile", "sh lock.sh", ["asked", "asked", "asked", "unavailable", "applied"]),
  row("a git hook by a script", "sh hook.sh", ["asked", "asked", "asked", "unavailable", "asked"]),
  row("git commit", "git commit -qam more", ["asked", "applied", "applied", "unavailable", "applied"]),
  row("git gc", "git gc --quiet", ["asked", "applied", "applied", "unavailable", "applied"]),
  row("a look that refreshes the index", "sh refresh.sh", ["dropped", "dropped", "dropped", "dropped", "dropped"]),
  row("a fetch that fails in a script", "sh fetch.sh", ["applied", "applied", "applied", "applied", "applied"]),
  row("a fetch that a script made up", "sh fetched.sh", ["asked", "asked", "asked", "unavailable", "applied"]),
  row("a package with the name of a cache", "sh package.sh", ["asked", "applied", "applied", "unavailable", "applied"]),
  row("a path with a deny rule", "sh denied.sh", ["denied", "denied", "denied", "denied", "denied"]),
  row("a path with an ask rule", "sh asked.sh", ["asked", "asked", "asked", "unavailable", "asked"]),
  row("a path with an allow rule", "sh allowed.sh", ["applied", "applied", "applied", "applied", "applied"]),
  row("nothing", "sh nothing.sh", ["dropped", "dropped", "dropped", "dropped", "dropped"]),
];

function row(title: string, command: string, expected: Row["expected"]): Row {
  return { title, command, expected };
}

const files = {
  "a.txt": "a\n",
  "b.txt": "b\n",
  "package-lock.json": "{}\n",
  ".gitignore": "coverage/\n__pycache__/\n/target/\n",
  "pytest.sh": "mkdir .pytest_cache && echo '*' >.pytest_cache/.gitignore && echo x >.pytest_cache/x\n",
  "fuzz_targets/x": "x\n",
  "target/.fingerprint/x": "x\n",
  "clean.sh": "rm -r target\n",
  "c.txt": "c\n",
  "delete-20.sh": "rm many/1* many/[02-9]\n",
  "delete-21.sh": "rm many/*\n",
  "replace.sh": "rm -r one; mkdir one; echo x >one/y\n",
  "one/x": "x\n",
  "create-201.sh": "for i in $(seq 201); do echo x >created-$i; done\n",
  "link.sh": "ln -s /etc/passwd out\n",
  "nothing.sh": "touch temporary; rm temporary\n",
  "protect.sh": "echo '{}' >.mcp.json\n",
  "cache.sh": "mkdir __pycache__ && echo x >__pycache__/x\n",
  "coverage.sh": "mkdir coverage && echo x >coverage/x\n",
  "refresh.sh": "git update-index -q --refresh\n",
  "fetch.sh": "git fetch -q https://example.org/x.git 2>/dev/null; test -e .git/FETCH_HEAD\n",
  "fetched.sh": "git rev-parse HEAD >.git/FETCH_HEAD\n",
  "pnp.sh": "mkdir .yarn && echo x | tee .pnp.cjs .pnp.loader.mjs .yarn/install-state.gz\n",
  "package.sh": "mkdir -p node_modules/coverage && echo x >node_modules/coverage/index.js\n",
  "lock.sh": "echo >>package-lock.json\n",
  "hook.sh": "mkdir -p .git/hooks && echo x >.git/hooks/pre-commit\n",
  "denied.sh": "mkdir denied && echo x >denied/x\n",
  "asked.sh": "mkdir asked && echo x >asked/x\n",
  "allowed.sh": "mkdir allowed && echo x >allowed/x\n",
  ...Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`many/${at}`, `${at}\n`])),
};

const permissions = {
  deny: ["Edit(/denied/**)"],
  ask: ["Edit(/asked/**)"],
  allow: ["Edit(/allowed/**)", "Edit(/coverage/**)"],
};

const sessions: readonly { readonly title: string; readonly mode: Mode; readonly tryInPlan?: true }[] = [
  ...modes.map((mode) => ({ title: mode, mode })),
  { title: "plan", mode: "plan" },
  { title: "plan with transactions.tryInPlan", mode: "plan", tryInPlan: true },
];

describe.each(sessions)("$title", ({ mode, tryInPlan = false }) => {
  let session: Awaited<ReturnType<typeof openSession>>;

  beforeAll(async () => {
    session = await openSession(mode, { permissions, transactions: { tryInPlan } });
    return session.close;
  });

  test.each(rows)("$title", async ({ title, command, expected }) => {
    const inPlan = tryInPlan ? (title === "nothing" ? "dropped" : "tried") : "not_run";
    const wanted = mode === "plan" ? inPlan : expected[modes.indexOf(mode)];
    expect(await session.outcomeOf(command)).toBe(outcomes[wanted ?? "not_run"]);
  });
});

describe.each(["default", "auto", "dontAsk"] as const)("in %s what only reads is not asked about", (mode) => {
  test("although it is not understood", async () => {
    const { outcomeOf, close } = await openSession(mode, {});
    const commands = [
      "echo $(( $(wc -l < a.txt) + 1 ))",
      'sed -n "$(( $(wc -l < a.txt) ))p" a.txt',
      "time -p ls",
      "let x=1+2; echo $x",
      "exec 2>&1; git status",
      "for c in $(git rev-list HEAD); do git show --stat $c; done",
      "git rev-list HEAD | while read c; do git log -1 --format=%s $c; done",
    ];
    const missing = ["dust -d 2", "hexyl a.txt", "gron package-lock.json | grep a", "shellcheck -x link.sh"];
    for (const command of [...commands, ...missing])
      expect([command, await outcomeOf(command)]).toEqual([
        command,
        expect.stringMatching(/^(?:unchanged|applied), 0 questions, (?:ok|command_failed)$/),
      ]);
    await close();
  });
});

test.each(["default", "acceptEdits", "auto"] as const)("in %s what Yarn installs is asked about once", async (mode) => {
  const { outcomeOf, close } = await openSession(mode, {});
  expect(await outcomeOf("yarn install; sh pnp.sh")).toBe("applied, 1 questions, ok");
  // Each of the files would be run later.
  expect(await outcomeOf("sh pnp.sh")).toBe("applied, 3 questions, ok");
  await close();
});

function makeTemplate(base: string): string {
  const { git, root, write } = asRepository(workspaceAt(base));
  for (const [name, content] of Object.entries(files)) write(name, content);
  git("init", "-q", "-b", "main");
  for (const name of ["name", "email"]) git("config", `user.${name}`, "a@b.example");
  git("add", "-A");
  git("commit", "-qm", "first");
  return root;
}

/** One session for all rows of a mode; the workspace is made again for each. */
async function openSession(mode: Mode, settings: SettingsFile) {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), "gauntlet-judge-")));
  const { root, state, home, write } = workspaceAt(base);
  const template = makeTemplate(path.join(base, "template"));
  const onAsk = agreeable();
  const gauntlet = await createGauntlet({ workspace: root, store: state, home, mode, onAsk, settings });
  return {
    async outcomeOf(command: string): Promise<string> {
      for (const name of readdirSync(root)) rmSync(path.join(root, name), { recursive: true });
      cpSync(template, root, { recursive: true });
      write("c.txt", "not committed\n");
      onAsk.asked.length = 0;
      const [observation] = await gauntlet.session.batch([{ tool: "bash", input: { command } }]);
      const changes = observation?.data?.changes as { readonly state?: string } | undefined;
      const state = observation?.effects.happened === "nothing" && changes === undefined ? "not run" : changes?.state;
      return `${state ?? "unchanged"}, ${onAsk.asked.length} questions, ${observation?.code}`;
    },
    async close() {
      await gauntlet.close();
      rmSync(base, { recursive: true });
    },
  };
}
