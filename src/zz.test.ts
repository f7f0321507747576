import { test } from "vitest";
import { writeFileSync } from "node:fs";
import { makeFixture } from "../test/gate-matrix/fixture.ts";
import { programs, runners } from "../test/tables/examples.ts";
test("x", () => {
  const files = "a b a.txt b.txt a.ts a.md a.gz a.zip x src/a.ts tests/b.ts dst/z dir/z script.js".split(" ");
  const fixture = makeFixture(Object.fromEntries(files.map((name) => [name, "one\n"])));
  fixture.mkdir(".git");
  const out: string[] = []; const names: string[] = [];
  for (const e of programs) {
    for (const x of e.examples.match) { const { effects, parts } = fixture.shell(x); const u = effects.flatMap((f) => f.op === "unknown" ? [f.why] : []); if (u.length || parts.length !== 1) { out.push(`M ${x}  -- ${u.join()}`); names.push(x); } }
    for (const x of e.examples.noMatch) { const { effects } = fixture.shell(x); if (effects.every((f) => f.op === "read" || f.op === "list") && !effects.some((f) => "path" in f && f.path.resolved.endsWith("/.env"))) { out.push(`N ${x}`); } }
  }
  writeFileSync("/tmp/ex.txt", out.join("\n")); writeFileSync("/tmp/ex0", names.join("\0"));
});
