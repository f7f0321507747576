import { describe, expect, test } from "vitest";
import { makeShellProject } from "../../../test/gate-matrix/shell-project.ts";
import type { Effect } from "../../contract/effect.ts";

/** `read src/a.ts`, `list . /**`, `exec npm`: an effect on one line, paths relative to the workspace. */
function show(effect: Effect, root: string): string {
  switch (effect.op) {
    case "exec":
      return `exec ${effect.argv.join(" ")}`;
    case "connect":
      return `connect ${effect.host}`;
    case "unknown":
      return "unknown";
    case "call":
    case "delegate":
    case "session":
      return effect.op;
    default: {
      const path = effect.path.resolved.replace(`${root}/`, "").replace(root, ".");
      return `${effect.op} ${path}${effect.scope === "tree" ? "/**" : ""}`;
    }
  }
}

describe("effects of a command", () => {
  test.each<[string, readonly string[]]>([
    ["cat package.json", ["read package.json"]],
    ["cat package.json | grep name | head -3", ["read package.json"]],
    ["cd src && cat a.ts", ["list src", "read src/a.ts"]],
    ["cd src; cat a.ts", ["list src", "read src/a.ts"]],
    ["(cd src && cat a.ts); cat README.md", ["list src", "read src/a.ts", "read README.md"]],
    ["{ cd src; }; cat a.ts", ["list src", "read src/a.ts"]],
    ["cd src && cat ../README.md", ["list src", "read README.md"]],
    ["cd src || cat x", ["list src", "read x", "read src/x"]],
    ["cd src && cd ../sub && ls deep", ["list src", "list sub", "list sub/deep"]],
    ["ls | cd src; ls", ["list .", "list src", "list ."]],
    ["cat src/*.ts", ["read src/**"]],
    ["cat ~/x", ["read ../home/x"]],
    ["cat '~/x'", ["read ~/x"]],
    ["cat out/passwd", ["read /etc/passwd"]],
    ["cd out && cat passwd", ["unknown", "unknown"]],
    ["tac -b .env", ["unknown"]],
    ["od -s .env", ["unknown"]],
    ["wc -l < package.json", ["read package.json"]],
    ["echo hi > new.txt", ["write new.txt"]],
    ["echo hi >> out/x", ["write /etc/x"]],
    ["cat package.json > /dev/null 2>&1", ["read package.json"]],
    ["grep -rn foo src", ["read src/**"]],
    ["rg foo", ["read ./**"]],
    ["find . -name '*.ts'", ["list ./**"]],
    ["git status", ["read ./**"]],
    ["git diff -- src/a.ts", ["read ./**", "read src/a.ts"]],
    ["git show HEAD:.env", ["read ./**", "read .env"]],
    ["npm test", ["exec npm test"]],
    ["npm install", ["exec npm install", "connect registry.npmjs.org"]],
    ["curl -s https://example.com/x", ["exec curl -s https://example.com/x", "connect example.com"]],
    ["./run.sh a", ["exec ./run.sh a"]],
    ["bash run.sh", ["read run.sh", "exec bash run.sh"]],
    ["rm -rf node_modules", ["delete node_modules/**"]],
    ["rm out", ["delete out"]],
    ["mkdir -p a/b && touch a/b/c", ["write a/b", "write a/b/c"]],
    ["cp -r src dst", ["read src/**", "write dst/**"]],
    ["cp package.json src", ["read package.json", "write src/package.json"]],
    ["mv README.md docs.md", ["read README.md", "delete README.md", "write docs.md"]],
    ["sed -i 's/a/b/' src/a.ts", ["read src/a.ts", "write src/a.ts"]],
    ["sort package.json -r | uniq -c", ["read package.json"]],
    ["git push", ["exec git push", "connect the git remote"]],
    ["git commit -m 'x y'", ["exec git commit -m x y"]],
    ["echo *", ["list ./**"]],
    ["true && exit 1", []],
  ])("%s", (text, expected) => {
    const { shell, root } = makeShellProject();
    const { effects, parts } = shell(text);
    const home = root.replace(/project$/, "home");
    const lines = effects.map((effect) => show(effect, root).replace(home, "../home"));
    expect(lines).toEqual(expected);
    expect(parts.flatMap((part) => part.effects)).toEqual(effects);
  });

  test("commands run where the caller says", () => {
    const { shell, root, path } = makeShellProject();
    expect(shell("cat a.ts", path("src")).effects).toEqual([
      { op: "read", scope: "file", path: { written: `${root}/src/a.ts`, resolved: `${root}/src/a.ts`, kind: "file" } },
    ]);
  });
});
