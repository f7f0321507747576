import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { version } from "./version.ts";

/** The real entry and command line in a real process; only the runtime behind the App is a script. */
const scriptedRuntime = `
import { ok } from "../contract/codes.ts";
import { appWithDoor, observationOf, plainSettings, requestOf } from "../../test/support/surface.ts";

export function createApp(options) {
  let cancel = () => {};
  const app = appWithDoor({
    interrupt: () => {
      process.stderr.write("interrupt\\n");
      cancel();
    },
    call: async (intent, { ask }) => {
      switch (intent.tool) {
        case "environment":
          return observationOf(intent, { user: { text: [options.cwd, options.gauntletHome, options.environment.MARK].join(" ") } });
        case "much":
          return observationOf(intent, { data: { text: "x".repeat(20_000_000) } });
        case "wait":
          process.stderr.write("waiting\\n");
          return new Promise((resolve) => {
            const alive = setInterval(() => {}, 1000);
            cancel = () => {
              clearInterval(alive);
              resolve(observationOf(intent, { ok: false, code: "cancelled", status: "error" }));
            };
          });
        case "stubborn":
          process.stderr.write("waiting\\n");
          return new Promise(() => setInterval(() => {}, 1000));
        case "ask": {
          const interruption = new AbortController();
          cancel = () => interruption.abort();
          const answer = await ask?.(requestOf("req_1"), interruption.signal);
          return observationOf(intent, { user: { text: JSON.stringify(answer ?? "nobody") } });
        }
        default:
          return observationOf(intent);
      }
    },
  });
  return ok({
    ...app,
    settings: () => ok(plainSettings),
    archive: () => ok({
      import: (lines) => {
        const all = [...lines];
        return ok(all.length + " lines, " + all.join("").length + " characters, the last " + all.at(-1)?.slice(-3));
      },
    }),
    notices: () => [],
    close: async () => {},
  });
}
`;

let place = "";
let main = "";
const children: ChildProcessWithoutNullStreams[] = [];
beforeAll(() => {
  place = mkdtempSync(path.join(os.tmpdir(), "gauntlet-launch-"));
  main = path.join(place, "src/main.ts");
  cpSync(import.meta.dirname, path.join(place, "src"), { recursive: true });
  cpSync(path.resolve(import.meta.dirname, "../test/support"), path.join(place, "test/support"), { recursive: true });
  writeFileSync(path.join(place, "src/compose/app.ts"), scriptedRuntime);
  writeFileSync(path.join(place, "package.json"), '{"type":"module"}');
  symlinkSync(path.resolve(import.meta.dirname, "../node_modules"), path.join(place, "node_modules"));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

const environment = { PATH: process.env.PATH, HOME: "/nonexistent", MARK: "marked" };

function run(args: readonly string[], input = "", env = {}) {
  const options = { cwd: place, input, env: { ...environment, ...env }, encoding: "utf8", maxBuffer: 1e9 } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], options);
  return { status, stdout, stderr };
}

function start(args: readonly string[]) {
  const child = spawn(process.execPath, [main, ...args], { cwd: place, env: environment });
  children.push(child);
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    stdout += chunk;
  });
  let stderr = "";
  const heard = new Map<string, () => void>();
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    stderr += chunk;
    for (const [word, tell] of heard) if (stderr.includes(word)) tell();
  });
  return {
    child,
    hears: (word: string) =>
      new Promise<void>((resolve) => (stderr.includes(word) ? resolve() : heard.set(word, resolve))),
    ended: async () => {
      const [code, signal] = await once(child, "close");
      return { code, signal, stdout, stderr };
    },
  };
}

describe("the process", () => {
  it("prints the version without loading anything of the command line", () => {
    const bare = path.join(place, "bare");
    mkdirSync(bare);
    for (const part of ["main.ts", "version.ts"]) cpSync(path.join(import.meta.dirname, part), path.join(bare, part));
    const { status, stdout } = spawnSync(process.execPath, [path.join(bare, "main.ts"), "--version"], {
      encoding: "utf8",
    });
    expect([status, stdout]).toEqual([0, `${version}\n`]);
  });

  it("hands its directory, its environment and its state directory to the runtime", () => {
    const ran = run(["call", "environment", "--cwd", "src"], "", { GAUNTLET_HOME: "state" });
    expect(ran.stdout).toBe(`${place}/src ${place}/state marked\n`);
  });

  it("says that its directory was removed", () => {
    const gone = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@"';
    const words = ["-c", gone, process.execPath, main, "tools", "list"];
    const { status, stderr } = spawnSync("/bin/sh", words, { cwd: place, env: environment, encoding: "utf8" });
    expect([status, stderr.trim().split("\n").length]).toEqual([2, 1]);
  });

  it("writes all of a large answer before it ends", () => {
    const ran = run(["call", "much", "--json"]);
    expect([ran.status, JSON.parse(ran.stdout).data.text.length]).toEqual([0, 20_000_000]);
  });

  it("asks nobody where nobody is, and has no colour there", () => {
    const ran = run(["call", "ask", "{}"], "y\n", { FORCE_COLOR: "1" });
    expect([ran.stdout, ran.stderr.includes("\u001b")]).toEqual(['"nobody"\n', false]);
  });

  it("reads lines of standard input and of a file for an import", () => {
    const text = `${"ä".repeat(70_000)}\n\nlast`;
    expect(run(["sessions", "import"], text).stdout).toBe("3 lines, 70004 characters, the last ast\n");
    writeFileSync(path.join(place, "export.jsonl"), `${text}\n`);
    expect(run(["sessions", "import", "export.jsonl"]).stdout).toBe("3 lines, 70004 characters, the last ast\n");
    expect(run(["sessions", "import", "src"])).toMatchObject({ status: 2, stdout: "" });
  });

  it("fails when its output is lost, and says so", () => {
    const full = openSync("/dev/full", "w");
    const { status, stderr } = spawnSync(process.execPath, [main, "--help"], {
      cwd: place,
      env: environment,
      encoding: "utf8",
      stdio: ["ignore", full, "pipe"],
    });
    closeSync(full);
    expect([status, stderr]).toEqual([
      1,
      "gauntlet: standard output cannot be written: ENOSPC: no space left on device, write\n",
    ]);
  });

  it("keeps compiled code in the state directory only once that exists", () => {
    const home = path.join(place, "home");
    const state = path.join(home, ".gauntlet");
    run(["call", "x"], "", { HOME: home });
    expect(existsSync(state)).toBe(false);
    mkdirSync(state, { recursive: true });
    expect(run(["call", "x"], "", { HOME: home }).status).toBe(0);
    expect(existsSync(path.join(state, "cache/compiled"))).toBe(true);
  });
});

