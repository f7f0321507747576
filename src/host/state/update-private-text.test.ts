import { spawn, spawnSync } from "node:child_process";
import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fail, ok } from "../../contract/codes.ts";
import { updatePrivateText } from "./private-text.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(os.tmpdir(), "gauntlet-private-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const append = (word: string) => (before: string | undefined) => ok(`${before ?? ""}${word}\n`);

describe("updatePrivateText", () => {
  test("makes the file and its directories for nobody else", () => {
    const file = path.join(directory, "projects", "a", "settings.json");
    expect(updatePrivateText(file, append("one"))).toEqual({ ok: true, value: undefined });
    expect(updatePrivateText(file, append("two"))).toEqual({ ok: true, value: undefined });
    expect(readFileSync(file, "utf8")).toBe("one\ntwo\n");
    expect([statSync(file).mode & 0o777, statSync(path.dirname(file)).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(readdirSync(path.dirname(file))).toEqual(["settings.json"]);
  });

  test("keeps what somebody else wrote in between", () => {
    const file = path.join(directory, "settings.json");
    writeFileSync(file, "one\n");
    const seen: (string | undefined)[] = [];
    const outcome = updatePrivateText(file, (before) => {
      if (seen.push(before) === 1) writeFileSync(file, "one\nother\n");
      return append("mine")(before);
    });
    expect([outcome.ok, seen, readFileSync(file, "utf8")]).toEqual([
      true,
      ["one\n", "one\nother\n"],
      "one\nother\nmine\n",
    ]);
  });

  test("gives up when it never stands still, and leaves the other's text", () => {
    const file = path.join(directory, "settings.json");
    let writes = 0;
    const outcome = updatePrivateText(file, (before) => {
      writeFileSync(file, `${++writes}`);
      return append("mine")(before);
    });
    expect([outcome, readFileSync(file, "utf8"), readdirSync(directory)]).toMatchObject([
      { ok: false, failure: { code: "tool_failed" } },
      "5",
      ["settings.json"],
    ]);
  });

  test("writes nothing when the change is refused", () => {
    const file = path.join(directory, "settings.json");
    expect(updatePrivateText(file, () => fail("bad_request", "no"))).toMatchObject({ failure: { message: "no" } });
    expect(readdirSync(directory)).toEqual([]);
  });

  test("writes where a link leads, and the link stays", () => {
    const [file, real] = [path.join(directory, "settings.json"), path.join(directory, "kept.json")];
    writeFileSync(real, "one\n");
    symlinkSync(real, file);
    expect(updatePrivateText(file, append("two")).ok).toBe(true);
    expect([lstatSync(file).isSymbolicLink(), readFileSync(real, "utf8")]).toEqual([true, "one\ntwo\n"]);
  });

  test("says what is in the way", () => {
    const file = path.join(directory, "settings.json", "below");
    writeFileSync(path.join(directory, "settings.json"), "");
    expect(updatePrivateText(file, append("one"))).toMatchObject({ ok: false, failure: { code: "tool_failed" } });
  });
});

describe("several processes", () => {
  const module = pathToFileURL(path.join(import.meta.dirname, "private-text.ts")).href;
  const program = (work: string) => `import { updatePrivateText } from ${JSON.stringify(module)}; ${work}`;
  const flags = (work: string) => ["--no-warnings", "--input-type=module", "--eval", program(work)];

  function run(work: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, flags(work), { stdio: ["ignore", "pipe", "inherit"] });
      let said = "";
      child.stdout.setEncoding("utf8").on("data", (text) => {
        said += text;
      });
      child.on("error", reject).on("close", () => resolve(said));
    });
  }

  test("each take what no other has taken", async () => {
    const file = path.join(directory, "tokens.json");
    const tokens = Array.from({ length: 300 }, (_, index) => index);
    writeFileSync(file, JSON.stringify(tokens));
    const taking = `
      const taken = [];
      for (let goesOn = true; goesOn; ) {
        let first;
        const outcome = updatePrivateText(${JSON.stringify(file)}, (before) => {
          const [next, ...left] = JSON.parse(before);
          first = next;
          return { ok: true, value: JSON.stringify(left) };
        });
        goesOn = outcome.ok && first !== undefined;
        if (goesOn) taken.push(first);
      }
      console.log(JSON.stringify(taken));`;
    const taken = await Promise.all([1, 2, 3].map(() => run(taking)));
    expect(taken.flatMap((said): number[] => JSON.parse(said)).sort((one, other) => one - other)).toEqual(tokens);
    expect(readdirSync(directory)).toEqual(["tokens.json"]);
  });

  test("that died in the middle leave nothing that holds others up", () => {
    const file = path.join(directory, "settings.json");
    const dying = `updatePrivateText(${JSON.stringify(file)}, () => process.kill(process.pid, "SIGKILL"));`;
    expect(spawnSync(process.execPath, flags(dying)).signal).toBe("SIGKILL");
    expect(readdirSync(directory)).toEqual(["settings.json.lock"]);
    expect(updatePrivateText(file, append("one"))).toEqual({ ok: true, value: undefined });
    expect([readFileSync(file, "utf8"), readdirSync(directory)]).toEqual(["one\n", ["settings.json"]]);
  });
});

test("what somebody else keeps under the name of the lock is neither used nor removed", () => {
  const file = path.join(directory, "settings.json");
  writeFileSync(`${file}.lock`, "theirs");
  expect(updatePrivateText(file, append("one"))).toMatchObject({ ok: false, failure: { code: "tool_failed" } });
  expect(readFileSync(`${file}.lock`, "utf8")).toBe("theirs");
});

describe("a text that is put aside where it cannot be read", () => {
  const isSound = (text: string) => !text.includes("spoiled");

  test.each([
    ["it is spoiled", "spoiled"],
    ["it is too large", "x".repeat(1024 * 1024 + 1)],
  ])("because %s", (_why, text) => {
    const file = path.join(directory, "questions.json");
    const asides: string[] = [];
    const update = () => updatePrivateText(file, append("one"), { isSound, onAside: (aside) => asides.push(aside) });
    writeFileSync(file, text);
    expect([update(), update(), asides]).toEqual([ok(undefined), ok(undefined), [`${file}.unreadable`]]);
    expect([readFileSync(file, "utf8"), readFileSync(`${file}.unreadable`, "utf8") === text]).toEqual([
      "one\none\n",
      true,
    ]);
  });
});
