import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { calls } from "./attempt.ts";
import { createEscapeWorld, type EscapeWorld } from "./escape-world.ts";
import { openRemoteSandbox, type RemoteSandbox } from "./remote-sandbox.ts";

const identities = process.getuid?.() === 0 ? [undefined, 65534] : [undefined];
const mostAttempts = 60;

/**
 * Exchanges a directory with a link to the outside and back, each after a time of its own, so that sooner or later
 * bubblewrap looks for what it shows while the link is there, and for where to show it while the directory is.
 */
function exchanging({ workspace, outside }: EscapeWorld): string {
  return [
    `cd ${workspace} && mkdir made-d && echo own > made-d/.env && ln -s ${outside} made-e && echo ready > made-ready`,
    `exec perl -MTime::HiRes=time -e 'sub spin { my $end = time + $_[0]; 1 while time < $end }`,
    `sub exchange { syscall(${calls.renameat2}, -100, my $d = "made-d", -100, my $e = "made-e", 2) }`,
    `until (-e "made-end") { spin(0.001 + rand 0.007); exchange(); spin(0.0004 + rand 0.0036); exchange() }'`,
  ].join("\n");
}

describe.each(identities)("while a command of user %s exchanges directories in the background", (uid) => {
  let world: EscapeWorld;
  let sandbox: RemoteSandbox;

  beforeAll(async () => {
    world = await createEscapeWorld(uid);
    sandbox = await openRemoteSandbox({
      ...(uid !== undefined && { uid }),
      options: {
        backend: "bubblewrap",
        environment: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: world.home },
        toolchains: [],
        passEnvironment: [],
        workspaceRoots: [world.workspace],
      },
    });
  });

  afterAll(async () => {
    await sandbox.kill();
    await world.close();
  });

  test("no other one is ever shown what lies outside, nor writes there", async () => {
    const { outside, profile, token, workspace } = world;
    const job = sandbox.run(exchanging(world), { cwd: workspace, profile });
    await expect.poll(() => existsSync(join(workspace, "made-ready"))).toBe(true);
    // As the gate would have found it a moment before: a secret, in a directory that can be written.
    const masked = [
      ...profile.masked,
      { path: join(workspace, "made-d/.env"), scope: "file", reason: "secret" } as const,
    ];
    const look = "for d in made-d made-e; do cat $d/secret.txt; echo hostile > $d/secret.txt; done 2>/dev/null; true";
    let refused = 0;
    for (let attempt = 0; attempt < mostAttempts; attempt++) {
      const ran = await sandbox.run(look, { cwd: workspace, profile: { ...profile, masked } });
      if (ran.failure?.endsWith("Nothing was run.")) refused++;
      expect(ran.stdout).not.toContain(token);
      expect(readFileSync(join(outside, "secret.txt"), "utf8")).toBe(`${token}\n`);
    }
    writeFileSync(join(workspace, "made-end"), "");
    await job;
    expect(refused).toBeGreaterThan(0);
  });
});
