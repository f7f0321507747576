import { describe, expect, test } from "vitest";
import { checkOf, type ProjectChecks } from "./check-of-command.ts";

const scripts: Record<string, string> = {
  verify: "npm run lint && vitest run",
  "lint:all": "eslint .",
  loose: "vitest run || true",
  loop: "npm run loop",
  always: "vitest run; exit 0",
  nothing: "echo all tests passed && exit 0",
  inverted: "! vitest run",
  copied: "(cd src && ! vitest run)",
  test: "vitest run",
  "test:guarded": "vitest run || exit",
};
const project: ProjectChecks = {
  configured: [{ kind: "tests", command: "./ci/verify.sh" }],
  script: (name) => scripts[name],
};
const shown = (command: string) => {
  const check = checkOf(command, project);
  return check && `${check.kinds.join("+")}${check.piped ? " piped" : ""}`;
};

describe("what a command checks", () => {
  test.each([
    ["npm test", "tests"],
    ["CI=1 npm test -- --run", "tests"],
    ["VERBOSE=1 TZ=UTC npm test -- -t 'it is ! here'", "tests"],
    ["npx --no-install vitest run src", "tests"],
    ["./node_modules/.bin/jest --ci", "tests"],
    ["timeout 60 python3 -m pytest -x -q", "tests"],
    ["poetry run pytest", "tests"],
    ["go test ./...", "tests"],
    ["cargo +nightly test --all", "tests"],
    ["make -j4 check", "tests"],
    ["sh test.sh", "tests"],
    ["node --experimental-strip-types --test", "tests"],
    ["./ci/verify.sh --fast", undefined],
    ["npm run build", "build"],
    ["npx tsc --noEmit -p .", "build+types"],
    ["cargo check", "build+types"],
    ["mypy src", "types"],
    ["eslint . --max-warnings 0", "lint"],
    ["biome check .", "lint"],
    ["yarn run test:unit", "tests"],
    ["bash -c 'npm test'", "tests"],
    ["npm run verify", "lint+tests"],
    ["npm run lint:all", "lint"],
    ["npm run test:guarded", "tests"],
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
    expect(shown(command)).toBeUndefined();
  });

  test.each([
    ["a script that ends well whatever happens", "npm run always"],
    ["one that does nothing", "npm run nothing"],
    ["one that is turned around", "npm run inverted"],
    ["an end that is turned around", "! vitest run"],
    ["one that is turned around in a copy of the shell", "npm run copied"],
    ["a shell that turns it around", "bash -c '! npm test'"],
    ["a variable that chooses the program", "PATH=/elsewhere npm test"],
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
    expect(shown(command)).toBeUndefined();
  });

  test("a configured command counts under its own name", () => {
    const own = { ...project, configured: [{ kind: "tests", command: "verify.sh" } as const] };
    expect(checkOf("./ci/verify.sh --fast", own)?.kinds).toEqual(["tests"]);
  });
});

describe("only one check is evidence, after cd or before a filter that keeps the end", () => {
  test.each([
    ["cd packages/a && npm test", "tests"],
    ["npm test 2>&1 | tail -20", "tests piped"],
    ["cd a && npm test | tail -5", "tests piped"],
    ["npm test | tee out.log | tail -3", "tests piped"],
    ["npm test | cat", "tests piped"],
  ])("%s: %s", (command, expected) => {
    expect(shown(command)).toBe(expected);
  });

  test.each([
    "npm test && echo done",
    "npm run build && npm test",
    "set -e; npm test; echo done",
    "npm test; echo done",
    "npm test || true",
    "true || npm test",
    "npm test &",
    "(cd a && npm test)",
    "if npm test; then echo yes; fi",
    "for d in a b; do npm test; done",
    "yes | npm test",
    "npm test | grep passed",
    "npm test | cat forged.txt",
    "npm test | tail -3 < forged.txt",
    "npm test > out.txt | cat",
    "echo '5 passed' && npm test | cat",
    "npm() { true; }; npm test",
    "alias npm=true; npm test",
    ". ./env.sh && npm test",
    "exit 0; npm test",
    "cd a b && npm test",
    "PATH=/tmp/x:$PATH npm test",
    "export PATH=/tmp/x && npm test",
    "env PATH=/tmp/x npm test",
    "npm_config_script_shell=/bin/true npm test",
    "NODE_OPTIONS='--require ./x.js' npm test",
  ])("%s is no evidence", (command) => {
    expect(shown(command)).toBeUndefined();
  });
});
