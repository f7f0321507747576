import { describe, expect, test } from "vitest";
import { interpreters } from "../../programs/interpreters.ts";
import { shells } from "../../programs/runners.ts";
import { runsBehind } from "../../programs/wrappers.ts";
import { commandWrappers } from "../../shell/wrappers.ts";
import { parseRule } from "./compile-rules.ts";
import { overbroad } from "./lint-rules.ts";

const places = { workspace: "/w/app", home: "/home/ann" };

function isBroad(text: string): boolean {
  const parsed = parseRule(text, places, false);
  if ("problem" in parsed) throw new Error(`${text}: ${parsed.problem}`);
  return overbroad(parsed.target, places) !== undefined;
}

describe("too much to allow at once", () => {
  test.each([
    ..."Edit Edit(**) Edit(/**) Edit(**/*) Edit(*) Edit(/*) Edit(?**) Edit(./**) Edit(.) Edit(*.*) Edit([!.]*)".split(
      " ",
    ),
    ..."Edit(.*) Edit({src,**}) Edit(**/**) Edit(~/**) Edit(//home/**) Edit(//**) Edit(//*) Edit(//w/**)".split(" "),
    ..."Edit(//usr/**) Edit(//etc/*) Delete(*) Delete(**/*) Read(~/**) Read(~/*) Read(~) Read(//**) Read(//home/**)".split(
      " ",
    ),
    ..."Read(//etc/**) Read(//*) Read(~/.*)".split(" "),
    ..."WebFetch WebFetch(domain:*.com) WebFetch(domain:*.co.uk) WebFetch(domain:*.github.io)".split(" "),
    "WebFetch(domain:*.pages.dev)",
    "Bash(FOO=1 bash:*)",
    "Bash(FOO=1:*)",
    "Bash(A=1 B=2 python3 -c:*)",
    "Bash(timeout 5 bash:*)",
    "Bash(timeout:*)",
    "Bash(nice -n 5 python:*)",
    "Bash(taskset -c 0 sh -c:*)",
    "Bash(env A=b node:*)",
    "Bash(deno run:*)",
    "Bash(bun run:*)",
    "Bash(docker container:*)",
  ])("%s", (text) => {
    expect(isBroad(text)).toBe(true);
  });

  test.each([
    "tsx",
    "ts-node",
    "nodejs",
    "pwsh",
    "java",
    "perl",
    "ruby",
    "php",
    "lua",
    "Rscript",
    "python3.12",
    "mariadb",
  ])("%s", (name) => {
    expect(isBroad(`Bash(${name}:*)`)).toBe(true);
  });

  test("whatever the tables of the analysis know to run something else", () => {
    const names = [
      ...commandWrappers.flatMap((entry) => entry.names),
      ...runsBehind,
      ...interpreters,
      ...shells,
      ..."setpriv ionice chrt taskset prlimit strace pkexec runuser nice timeout stdbuf setsid flock script unshare".split(
        " ",
      ),
    ];
    expect(names.filter((name) => !isBroad(`Bash(${name}:*)`))).toEqual([]);
  });
});

test.each([
  ..."Edit(/src/**) Edit(src/**) Edit(*.ts) Edit(**/*.ts) Edit(/src/*) Edit(package.json) Edit(~/notes/**)".split(" "),
  ..."Edit(//tmp/x/**) Read Read(**) Read(/**) Read(*) Read(~/notes/**) Read(//usr/include/**) Delete(/dist/**)".split(
    " ",
  ),
  ..."Read(//etc/hosts) WebFetch(domain:example.com) WebFetch(domain:*.example.com) WebFetch(domain:me.github.io)".split(
    " ",
  ),
  "mcp__docs",
  "mcp__docs__*",
  "mcp__docs__search",
  "Bash(npm test)",
  "Bash(npm run test:*)",
  "Bash(npm run:*)",
  "Bash(git push:*)",
  "Bash(timeout 60 npm test:*)",
  "Bash(FOO=1 npm test:*)",
  "Bash(cargo test:*)",
  "Bash(ls:*)",
])("%s is narrow enough", (text) => {
  expect(isBroad(text)).toBe(false);
});
