import { describe, expect, test } from "vitest";
import { makeFixture } from "../../test/gate-matrix/fixture.ts";
import type { Examples } from "../../test/tables/entry-examples.ts";
import { programs, runners } from "../../test/tables/examples.ts";

function makeProject() {
  const files = "a b a.txt b.txt a.ts a.md a.gz a.zip x src/a.ts tests/b.ts dst/z dir/z script.js".split(" ");
  const fixture = makeFixture(Object.fromEntries(files.map((name) => [name, "one\n"])));
  fixture.mkdir(".git");
  return fixture;
}

/** Examples that are wrong about their entry, each with what was seen. */
function contradictions(examples: Examples) {
  const { shell } = makeProject();
  const found: string[] = [];
  for (const example of examples.match) {
    const { effects, parts } = shell(example);
    const unclear = effects.flatMap((effect) => (effect.op === "unknown" ? [effect.why] : []));
    if (unclear.length > 0) found.push(`${example}: ${unclear.join(", ")}`);
    if (parts.length !== 1) found.push(`${example}: ${parts.length} parts`);
  }
  for (const example of examples.noMatch) {
    const { effects } = shell(example);
    const harmless = effects.every((effect) => effect.op === "read" || effect.op === "list");
    // A secret is refused by its risk, not by the table.
    const secret = effects.some((effect) => "path" in effect && effect.path.resolved.endsWith("/.env"));
    if (harmless && !secret) found.push(`${example}: looks harmless`);
  }
  return found;
}

describe("program tables", () => {
  test.each(programs.map((entry) => [entry.names.slice(0, 3).join(" "), entry] as const))(
    "%s: what it matches and what it does not",
    (_name, entry) => {
      expect(contradictions(entry.examples)).toEqual([]);
    },
  );

  test("every name is given once, and every example begins with a name of its entry", () => {
    const names = programs.flatMap((entry) => entry.names);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    const strangers = programs.flatMap((entry) =>
      [...entry.examples.match, ...entry.examples.noMatch].filter(
        (example) => !entry.names.some((name) => `${example} `.startsWith(`${name.split(" ")[0]} `)),
      ),
    );
    expect(strangers).toEqual([]);
  });

  test("every entry shows what it refuses", () => {
    const silent = programs.filter((entry) => entry.examples.noMatch.length === 0 && entry.verbatim !== true);
    expect(silent.map((entry) => entry.names[0])).toEqual([]);
  });

  test("a flag has one meaning in an entry", () => {
    const doubled = programs.flatMap((entry) => {
      const all = [...(entry.flags ?? []), ...(entry.optional ?? []), ...Object.keys(entry.values ?? {})];
      return all.filter((flag, index) => all.indexOf(flag) !== index).map((flag) => `${entry.names[0]} ${flag}`);
    });
    expect(doubled).toEqual([]);
  });

  test.each(runners.map((entry) => [entry.names[0] ?? "", entry] as const))("%s runs or connects", (_name, entry) => {
    const { shell } = makeProject();
    const ops = (text: string) => [...new Set(shell(text).effects.map((effect) => effect.op))];
    const { run, connect, print = [], describe: told = [] } = entry.examples;
    for (const example of run) expect({ example, ops: ops(example) }).toEqual({ example, ops: ["exec"] });
    for (const example of connect)
      expect({ example, ops: ops(example) }).toEqual({ example, ops: ["exec", "connect"] });
    for (const example of print) expect({ example, ops: ops(example) }).toEqual({ example, ops: [] });
    for (const example of told) expect({ example, ops: ops(example) }).toEqual({ example, ops: ["read"] });
  });

  test("a version is code of the project where a file of the project chooses the program", () => {
    const { shell, write, mkdir, path } = makeProject();
    mkdir("deep/er");
    const ops = (text: string) => shell(text, path("deep/er")).effects.map((effect) => effect.op);
    expect([ops("cargo --version"), ops("node --version")]).toEqual([[], []]);
    write("rust-toolchain.toml", "");
    expect([ops("cargo --version"), ops("node --version")]).toEqual([["exec"], []]);
    write("deep/.tool-versions", "");
    expect([ops("cargo --version"), ops("node --version")]).toEqual([["exec"], ["exec"]]);
  });

  test("what only tells something is code of the project where a file of the project names a program", () => {
    const { shell, write, mkdir, path } = makeProject();
    mkdir("deep");
    const ops = (text: string) => shell(text, path("deep")).effects.map((effect) => effect.op);
    const texts = ["npm ls --all", "cargo locate-project", "pip list -l", "go env GOOS", "gofmt -l ."];
    expect(texts.map(ops)).toEqual([["read"], ["read"], [], [], ["read"]]);
    write(".npmrc", "");
    expect(texts.map(ops)).toEqual([["exec"], ["read"], [], [], ["read"]]);
    write(".cargo/config.toml", "");
    expect(texts.map(ops)).toEqual([["exec"], ["exec"], [], [], ["read"]]);
    write("deep/.tool-versions", "");
    expect(texts.map(ops)).toEqual([["exec"], ["exec"], ["exec"], ["exec"], ["exec"]]);
  });

  test.each([
    ["find src -name '*.ts' -exec grep -n foo {} +", "R1"],
    ["find src -type f -exec wc -l {} \\;", "R1"],
    ["find . -name '*.md' -exec sed -n 1,3p {} \\; -print", "R1"],
    ["find . -exec rm {} \\;", "R4"],
    ["find . -exec sed -i s/a/b/ {} +", "R2"],
    ["find . -exec truncate -s 0 {} +", "R4"],
    ["find . -exec ./run {} \\;", "R3"],
    ["find . -exec {} \\;", "R4"],
    ["find . -exec cat x{} \\;", "R4"],
    ["find / -exec cat {} \\;", "R5"],
    ["find . -name '.env*' -exec cat {} +", "R4"],
    ["find . -name '.env*'", "R1"],
    ["fd -e ts -X rm", "R4"],
    ["fd -e pem -x cat", "R4"],
    ["fd -x cat {/}", "R4"],
    ["rg -g '*.pem' x", "R4"],
    ["rg -g '!*.pem' x", "R1"],
    ["grep -rn --include='.env*' x .", "R4"],
  ])("%s is %s: what a search runs is read as well", (text, risk) => {
    const { shell, assess } = makeProject();
    expect(assess(shell(text)).risk).toBe(risk);
  });

  test.each([
    ["curl -s https://Example.com/x", ["example.com"]],
    ["curl https://a.test https://b.test:8080/x", ["a.test", "b.test"]],
    ["wget example.com", ["a host"]],
    ["ssh -p 22 me@host.test ls", ["host.test"]],
    ["scp a me@host.test:b", ["host.test"]],
    ["gh pr list", ["api.github.com"]],
    ["dig example.com", ["a host"]],
    ["npm install", ["registry.npmjs.org"]],
    ["pip install x", ["pypi.org", "files.pythonhosted.org"]],
  ])("%s reaches %j", (text, hosts) => {
    const { effects } = makeProject().shell(text);
    expect(effects.flatMap((effect) => (effect.op === "connect" ? [effect.host] : []))).toEqual(hosts);
  });
});
