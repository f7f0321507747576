import { expect, test } from "vitest";
import { questionOf } from "../../test/gate-matrix/asking.ts";
import { makeFixture } from "../../test/gate-matrix/fixture.ts";
import { createClassifier } from "./deterministic-classifier.ts";

/** `ROOT` and `HOME` stand for the workspace and the home directory. */
async function reasonFor(call: string): Promise<string | undefined> {
  const fixture = makeFixture({ "a.txt": "x", "build/out.js": "x" });
  const { root, home } = fixture;
  const question = await questionOf(fixture, call.replaceAll("ROOT", root).replaceAll("HOME", home));
  const { decision, reason } = await createClassifier().classify(question, new AbortController().signal);
  return decision === "deny" ? reason.replaceAll(root, "ROOT").replaceAll(home, "HOME") : undefined;
}

const everything = "it would delete everything in /";
const bomb = "it is a fork bomb";
const rights = (target: string) => `it would change the permissions of everything below ${target}`;

test.each<[string, string | undefined]>([
  ["bash rm -rf /usr", "it would delete /usr and everything in it"],
  ["bash rm -r /usr/local", undefined],
  ["bash rm -rf ROOT", "it would delete ROOT and everything in it"],
  ["bash rm -rf HOME", "it would delete HOME and everything in it"],
  ["bash rm -rf HOME/x", undefined],
  ["bash rm -rf build", undefined],
  ["bash rm /usr", undefined],
  ["bash ls -R /", undefined],
  ["bash cp -r build /srv", undefined],
  ["bash rm -rf /*", everything],
  ["bash rm -R /*", everything],
  ["bash rm --recursive /*", everything],
  ["bash rm -f -r //*", everything],
  ["bash rm  -rf  /.*", everything],
  ["bash rm -f /*", undefined],
  ["bash rm a-r /*", undefined],
  ["bash rm -rf /usr/*", undefined],
  ["bash rm -rf a/ ./*", undefined],
  ["bash ls -r /*", undefined],
  ["bash echo x > /dev/sda", "it would write to the device /dev/sda"],
  ["bash rm /dev/sda", "it would write to the device /dev/sda"],
  ["bash cat /dev/sda", undefined],
  ["bash echo x > /dev/fd/3", undefined],
  ["bash echo x > /dev/shm/a", undefined],
  ["bash echo x > /dev/full", undefined],
  ["bash dd if=a.txt of=/dev/sdb", "it would write to the device /dev/sdb"],
  ["bash sudo dd of=/dev/sdb if=a.txt", "it would write to the device /dev/sdb"],
  ["bash dd if=/dev/sdb of=a.txt", undefined],
  ["bash echo of=/dev/sdb", undefined],
  ["bash mkfs.ext4 x", "mkfs.ext4 would erase its target"],
  ["bash sudo -n mkswap x", "mkswap would erase its target"],
  ["bash /sbin/blkdiscard x", "blkdiscard would erase its target"],
  ["bash xmkfs x", undefined],
  ["bash mkfsx x", undefined],
  ["bash sudo", undefined],
  ["bash chmod -R 777 /", rights("/")],
  ["bash chown -R me /etc/", rights("/etc/")],
  ["bash chgrp -hR me /etc//*", rights("/etc//*")],
  ["bash chmod --recursive 777 HOME", rights("HOME")],
  ["bash chmod 777 /", undefined],
  ["bash chmod -r 777 /", undefined],
  ["bash chmod -R 777 /usr/lib", undefined],
  ["bash chmod -R 777 build", undefined],
  ["bash chmod u-R /etc", undefined],
  ["bash ls -R /etc", undefined],
  ["bash :(){ :|:& };:", bomb],
  ["bash f () { f | f & }; f", bomb],
  ["bash echo; boom(){ boom|boom& }", bomb],
  ["bash f() { g | g & }; f", undefined],
  ["bash f() { f | g & }; f", undefined],
  ["bash f() { f | f; }; f", undefined],
  ["edit a.txt", undefined],
])("%s: %s", async (call, reason) => {
  expect(await reasonFor(call)).toBe(reason);
});
