import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { sha256 } from "../contract/digest.ts";
import { hashFile } from "../host/hash-file.ts";
import { namedFiles } from "./hook-files.ts";

const content = "echo ok\n";
const hash = sha256(content);

/** A project with scripts of several languages, one whose name has a space, and a directory. */
function project(name = "project"): string {
  const place = realpathSync(mkdtempSync(path.join(tmpdir(), "named-files-")));
  onTestFinished(() => rmSync(place, { recursive: true }));
  const workspace = path.join(place, name);
  mkdirSync(path.join(workspace, "sub"), { recursive: true });
  for (const file of ["check.sh", "my check.sh", "a@b.sh", "hook.js", "lib.rb", "Main.class"]) {
    writeFileSync(path.join(workspace, file), content);
  }
  return workspace;
}

function bound(workspace: string, command: string, args?: readonly string[]) {
  return namedFiles({ command, ...(args === undefined ? {} : { args: [...args] }) }, { workspace, hashFile });
}

describe("files that a hook names", () => {
  test.each<[string, readonly string[] | undefined, readonly string[]]>([
    ["./check.sh", undefined, ["check.sh"]],
    ["bash check.sh --strict", undefined, ["check.sh"]],
    ["./che''ck.sh", undefined, ["check.sh"]],
    ["./ch\"ec\"k.sh 'x'", undefined, ["check.sh"]],
    ["'./my check.sh'", undefined, ["my check.sh", "check.sh"]],
    ['"$CLAUDE_PROJECT_DIR"/check.sh', undefined, ["check.sh"]],
    ['"$GAUNTLET_PROJECT_DIR/check.sh"', undefined, ["check.sh"]],
    ["$" + "{CLAUDE_PROJECT_DIR}/check.sh", undefined, ["check.sh"]],
    ["$GAUNTLET_PROJECT_DIR/./check.sh", undefined, ["check.sh"]],
    ["node -r./check.sh", undefined, ["check.sh"]],
    ["node -wr./check.sh", undefined, ["check.sh"]],
    ["node -rcheck.sh", undefined, ["check.sh"]],
    ["node --require=./check.sh", undefined, ["check.sh"]],
    ["node --import file:./check.sh", undefined, ["check.sh"]],
    ["java @check.sh", undefined, ["check.sh"]],
    ["./a@b.sh", undefined, ["a@b.sh"]],
    [`true ${Array.from({ length: 60 }, (_, at) => at).join(" ")} ./check.sh`, undefined, ["check.sh"]],
    ["/usr/bin/env bash ./check.sh", undefined, ["check.sh"]],
    ["/usr/bin/true", undefined, []],
    ["npx prettier --check", undefined, []],
    ["npx @biomejs/biome check --write", undefined, []],
    ["npx -y @biomejs/biome@1.9.4 check", undefined, []],
    ["npx --package=@biomejs/biome biome check", undefined, []],
    ["bunx @biomejs/biome ci", undefined, []],
    ["pnpm dlx @biomejs/biome ci", undefined, []],
    ["npx -y @biomejs/biome check check.sh", undefined, ["check.sh"]],
    ["bash", ["./check.sh", "--strict"], ["check.sh"]],
    ["node", ["-r./check.sh", "--require=./a@b.sh"], ["check.sh", "a@b.sh"]],
    ["./my check.sh", [], ["my check.sh", "check.sh"]],
    ["bash", ["./my check.sh", ""], ["my check.sh", "check.sh"]],
    ["node hook", undefined, ["hook.js"]],
    ["node ./hook --strict", undefined, ["hook.js"]],
    ["node --no-warnings hook -e", undefined, ["hook.js"]],
    ["npx tsx hook", undefined, ["hook.js"]],
    ["node -r ./hook check.sh", undefined, ["hook.js", "check.sh"]],
    ["ruby -r./lib check.sh", undefined, ["lib.rb", "check.sh"]],
    ["java Main", undefined, ["Main.class"]],
    ["bash -eu check.sh hook", undefined, ["check.sh"]],
    ["python3 -u check.sh -c x", undefined, ["check.sh"]],
    ["python3 /usr/lib/check.py", undefined, []],
    ["python3 -m pytest -q", undefined, []],
    ["deno fmt --check", undefined, []],
    ["bun run lint", undefined, []],
    ["node --version", undefined, []],
    ["git diff --check", undefined, []],
    ["env -u A B=c ./check.sh", undefined, ["check.sh"]],
  ])("%s %j", (command, args, files) => {
    expect(bound(project(), command, args)).toEqual({ ok: true, files: files.map((file) => [file, hash]) });
  });

  test("a word that could be read as several names binds them all", () => {
    const workspace = project();
    writeFileSync(path.join(workspace, "my"), content);
    const names = ["my check.sh", "my", "check.sh"];
    expect(bound(workspace, "bash -c 'my check.sh'")).toEqual({ ok: true, files: names.map((name) => [name, hash]) });
  });

  test("a package that is installed here is what a launcher runs", () => {
    const workspace = project();
    const names = ["node_modules/@biomejs/biome/package.json", "node_modules/.bin/biome"];
    for (const name of names) {
      mkdirSync(path.join(workspace, path.dirname(name)), { recursive: true });
      writeFileSync(path.join(workspace, name), content);
    }
    const files = names.map((name) => [name, hash]);
    expect(bound(workspace, "npx -y @biomejs/biome@1.9.4 check")).toEqual({ ok: true, files });
    expect(bound(workspace, "npx --package=@biomejs/biome biome check")).toEqual({ ok: true, files });
  });

  test("bytes count, not what they decode to", () => {
    const workspace = project();
    const [before, after] = [0x80, 0x81].map((byte) => {
      writeFileSync(path.join(workspace, "check.sh"), Buffer.from([byte]));
      return bound(workspace, "./check.sh");
    });
    expect(before).toEqual({ ok: true, files: [["check.sh", sha256(Buffer.from([0x80]))]] });
    expect(after).toEqual({ ok: true, files: [["check.sh", sha256(Buffer.from([0x81]))]] });
  });

  test("a project may lie where a shell would have to be quoted", () => {
    const workspace = project("my (old) project");
    const files = [["check.sh", hash]];
    expect(bound(workspace, '"$CLAUDE_PROJECT_DIR"/check.sh')).toEqual({ ok: true, files });
    expect(bound(workspace, "bash", [path.join(workspace, "check.sh")])).toEqual({ ok: true, files });
    expect(bound(workspace, "$CLAUDE_PROJECT_DIR/check.sh")).toMatchObject({
      ok: false,
      why: "it names the project's directory without double quotes",
    });
  });
});

