import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { sha256 } from "../contract/digest.ts";
import { hashFile } from "../host/hash-file.ts";
import { readSmallText } from "../host/read-small-text.ts";
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

/** The same with these files in its node_modules. */
function install(files: Readonly<Record<string, string>>): string {
  const workspace = project();
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(workspace, "node_modules", name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return workspace;
}

function bound(workspace: string, command: string, args?: readonly string[]) {
  return namedFiles(
    { command, ...(args === undefined ? {} : { args: [...args] }) },
    {
      workspace,
      hashFile,
      readText: readSmallText,
    },
  );
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
    ["bash", ["./check.sh", "--strict"], ["check.sh"]],
    ["node", ["-r./check.sh", "--require=./a@b.sh"], ["check.sh", "a@b.sh"]],
    ["./my check.sh", [], ["my check.sh", "check.sh"]],
    ["bash", ["./my check.sh", ""], ["my check.sh", "check.sh"]],
    ["node hook", undefined, ["hook.js"]],
    ["node ./hook --strict", undefined, ["hook.js"]],
    ["node --no-warnings hook -e", undefined, ["hook.js"]],
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

  test.each<[command: string, files: Readonly<Record<string, string>>, expected: readonly string[]]>([
    ["npx tsc --noEmit", { ".bin/tsc": "" }, ["node_modules/.bin/tsc"]],
    ["npx tsx hook", { ".bin/tsx": "" }, ["hook.js", "node_modules/.bin/tsx"]],
    [
      "npx -y -q --no --no-install --yes --quiet lint --fix -p",
      { ".bin/lint": "", "lint/package.json": "{}", "../package.json": '{"name":"x","bin":{"other":"x.js"}}' },
      ["node_modules/.bin/lint", "node_modules/lint/package.json"],
    ],
    [
      "npx @own/lint check check.sh",
      { ".bin/lint": "", "@own/lint/package.json": '{"name":"@own/lint","bin":{"lint":"x","y":"z"}}' },
      ["check.sh", "node_modules/.bin/lint", "node_modules/@own/lint/package.json"],
    ],
    [
      "/usr/bin/npx @own/lint",
      { ".bin/lint": "", "@own/lint/package.json": '{"name":"@own/lint","bin":"x"}' },
      ["node_modules/.bin/lint", "node_modules/@own/lint/package.json"],
    ],
    [
      "npx lint",
      { ".bin/lint": "", ".bin/node": "", ".bin/sh": "", ".bin/other": "", "../.npmrc": "" },
      ["node_modules/.bin/lint", ".npmrc", "node_modules/.bin/node", "node_modules/.bin/sh"],
    ],
    ["npm run lint", { ".bin/node": "", ".bin/lint": "" }, ["node_modules/.bin/node"]],
    ["bun run lint", { ".bin/python3": "" }, ["node_modules/.bin/python3"]],
    ["yarn lint", { ".bin/env": "" }, ["node_modules/.bin/env"]],
  ])("%s, of what is installed: %j", (command, files, expected) => {
    const outcome = bound(install(files), command);
    expect(outcome.ok ? outcome.files.map(([file]) => file) : outcome.why).toEqual(expected);
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
    ["env -Snode check", undefined, "env is given more than variables and a program"],
    ["npx @biomejs/biome check ./src", undefined, "it names ./src, which is no file of the project"],
    ["npx -y @biomejs/biome @own/x", undefined, "it names @own/x, which is no file of the project"],
    ["npx @own/x @own/x", undefined, "it names @own/x, which is no file of the project"],
    ["npx tsx @biomejs/biome", undefined, "it names @biomejs/biome, which is no file of the project"],
    ["./npx lint", undefined, "it names ./npx, which is no file of the project"],
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

  const given = (option: string) => `npx is given ${option}, and could run something else with it`;
  const told = (word: string) => `npx is told ${word}, which is no plain name of an installed command`;
  const instead = (launcher: string) =>
    `${launcher} would run what cannot be bound; npx and the name of an installed command can be`;
  const own = (name: string) => `npx would run ${name} of the project's own package`;
  const otherwise = "npx would run a command of @own/lint that is called otherwise";
  const scoped = (text: string) => ({ ".bin/lint": "", "@own/lint/package.json": text });
  test.each<[command: string, files: Readonly<Record<string, string>>, why: string]>([
    ["npx", {}, "npx is told no command"],
    ["npx -y", {}, "npx is told no command"],
    ["npx lint", {}, "npx would run lint, which is not installed in the project"],
    ["npx lint", { "lint/package.json": "{}" }, "npx would run lint, which is not installed in the project"],
    ["npx -c ls", {}, given("-c")],
    ["npx -p typescript tsc", { ".bin/tsc": "" }, given("-p")],
    ["npx --package=typescript tsc", { ".bin/tsc": "" }, given("--package")],
    ["npx -- lint", { ".bin/lint": "" }, given("--")],
    ["npx --cache .cache lint", { ".bin/lint": "" }, given("--cache")],
    ["npx lint@1.2.3", { ".bin/lint": "" }, told("lint@1.2.3")],
    ["npx @own/lint/x", { ".bin/x": "" }, told("@own/lint/x")],
    ["npx ./lint", { ".bin/lint": "" }, told("./lint")],
    ["bunx lint", { ".bin/lint": "" }, instead("bunx")],
    ["pnpx lint", { ".bin/lint": "" }, instead("pnpx")],
    ["pnpm dlx lint", { ".bin/lint": "" }, instead("pnpm")],
    ["pnpm --silent exec lint", { ".bin/lint": "" }, instead("pnpm")],
    ["yarn dlx lint", { ".bin/lint": "" }, instead("yarn")],
    ["npm --loglevel run exec lint", { ".bin/lint": "" }, instead("npm")],
    ["bun x lint", { ".bin/lint": "" }, instead("bun")],
    ["env A=b npx lint", { ".bin/lint": "" }, instead("npx")],
    ["timeout 5 npx lint", { ".bin/lint": "" }, instead("npx")],
    ["bash -c 'npx lint'", { "../npx lint": "", ".bin/lint": "" }, instead("npx")],
    ["npx npm exec lint", { ".bin/npm": "", ".bin/lint": "" }, instead("npm")],
    ["npx -y npx lint", { ".bin/npx": "", ".bin/lint": "" }, instead("npx")],
    ["npx nodemon --exec npx lint", { ".bin/nodemon": "", ".bin/lint": "" }, instead("npx")],
    ["npx lint", { ".bin/lint": "", "../package.json": '{"bin":{"lint":"x.js"}}' }, own("lint")],
    ["npx lint", { ".bin/lint": "", "../package.json": '{"name":"@x/lint","bin":"x.js"}' }, own("lint")],
    ["npx lint", { ".bin/lint": "", "../package.json": '{"directories":{"bin":"b"}}' }, own("lint")],
    [
      "npx lint",
      { ".bin/lint": "", "../package.json": "{}//" },
      "a package.json that npx reads is none that can be read",
    ],
    ["npx @own/lint", scoped('{"name":"@own/lint","bin":{"other":"x"}}'), otherwise],
    ["npx @own/lint", scoped('{"name":"@own/lint","bin":{"other":"x","lint":"x"}}'), otherwise],
    ["npx @own/lint", scoped('{"name":"@own/other","bin":"x"}'), otherwise],
    ["npx @own/lint", { ".bin/lint": "" }, otherwise],
  ])("%s, of what is installed: %j", (command, files, why) => {
    expect(bound(install(files), command)).toEqual({ ok: false, why });
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
