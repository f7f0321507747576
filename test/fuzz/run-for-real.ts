import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

/**
 * Runs texts one after another where they could change the workspace: the gate alone said that they do not. The
 * rest of the machine is read-only, and there is no network. Gives the texts after which something was different.
 */
export function runForReal(
  texts: readonly string[],
  place: { readonly root: string; readonly cases: string },
): string[] {
  mkdirSync(place.cases, { recursive: true });
  for (const [index, text] of texts.entries()) writeFileSync(path.join(place.cases, `${index}`), text);
  const run = spawnSync(
    bubblewrap,
    [...confinement(place), "bash", "--noprofile", "--norc", "-c", driver, "run", `${texts.length}`],
    {
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  if (run.status !== 0) throw new Error(`The commands could not be run: ${run.stderr}`);
  const prints = run.stdout.trim().split("\n");
  if (prints.length !== texts.length + 1) throw new Error(`Not every command was run: ${run.stdout.slice(-200)}`);
  return texts.filter((_text, index) => prints[index + 1] !== prints[index]);
}

const bubblewrap = "bwrap";

/** After every text: all names with type, mode, size, owner, links and both times that a change leaves behind. */
const driver = `
look() { find /tmp -mindepth 1 -not -path "$CASES*" -printf '%p %y %m %s %U %n %T@ %C@ %l\\n' | LC_ALL=C sort | sha1sum; }
look
for ((n = 0; n < $1; n++)); do
  timeout -k 1 2 bash --noprofile --norc -c "$(<"$CASES/$n")" < /dev/null > /dev/null 2>&1
  look
done`;

function confinement({ root, cases }: { readonly root: string; readonly cases: string }): readonly string[] {
  return [
    ..."--unshare-all --die-with-parent --new-session --cap-drop ALL --clearenv --ro-bind / / --dev /dev --proc /proc --tmpfs /tmp".split(
      " ",
    ),
    ...["--bind", root, root, "--ro-bind", cases, cases, "--chdir", root],
    ...[
      "--setenv",
      "PATH",
      "/usr/local/bin:/usr/bin:/bin",
      "--setenv",
      "CASES",
      cases,
      "--setenv",
      "GIT_OPTIONAL_LOCKS",
      "0",
    ],
    ...["--setenv", "GIT_CONFIG_GLOBAL", "/dev/null", "--setenv", "GIT_CONFIG_SYSTEM", "/dev/null"],
  ];
}
