import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { checksOf, type ProjectChecks } from "./check-of-command.ts";

const scripts: Record<string, string> = {
  verify: "npm run lint && vitest run",
  "lint:all": "eslint .",
  loose: "vitest run || true",
  loop: "npm run loop",
  always: "vitest run; exit 0",
  nothing: "echo all tests passed && exit 0",
  inverted: "! vitest run",
  test: "vitest run",
  "test:guarded": "vitest run || exit",
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
    ["npm run test:guarded", ["tests decides"]],
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

  test.each([
    ["a script that ends well whatever happens", "npm run always"],
    ["one that does nothing", "npm run nothing"],
    ["one that is turned around", "npm run inverted"],
    ["an end that is turned around", "! vitest run"],
    ["a look for the program", "command -v npm test"],
    ["the version of what starts it", "npx --version vitest"],
    ["the version of the runner", "npm test -v"],
    ["help of a wrapper", "timeout --help 5 npm test"],
    ["another shell for the script", "npm test --script-shell=/bin/true"],
    ["a script that need not be there", "npm test --if-present"],
    ["another directory", "npm test --prefix /elsewhere"],
    ["building the tests only", "cargo test --no-run"],
    ["skipping them", "mvn test -DskipTests"],
    ["errors that are passed over", "make -i test"],
    ["a program of that name from elsewhere", "./fake/npm test"],
  ])("%s is no check: %s", (_, command) => {
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
    ["npm test | cat", "tests piped"],
    ["npm test | cat forged.txt", "tests lost"],
    ["npm test | tail -3 < forged.txt", "tests lost"],
    ["npm test > out.txt | cat", "tests lost"],
    ["echo '5 passed' && npm test | cat", "tests lost"],
    ["npm() { true; }; npm test", "tests lost"],
    ["function npm { true; }\nnpm test", "tests lost"],
    ["alias npm=true; npm test", "tests lost"],
    ["hash -p /bin/true npm; npm test", "tests lost"],
    [". ./env.sh; npm test", "tests lost"],
    ['eval "$X" && npm test', "tests lost"],
    ["exit 0; npm test", "tests lost"],
    ["{ exit 0; } && npm test", "tests lost"],
    ["(exit 0) && npm test", "tests decides"],
    ["exec true; npm test", "tests lost"],
    ["trap 'exit 0' EXIT; npm test", "tests lost"],
    ["set -n; npm test", "tests lost"],
    ["if true; then exit 0; fi; npm test", "tests lost"],
    ["$X; npm test", "tests lost"],
    ["PATH=/tmp/x:$PATH npm test", "tests lost"],
    ["PATH=/tmp/x; npm test", "tests lost"],
    ["export PATH=/tmp/x && npm test", "tests lost"],
    ["env PATH=/tmp/x npm test", "tests lost"],
    ["npm_config_script_shell=/bin/true npm test", "tests lost"],
    ["NODE_OPTIONS='--require ./x.js' npm test", "tests lost"],
    ["NODE_OPTIONS=--experimental-vm-modules npm test", "tests decides"],
    ["set -e; npm test && echo done; true", "tests lost"],
    ["set -e; false && npm test; true", "tests lost"],
    ["set -e; set +e; npm test; true", "tests lost"],
    ["set +o errexit; npm test; true", "tests lost"],
    ["(set -e; npm test; true) && echo done", "tests lost"],
    ["(set -e; npm test; true)", "tests decides"],
  ])("%s: %s", (command, expected) => {
    expect(shown(command).join()).toBe(expected);
  });
});

/** What the table above says, held against the shell itself: where the check fails, the whole must not end well. */
describe("a failing check that decides is never hidden by the text around it", () => {
  const failing = "npm() { return 1; }\nexport -f npm\n";
  test.each([
    "npm test",
    "cd . && npm test",
    "npm test && echo done",
    "set -e; npm test; echo done",
    "set -euo pipefail\nnpm test | tail -5\necho done",
    "(cd . && npm test)",
    "(exit 0) && npm test",
    "(set -e; npm test; true)",
    "yes | npm test",
    "NODE_OPTIONS=--experimental-vm-modules npm test",
  ])("%s", (command) => {
    expect(shown(command)).toEqual(["tests decides"]);
    expect(spawnSync("bash", ["-c", failing + command], { stdio: "ignore" }).status).not.toBe(0);
  });
});
