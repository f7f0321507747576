import { describe, expect, test } from "vitest";
import { checksOf, type ProjectChecks } from "./check-of-command.ts";

const scripts: Record<string, string> = {
  verify: "npm run lint && vitest run",
  "lint:all": "eslint .",
  loose: "vitest run || true",
  loop: "npm run loop",
};
const project: ProjectChecks = {
  configured: [{ kind: "tests", command: "./ci/verify.sh" }],
  script: (name) => scripts[name],
};
const shown = (command: string) => checksOf(command, project).map(({ kinds, exit }) => `${kinds.join("+")} ${exit}`);

describe("what a command checks", () => {
  test.each([
    ["npm test", ["tests decides"]],
    ["CI=1 npm test -- --run", ["tests decides"]],
    ["npx --no-install vitest run src", ["tests decides"]],
    ["./node_modules/.bin/jest --ci", ["tests decides"]],
    ["timeout 60 python3 -m pytest -x -q", ["tests decides"]],
    ["poetry run pytest", ["tests decides"]],
    ["go test ./...", ["tests decides"]],
    ["cargo +nightly test --all", ["tests decides"]],
    ["make -j4 check", ["tests decides"]],
    ["sh test.sh", ["tests decides"]],
    ["node --experimental-strip-types --test", ["tests decides"]],
    ["./ci/verify.sh --fast", []],
    ["npm run build", ["build decides"]],
    ["npx tsc --noEmit -p .", ["build+types decides"]],
    ["cargo check", ["build+types decides"]],
    ["mypy src", ["types decides"]],
    ["eslint . --max-warnings 0", ["lint decides"]],
    ["biome check .", ["lint decides"]],
    ["yarn run test:unit", ["tests decides"]],
    ["bash -c 'npm test'", ["tests decides"]],
    ["npm run verify", ["lint+tests decides"]],
    ["npm run lint:all", ["lint decides"]],
  ])("%s", (command, expected) => {
    expect(shown(command)).toEqual(expected);
  });

  test.each([
    "ls",
    "cat test.sh",
    "echo npm test",
    "npm install",
    "git commit -m 'npm test'",
    "vitest --help",
    "pytest --collect-only",
    "eslint . --fix",
    "biome check --write .",
    "make -n test",
    "npm run loop",
    "npm run loose",
    "npm run unknown",
    "jest --listTests",
    "for (( ;; )) do npm test",
    "$RUNNER test",
  ])("%s checks nothing", (command) => {
    expect(shown(command)).toEqual([]);
  });

  test("a configured command counts under its own name", () => {
    const own = { ...project, configured: [{ kind: "tests", command: "verify.sh" } as const] };
    expect(checksOf("./ci/verify.sh --fast", own).map(({ kinds }) => kinds)).toEqual([["tests"]]);
  });
});

describe("what the exit code of the whole says about the check", () => {
  test.each([
    ["cd packages/a && npm test", "tests decides"],
    ["npm run build && npm test", "build decides,tests decides"],
    ["npm test && echo done", "tests decides"],
    ["set -e; npm test; echo done", "tests decides"],
    ["set -euo pipefail\nnpm test | tail -5\necho done", "tests decides"],
    ["(cd a && npm test)", "tests decides"],
    ["npm test; echo done", "tests lost"],
    ["npm test || true", "tests lost"],
    ["true || npm test", "tests lost"],
    ["npm test &", "tests lost"],
    ["if npm test; then echo yes; fi", "tests lost"],
    ["for d in a b; do npm test; done", "tests lost"],
    ["npm test 2>&1 | tail -20", "tests piped"],
    ["npm test | tee out.log | tail -3", "tests piped"],
    ["npm test | grep passed", "tests lost"],
    ["npm test | tail -5; true", "tests lost"],
    ["yes | npm test", "tests decides"],
  ])("%s: %s", (command, expected) => {
    expect(shown(command).join()).toBe(expected);
  });
});
