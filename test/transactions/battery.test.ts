import { fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { battery } from "./battery.ts";
import type { BatteryAnswer, BatteryRequest } from "./battery-child.ts";

const users: readonly { readonly who: string; readonly uid?: number }[] =
  process.getuid?.() === 0 ? [{ who: "root" }, { who: "an unprivileged user", uid: 65534 }] : [{ who: "the user" }];

describe.each(users)("as $who, a command on a view leaves what a plain one leaves", ({ uid }) => {
  const isRoot = uid === undefined && process.getuid?.() === 0;
  const answers = new Map<string, BatteryAnswer>();
  let left: readonly string[] | undefined;
  const child = { exited: Promise.resolve<unknown>(undefined) };

  beforeAll(() => {
    const forked = fork(path.join(import.meta.dirname, "battery-child.ts"), [], {
      execArgv: ["--disable-warning=ExperimentalWarning"],
      env: { PATH: process.env.PATH },
    });
    child.exited = once(forked, "exit");
    const tell = Promise.withResolvers<void>();
    forked.on("message", (answer: BatteryAnswer) => {
      if ("done" in answer) left = answer.left;
      else answers.set(answer.title, answer);
    });
    forked.send({ ...(uid === undefined ? {} : { uid }) } satisfies BatteryRequest);
    child.exited.then(() => tell.resolve());
    return tell.promise;
  }, 240_000);

  afterAll(() => child.exited);

  test.each(battery)("$title", ({ title, differs, fails }) => {
    const answer = answers.get(title);
    const isFailing = fails?.for === "everybody" || (fails?.for === "users" && !isRoot);
    if (isFailing) expect(answer).toMatchObject({ code: "command_failed" });
    else expect(answer).toEqual({ title, code: "ok", differences: [...(differs?.paths ?? [])].sort() });
  });

  test("and nothing of it stays behind", () => expect(left).toEqual([]));
});
