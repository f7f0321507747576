import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { SandboxProfile } from "../../contract/verdict.ts";
import { maskFor, prepareGit } from "./prepare-git.ts";

let root: string;
const at = (...parts: string[]) => join(root, ...parts);

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "prepare-git-")));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(name: string, content = ""): void {
  mkdirSync(dirname(at(name)), { recursive: true });
  writeFileSync(at(name), content);
}

function exception(name: string) {
  return { path: at(name), scope: "tree", reason: "a secret" } as const;
}

function prepare(profile: Partial<SandboxProfile> = {}, placeholders: readonly string[] = []) {
  const whole = { readable: [root], writable: [], protected: [], masked: [], network: "none", ...profile } as const;
  return prepareGit({
    profile: whole,
    roots: [root],
    closedInHistory: "closed\n",
    ownConfiguration: { path: "/run/home/.gitconfig", content: "" },
    placeholders: placeholders.map((name) => ({ path: at(name), kind: "directory" })),
  });
}

const link = () => ({ path: at(".git/info/attributes"), target: "/run/git-attributes-0" });

describe("attributes", () => {
  test("stand in the place of the repository's own, beside the rest of .git/info", () => {
    write(".git/info/exclude");
    write(".git/info/attributes", "* diff\n");
    const { files, mounts } = prepare();
    expect(mounts).toEqual([
      { kind: "rebuild", path: at(".git/info"), shown: [at(".git/info/exclude")], links: [link()] },
    ]);
    expect(files).toEqual([{ path: "/run/git-attributes-0", content: "closed\n" }]);
  });

  test("where there is no .git/info, .git is rebuilt for a command that only reads", () => {
    write(".git/HEAD");
    mkdirSync(at(".git/objects"));
    symlinkSync("elsewhere", at(".git/linked"));
    expect(prepare().mounts).toEqual([
      {
        kind: "rebuild",
        path: at(".git"),
        shown: [at(".git/HEAD"), at(".git/objects")],
        links: [{ path: at(".git/linked"), target: "elsewhere" }, link()],
      },
    ]);
  });

  test("a link in its place is not followed", () => {
    mkdirSync(at(".git"));
    mkdirSync(at("other"));
    symlinkSync("../other", at(".git/info"));
    expect(prepare().mounts).toEqual([{ kind: "rebuild", path: at(".git"), shown: [], links: [link()] }]);
  });

  test("for one that writes they lie in the placeholder, or nothing is put on at all", () => {
    mkdirSync(at(".git"));
    expect(prepare({ writable: [root] }, [".git/info"]).mounts).toEqual([
      { kind: "rebuild", path: at(".git/info"), shown: [], links: [link()] },
    ]);
    expect(prepare({ writable: [root] }).mounts).toEqual([]);
  });

  test("for one that writes elsewhere, .git is rebuilt as for one that only reads", () => {
    mkdirSync(at(".git"));
    expect(prepare({ writable: [root], protected: [at(".git")] }).mounts).toEqual([
      { kind: "rebuild", path: at(".git"), shown: [], links: [link()] },
    ]);
  });

  test("name the paths that are closed for this command", () => {
    write(".git/info/exclude");
    const { files } = prepare({
      masked: [exception("a b.txt")],
      kept: { paths: [exception("private")], alone: true },
    });
    const content = 'closed\n"/a b.txt" -diff\n"/a b.txt/**" -diff\n/private -diff\n/private/** -diff\n';
    expect(files).toEqual([{ path: "/run/git-attributes-0", content }]);
  });

  test("take drivers away where there are any, and filters only from commands that write nothing", () => {
    write(".git/config", '[filter "x"]\n\tclean = y\n[diff "x"]\n\ttextconv = y\n');
    const contentOf = (profile: Partial<SandboxProfile>) => {
      const [file] = prepare(profile).files;
      return file !== undefined && "content" in file ? file.content : undefined;
    };
    expect(contentOf({})).toBe("* !diff\n* -filter\nclosed\n");
    expect(contentOf({ writable: [root] })).toBe("* !diff\nclosed\n");
  });

  test("take drivers away from a configuration that is a link, which git follows", () => {
    write("elsewhere", '[diff "x"]\n\ttextconv = y\n');
    write(".git/HEAD");
    symlinkSync(at("elsewhere"), at(".git/config"));
    expect(prepare().files).toEqual([{ path: "/run/git-attributes-0", content: "* !diff\n* -filter\nclosed\n" }]);
  });

  test("are left out where there is no repository", () => {
    expect(prepare()).toMatchObject({ files: [], mounts: [] });
    write(".git", "gitdir: /elsewhere\n");
    expect(prepare()).toMatchObject({ files: [], mounts: [] });
  });
});

test("closed files are excluded from what is added, placeholders from everything", () => {
  const masked = [exception("new/.env")];
  const excludes = (profile: Partial<SandboxProfile>) => prepare(profile, [".mcp.json"]).files;
  expect(excludes({ masked })).toEqual([{ path: "/run/git-excludes", content: "/.mcp.json\n" }]);
  expect(excludes({ masked, writable: [root] })).toEqual([
    { path: "/run/git-excludes", content: "/.mcp.json\n/new/.env\n" },
  ]);
});

describe("files that git would record as emptied", () => {
  const kept = (alone: boolean) => ({ paths: [exception(".env")], alone });
  const profile = (alone: boolean): SandboxProfile => ({
    readable: [],
    writable: [root],
    protected: [],
    masked: [exception("state")],
    kept: kept(alone),
    network: "none",
  });

  test.each([
    ["git alone and nothing to run", true, '[core]\n\tbare = false\n[remote "origin"]\n\turl = x\n', false],
    ["something beside git", false, "", true],
    ["a filter", true, '[filter "x"]\n\tclean = y\n', true],
    ["a merge driver", true, '[merge "x"]\n\tdriver = y\n', true],
    ["an included file", true, "[include]\n\tpath = y\n", true],
    ["a section that nobody knows", true, "[new]\n\tx = y\n", true],
    ["a program of a remote", true, '[remote "x"]\n\tuploadpack = y\n', true],
  ])("with %s", (_name, alone, config, sealed) => {
    write(".git/config", config);
    const masked = sealed ? [exception("state"), exception(".env")] : [exception("state")];
    expect(maskFor(profile(alone), [root])).toEqual({ masked, sealed: sealed ? [at(".env")] : [] });
  });

  test("with submodules", () => {
    write(".gitmodules", '[submodule "x"]\n\tpath = x\n\turl = y\n');
    expect(maskFor(profile(true), [root]).sealed).toEqual([at(".env")]);
  });
});
