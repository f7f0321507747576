import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import fc from "fast-check";
import { oddName } from "./odd-names.ts";

/** One thing that is put into the tree. Numbers choose among what is there already. */
type Planting =
  | { readonly kind: "directory" | "file" | "pipe"; readonly parent: number; readonly name: string }
  | { readonly kind: "link"; readonly parent: number; readonly name: string; readonly target: LinkTarget }
  | { readonly kind: "twin"; readonly parent: number; readonly name: string; readonly of: number };

interface LinkTarget {
  readonly to: number;
  readonly form: "absolute" | "relative" | "climbing" | "dangling" | "itself" | "outside" | "root";
}

export interface WildTree {
  /** Everything that was made for it. */
  readonly base: string;
  /** The workspace; beside it lies `outside`, which nothing may reach unseen. */
  readonly root: string;
  readonly outside: string;
  /** Every name that is somewhere in the tree. */
  readonly names: readonly string[];
  remove(): void;
}

const parent = fc.nat({ max: 50 });
const short = oddName.filter((name) => Buffer.byteLength(name) < 60);
const planting: fc.Arbitrary<Planting> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("directory" as const), parent, name: short }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("file" as const), parent, name: short }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("pipe" as const), parent, name: short }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("twin" as const), parent, name: short, of: parent }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("link" as const),
      parent,
      name: short,
      target: fc.record({
        to: parent,
        form: fc.constantFrom("absolute", "relative", "climbing", "dangling", "itself", "outside", "root"),
      }),
    }),
  },
);

export const plantings: fc.Arbitrary<readonly Planting[]> = fc.array(planting, { minLength: 3, maxLength: 25 });

export function growTree(wanted: readonly Planting[]): WildTree {
  const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), "gauntlet-wild-")));
  const [root, outside] = [path.join(base, "root"), path.join(base, "outside")];
  mkdirSync(path.join(outside, "deep"), { recursive: true });
  mkdirSync(root);
  writeFileSync(path.join(outside, "treasure"), "x");
  const directories = [root];
  const everything = [root];
  const files: string[] = [];
  const names = new Set<string>(["deep", "treasure", "outside", "root"]);
  for (const one of wanted) {
    const place = path.join(at(directories, one.parent), one.name);
    try {
      plant(one, place);
    } catch {
      // The name is taken, or too long where it would stand.
      continue;
    }
    names.add(one.name);
    everything.push(place);
    if (one.kind === "directory") directories.push(place);
    if (one.kind === "file") files.push(place);
  }
  return { base, root, outside, names: [...names], remove: () => rmSync(base, { recursive: true, force: true }) };

  function plant(one: Planting, place: string): void {
    switch (one.kind) {
      case "directory":
        mkdirSync(place);
        return;
      case "file":
        writeFileSync(place, "x", { flag: "wx" });
        return;
      case "pipe":
        execFileSync("mkfifo", [place], { stdio: "ignore" });
        return;
      case "twin":
        linkSync(at(files, one.of), place);
        return;
      case "link":
        symlinkSync(targetOf(one.target, place), place);
    }
  }

  function targetOf({ to, form }: LinkTarget, place: string): string {
    const target = at(everything, to);
    switch (form) {
      case "absolute":
        return target;
      case "relative":
        return path.relative(path.dirname(place), target) || ".";
      case "climbing":
        return `../${path.basename(path.dirname(place))}/${path.relative(path.dirname(place), target)}`;
      case "dangling":
        return "not-there/at-all";
      case "itself":
        return path.basename(place);
      case "outside":
        return to % 2 === 0 ? outside : path.join(outside, "treasure");
      case "root":
        return "/";
    }
  }
}

function at(list: readonly string[], index: number): string {
  const found = list[index % list.length];
  if (found === undefined) throw new Error("There is nothing to choose from yet");
  return found;
}
