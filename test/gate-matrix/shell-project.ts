import { type Fixture, makeFixture } from "./fixture.ts";

/** A small repository with a secret, a script and a link that leads out of it. */
export function makeShellProject(): Fixture {
  const fixture = makeFixture({
    "package.json": "{}",
    "README.md": "# x",
    "src/a.ts": "x",
    "src/b.ts": "x",
    "sub/deep/c.ts": "x",
    ".env": "KEY=1",
    "run.sh": "true",
  });
  fixture.mkdir(".git");
  fixture.link("out", "/etc");
  return fixture;
}
