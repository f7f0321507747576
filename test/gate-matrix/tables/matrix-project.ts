import { linkSync } from "node:fs";
import { type Fixture, makeFixture } from "../fixture.ts";

/** A repository with one of everything that the gate treats in its own way. */
export function makeMatrixProject(): Fixture {
  const fixture = makeFixture({
    "package.json": "{}",
    "package-lock.json": "{}",
    "run.sh": "true",
    "notes.txt": "x",
    "src/sum.ts": "x",
    "src/util.ts": "x",
    "docs/guide.md": "x",
    "docs/private.md": "x",
    "node_modules/left-pad/index.js": "x",
    ".env": "KEY=1",
    ".env.example": "KEY=",
    "deploy/server.key": "x",
    ".git/HEAD": "ref: refs/heads/main",
    ".git/config": "[core]",
    ".gitignore": "dist",
    ".github/CODEOWNERS": "x",
    ".github/workflows/ci.yml": "on: push",
    ".husky/pre-commit": "true",
    ".vscode/settings.json": "{}",
    ".storybook/main.ts": "x",
    ".mcp.json": "{}",
    ".yarnrc.yml": "x",
    ".bashrc": "x",
    ".gauntlet/settings.json": "{}",
    "AGENTS.md": "x",
  });
  fixture.link("escape", "/etc/hosts");
  fixture.link("secret-link", ".env");
  fixture.link("config-link", ".vscode/settings.json");
  fixture.link("home-link", fixture.home);
  fixture.link("alias", "docs/private.md");
  linkSync(fixture.path("src/util.ts"), fixture.path("src/twin.ts"));
  return fixture;
}

/** `{root}`, `{home}` and `{state}` stand for the places of this fixture. */
export function callIn(fixture: Fixture, call: string): string {
  return call.replace(/\{(root|home|state)\}/g, (_whole, place: "root" | "home" | "state") => fixture[place]);
}
