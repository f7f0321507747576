import { messageOf } from "../base/text.ts";
import type { FileStat } from "../contract/changes.ts";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import { isNormalised, type PathRef } from "../contract/effect.ts";
import type { Metadata } from "../contract/ports.ts";
import { isName } from "./path-class-index.ts";

interface ResolveContext {
  readonly metadata: Metadata;
  readonly base: string;
  readonly home: string;
}

/**
 * What the kernel reaches by this path: links followed one at a time, `..` behind a link meaning the parent of its
 * target, and the missing rest appended. Never returns a path that it could not follow.
 */
export function resolvePath(written: string, context: ResolveContext): Outcome<PathRef> {
  const start = absolute(written, context);
  if (!start.ok) return start;
  try {
    const end = plainly(start.value, context.metadata) ?? walk(start.value, context.metadata);
    if (!end.ok) return refuse(written, end.failure.message);
    return ok({ written, ...end.value });
  } catch (error) {
    return refuse(written, messageOf(error));
  }
}

const longestPath = 4096;
const mostLinks = 40;
/** Names under these lead wherever the reading process stands (`/proc/self/root`, `/dev/fd/3`). */
const magic = new Set(["/proc", "/dev"]);

function absolute(written: string, { base, home }: ResolveContext): Outcome<string> {
  if (written === "") return refuse(written, "it is empty");
  if (written.includes("\0")) return refuse(written, "it contains a NUL byte");
  if (!written.isWellFormed()) return refuse(written, "it is not valid Unicode");
  if (Buffer.byteLength(written) > longestPath) return refuse(written, `it is longer than ${longestPath} bytes`);
  if (/^\\\\|^[a-z][a-z0-9+.-]*:\/\//i.test(written)) return refuse(written, "it is not a path of this machine");
  if (written === "~" || written.startsWith("~/")) return ok(`${home}/${written.slice(1)}`);
  if (written.startsWith("~")) return refuse(written, "only ~/ is expanded; a file with this name is ./~…");
  return ok(written.startsWith("/") ? written : `${base}/${written}`);
}

type ReachedPath = Omit<PathRef, "written">;

/** Most paths hold no link and name what exists: one question to the kernel tells, where a walk asks at every name. */
function plainly(path: string, metadata: Metadata): Outcome<ReachedPath> | undefined {
  if (!isNormalised(path) || isMagic(path) || path.includes("\ufffd") || metadata.realpath?.(path) !== path)
    return undefined;
  const stat = metadata.lstat(path);
  if (stat === undefined || stat.kind === "symlink") return undefined;
  return ok(stat.kind === "directory" ? { resolved: path, kind: "directory" } : leaf(path, stat));
}

function isMagic(path: string): boolean {
  return magic.has(path.slice(0, Math.max(0, path.indexOf("/", 1))));
}

function walk(path: string, metadata: Metadata): Outcome<ReachedPath> {
  const ahead = path.split("/").reverse();
  let here = "";
  let stat: FileStat | undefined;
  let links = 0;
  for (let name = ahead.pop(); name !== undefined; name = ahead.pop()) {
    if (name === "" || name === ".") continue;
    if (name === "..") {
      here = here.slice(0, Math.max(0, here.lastIndexOf("/")));
      stat = undefined;
      continue;
    }
    const next = `${here}/${name}`;
    if (magic.has(next) && ahead.some(isName)) {
      return ok({ resolved: [next, ...ahead.reverse().filter(isName)].join("/"), kind: "special" });
    }
    stat = metadata.lstat(next);
    if (stat?.kind === "symlink") {
      links += 1;
      if (links > mostLinks) return fail("runtime_precondition_failed", "too many symbolic links");
      const target = metadata.readlink(next);
      if (target === undefined || target === "") {
        return fail("runtime_precondition_failed", `the link ${next} changed while it was followed`);
      }
      if (target.startsWith("/")) here = "";
      ahead.push(...target.split("/").reverse());
      continue;
    }
    here = next;
    if (stat?.kind === "directory") continue;
    const goesOn = ahead.some((component) => component === ".." || isName(component));
    return stat === undefined || goesOn ? missing(here, ahead) : ok(leaf(here, stat));
  }
  return ok({ resolved: here === "" ? "/" : here, kind: "directory" });
}

/** The rest cannot be followed, so it must not climb: `missing/../x` is no path at all to the kernel. */
function missing(here: string, ahead: readonly string[]): Outcome<ReachedPath> {
  if (ahead.includes("..")) return fail("runtime_precondition_failed", `${here} is not a directory`);
  const rest = ahead.toReversed().filter(isName);
  return ok({ resolved: [here, ...rest].join("/"), kind: "missing" });
}

function leaf(resolved: string, stat: FileStat): ReachedPath {
  if (stat.kind !== "file") return { resolved, kind: "special" };
  return stat.links > 1 ? { resolved, kind: "file", hardLinked: true } : { resolved, kind: "file" };
}

function refuse(written: string, why: string): Outcome<never> {
  return fail("runtime_precondition_failed", `The path ${JSON.stringify(written)} cannot be followed: ${why}.`, {
    field: "path",
    recovery: "Use a path inside the workspace.",
  });
}
