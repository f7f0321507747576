import { type Fixture, makeFixture } from "./fixture.ts";

/** A small project with a secret, a private directory and a link that leads into it. */
export function makeRuleProject(): Fixture {
  const fixture = makeFixture({
    "package.json": "{}",
    "src/a.ts": "x",
    "src/private/key.txt": "x",
    "docs/x.md": "x",
    ".env": "x",
    ".git/HEAD": "x",
    "run.sh": "x",
  });
  fixture.link("alias", "src/private/key.txt");
  return fixture;
}