describe("a pipe that is stopped", () => {
  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "by %s interrupts the call, answers it and ends with 130",
    async (signal) => {
      const pipe = start(["pipe"]);
      pipe.child.stdin.write('{"id":"a","tool":"wait","input":{}}\n{"id":"b","tool":"x","input":{}}\n');
      await pipe.hears("waiting");
      pipe.child.kill(signal);
      const ended = await pipe.ended();
      expect([
        ended.code,
        ended.stdout
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line).code),
      ]).toEqual([130, ["cancelled"]]);
    },
  );

  it("while it waits for input ends too", async () => {
    const pipe = start(["pipe"]);
    await pipe.hears("session ses_1");
    pipe.child.kill("SIGINT");
    expect(await pipe.ended()).toMatchObject({ code: 130, stdout: "" });
  });

  it("a second time ends whatever the tool does", async () => {
    const pipe = start(["pipe"]);
    pipe.child.stdin.write('{"tool":"stubborn","input":{}}\n');
    await pipe.hears("waiting");
    pipe.child.kill("SIGINT");
    await pipe.hears("interrupt");
    pipe.child.kill("SIGINT");
    expect(await pipe.ended()).toMatchObject({ code: 130, stdout: "" });
  });

  it("by its reader ends with 130", async () => {
    const pipe = start(["pipe"]);
    pipe.child.stdin.on("error", () => {});
    pipe.child.stdin.write('{"tool":"x","input":{}}\n');
    await once(pipe.child.stdout, "data");
    pipe.child.stdout.destroy();
    const more = setInterval(() => pipe.child.stdin.write('{"tool":"x","input":{}}\n'), 5);
    const [code] = await once(pipe.child, "exit");
    clearInterval(more);
    expect(code).toBe(130);
  });
});

describe("a terminal", () => {
  /** `script` gives the command a terminal. Each text is typed when the one before it stands on the screen. */
  async function type(args: string, keys: readonly (readonly [seen: string, typed: string])[], env = {}) {
    const command = `${JSON.stringify(process.execPath)} ${JSON.stringify(main)} ${args}`;
    const child = spawn("script", ["-qec", command, "/dev/null"], {
      cwd: place,
      env: { ...environment, TERM: "xterm", ...env },
    });
    children.push(child);
    const left = [...keys];
    let screen = "";
    let unread = 0;
    const typeOn = () => {
      for (let next = left[0]; next !== undefined; next = left[0]) {
        const at = screen.indexOf(next[0], unread);
        if (at === -1) return;
        unread = at + next[0].length;
        left.shift();
        child.stdin.write(next[1]);
      }
    };
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      screen += chunk.replaceAll("\r", "");
      typeOn();
    });
    typeOn();
    const [status] = await once(child, "close");
    return { status, screen };
  }

  const choices = "no, with a reason [d]: ";

  it("asks the person and takes the answer", async () => {
    const { status, screen } = await type("call ask '{}'", [
      [choices, "maybe\n"],
      [choices, "d\n"],
      ["Reason (optional, sent to the model): ", "not today\n"],
    ]);
    expect(status).toBe(0);
    expect(screen).toContain("npm test");
    expect(screen).toContain(
      "[y]es, once · yes, for this [s]ession · yes, [a]lways · [n]o (Enter) · no, with a reason [d]: ",
    );
    expect(screen).toContain('{"request":"req_1","by":"person at the terminal","answer":"deny","message":"not today"}');
  });

  it("asks on the terminal itself when the intent came through standard input", async () => {
    writeFileSync(path.join(place, "input.json"), "{}");
    const { status, screen } = await type("call ask - < input.json", [[choices, "n\n"]]);
    expect(status).toBe(0);
    expect(screen).toContain('"answer":"deny"');
  });

  it("takes no answer that was typed before the question stood there", async () => {
    const { screen } = await type("call ask '{}'", [
      ["", "y\n"],
      [choices, "n\n"],
    ]);
    expect(screen).toContain('"answer":"deny"');
  });

  it("ends the question with the call on an interrupt", async () => {
    const { status, screen } = await type("call ask '{}'", [[choices, "\u0003"]]);
    expect(status).toBe(130);
    expect(screen).toContain('"unavailable"');
  });

  it("has colour unless that is not wanted", async () => {
    const green = "\u001b[32m✓\u001b[39m";
    expect((await type("call x", [])).screen).toContain(green);
    expect((await type("call x", [], { NO_COLOR: "1" })).screen).not.toContain(green);
    expect((await type("call x", [], { TERM: "dumb" })).screen).not.toContain(green);
  });
});
