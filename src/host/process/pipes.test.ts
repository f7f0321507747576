import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, readdirSync, readSync, rmdirSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Pipes } from "./pipes.ts";

const mkfifo = "/usr/bin/mkfifo";

function readAll(descriptor: number): string {
  const buffer = Buffer.alloc(100);
  let text = "";
  for (;;) {
    const count = readSync(descriptor, buffer);
    if (count === 0) return text;
    text += buffer.toString("utf8", 0, count);
  }
}

test("a pipe carries to its end, and serves again as if it were new", () => {
  const pipes = new Pipes({ directory: tmpdir(), mkfifo });
  for (const word of ["first", "second", "third"]) {
    const pipe = pipes.take();
    if (pipe === undefined) throw new Error("No pipe");
    writeSync(pipe.write, word);
    closeSync(pipe.write);
    expect(readAll(pipe.read)).toBe(word);
    closeSync(pipe.read);
    pipe.release(true);
  }
  pipes.rest();
});

test("pipes have no name and leave no directory behind", () => {
  const directory = mkdtempSync(join(tmpdir(), "pipes-"));
  const pipes = new Pipes({ directory, mkfifo });
  const pipe = pipes.take();
  expect(readdirSync(directory)).toEqual([]);
  rmdirSync(directory);
  if (pipe !== undefined) for (const descriptor of [pipe.read, pipe.write]) closeSync(descriptor);
  pipe?.release(false);
  pipes.rest();
});

test("what a killed process left behind is removed, and nothing else", () => {
  const directory = mkdtempSync(join(tmpdir(), "pipes-"));
  const { pid: gone } = spawnSync("true");
  const names = [
    `gauntlet-${gone}-abcdef`,
    `gauntlet-${process.pid}-abcdef`,
    `gauntlet-${gone}`,
    `other-${gone}-abcdef`,
  ];
  for (const name of names) mkdirSync(join(directory, name, "content"), { recursive: true });
  const pipes = new Pipes({ directory, mkfifo });
  const pipe = pipes.take();
  expect(readdirSync(directory)).toEqual(names.slice(1).sort());
  if (pipe !== undefined) for (const descriptor of [pipe.read, pipe.write]) closeSync(descriptor);
  pipe?.release(false);
  pipes.rest();
  rmSync(directory, { recursive: true });
});

test("where none can be made there is none", () => {
  expect(new Pipes({ directory: join(tmpdir(), "missing"), mkfifo }).take()).toBeUndefined();
  expect(new Pipes({ directory: tmpdir(), mkfifo: "/usr/bin/false" }).take()).toBeUndefined();
});
