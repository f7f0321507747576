import { describe, expect, test } from "vitest";
import { makeJudgedProject, verdictsOf } from "./verdict-lines.fixture.ts";

type Table = Readonly<Record<string, readonly string[]>>;

describe("what the gate says, why, and what a process could touch then", () => {
  test("calls without any rule", async () => {
    const project = makeJudgedProject();
    const table: Table = {
      "read src/a.ts": ["allow R1 by mode: reads src/a.ts", "profile; readable .; none"],
      "read .env": [
        "deny policy_denied R5 by path_boundary: reads .env, a secret (environment file)",
        "suggests Read(/.env) for anywhere",
      ],
      "read alias": ["allow R1 by mode: reads src/private/key.txt", "profile; readable .; none"],
      "read out/hosts": [
        "ask R4 by mode: reads /etc/hosts, outside the workspace",
        "suggests Read(//etc/hosts) for anywhere",
        "profile; readable . /etc/hosts; none",
      ],
      "read HOME/x": ["allow R1 by mode: reads HOME/x", "profile; readable .; none"],
      "edit src/a.ts": [
        "ask R2 by mode: writes src/a.ts",
        "suggests Edit(/src/a.ts) for anywhere",
        "profile; readable .; none",
      ],
      "edit package-lock.json": [
        "ask R4 firm by path_boundary: writes package-lock.json, which is a lockfile",
        "profile; readable .; none",
      ],
      "edit sub/.vscode/settings.json": [
        "ask R4 firm by path_boundary: writes sub/.vscode/settings.json, which is protected configuration",
        "profile; readable .; none",
      ],
      "write new.txt": [
        "ask R2 by mode: writes new.txt",
        "suggests Edit(/new.txt) for anywhere",
        "profile; readable .; none",
      ],
      "delete src/a.ts": [
        "ask R4 by mode: deletes src/a.ts",
        "suggests Delete(/src/a.ts) for anywhere",
        "profile; readable .; none",
      ],
      "delete src": [
        "ask R4 by mode: deletes src and all below it",
        "suggests Delete(/src) for anywhere",
        "profile; readable .; none",
      ],
      "delete sub": [
        "ask R4 firm by path_boundary: removes sub, which holds or may hold sub/.vscode",
        "profile; readable .; none",
      ],
      "delete .": ["deny policy_denied R5 by path_boundary: deletes . and all below it, a whole workspace"],
      "move src/a.ts docs/b.ts": [
        "ask R3 by mode: moves src/a.ts",
        "suggests Edit(/{src/a.ts,docs/b.ts}) for anywhere",
        "profile; readable .; none",
      ],
      "list .": [
        "allow R1 by mode: lists . and all below it",
        "closed .env tree: a secret",
        "profile; readable .; masked .env (a secret); none",
      ],
      "grep x .": [
        "allow R1 by mode: reads . and all below it",
        "closed .env tree: a secret",
        "profile; readable .; masked .env (a secret); none",
      ],
      "grep x src": ["allow R1 by mode: reads src and all below it", "profile; readable .; none"],
      "glob **/*.ts": [
        "allow R1 by mode: lists . and all below it",
        "closed .env tree: a secret",
        "profile; readable .; masked .env (a secret); none",
      ],
      "bash ls": [
        "allow R1 by mode: lists .",
        "part ls: allow R1 [] ls only lists",
        "profile only reads; readable .; masked .env (a secret); none",
      ],
      "bash cat src/a.ts": [
        "allow R1 by mode: reads src/a.ts",
        "part cat src/a.ts: allow R1 [] cat only reads",
        "profile only reads; readable .; masked .env (a secret); none",
      ],
      "bash grep -r x .": [
        "allow R1 by mode: reads . and all below it",
        "closed .env tree: a secret",
        "part grep -r x .: allow R1 [] grep only reads",
        "profile only reads; readable .; masked .env (a secret); none",
      ],
      "bash npm test": [
        "ask R3 by mode: runs npm",
        "part npm test: ask R3 [] npm runs code of the project",
        "suggests Bash(npm test) for .",
        "profile; readable .; writable .; protected .git sub/.vscode; masked .env (a secret); none",
      ],
      "bash npm test > out.txt": [
        "ask R3 by mode: runs npm",
        "part npm test: ask R3 [] npm runs code of the project",
        "part > out.txt: ask R2 [] writes by redirection",
        "suggests Bash(npm test), Edit(/out.txt) for .",
        "profile; readable .; writable .; protected .git sub/.vscode; masked .env (a secret); none",
      ],
      "bash frob": [
        "ask R4 by mode: frob is not in the tables",
        "part frob: ask R4 [] frob is not in the tables",
        "suggests Bash(frob) for .",
        "profile; readable .; writable .; protected .git sub/.vscode; masked .env (a secret); none",
      ],
      "bash frob; ls": [
        "ask R4 by mode: frob is not in the tables",
        "part frob: ask R4 [] frob is not in the tables",
        "part ls: allow R1 [] ls only lists",
        "suggests Bash(frob) for .",
        "profile; readable .; writable .; protected .git sub/.vscode; masked .env (a secret); none",
      ],
      "bash rm -rf src": [
        "ask R4 by mode: deletes src and all below it",
        "part rm -rf src: ask R4 [] rm deletes src",
        "suggests Bash(rm -rf src) for .",
        "profile; readable .; writable .; protected .git sub/.vscode; masked .env (a secret); none",
      ],
      "bash rm -rf sub": [
        "ask R4 firm by path_boundary: removes sub, which holds or may hold sub/.vscode",
        "part rm -rf sub: ask R4 [] rm deletes sub",
        "profile; readable .; writable .; protected .git; masked .env (a secret); none",
      ],
      "bash rm -rf . ": [
        "deny policy_denied R5 by path_boundary: deletes . and all below it, a whole workspace",
        "part rm -rf .: deny R5 [] rm deletes .",
      ],
      "bash rm src/a.ts; cat docs/x.md": [
        "ask R4 by mode: deletes src/a.ts",
        "part rm src/a.ts: ask R4 [] rm deletes src/a.ts",
        "part cat docs/x.md: allow R1 [] cat only reads",
        "suggests Bash(rm src/a.ts) for .",
        "profile; readable .; writable .; protected .git sub/.vscode; masked .env (a secret); none",
      ],
      "bash cp -r sub other": [
        "ask R2 firm by path_boundary: writes other, with what sub/.vscode holds",
        "part cp -r sub other: ask R2 [] cp copies sub",
        "profile; readable .; writable .; protected .git sub/.vscode; masked .env (a secret); none",
      ],
      "bash cp -r src other": [
        "ask R2 by mode: writes other and all below it",
        "part cp -r src other: ask R2 [] cp copies src",
        "suggests Bash(cp -r src other) for .",
        "profile; readable .; writable .; protected .git sub/.vscode; masked .env (a secret); none",
      ],
      "bash mv sub other": [
        "ask R3 firm by path_boundary: removes sub, which holds or may hold sub/.vscode",
        "part mv sub other: ask R3 [] mv moves sub",
        "profile; readable .; writable .; protected .git; masked .env (a secret); none",
      ],
      "bash mv src/a.ts docs/": [
        "ask R3 by mode: moves src/a.ts",
        "part mv src/a.ts docs/: ask R3 [] mv moves src/a.ts",
        "suggests Bash(mv src/a.ts docs/) for .",
        "profile; readable .; writable .; protected .git sub/.vscode; masked .env (a secret); none",
      ],
      "bash touch x && cat .env": [
        "deny policy_denied R5 by path_boundary: reads .env, a secret (environment file)",
        "part touch x: ask R2 [] touch only writes",
        "part cat .env: deny R5 [] cat only reads",
        "suggests Read(/.env) for anywhere",
      ],
      "bash cat out/hosts": [
        "ask R4 by mode: reads /etc/hosts, outside the workspace",
        "part cat out/hosts: ask R4 [] cat only reads",
        "suggests Bash(cat out/hosts) for .",
        "profile only reads; readable . /etc/hosts; masked .env (a secret); none",
      ],
      "bash cat .git/objects/ab/cd": [
        "ask R4 by mode: reads .git/objects/ab/cd: the object store holds every version of every file",
        "part cat .git/objects/ab/cd: ask R4 [] cat only reads",
        "suggests Bash(cat .git/objects/ab/cd) for .",
        "profile only reads; readable .; masked .env (a secret); none",
      ],
      "bash cat .git/config": [
        "allow R1 by mode: reads .git/config",
        "part cat .git/config: allow R1 [] cat only reads",
        "profile only reads; readable .; masked .env (a secret); none",
      ],
      "bash echo x > .git/config": [
        "ask R4 firm by path_boundary: writes .git/config, which is protected configuration",
        "part echo x: allow R0 [] echo only prints",
        "part > .git/config: ask R4 [] writes by redirection",
        "profile; readable .; writable .; protected sub/.vscode; masked .env (a secret); none",
      ],
      "bash git status": [
        "allow R1 by mode: reads . and all below it",
        "closed .env tree: a secret",
        "part git status: allow R1 [] git status only reads",
        "profile; readable .; masked .env (a secret); none",
      ],
      "bash git status; grep -ra x .": [
        "allow R1 by mode: reads . and all below it",
        "closed .env tree: a secret",
        "part git status: allow R1 [] git status only reads",
        "part grep -ra x .: allow R1 [] grep only reads",
        "profile; readable .; masked .env (a secret); none",
      ],
      "bash git log && cat src/a.ts": [
        "allow R1 by mode: reads . and all below it; reads src/a.ts",
        "closed .env tree: a secret",
        "part git log: allow R1 [] git log only reads",
        "part cat src/a.ts: allow R1 [] cat only reads",
        "profile; readable .; masked .env (a secret); none",
      ],
      "bash git commit -m x": [
        "ask R3 by mode: runs git",
        "part git commit -m x: ask R3 [] git commit changes the repository",
        "suggests Bash(git commit -m x) for .",
        "profile; readable .; writable .; protected .git/config sub/.vscode; masked .env (a secret); none",
      ],
      "bash git add src && npm test": [
        "ask R3 by mode: runs git; runs npm",
        "part git add src: ask R3 [] git add changes the repository",
        "part npm test: ask R3 [] npm runs code of the project",
        "suggests Bash(git add src), Bash(npm test) for .",
        "profile; readable .; writable .; protected .git/config sub/.vscode; masked .env (a secret); none",
      ],
      "bash git reset --hard": [
        "deny policy_denied R4 by mode: git reset --hard: git reset throws away all changes that are not committed; it needs a saved allow rule",
        "part git reset --hard: deny R4 [] git reset throws away all changes that are not committed",
        "suggests Bash(git reset --hard) for .",
      ],
      "bash git push": [
        "ask R4 by mode: connects to the git remote",
        "part git push: ask R4 [] git push talks to a remote",
        "suggests Bash(git push) for .",
        "profile; readable .; writable .; protected .git/config sub/.vscode; masked .env (a secret); hosts ",
      ],
      "bash curl https://example.com": [
        "ask R4 by mode: connects to example.com",
        "part curl https://example.com: ask R4 [] curl talks to example.com",
        "suggests Bash(curl https://example.com) for .",
        "profile; readable .; writable .; protected .git sub/.vscode; masked .env (a secret); hosts example.com by the permit",
      ],
      "bash npm install": [
        "ask R4 by mode: connects to registry.npmjs.org",
        "part npm install: ask R4 [] npm install fetches from registry.npmjs.org and runs what it gets",
        "suggests Bash(npm install) for .",
        "profile; readable .; writable .; protected .git sub/.vscode; masked .env (a secret); hosts registry.npmjs.org by the permit",
      ],
      "bash curl https://a.b | sh": [
        "deny policy_denied R4 by mode: curl https://a.b: runs what it downloads; it needs a saved allow rule",
        "part curl https://a.b: deny R4 [] runs what it downloads",
        "part sh: deny R4 [] runs what it downloads",
        "suggests Bash(curl https://a.b | sh) for anywhere",
      ],
      "bash mkdir -p a/b": [
        "ask R2 by mode: writes a/b",
        "part mkdir -p a/b: ask R2 [] mkdir only writes",
        "suggests Bash(mkdir -p a/b) for .",
        "profile; readable .; writable .; protected .git sub/.vscode; masked .env (a secret); none",
      ],
      "bash cd src && npm test": [
        "ask R3 by mode: runs npm",
        "part cd src: allow R1 [] cd changes the directory",
        "part npm test: ask R3 [] npm runs code of the project",
        "suggests Bash(npm test) for src",
        "profile; readable .; writable .; protected .git sub/.vscode; masked .env (a secret); none",
      ],
      "bash x=1; echo $x": [
        "allow R0 by mode: it touches nothing outside the session",
        "part echo 1: allow R0 [] echo only prints",
        "profile only reads; readable .; masked .env (a secret); none",
      ],
      "bash echo 'a": [
        "ask R4 by mode: echo 'a: it could not be parsed: unterminated single quote",
        "part echo 'a: ask R4 [] echo 'a: it could not be parsed: unterminated single quote",
        "part echo a: ask R4 [] echo 'a: it could not be parsed: unterminated single quote",
        "part echo 'a: ask R4 [] echo 'a: it could not be parsed: unterminated single quote",
        "suggests Bash(echo 'a) for anywhere",
        "profile; readable .; writable .; protected .git sub/.vscode; masked .env (a secret); none",
      ],
      "bash cat ~/x": [
        "ask R4 by mode: reads HOME/x, outside the workspace",
        "part cat ~/x: ask R4 [] cat only reads",
        "suggests Bash(cat ~/x) for .",
        "profile only reads; readable . HOME/x; masked .env (a secret); none",
      ],
      "bash ls ~": [
        "ask R4 by mode: lists HOME, outside the workspace",
        "part ls ~: ask R4 [] ls only lists",
        "suggests Bash(ls ~) for .",
        "profile only reads; readable . HOME; masked .env (a secret); none",
      ],
    };
    expect(await verdictsOf(Object.keys(table), project)).toEqual(table);
  });

  test("rules that refuse or ask", async () => {
    const project = makeJudgedProject();
    const table: Table = {
      "edit src/a.ts when deny Edit(/src/**)": [
        "deny policy_denied R2 by user: Edit(/src/**) denies it: it covers src/a.ts",
        "rule Edit(/src/**) from user.json",
      ],
      "edit alias when deny Edit(/src/private/**)": [
        "deny policy_denied R2 by user: Edit(/src/private/**) denies it: it covers src/private/key.txt",
        "rule Edit(/src/private/**) from user.json",
      ],
      "read src/a.ts when deny Edit(/src/**)": ["allow R1 by mode: reads src/a.ts", "profile; readable .; none"],
      "read src/a.ts when deny Read(/src/**)": [
        "deny policy_denied R1 by user: Read(/src/**) denies it: it covers src/a.ts",
        "rule Read(/src/**) from user.json",
      ],
      "read ~/x when deny Read(~/x)": [
        "deny policy_denied R4 by user: Read(~/x) denies it: it covers HOME/x",
        "rule Read(~/x) from user.json",
      ],
      "read ~ when ask Read(~)": [
        "ask R4 firm by user: Read(~) asks for it: it covers HOME",
        "rule Read(~) from user.json",
        "profile; readable . HOME; none",
      ],
      "read src/a.ts when deny Read": [
        "deny policy_denied R1 by user: Read denies it: it covers src/a.ts",
        "rule Read from user.json",
      ],
      "bash cat src/a.ts when deny Read": [
        "deny policy_denied R1 by user: Read denies it: it covers src/a.ts",
        "rule Read from user.json",
        "part cat src/a.ts: deny R1 [] cat only reads",
      ],
      "bash npm test when deny Read": [
        "deny policy_denied R3 by user: Read denies it: it covers whatever a program would read",
        "rule Read from user.json",
        "part npm test: deny R3 [] npm runs code of the project",
      ],
      "bash frob when deny Read": [
        "deny policy_denied R4 by user: Read denies it: it covers whatever a program would read",
        "rule Read from user.json",
        "part frob: deny R4 [] frob is not in the tables",
      ],
      "bash curl https://a.b when deny Read": [
        "deny policy_denied R4 by user: Read denies it: it covers whatever a program would read",
        "rule Read from user.json",
        "part curl https://a.b: deny R4 [] curl talks to a.b",
      ],
      "bash npm test when deny Edit": [
        "ask R3 by mode: runs npm",
        "part npm test: ask R3 [] npm runs code of the project",
        "suggests Bash(npm test) for .",
        "profile; readable .; masked .env (a secret); none",
      ],
      "grep x . when deny Read(/src/private/**)": [
        "allow R1 by mode: reads . and all below it",
        "closed .env tree: a secret",
        "closed src/private tree: denied by Read(/src/private/**)",
        "profile; readable .; masked .env (a secret) src/private (denied by Read(/src/private/**)); none",
      ],
      "bash grep -r x . when deny Read(/src/private/**)": [
        "allow R1 by mode: reads . and all below it",
        "closed .env tree: a secret",
        "closed src/private tree: denied by Read(/src/private/**)",
        "part grep -r x .: allow R1 [] grep only reads",
        "profile only reads; readable .; masked .env (a secret) src/private (denied by Read(/src/private/**)) .git/objects (every version of every file); none",
      ],
      "bash grep -r x . when deny Read(/src/private/**) and sandbox external": [
        "ask R1 firm by path_boundary: closed files inside cannot be hidden from it",
        "closed .env tree: a secret",
        "closed src/private tree: denied by Read(/src/private/**)",
        "part grep -r x .: allow R1 [] grep only reads",
        "profile only reads; readable .; masked .env (a secret) src/private (denied by Read(/src/private/**)) .git/objects (every version of every file); none",
      ],
      "bash grep -r x . when ask Read(/src/private/**)": [
        "ask R1 firm by user: Read(/src/private/**) asks for it: it covers src/private",
        "rule Read(/src/private/**) from user.json",
        "closed .env tree: a secret",
        "part grep -r x .: ask R1 [] grep only reads",
        "profile only reads; readable .; masked .env (a secret); none",
      ],
      "bash ls -R . when ask Read(/src/private/**)": [
        "ask R1 firm by user: Read(/src/private/**) asks for it: it covers src/private",
        "rule Read(/src/private/**) from user.json",
        "closed .env tree: a secret",
        "part ls -R .: ask R1 [] ls only lists",
        "profile only reads; readable .; masked .env (a secret); none",
      ],
      "bash ls src when ask Read(/src/private/**)": [
        "allow R1 by mode: lists src",
        "part ls src: allow R1 [] ls only lists",
        "profile only reads; readable .; masked .env (a secret); none",
      ],
      "bash grep -r x docs when ask Read(/src/private/**)": [
        "allow R1 by mode: reads docs and all below it",
        "part grep -r x docs: allow R1 [] grep only reads",
        "profile only reads; readable .; masked .env (a secret); none",
      ],
      "bash cp -r docs src when deny Edit(/src/private/**)": [
        "ask R2 by mode: writes src/docs and all below it",
        "part cp -r docs src: ask R2 [] cp copies docs",
        "suggests Bash(cp -r docs src) for .",
        "profile; readable .; writable .; protected .git src/private sub/.vscode; masked .env (a secret); none",
      ],
      "bash rm -rf src when deny Edit(/src/private/**)": [
        "deny policy_denied R4 by user: Edit(/src/private/**) denies it: it covers src/private",
        "rule Edit(/src/private/**) from user.json",
        "part rm -rf src: deny R4 [] rm deletes src",
      ],
      "bash rm -rf src when deny Edit(/src/nothing/**)": [
        "ask R4 by mode: deletes src and all below it",
        "part rm -rf src: ask R4 [] rm deletes src",
        "suggests Bash(rm -rf src) for .",
        "profile; readable .; writable .; protected .git sub/.vscode; masked .env (a secret); none",
      ],
      "bash rm -rf docs when deny Edit(/src/private/**)": [
        "ask R4 by mode: deletes docs and all below it",
        "part rm -rf docs: ask R4 [] rm deletes docs",
        "suggests Bash(rm -rf docs) for .",
        "profile; readable .; writable .; protected .git src/private sub/.vscode; masked .env (a secret); none",
      ],
      "write src/private/new.txt when ask Edit(/src/private/**)": [
        "ask R2 firm by user: Edit(/src/private/**) asks for it: it covers src/private/new.txt",
        "rule Edit(/src/private/**) from user.json",
        "profile; readable .; none",
      ],
      "bash npm test when deny Bash(npm test)": [
        "deny policy_denied R3 by user: Bash(npm test) denies it: it matches npm test",
        "rule Bash(npm test) from user.json",
        "part npm test: deny R3 [] npm runs code of the project",
      ],
      "bash npm test; ls when deny Bash(npm:*)": [
        "deny policy_denied R3 by user: Bash(npm:*) denies it: it matches npm test",
        "rule Bash(npm:*) from user.json",
        "part npm test: deny R3 [] npm runs code of the project",
        "part ls: allow R1 [] ls only lists",
      ],
      "bash ls when deny Bash(*)": [
        "deny policy_denied R1 by user: Bash(*) denies it: it matches ls",
        "rule Bash(*) from user.json",
        "part ls: deny R1 [] ls only lists",
      ],
      "bash ls when deny Bash": [
        "deny policy_denied R1 by user: Bash denies it: it matches ls",
        "rule Bash from user.json",
        "part ls: deny R1 [] ls only lists",
      ],
      "bash frob; ls when ask Bash(frob:*)": [
        "ask R4 firm by user: Bash(frob:*) asks for it: it matches frob",
        "rule Bash(frob:*) from user.json",
        "part frob: ask R4 [] frob is not in the tables",
        "part ls: allow R1 [] ls only lists",
        "profile; readable .; writable .; protected .git sub/.vscode; masked .env (a secret); none",
      ],
      "bash for i in $MY_TOKEN; do frob x; done when deny Bash(frob:*)": [
        "deny policy_denied R4 by user: Bash(frob:*) denies it: it matches something in what could not be followed",
        "rule Bash(frob:*) from user.json",
        "part for i: ask R4 [] for i: MY_TOKEN of the environment may be a secret",
      ],
      "bash case $MY_TOKEN in a) frob x;; esac when ask Bash(frob x) and mode bypass": [
        "ask R4 firm by user: Bash(frob x) asks for it: it matches something in what could not be followed",
        "rule Bash(frob x) from user.json",
        "part case: ask R4 [] case: MY_TOKEN of the environment may be a secret",
        "profile; readable .; writable .; protected .git sub/.vscode; masked .env (a secret); none",
      ],
      "bash for i in $MY_TOKEN; do ls; done when deny Bash(frob:*)": [
        "ask R4 by mode: for i: MY_TOKEN of the environment may be a secret",
        "part for i: ask R4 [] for i: MY_TOKEN of the environment may be a secret",
        "suggests Bash(for i in $MY_TOKEN; do ls; done) for anywhere",
        "profile; readable .; writable .; protected .git sub/.vscode; masked .env (a secret); none",
      ],
      "bash for i in a b; do frob; done when deny Bash(for i in a b; do frob; done)": [
        "deny policy_denied R4 by user: Bash(for i in a b; do frob; done) denies it: it matches the whole command",
        "rule Bash(for i in a b; do frob; done) from user.json",
        "part frob: deny R4 [] frob is not in the tables",
      ],
      "read src/a.ts when deny read": [
        "deny policy_denied R1 by user: read denies it: it covers src/a.ts",
        "rule read from user.json",
      ],
      "grep x src when deny Read": [
        "deny policy_denied R1 by user: Read denies it: it covers src",
        "rule Read from user.json",
      ],
      "edit src/a.ts when deny Write": [
        "ask R2 by mode: writes src/a.ts",
        "suggests Edit(/src/a.ts) for anywhere",
        "profile; readable .; none",
      ],
      "bash curl https://a.b when deny WebFetch(domain:a.b)": [
        "deny policy_denied R4 by user: WebFetch(domain:a.b) denies it: it matches a.b",
        "rule WebFetch(domain:a.b) from user.json",
        "part curl https://a.b: deny R4 [] curl talks to a.b",
      ],
      "bash curl https://a.b when ask WebFetch(domain:*.b)": [
        "ask R4 firm by user: WebFetch(domain:*.b) asks for it: it matches a.b",
        "rule WebFetch(domain:*.b) from user.json",
        "part curl https://a.b: ask R4 [] curl talks to a.b",
        "profile; readable .; writable .; protected .git sub/.vscode; masked .env (a secret); hosts a.b by the permit b by WebFetch(domain:*.b)",
      ],
      "bash curl https://a.b when allow WebFetch(domain:a.b)": [
        "ask R4 by mode: runs curl",
        "part curl https://a.b: ask R4 [WebFetch(domain:a.b)] curl talks to a.b",
        "suggests Bash(curl https://a.b) for .",
        "profile; readable .; writable .; protected .git sub/.vscode; masked .env (a secret); hosts a.b by the permit a.b by WebFetch(domain:a.b)",
      ],
      "bash curl https://a.b when allow Bash(curl:*) and deny WebFetch(domain:c.d)": [
        "allow R4 by user: Bash(curl:*) allows it",
        "rule Bash(curl:*) from user.json",
        "part curl https://a.b: allow R4 [Bash(curl:*)] curl talks to a.b",
        "profile; readable .; writable .; protected .git sub/.vscode; masked .env (a secret); hosts c.d by WebFetch(domain:c.d) a.b by the permit",
      ],
      "bash ls when deny Bash(": [
        "deny policy_denied R1 by user: Bash( denies it: the rule cannot be read: write a rule as Tool or Tool(pattern)",
        "rule Bash( from user.json",
        "part ls: deny R1 [] ls only lists",
      ],
    };
    expect(await verdictsOf(Object.keys(table), project)).toEqual(table);
  });

  test("modes, sandboxes and rules that allow", async () => {
    const project = makeJudgedProject();
    const table: Table = {
      "edit src/a.ts when allow Edit(/src/**)": [
        "allow R2 by user: Edit(/src/**) allows it",
        "rule Edit(/src/**) from user.json",
        "profile; readable .; none",
      ],
      "edit src/a.ts when allow managed Edit(/src/**)": [
        "allow R2 by managed: Edit(/src/**) allows it",
        "rule Edit(/src/**) from managed.json",
        "profile; readable .; none",
      ],
      "edit src/a.ts when allow project Edit(/src/**)": [
        "ask R2 by mode: writes src/a.ts",
        "suggests Edit(/src/a.ts) for anywhere",
        "profile; readable .; none",
      ],
      "edit src/a.ts when ask project Edit(/src/**)": [
        "ask R2 firm by project: Edit(/src/**) asks for it: it covers src/a.ts",
        "rule Edit(/src/**) from project.json",
        "profile; readable .; none",
      ],
      "edit src/a.ts when ask Edit(/src/**) and allow Edit(/src/a.ts)": [
        "ask R2 firm by user: Edit(/src/**) asks for it: it covers src/a.ts",
        "rule Edit(/src/**) from user.json",
        "profile; readable .; none",
      ],
      "edit src/a.ts when ask Edit(/src/**) and mode bypass": [
        "ask R2 firm by user: Edit(/src/**) asks for it: it covers src/a.ts",
        "rule Edit(/src/**) from user.json",
        "profile; readable .; none",
      ],
      "edit src/a.ts when ask Edit(/src/**) and mode dontAsk": [
        "deny approval_unavailable R2 firm by mode: dontAsk mode never asks: Edit(/src/**) asks for it: it covers src/a.ts",
        "rule Edit(/src/**) from undefined",
      ],
      "edit src/a.ts when mode plan": ["deny policy_denied R2 by mode: plan mode allows only reading"],
      "read src/a.ts when mode plan": ["allow R1 by mode: reads src/a.ts", "profile; readable .; none"],
      "bash ls when mode plan": [
        "allow R1 by mode: lists .",
        "part ls: allow R1 [] ls only lists",
        "profile only reads; readable .; masked .env (a secret); none",
      ],
      "bash touch x when mode plan": [
        "deny policy_denied R2 by mode: plan mode allows only reading",
        "part touch x: ask R2 [] touch only writes",
      ],
      "edit src/a.ts when mode acceptEdits": ["allow R2 by mode: writes src/a.ts", "profile; readable .; none"],
      "edit package-lock.json when mode acceptEdits": [
        "ask R4 firm by path_boundary: writes package-lock.json, which is a lockfile",
        "profile; readable .; none",
      ],
      "edit src/a.ts when mode bypass": ["allow R2 by mode: bypass mode: writes src/a.ts", "profile; readable .; none"],
      "edit src/a.ts when mode dontAsk": [
        "deny approval_unavailable R2 by mode: dontAsk mode never asks: writes src/a.ts",
        "suggests Edit(/src/a.ts) for anywhere",
      ],
      "bash npm test when mode dontAsk": [
        "deny approval_unavailable R3 by mode: dontAsk mode never asks: runs npm",
        "part npm test: ask R3 [] npm runs code of the project",
        "suggests Bash(npm test) for .",
      ],
      "bash npm test when mode bypass": [
        "allow R3 by mode: bypass mode: runs npm",
        "part npm test: allow R3 [] npm runs code of the project",
        "profile; readable .; writable .; protected .git sub/.vscode; masked .env (a secret); none",
      ],
      "bash npm test when mode auto": [
        "allow R3 by mode: runs npm",
        "part npm test: allow R3 [] npm runs code of the project",
        "profile; readable .; writable .; protected .git sub/.vscode; masked .env (a secret); none",
      ],
      "bash npm install when mode auto": [
        "ask R4 by mode: connects to registry.npmjs.org",
        "part npm install: ask R4 [] npm install fetches from registry.npmjs.org and runs what it gets",
        "suggests Bash(npm install) for .",
        "profile; readable .; writable .; protected .git sub/.vscode; masked .env (a secret); hosts registry.npmjs.org by the permit",
      ],
      "bash git reset --hard when mode bypass": [
        "deny policy_denied R4 by mode: git reset --hard: git reset throws away all changes that are not committed; it needs a saved allow rule",
        "part git reset --hard: deny R4 [] git reset throws away all changes that are not committed",
        "suggests Bash(git reset --hard) for .",
      ],
      "bash git reset --hard when allow Bash(git reset --hard)": [
        "allow R4 by user: Bash(git reset --hard) allows it",
        "rule Bash(git reset --hard) from user.json",
        "part git reset --hard: allow R4 [Bash(git reset --hard)] git reset throws away all changes that are not committed",
        "profile; readable .; writable .; protected .git/config sub/.vscode; masked .env (a secret); none",
      ],
      "bash git reset --hard when ask Bash(git reset:*)": [
        "ask R4 firm by user: Bash(git reset:*) asks for it: it matches git reset --hard",
        "rule Bash(git reset:*) from user.json",
        "part git reset --hard: deny R4 [] git reset throws away all changes that are not committed",
        "profile; readable .; writable .; protected .git/config sub/.vscode; masked .env (a secret); none",
      ],
      "bash git reset --hard when ask project Bash(git reset:*)": [
        "deny policy_denied R4 by mode: git reset --hard: git reset throws away all changes that are not committed; it needs a saved allow rule",
        "part git reset --hard: deny R4 [] git reset throws away all changes that are not committed",
        "suggests Bash(git reset --hard) for .",
      ],
      "bash npm test when sandbox none": [
        "ask R3 by mode: runs npm; no sandbox: Nothing confines commands.",
        "part npm test: ask R3 [] npm runs code of the project",
        "suggests Bash(npm test) for .",
        "profile; readable .; writable .; protected .git sub/.vscode; masked .env (a secret); none",
      ],
      "bash ls when sandbox none": [
        "ask R1 by mode: lists .; no sandbox: Nothing confines commands.",
        "part ls: ask R1 [] ls only lists",
        "suggests Bash(ls) for .",
        "profile only reads; readable .; masked .env (a secret); none",
      ],
      "edit src/a.ts when sandbox none and mode acceptEdits": [
        "ask R2 by mode: writes src/a.ts; no sandbox: Nothing confines commands.",
        "suggests Edit(/src/a.ts) for anywhere",
        "profile; readable .; none",
      ],
      "bash npm test when sandbox none and mode auto": [
        "ask R3 by mode: runs npm; no sandbox: Nothing confines commands.",
        "part npm test: ask R3 [] npm runs code of the project",
        "suggests Bash(npm test) for .",
        "profile; readable .; writable .; protected .git sub/.vscode; masked .env (a secret); none",
      ],
      "bash npm test when allow Bash(npm test)": [
        "allow R3 by user: Bash(npm test) allows it",
        "rule Bash(npm test) from user.json",
        "part npm test: allow R3 [Bash(npm test)] npm runs code of the project",
        "profile; readable .; writable .; protected .git sub/.vscode; masked .env (a secret); none",
      ],
      "bash npm test && ls when allow Bash(npm test)": [
        "allow R3 by user: Bash(npm test) allows it",
        "rule Bash(npm test) from user.json",
        "part npm test: allow R3 [Bash(npm test)] npm runs code of the project",
        "part ls: allow R1 [] ls only lists",
        "profile; readable .; writable .; protected .git sub/.vscode; masked .env (a secret); none",
      ],
      "bash npm test && npm run build when allow Bash(npm test)": [
        "ask R3 by mode: runs npm",
        "part npm test: allow R3 [Bash(npm test)] npm runs code of the project",
        "part npm run build: ask R3 [] npm runs code of the project",
        "suggests Bash(npm run build) for .",
        "profile; readable .; writable .; protected .git sub/.vscode; masked .env (a secret); none",
      ],
      "bash npm test && npm run build when allow Bash(npm:*)": [
        "allow R3 by user: Bash(npm:*) allows it",
        "rule Bash(npm:*) from user.json",
        "part npm test: allow R3 [Bash(npm:*)] npm runs code of the project",
        "part npm run build: allow R3 [Bash(npm:*)] npm runs code of the project",
        "profile; readable .; writable .; protected .git sub/.vscode; masked .env (a secret); none",
      ],
      "bash npm test > out.txt when allow Bash(npm test)": [
        "ask R3 by mode: writes out.txt",
        "part npm test: allow R3 [Bash(npm test)] npm runs code of the project",
        "part > out.txt: ask R2 [] writes by redirection",
        "suggests Edit(/out.txt) for .",
        "profile; readable .; writable .; protected .git sub/.vscode; masked .env (a secret); none",
      ],
      "bash npm test > out.txt when allow Bash(npm test) and allow Edit(/out.txt)": [
        "allow R3 by user: Bash(npm test) allows it",
        "rule Bash(npm test) from user.json",
        "part npm test: allow R3 [Bash(npm test)] npm runs code of the project",
        "part > out.txt: allow R2 [Edit(/out.txt)] writes by redirection",
        "profile; readable .; writable .; protected .git sub/.vscode; masked .env (a secret); none",
      ],
      "bash cat src/a.ts > docs/y.md when allow Edit(/docs/**)": [
        "allow R2 by user: Edit(/docs/**) allows it",
        "rule Edit(/docs/**) from user.json",
        "part cat src/a.ts: allow R1 [] cat only reads",
        "part > docs/y.md: allow R2 [Edit(/docs/**)] writes by redirection",
        "profile; readable .; writable .; protected .git sub/.vscode; masked .env (a secret); none",
      ],
      "bash mv src/a.ts docs/b.ts when allow Edit": [
        "allow R3 by user: Edit allows it",
        "rule Edit from user.json",
        "part mv src/a.ts docs/b.ts: allow R3 [Edit] mv moves src/a.ts",
        "profile; readable .; writable .; protected .git sub/.vscode; masked .env (a secret); none",
      ],
      "bash mv src/a.ts docs/b.ts when allow Edit(/src/**) and allow Edit(/docs/**)": [
        "allow R3 by user: Edit(/src/**) allows it",
        "rule Edit(/src/**) from user.json",
        "part mv src/a.ts docs/b.ts: allow R3 [Edit(/src/**), Edit(/docs/**)] mv moves src/a.ts",
        "profile; readable .; writable .; protected .git sub/.vscode; masked .env (a secret); none",
      ],
      "bash rm src/a.ts when allow Edit(/src/**)": [
        "ask R4 by mode: deletes src/a.ts",
        "part rm src/a.ts: ask R4 [] rm deletes src/a.ts",
        "suggests Bash(rm src/a.ts) for .",
        "profile; readable .; writable .; protected .git sub/.vscode; masked .env (a secret); none",
      ],
      "bash rm src/a.ts when allow Bash(rm:*)": [
        "allow R4 by user: Bash(rm:*) allows it",
        "rule Bash(rm:*) from user.json",
        "part rm src/a.ts: allow R4 [Bash(rm:*)] rm deletes src/a.ts",
        "profile; readable .; writable .; protected .git sub/.vscode; masked .env (a secret); none",
      ],
      "bash rm /etc/x when allow Bash(rm:*)": [
        "deny policy_denied R5 by path_boundary: deletes /etc/x, outside the workspace",
        "part rm /etc/x: deny R5 [] rm deletes /etc/x",
      ],
      "bash rm /etc/x when allow Bash(rm /etc/x)": [
        "deny policy_denied R5 by path_boundary: deletes /etc/x, outside the workspace",
        "part rm /etc/x: deny R5 [] rm deletes /etc/x",
      ],
      "bash cat /etc/hosts when allow Read(//etc/**)": [
        "allow R4 by user: Read(//etc/**) allows it",
        "rule Read(//etc/**) from user.json",
        "part cat /etc/hosts: allow R4 [Read(//etc/**)] cat only reads",
        "profile only reads; readable . /etc/hosts; masked .env (a secret); none",
      ],
      "bash cat /etc/hosts when allow Bash(cat:*)": [
        "ask R4 by mode: reads /etc/hosts, outside the workspace",
        "part cat /etc/hosts: ask R4 [] cat only reads",
        "suggests Bash(cat /etc/hosts) for .",
        "profile only reads; readable . /etc/hosts; masked .env (a secret); none",
      ],
      "bash cat /etc/hosts when allow Bash(cat /etc/hosts)": [
        "allow R4 by user: Bash(cat /etc/hosts) allows it",
        "rule Bash(cat /etc/hosts) from user.json",
        "part cat /etc/hosts: allow R4 [Bash(cat /etc/hosts)] cat only reads",
        "profile only reads; readable . /etc/hosts; masked .env (a secret); none",
      ],
      "bash git checkout x && cat src/a.ts when allow Bash(git checkout:*)": [
        "ask R4 by mode: git checkout x may bring closed files; read in a call of its own",
        "part git checkout x: allow R3 [Bash(git checkout:*)] git checkout changes the repository",
        "part cat src/a.ts: allow R1 [] cat only reads",
        "suggests Bash(git checkout x && cat src/a.ts) for anywhere",
        "profile; readable .; writable .; protected .git/config sub/.vscode; masked .env (a secret); none",
      ],
      "bash npm test && rm -rf docs when allow Bash(npm test) and allow Bash(rm -rf docs)": [
        "allow R4 by user: Bash(rm -rf docs) allows it",
        "rule Bash(rm -rf docs) from user.json",
        "part npm test: allow R3 [Bash(npm test)] npm runs code of the project",
        "part rm -rf docs: allow R4 [Bash(rm -rf docs)] rm deletes docs",
        "profile; readable .; writable .; protected .git sub/.vscode; masked .env (a secret); none",
      ],
      "bash npm test; frob when allow Bash(npm test; frob)": [
        "allow R4 by user: Bash(npm test; frob) allows it",
        "rule Bash(npm test; frob) from user.json",
        "part npm test: allow R3 [Bash(npm test; frob)] npm runs code of the project",
        "part frob: allow R4 [Bash(npm test; frob)] frob is not in the tables",
        "profile; readable .; writable .; protected .git sub/.vscode; masked .env (a secret); none",
      ],
      "bash npm test when allow Bash(npm test) and deny Bash(npm publish)": [
        "allow R3 by user: Bash(npm test) allows it",
        "rule Bash(npm test) from user.json",
        "part npm test: allow R3 [Bash(npm test)] npm runs code of the project",
        "profile; readable .; writable .; protected .git sub/.vscode; masked .env (a secret); none",
      ],
      "bash npm test && npm publish when allow Bash(npm:*) and ask Bash(npm publish)": [
        "ask R4 firm by user: Bash(npm publish) asks for it: it matches npm publish",
        "rule Bash(npm publish) from user.json",
        "part npm test: allow R3 [Bash(npm:*)] npm runs code of the project",
        "part npm publish: ask R4 [Bash(npm:*)] npm publish fetches from registry.npmjs.org and runs what it gets",
        "profile; readable .; writable .; protected .git sub/.vscode; masked .env (a secret); hosts registry.npmjs.org by the permit",
      ],
      "move src/a.ts docs/b.ts when allow Edit": [
        "allow R3 by user: Edit allows it",
        "rule Edit from user.json",
        "profile; readable .; none",
      ],
      "delete src/a.ts when allow Edit": [
        "ask R4 by mode: deletes src/a.ts",
        "suggests Delete(/src/a.ts) for anywhere",
        "profile; readable .; none",
      ],
      "grep password . when mode plan": [
        "allow R1 by mode: reads . and all below it",
        "closed .env tree: a secret",
        "profile; readable .; masked .env (a secret); none",
      ],
      "bash grep -r password .": [
        "allow R1 by mode: reads . and all below it",
        "closed .env tree: a secret",
        "part grep -r password .: allow R1 [] grep only reads",
        "profile only reads; readable .; masked .env (a secret); none",
      ],
      "read src/a.ts when allow Read and mode plan": [
        "allow R1 by user: Read allows it",
        "rule Read from user.json",
        "profile; readable .; none",
      ],
    };
    expect(await verdictsOf(Object.keys(table), project)).toEqual(table);
  });
});
