import { execFile } from "node:child_process";
import { accessSync, constants, existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { messageOf, quoted } from "../../base/text.ts";
import { isInside } from "../../contract/effect.ts";
import { errnoOf, failureOf } from "../../host/failure.ts";
import { namesIn } from "../../host/files/look.ts";
import { startOf } from "../../host/process/process-table.ts";
import type { ProgramFinder } from "../plan/toolchains.ts";
import { applyNames, finishApply, holdApplyLock } from "./apply.ts";
import { captureChanges } from "./capture.ts";
import { keepTakenBack } from "./kept.ts";
import {
  createViews,
  isPrivate,
  keptName,
  mountingArguments,
  ownerName,
  type Probed,
  removeViews,
  type ViewMounting,
  viewsVariable,
} from "./view.ts";

interface ProbeOptions {
  readonly bash: string;
  readonly find: ProgramFinder;
  readonly roots: readonly string[];
  readonly stores: readonly string[];
  readonly trash: string;
}

const none = (reason: string): Probed => ({ kind: "none", reason });

export async function probeViews(options: ProbeOptions): Promise<Probed> {
  if (options.stores.length === 0) return none("transactions are disabled in the settings");
  const [unshare, mount, tar] = ["unshare", "mount", "tar"].map(options.find);
  if (unshare === undefined || mount === undefined || tar === undefined)
    return none("unshare, mount and tar are needed; install them with: apt-get install util-linux mount tar");
  const inner = innerMount(options.roots);
  if (inner !== undefined) return none(`${inner} is a mount point inside the workspace`);
  const kinds = process.getuid?.() === 0 ? (["privileged", "unprivileged"] as const) : (["unprivileged"] as const);
  let reason = "";
  for (const store of options.stores) {
    for (const kind of kinds) {
      const mounting: ViewMounting = { kind, unshare, mount, tar, store, trash: options.trash };
      const foreign = kind === "unprivileged" ? foreignEntry(options.roots) : undefined;
      const problem = foreign ?? prepare(store) ?? (await tryOut(mounting, options));
      if (problem === undefined) {
        await recoverTransactions(store);
        await removeOldImages(options.trash, Date.now());
        return mounting;
      }
      reason = problem;
    }
  }
  return none(reason);
}

function prepare(store: string): string | undefined {
  try {
    mkdirSync(store, { recursive: true, mode: 0o700 });
    return isPrivate(store) ? undefined : `${store} can be changed by other users`;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return `${store} cannot be used: ${errnoOf(error)}`;
  }
}

async function tryOut(mounting: ViewMounting, { bash, roots }: ProbeOptions): Promise<string | undefined> {
  try {
    const sample = join(mounting.store, `probe-${process.pid}`);
    mkdirSync(join(sample, "replaced"), { recursive: true });
    writeFileSync(join(sample, "replaced", "old"), "");
    writeFileSync(join(sample, "removed"), "");
    const views = createViews(
      [sample, ...roots].map((path) => ({ path })),
      mounting.store,
    );
    try {
      const script =
        'cd 0/view && rm -r replaced removed && mkdir replaced && echo 1 >new && cd ../.. && for v in */view; do echo 1 >"$v/.gauntlet-probe" || exit 1; done';
      const inViews = [bash, "-p", "-c", `cd ${quoted(views.directory)} && ${script}`];
      const failed = await run([mounting.unshare, ...mountingArguments(mounting, bash), ...inViews], views.directory);
      if (failed !== undefined) return failed;
      const [first] = views.views;
      if (first === undefined) return "no view was created";
      const begun = lstatSync(views.directory, { bigint: true }).ctimeNs + 10_000_000_000n;
      const { changes } = await captureChanges([first], { ...mounting, begun, roots: [sample] });
      const found = changes
        .filter(({ within }) => within === undefined)
        .map(({ operation, path }) => `${operation} ${path.slice(sample.length + 1)}`);
      const expected = ["create .gauntlet-probe", "create new", "delete removed", "replace replaced"];
      return found.sort().join() === expected.join() ? undefined : "the changes of a command could not be read back";
    } finally {
      await removeViews(views);
      await removeViews({ directory: sample });
    }
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    return `${mounting.store}: ${errno}`;
  }
}

async function run([program = "", ...words]: readonly string[], directory: string): Promise<string | undefined> {
  try {
    await promisify(execFile)(program, words, { env: { [viewsVariable]: directory, LC_ALL: "C" } });
    return undefined;
  } catch (error) {
    const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim().split("\n")[0] : "";
    return said || `mounting a view failed: ${messageOf(error).split("\n")[0]}`;
  }
}

/**
 * Without root, an overlay copies up only what belongs to the user and their own group. What lies deeper is not looked
 * at: a command that fails on it is told why.
 */
function foreignEntry(roots: readonly string[]): string | undefined {
  const places = roots.flatMap((root) => [root, join(root, ".git")]);
  const entries = places.flatMap((place) => [place, ...namesIn(place).map((name) => join(place, name))]);
  const found = entries.find((path) => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined || stats.isSymbolicLink()) return false;
    return (stats.uid !== process.geteuid?.() || stats.gid !== process.getegid?.()) && isWritable(path);
  });
  return found === undefined ? undefined : `${found} belongs to another user or group`;
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** An overlay does not show what is mounted inside the directory that it covers. */
function innerMount(roots: readonly string[]): string | undefined {
  const places = readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .map((line) =>
      (line.split(" ")[4] ?? "").replaceAll(/\\([0-7]{3})/g, (_, digits: string) =>
        String.fromCharCode(Number.parseInt(digits, 8)),
      ),
    );
  return places.find((place) => roots.some((root) => place !== root && isInside(place, root)));
}

/** A transaction of a dead process is finished if it had begun to apply, and discarded otherwise. */
export async function recoverTransactions(store: string): Promise<void> {
  for (const name of namesIn(store).filter((one) => one.startsWith("txn_"))) {
    const directory = join(store, name);
    if (isOwned(directory) || existsSync(join(directory, keptName))) continue;
    try {
      holdApplyLock(store, () => finishApply(directory));
      await removeViews({ directory });
    } catch (error) {
      // What was taken back is listed for the user. Anything else is tried again at the next start.
      const { message } = failureOf(error, directory);
      if (!applyNames.some((one) => existsSync(join(directory, one)))) keepTakenBack(directory, message);
    }
  }
}

const imagesMs = 14 * 24 * 60 * 60 * 1_000;

async function removeOldImages(trash: string, now: number): Promise<void> {
  for (const name of namesIn(trash).filter((one) => one.startsWith("txn_"))) {
    const directory = join(trash, name);
    const stats = lstatSync(directory, { throwIfNoEntry: false });
    if (stats !== undefined && now - stats.mtimeMs > imagesMs) await removeViews({ directory });
  }
}

function isOwned(directory: string): boolean {
  try {
    const [pid = "", ...start] = readFileSync(join(directory, ownerName), "utf8").split(" ");
    return startOf(Number(pid)) === start.join(" ");
  } catch {
    return false;
  }
}
