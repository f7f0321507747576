import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AttackedProcess, startAttackedProcess } from "./attacks/attacked-process.ts";
import { attacks } from "./attacks/attacks.ts";
import { applicable, notApplicable } from "./attacks/published.ts";
import { withoutWalls } from "./attacks/without-walls.ts";
import { attemptsToGain } from "./attempts-to-gain.ts";
import { attemptsToRead } from "./attempts-to-read.ts";
import { attemptsToWrite } from "./attempts-to-write.ts";

const identities =
  process.getuid?.() === 0
    ? [
        { name: "root", uid: undefined },
        { name: "an unprivileged user", uid: 65534 },
      ]
    : [{ name: "this user", uid: undefined }];

describe.concurrent.each(identities)("a session of $name", ({ uid }) => {
  let attacked: AttackedProcess;

  beforeAll(async () => {
    attacked = await startAttackedProcess(uid);
  });

  afterAll(async () => {
    await attacked.close();
  });

  test.each(attacks)("holds against $title", async ({ title }) => {
    expect(await attacked.attempt(title)).toEqual([]);
  });

  test("would not hold without a sandbox, and that would be seen", async () => {
    const breaches = await attacked.attempt(withoutWalls.title);
    const daemons = process.getuid?.() === 0 ? 2 : 1;
    expect(breaches.map(withoutDetail)).toEqual([
      "changed app/.git/config",
      "changed app/.git/hooks/marker",
      "changed app/.mcp.json",
      "changed app/.vscode/settings.json",
      "changed home/marker",
      "changed outside/marker",
      "left a set-id file",
      "read a closed file",
      "hostile code ran",
      "reached the TCP port",
      ...Array<string>(daemons).fill("reached docker"),
      "reached daemon",
      "reached the UDP port",
    ]);
  });
});

/** What happened, without who agreed to it, to what it changed and which name a socket had. */
function withoutDetail(breach: string): string {
  return breach
    .replace("agreed to: ", "")
    .replace(/:.*$/s, "")
    .replace(/^reached \S*(docker|daemon).*$/, "reached $1");
}

test("there are enough attempts, each with a title of its own", () => {
  const titles = attacks.map(({ title }) => title);
  expect(titles.length).toBeGreaterThanOrEqual(300);
  expect(new Set(titles).size).toBe(titles.length);
  const direct = [...attemptsToRead, ...attemptsToWrite, ...attemptsToGain];
  expect(titles.length + direct.length).toBeGreaterThanOrEqual(370);
});

test("every published attack on what this product has is tried", () => {
  const titles = attacks.map(({ title }) => title).join("\n");
  expect(applicable.filter((id) => !titles.includes(id))).toEqual([]);
  expect(Object.keys(notApplicable).filter((id) => titles.includes(id))).toEqual([]);
});
