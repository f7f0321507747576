import { linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Mode } from "../../src/contract/verdict.ts";
import { createGauntlet } from "../../src/index.ts";
import { agreeable } from "../support/gauntlet.ts";
import { makeWorkspace } from "../support/workspace.ts";

const places = ["where it usually lies", "somewhere else"] as const;

/** A skill in the state of the runtime, beside what stays closed, with every kind of link to that. */
async function machine(place: (typeof places)[number], mode: Mode) {
  const workspace = makeWorkspace({ "t.txt": "one\ntwo\n" });
  const { root, home } = workspace;
  const store = place === "somewhere else" ? workspace.state : path.join(home, ".gauntlet");
  const skills = path.join(store, "skills");
  const skill = path.join(skills, "mine");
  mkdirSync(path.join(skill, "scripts"), { recursive: true });
  mkdirSync(path.join(store, "credentials"), { recursive: true });
  writeFileSync(path.join(store, "credentials/docs.json"), "token of docs\n");
  writeFileSync(path.join(skill, "SKILL.md"), "---\ndescription: Counts.\n---\nRun scripts/count.sh.\n");
  writeFileSync(path.join(skill, "scripts/count.sh"), 'wc -l < "$1"\n');
  writeFileSync(path.join(skill, ".env"), "TOKEN=abcdefgh12345678\n");
  symlinkSync("../../index.db", path.join(skill, "index"));
  symlinkSync("..", path.join(skills, "all"));
  symlinkSync("../../credentials/docs.json", path.join(skill, "token"));
  const gauntlet = await createGauntlet({ workspace: root, store, home, mode, onAsk: agreeable() });
  onTestFinished(() => gauntlet.close());
  linkSync(path.join(store, "credentials/docs.json"), path.join(skill, "hard"));
  const bash = async (command: string) => {
    const { code, data, model } = await gauntlet.call({ tool: "bash", input: { command } });
    return { code, data, text: model.content.map(({ text }) => text).join("\n") };
  };
  return { gauntlet, bash, skill, skills, store, home };
}

describe.each(places)("skills of the person's own, in the state %s", (place) => {
  test.each<Mode>(["auto", "bypass"])("have scripts that run in the sandbox in %s mode", async (mode) => {
    const { bash, skill, home } = await machine(place, mode);
    const names = [skill, ...(skill.startsWith(home) ? [`~${skill.slice(home.length)}`] : [])];
    for (const name of names) {
      const ran = await bash(`sh ${name}/scripts/count.sh t.txt`);
      expect(ran).toMatchObject({ code: "ok", text: expect.stringMatching(/^2$/m) });
    }
  });

  test("are named to the model by their path", async () => {
    const { gauntlet, skill, store } = await machine(place, "default");
    const taken = await gauntlet.call({ tool: "skill", input: { name: "mine" } });
    expect(taken.summary).toContain(skill);
    const read = await gauntlet.call({ tool: "read", input: { path: `${skill}/scripts/count.sh` } });
    expect(read.code).toBe("ok");
    const closed = await gauntlet.call({ tool: "read", input: { path: `${store}/skillset` } });
    expect(JSON.stringify(closed)).not.toContain(`${store}/skillset is`);
    expect(closed.summary).toContain("<gauntlet state>/skillset");
  });

  test("open nothing else of the state, and nothing to writing", async () => {
    const { bash, skill, skills, store } = await machine(place, "bypass");
    const closed = [
      `cat ${store}/index.db`,
      `ls ${store}`,
      `ls ${skills}`,
      `ls ${store}/sessions`,
      `cat ${store}/credentials/docs.json`,
      `cat ${skill}/../../credentials/docs.json`,
      `cat ${skill}/index`,
      `cat ${skill}/token`,
      `cat ${skill}/hard`,
      `cat ${skill}/.env`,
      `cat ${skills}/all/credentials/docs.json`,
      `cat -- ${skill}/*`,
      `cp -r ${skill} copied`,
      `echo x > ${skill}/scripts/count.sh`,
      `echo x >> ${skill}/new.sh`,
      `rm ${skill}/SKILL.md`,
      `rm -r ${skill}`,
      `mv ${skill} taken`,
      `ln -s /etc ${skill}/out`,
      `chmod 777 ${skill}/SKILL.md`,
    ];
    for (const command of closed) {
      const { code, text } = await bash(command);
      expect([command, code]).toEqual([command, "policy_denied"]);
      expect(text).not.toContain("token of docs");
    }
    const inside = await bash(`sh ${skill}/scripts/count.sh t.txt; node -e 'fs.readdirSync("${store}")'`);
    expect(inside.text).not.toContain("token of docs");
    expect(inside.text).not.toContain("index.db");
  });
});

test("a workspace that holds the state keeps all of it closed", async () => {
  const workspace = makeWorkspace({ "state/skills/mine/run.sh": "echo ran\n" });
  const { root, home } = workspace;
  const store = path.join(root, "state");
  const gauntlet = await createGauntlet({ workspace: root, store, home, mode: "bypass", onAsk: agreeable() });
  onTestFinished(() => gauntlet.close());
  for (const command of ["sh state/skills/mine/run.sh", "echo x > state/skills/mine/run.sh"]) {
    expect(await gauntlet.explain({ tool: "bash", input: { command } })).toMatchObject({
      decision: "deny",
      risk: "R5",
      source: "path_boundary",
    });
  }
});
