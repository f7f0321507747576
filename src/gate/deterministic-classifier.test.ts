import { describe, expect, test } from "vitest";
import { questionOf } from "../../test/gate-matrix/asking.ts";
import { makeFixture } from "../../test/gate-matrix/fixture.ts";
import type { ClassifierPort } from "../contract/gate.ts";
import { createClassifier } from "./deterministic-classifier.ts";

async function classify(call: (root: string, home: string) => string, next?: ClassifierPort) {
  const fixture = makeFixture({ "a.txt": "x", "build/out.js": "x" });
  const question = await questionOf(fixture, call(fixture.root, fixture.home));
  return createClassifier(next).classify(question, new AbortController().signal);
}

const sure: ClassifierPort = { classify: async () => ({ decision: "allow", reason: "sure" }) };

describe("obvious destruction is denied, before any other classifier", () => {
  test.each<[string, (root: string, home: string) => string]>([
    ["the root", () => "bash rm -rf /"],
    ["everything in the root", () => "bash rm -rf /*"],
    ["everything in the root, in a loop", () => "bash for f in a b; do rm --recursive //*; done"],
    ["a top-level directory", () => "bash rm -rf /usr"],
    ["the home directory", (_, home) => `bash rm -rf ${home}`],
    ["the workspace", (root) => `bash rm -rf ${root}`],
    ["what holds the workspace", () => "bash rm -rf .."],
    ["behind something harmless", () => "bash ls && rm -fr /"],
    ["a new file system", () => "bash mkfs.ext4 /dev/sda1"],
    ["a new file system by path", () => "bash /sbin/mkfs -t ext4 /dev/sdb"],
    ["a wiped disk", () => "bash wipefs -a /dev/sda"],
    ["a disk written over", () => "bash dd if=/dev/zero of=/dev/sda bs=1M"],
    ["a disk written to", () => "bash echo x > /dev/sda"],
    ["a fork bomb", () => "bash :(){ :|:& };:"],
    ["a fork bomb under a name", () => "bash boom() { boom | boom & }; boom"],
    ["rights of everything", () => "bash chmod -R 777 /"],
    ["owner of everything", () => "bash chown -R nobody /etc"],
  ])("%s", async (_name, call) => {
    const answer = await classify(call, sure);
    expect(answer).toEqual({ decision: "deny", reason: expect.any(String) });
  });
});

describe("the rest is for somebody else to say", () => {
  const harmless: readonly [string][] = [
    ["edit a.txt"],
    ["bash npm test"],
    ["bash rm -rf build"],
    ["bash rm a.txt"],
    ["bash dd if=a.txt of=b.txt"],
    ["bash echo x > /dev/null"],
    ["bash chmod -R u+w build"],
    ["bash chmod 644 a.txt"],
    ["bash echo mkfs"],
  ];
  test.each(harmless)("%s", async (call) => {
    expect(await classify(() => call)).toEqual({ decision: "ask", reason: "the user decides" });
    expect(await classify(() => call, sure)).toEqual({ decision: "allow", reason: "sure" });
  });
});
