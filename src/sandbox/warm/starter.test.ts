import { Buffer } from "node:buffer";
import { mkdtempSync, openSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Pipes } from "../../host/process/pipes.ts";
import { childrenOf, isLiving } from "../../host/process/process-table.ts";
import { findProgram } from "../plan/toolchains.ts";
import { DescriptorList } from "../run/descriptor-list.ts";
import { mostDescriptors, Starter, statusAt } from "./starter.ts";

const bash = required("bash");
let base: string;
let pipes: Pipes;
let lists: DescriptorList[];
let starters: Starter[];

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "starter-")));
  pipes = new Pipes({ directory: base, mkfifo: required("mkfifo") });
  lists = [];
  starters = [];
});

afterEach(async () => {
  for (const starter of starters) starter.rest();
  for (const list of lists) list.close();
  pipes.rest();
  await expect.poll(ownStarters).toEqual([]);
  rmSync(base, { recursive: true, force: true });
});

function required(program: string): string {
  const found = findProgram(program, ["/usr/bin", "/bin"]);
  if (found === undefined) throw new Error(`${program} is not installed`);
  return found;
}

function ownStarters(): readonly number[] {
  return childrenOf(process.pid).filter(isLiving);
}

function starterOf(text: string): Starter {
  const starter = Starter.spawn(bash, [bash, "--noprofile", "--norc", "-c", text, "bash"]);
  if (starter === undefined) throw new Error("No starter could be started");
  starters.push(starter);
  return starter;
}

function given(content: string, more: readonly (number | "closed")[] = []) {
  const list = new DescriptorList();
  lists.push(list);
  const path = join(base, "given");
  writeFileSync(path, content);
  list.add("channel");
  list.add(openSync(path, "r"));
  for (const one of more) list.add(one);
  return { descriptors: list.given, written: new Set<number>(), words: list.keep(openSync(path, "r")) };
}

async function start(starter: Starter, request = given("content\n")) {
  let said = "";
  const listen = (chunk: Uint8Array) => {
    said += Buffer.from(chunk).toString();
  };
  const spawned = await starter.start({
    ...request,
    pipes,
    ownLevels: 0,
    graceMs: 1_000,
    onStdout: listen,
    onStderr: listen,
  });
  if (spawned === undefined) return undefined;
  const ended = spawned.ended.then(async (exit) => {
    await spawned.drain();
    spawned.channel?.destroy();
    return { ...exit, said };
  });
  return { spawned, ended, said: () => said };
}

/** What bubblewrap would report. */
const report = (code: number) => `printf '{ "exit-code": ${code} }\\n' >&198`;

describe("a process that a starter started", () => {
  test("has what it was given and nothing else, and tells how it ended", async () => {
    // The list of descriptors is read through one more, the lowest that is free.
    const text = `cat <&4; env | grep -v ^_= | sort; (cd /proc/self/fd && echo *); ${report(7)}; exit 7`;
    const started = await start(starterOf(text));
    const said = "content\nPWD=/\nSHLVL=1\n0 1 198 199 2 3 4 5\n";
    expect(await started?.ended).toEqual({ exitCode: 7, signal: null, said });
  });

  test("is ended as a whole when asked", async () => {
    const started = await start(starterOf("sleep 1000 & echo both; wait"));
    // Bubblewrap takes what it started with it. A shell that is ended while it forks would leave its child behind.
    await expect.poll(() => started?.said()).toBe("both\n");
    await started?.spawned.kill();
    expect(await started?.ended).toEqual({ exitCode: null, signal: "SIGKILL", said: "both\n" });
    expect(started && isLiving(started.spawned.pid)).toBe(false);
  });

  test("goes on when its starter may rest, which then ends with it", async () => {
    const starter = starterOf(`read -r word <&3; echo "$word"; ${report(0)}`);
    const started = await start(starter);
    starter.rest();
    expect(starter.usable).toBe(false);
    expect(await start(starter)).toBeUndefined();
    started?.spawned.channel?.write("hello\n");
    expect(await started?.ended).toEqual({ exitCode: 0, signal: null, said: "hello\n" });
    await expect.poll(ownStarters).toEqual([]);
  });
});

describe("a starter", () => {
  test("takes along whatever is left in its group when it ends", async () => {
    const starter = starterOf(`sleep 300 <&- >&- 2>&- ${statusAt}>&- & echo $!`);
    const started = await start(starter);
    const left = Number((await started?.ended)?.said);
    expect(isLiving(left)).toBe(true);
    starter.rest();
    await expect.poll(() => isLiving(left)).toBe(false);
  });

  test("starts as many as it has lines, and each has its own", async () => {
    const starter = starterOf(`read -r word <&3; echo "$word" >&3; ${report(0)}`);
    const heard: string[] = [];
    for (let count = 0; starter.usable; count++) {
      const started = await start(starter);
      started?.spawned.channel?.on("data", (chunk) => heard.push(String(chunk).trim()));
      started?.spawned.channel?.write(`${count}\n`);
      await started?.ended;
    }
    expect(heard).toEqual(Array.from({ length: 16 }, (_, index) => String(index)));
    expect(await start(starter)).toBeUndefined();
    await expect.poll(ownStarters).toEqual([]);
  });

  test("that cannot open what it should hand on starts nothing, then and later", async () => {
    const starter = starterOf("echo never");
    const missing = { ...given("content\n"), words: 9_999 };
    expect(await start(starter, missing)).toBeUndefined();
    expect(starter.usable).toBe(false);
  });

  test("is not asked for more descriptors than it can number", async () => {
    const starter = starterOf(`echo fine; ${report(0)}`);
    const many = Array.from({ length: mostDescriptors }, () => "closed" as const);
    expect(await start(starter, given("content\n", many))).toBeUndefined();
    expect(await (await start(starter))?.ended).toEqual({ exitCode: 0, signal: null, said: "fine\n" });
  });

  test("that was killed starts nothing any more", async () => {
    const starter = starterOf("exec sleep 1000");
    const [pid] = ownStarters();
    if (pid !== undefined) process.kill(pid, "SIGKILL");
    expect(await start(starter)).toBeUndefined();
    expect(starter.usable).toBe(false);
  });
});
