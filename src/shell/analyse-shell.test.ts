import { describe, expect, test } from "vitest";
import { makeShellProject } from "../../test/gate-matrix/shell-project.ts";
import type { Effect } from "../contract/effect.ts";

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
    ["cd src || cat x", ["list src", "read x"]],
    ["cd src && cd ../sub && ls deep", ["list src", "list sub", "list sub/deep"]],
    ["ls | cd src; ls", ["list .", "list src", "list ."]],
    ["cat src/*.ts", ["read src/**"]],
    ["cat ~/x", ["read ../home/x"]],
    ["cat '~/x'", ["read ~/x"]],
    ["cat out/passwd", ["read /etc/passwd"]],
    ["cat *", ["read ./**", "read /etc"]],
    ["cat */passwd", ["read ./**", "read /etc/**"]],
    ["cd out && cat passwd", ["unknown", "unknown"]],
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
    // Variables.
    ["x=src; ls $x", ["list src"]],
    ['x=src/a.ts; cat "$x"', ["read src/a.ts"]],
    ['d=src && f="$d/a.ts" && cat "$f"', ["read src/a.ts"]],
    ['files="src/a.ts src/b.ts"; cat $files', ["read src/a.ts", "read src/b.ts"]],
    ['echo "$HOME $PWD $? $USER"', []],
    ["ls $PWD/src", ["list src"]],
    ["cat $HOME/x", ["read ../home/x"]],
    ["if ls; then d=src; else d=sub; fi; ls $d", ["list .", "unknown"]],
    ["cd src && x=a.ts; cat $x", ["list src", "read src/a.ts"]],
    // Substitutions.
    ["cat $(pwd)/package.json", ["read package.json"]],
    ['cd "$(git rev-parse --show-toplevel)" && ls src', ["read ./**", "list .", "list src"]],
    ["wc -l $(git ls-files)", ["read ./**", "read ./**"]],
    ["cat $(find src -name '*.ts' | head -3)", ["list src/**", "read src/**", "read ./**"]],
    ['echo "today is $(date)"', []],
    ["diff <(sort package.json) <(sort README.md)", ["read package.json", "read README.md"]],
    // Loops and conditions.
    ['for f in src/*.ts; do wc -l "$f"; done', ["read src/**"]],
    ["for f in a b; do cat $f; done", ["read a", "read b"]],
    ["for d in src sub; do (cd $d && ls); done", ["list src", "list src", "list sub", "list sub"]],
    ["for i in {1..3}; do echo $i; done", []],
    ["for f in $(git ls-files 'src/*'); do head -1 \"$f\"; done", ["read ./**", "read ./**"]],
    ["while read -r f; do cat \"$f\"; done <<'E'\nsrc/a.ts\nsrc/b.ts\nE", ["unknown"]],
    ["if [ -f README.md ]; then cat README.md; else echo no; fi", ["list README.md", "read README.md"]],
    ["[[ -d src && $x == a* ]] && ls src", ["list src", "list src"]],
    ["case $x in a) ls src;; *) ls sub;; esac", ["list src", "list sub"]],
    // Commands that run commands.
    ["timeout 5 npm test", ["exec npm test"]],
    ["NODE_ENV=test npm test", ["exec npm test"]],
    ["LC_ALL=C sort package.json", ["read package.json"]],
    ["env -u X nice -n 5 ls src", ["list src"]],
    ["command ls src", ["list src"]],
    ["/bin/ls src", ["list src"]],
    ["find src -name '*.ts' | xargs grep -n foo", ["list src/**", "read src/**", "read ./**"]],
    ["ls src | xargs -I{} cat src/{}", ["list src", "read src/**"]],
    ["echo src/a.ts src/b.ts | xargs cat", ["read src/a.ts", "read src/b.ts"]],
    ["find src -exec wc -l {} +", ["list src/**", "read src/**", "read ./**"]],
    ["bash -c 'cd src && ls'", ["list src", "list src"]],
    ["sh -c 'cat \"$1\"' sh src/a.ts", ["read src/a.ts"]],
    ["bash <<'E'\nls src\nE", ["list src"]],
    ['show() { head -5 "$1"; }; show src/a.ts', ["unknown", "unknown", "unknown"]],
    ["f() { cat .env; }; f", ["read .env", "unknown", "unknown"]],
    ["for ((i = 0; i < 3; i++)); do cat .env; done", ["read .env", "unknown"]],
    // Redirections and documents.
    ["cat <<'E' > new.txt\n$(rm x)\nE", ["write new.txt"]],
    ["cat <<E\n$(git branch --show-current) in $PWD\nE", ["read ./**"]],
    ["ls &> all.txt", ["list .", "write all.txt"]],
    ["ls >| all.txt", ["list .", "write all.txt"]],
    ['grep x <<< "$y"', []],
    ["sleep 1 & wait", []],
    ["set -euo pipefail; ls src", ["list src"]],
    ["cd nowhere && ls", ["list nowhere", "list nowhere"]],
    ["cd nowhere; ls", ["list nowhere", "unknown"]],
    ["cat src/{a,b}.ts", ["read src/a.ts", "read src/b.ts"]],
    // What may fail or take the input leaves the rest as it was.
    ["cd src 2>/dev/null && cat a.ts", ["list src", "read src/a.ts"]],
    ["cd src < README.md; cat a.ts", ["list src", "read README.md", "unknown"]],
    ["! ls src; cat README.md", ["list src", "read README.md"]],
    ["for i in 1 2; do [ $i = 2 ] && break 1; done; cat README.md", ["read README.md"]],
    ["x=ls; $x src", ["list src"]],
  ])("%s", (text, expected) => {
    const { shell, root } = makeShellProject();
    const { effects, parts } = shell(text);
    const home = root.replace(/project$/, "home");
    const lines = effects.map((effect) => show(effect, root).replace(home, "../home"));
    expect(lines).toEqual(expected);
    expect(parts.flatMap((part) => part.effects)).toEqual(effects);
  });

  test("rules find the wrapped and the inner command", () => {
    const { shell } = makeShellProject();
    const words = (text: string) => shell(text).parts.map((part) => part.words);
    expect(words("timeout 5 npm test")).toEqual([
      ["timeout", "5", "npm", "test"],
      ["npm", "test"],
    ]);
    expect(words("ls | xargs rm")).toEqual([["ls"], ["xargs", "rm"], ["rm", "…"]]);
    expect(words("bash -c 'ls; git push'")).toEqual([["bash", "-c", "ls; git push"], ["ls"], ["git", "push"]]);
    expect(words("x=push; git $x")).toEqual([["git", "push"]]);
    expect(words("PATH=. git push")).toEqual([undefined, ["git", "push"]]);
    expect(words("a=r; b=m; $a$b a.txt")).toEqual([["rm", "a.txt"]]);
    expect(words("r$@m a.txt")).toEqual([["r$@m", "a.txt"]]);
    expect(words("x=ls; eval x=rm; $x a.txt").at(-1)).toEqual(["$x", "a.txt"]);
  });

  test("beyond the limits nothing is understood and everything is found", () => {
    const { shell } = makeShellProject();
    const deep = `${"( ".repeat(40)}rm x${" )".repeat(40)}`;
    const long = `${"ls;".repeat(5_000)} rm x`;
    const names = `${"ls *e *f *g *h *i; ".repeat(3_900)} rm x`;
    const paths = `${Array.from({ length: 4 }, (_none, at) => `cat ${Array.from({ length: 6_000 }, (_one, index) => (at * 6_000 + index).toString(36)).join(" ")}`).join("; ")}; rm x`;
    for (const text of [deep, long, names, paths]) {
      const { parts } = shell(text);
      expect(parts[0]).toMatchObject({ text, effects: [{ op: "unknown" }] });
      expect(parts.map((part) => part.words)).toContainEqual(["rm", "x"]);
    }
  });

  test("commands run where the caller says", () => {
    const { shell, root, path } = makeShellProject();
    expect(shell("cat a.ts", path("src")).effects).toEqual([
      { op: "read", scope: "file", path: { written: `${root}/src/a.ts`, resolved: `${root}/src/a.ts`, kind: "file" } },
    ]);
  });
});
