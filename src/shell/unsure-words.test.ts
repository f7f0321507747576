import { expect, test } from "vitest";
import { makeFixture } from "../../test/gate-matrix/fixture.ts";

/** Of the last part that runs something: its words that only the shell knows, and whether it is fed something unseen. */
test.each([
  ["node b.js", [], false],
  ["node b.js $f", [{ at: 2, one: false }], false],
  ['node "$f" b.js', [{ at: 1, one: true }], false],
  ["make -j$(nproc)", [{ at: 1, one: true }], false],
  ["npm test $(nproc)", [], false],
  ["npm test $(git rev-parse HEAD)", [{ at: 2, one: false }], false],
  ["for f in src/*.js; do node $f; done", [{ at: 1, one: false }], false],
  ['for f in src/*.js; do node "$f"; done', [{ at: 1, one: true }], false],
  ["node $(find src -name x)", [{ at: 1, one: false }], false],
  ["find src -exec node {} ';'", [{ at: 1, one: true }], false],
  ["for f in .*/x; do node $f; done", [{ at: 1, one: false }], false],
  ["cat a | xargs -I% node x %", [{ at: 2, one: true }], true],
  ["cat a | node", [], true],
  ["node < a", [], true],
  ["node <(cat a)", [{ at: 1, one: true }], false],
  ["node < /dev/null", [], false],
  ["node <<< 1", [], false],
  ["echo 1 | node", [], false],
  ['node <<< "$(cat a)"', [], true],
  ["{ node; } < a", [], true],
  ["timeout 5 node < a", [], true],
])("%s", (command, unsure, fed) => {
  const { shell } = makeFixture({ a: "", "src/b.js": "" });
  const last = shell(command).parts.findLast(({ effects }) => effects.some(({ op }) => op === "exec"));
  expect([last?.unsure ?? [], last?.fed ?? false]).toEqual([unsure, fed]);
});