describe("a hook whose files cannot be told for certain", () => {
  const more = (character: string) => `it is more than a program with its words (${JSON.stringify(character)})`;
  const variable = "it uses a variable or a substitution";
  const code = "it has code on its command line";
  const words = (word: string) => `the word ${JSON.stringify(word)} could be more than a name`;
  const climbs = (word: string) => `${JSON.stringify(word)} has a .. behind another name, which may be a link`;
  const elsewhere = (word: string) =>
    `${JSON.stringify(word)} leads to /proc or /dev, where every program finds something else`;
  test.each<[string, readonly string[] | undefined, string]>([
    ["", undefined, "it names no program"],
    ['"$' + '{CLAUDE_PROJECT_DIR:-.}"/check.sh', undefined, variable],
    ["$PWD/check.sh", undefined, more("$")],
    ["$CLAUDE_PROJECT_DIRX/check.sh", undefined, more("$")],
    ['"$(pwd)/check.sh"', undefined, variable],
    ["$'./check.sh'", undefined, more("$")],
    ["`pwd`/check.sh", undefined, more("`")],
    ['"`pwd`/check.sh"', undefined, more('"')],
    ["./che\\ck.sh", undefined, more("\\")],
    ['"./che\\ck.sh"', undefined, more('"')],
    ["'./check.sh", undefined, more("'")],
    ["./check.s?", undefined, more("?")],
    ["./ch*", undefined, more("*")],
    ["./[c]heck.sh", undefined, more("[")],
    ["{./check.sh,}", undefined, more("{")],
    ["~/check.sh", undefined, more("~")],
    ["true; ./check.sh", undefined, more(";")],
    ["true\n./check.sh", undefined, more("\n")],
    ["true | ./check.sh", undefined, more("|")],
    ["true && ./check.sh", undefined, more("&")],
    ["bash < ./check.sh", undefined, more("<")],
    ["PATH=sub check.sh", undefined, "it sets a variable"],
    ["env PATH=sub check.sh", undefined, "it names sub, and it is a directory"],
    ["env -C sub ./check.sh", undefined, "it names sub, and it is a directory"],
    ["env -Csub ./check.sh", undefined, "it names sub, and it is a directory"],
    ["node .", undefined, "it names ., and it is a directory"],
    ["node ./sub", undefined, "it names ./sub, and it is a directory"],
    ["node ./check", undefined, "it names ./check, which is no file of the project"],
    ["node -r./check", undefined, "it names -r./check, which is no file of the project"],
    ["../check.sh", undefined, "it names ../check.sh, which is no file of the project"],
    ["/proc/self/cwd/check.sh", undefined, elsewhere("/proc/self/cwd/check.sh")],
    ["node --import file:/proc/self/cwd/check.sh", undefined, elsewhere("file:/proc/self/cwd/check.sh")],
    ["bash /dev/stdin", undefined, elsewhere("/dev/stdin")],
    ["bash sub/../check.sh", undefined, climbs("sub/../check.sh")],
    ["./sub/../check.sh", undefined, climbs("./sub/../check.sh")],
    ["node -rsub/.//../check.sh", undefined, climbs("-rsub/.//../check.sh")],
    ["bash", ["sub/../check.sh"], climbs("sub/../check.sh")],
    ["bash -c 'exec ./check.sh'", undefined, '"exec ./check.sh" is no file of the project'],
    ["bash -c './che\"\"ck.sh'", undefined, words('./che""ck.sh')],
    ["bash", ["-c", "cd sub;./check.sh"], words("cd sub;./check.sh")],
    ["bash", ["-c", "$CLAUDE_PROJECT_DIR/check.sh"], words("$CLAUDE_PROJECT_DIR/check.sh")],
    ["node", ["-e", 'require("./check.sh")'], words('require("./check.sh")')],
    ["node", ["--import", "file:./%63heck.sh"], words("file:./%63heck.sh")],
    ["perl -e @INC=q-.-,do+q-evil.pl-", undefined, code],
    ["perl", ["-e", "@INC=q-.-,do+q-evil.pl-"], code],
    ["perl -lane 1", undefined, code],
    ["node -p 1", undefined, code],
    ["python3 -Ic 1", undefined, code],
    ["deno eval 1", undefined, code],
    ["timeout 5 node -e 1", undefined, code],
    ["npx -c ls", undefined, code],
    ["env -Snode check", undefined, "env is given more than variables and a program"],
    ["npx @biomejs/biome check ./src", undefined, "it names ./src, which is no file of the project"],
    ["npx -y @biomejs/biome @own/x", undefined, "it names @own/x, which is no file of the project"],
    ["npx @biomejs/biome/x", undefined, "it names @biomejs/biome/x, which is no file of the project"],
    ["npx tsx @biomejs/biome", undefined, "it names @biomejs/biome, which is no file of the project"],
    ["./npx @biomejs/biome", undefined, "it names ./npx, which is no file of the project"],
    ["node check", undefined, "it would run check, which is no file of the project"],
    ["bash absent", undefined, "it would run absent, which is no file of the project"],
    ["node -r pack hook", undefined, "it would run pack, which is no file of the project"],
    ["node --import=pack hook", undefined, "it would run pack, which is no file of the project"],
    ["node --run lint", undefined, "node would run what it does not name"],
    ["node --test", undefined, "node would run what it does not name"],
    ["true", Array.from({ length: 4_100 }, () => "x"), "it has too many words"],
  ])("%s %j", (command, args, why) => {
    expect(bound(project(), command, args)).toMatchObject({ ok: false, why });
  });

  test("a program that is a link to one of the machine", () => {
    const workspace = project();
    symlinkSync("/usr/bin/env", path.join(workspace, "tool"));
    const why = "env is given more than variables and a program";
    expect(bound(workspace, "./tool -Snode check")).toMatchObject({ ok: false, why });
  });

  test("more files than anybody would look at", () => {
    const workspace = project();
    const names = Array.from({ length: 21 }, (_, at) => `f${at}`);
    for (const name of names) writeFileSync(path.join(workspace, name), content);
    const why = "it names more than 20 files of the project";
    expect(bound(workspace, `cat ${names.join(" ")}`)).toEqual({ ok: false, why });
  });

  test.each<[string, (file: string) => void, string]>([
    [
      "too large",
      (file) => truncateSync(file, 16 * 1024 * 1024 + 1),
      "it has 16.1 MiB, and 16 MiB is the most that is looked at",
    ],
    [
      "a link in a circle",
      (file) => {
        rmSync(file);
        symlinkSync("check.sh", file);
      },
      "it cannot be read (ELOOP)",
    ],
    [
      "a device",
      (file) => {
        rmSync(file);
        symlinkSync("/dev/zero", file);
      },
      "it is no regular file",
    ],
  ])("a file that is %s", (_what, change, why) => {
    const workspace = project();
    change(path.join(workspace, "check.sh"));
    expect(bound(workspace, "./check.sh")).toMatchObject({ ok: false, why: `it names ./check.sh, and ${why}` });
  });
});
