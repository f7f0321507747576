import { describe, expect, it } from "vitest";
import { run } from "../../../test/support/surface.ts";
import type { DoctorCheck } from "../../contract/app/app.ts";

const checks: readonly DoctorCheck[] = [
  { name: "git", state: "ok", detail: "2.39" },
  { name: "sandbox", state: "missing", detail: "bubblewrap is not installed", fix: "apt-get install bubblewrap" },
];

describe("gauntlet doctor", () => {
  it("names what is missing, the command that mends it, and exits 1", async () => {
    const ran = await run(["doctor"], { app: { doctor: async () => checks } });
    expect([ran.code, ran.stdout]).toEqual([
      1,
      [
        "✓ git      2.39",
        "✗ sandbox  bubblewrap is not installed",
        "           fix: apt-get install bubblewrap",
        "",
      ].join("\n"),
    ]);
  });

  it("has a mark for what is not there and not needed, and none of the lesser ones is a failure", async () => {
    const lesser: readonly DoctorCheck[] = [
      { name: "keys", state: "warning", detail: "none set" },
      { name: "hooks", state: "absent", detail: "none configured" },
    ];
    const ran = await run(["doctor"], { app: { doctor: async () => lesser } });
    expect([ran.code, ran.stdout]).toEqual([0, "! keys   none set\n- hooks  none configured\n"]);
  });

  it("mends when told so, and exits 0 when nothing is missing", async () => {
    let fixed: boolean | undefined;
    const doctor = async ({ fix }: { readonly fix: boolean }) => {
      fixed = fix;
      return checks.slice(0, 1);
    };
    const ran = await run(["doctor", "--fix", "--json"], { app: { doctor } });
    expect([ran.code, fixed, JSON.parse(ran.stdout)]).toEqual([0, true, checks.slice(0, 1)]);
  });

  it("paints only when there is colour", async () => {
    const doctor = async () => checks;
    expect((await run(["doctor"], { app: { doctor }, colour: true })).stdout).toContain("\u001b[32m✓\u001b[39m");
    expect((await run(["doctor"], { app: { doctor } })).stdout).not.toContain("\u001b");
  });
});
