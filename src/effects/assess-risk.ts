import { normalize } from "node:path/posix";
import type { Effect, EffectReport, FileEffect, Risk } from "../contract/effect.ts";
import { isFileEffect, isInside, isInsideAny, isNeverShown, isNormalised, isOfSystem } from "../contract/effect.ts";
import { type Assessment, classWords, type EffectRisk, type PathClass } from "../contract/gate.ts";
import { isInScratch } from "../contract/ports.ts";
import { menuForCommands } from "../contract/tool-facts.ts";
import { classifyPath, describeClass, isObjectStore, isOfOwnSkill, type PathPlaces } from "./classify-path.ts";
import { opensTerminal, touchesNothing } from "./devices.ts";

/** How dangerous the effects are, whoever proposes them. The worst one decides; a tool can only raise it. */
export function assessRisk(report: EffectReport, places: PathPlaces): Assessment {
  const inCommand = report.parts !== undefined;
  const assess = (moves: boolean | undefined) => (effect: Effect) =>
    (inCommand ? assessInCommand(effect, places) : undefined) ??
    assessEffect(effect, places, { moves: moves === true, inCommand });
  const effects = report.effects.map(assess(report.moves));
  const parts = (report.parts ?? []).map((part) => {
    const inside = (part.mayTouch ?? []).map(assess(false)).filter(({ risk }) => risk === "R5");
    const found = [...part.effects.map(assess(part.moves)), ...inside];
    const inPart =
      part.needsSavedRule || part.losesWork ? found.map((entry) => atLeast("R4", entry, part.reason)) : found;
    return { risk: worst(inPart.map((entry) => entry.risk)), effects: inPart };
  });
  const judged = [...(parts.length > 0 ? parts.flatMap((part) => part.effects) : effects), ...raised(report, places)];
  const risk = worst(judged.map((entry) => entry.risk));
  const reasons = new Set(judged.filter((entry) => entry.risk === risk).map((entry) => entry.reason));
  return { risk, reasons: [...reasons], effects, parts };
}

function worst(risks: readonly Risk[]): Risk {
  return risks.reduce((high, next) => (next > high ? next : high), "R0");
}

function atLeast(risk: Risk, entry: EffectRisk, reason: string): EffectRisk {
  return entry.risk >= risk ? entry : { ...entry, risk, reason };
}

function raised(report: EffectReport, places: PathPlaces): readonly Pick<EffectRisk, "risk" | "reason">[] {
  const entries: Pick<EffectRisk, "risk" | "reason">[] = [];
  if (report.raiseTo !== undefined) {
    entries.push({ risk: report.raiseTo, reason: report.raisedBecause ?? "the tool asks for more care" });
  }
  const cwd = report.command?.cwd.resolved;
  if (cwd !== undefined && !isInsideAny(cwd, places.roots)) {
    entries.push({ risk: "R5", reason: `would run outside the workspace, in ${cwd}` });
  }
  return entries;
}

type EffectCircumstances = Readonly<Record<"moves" | "inCommand", boolean>>;

function assessEffect(effect: Effect, places: PathPlaces, circumstances: EffectCircumstances): EffectRisk {
  if (isFileEffect(effect)) return { effect, ...assessFile(effect, places, circumstances) };
  switch (effect.op) {
    case "exec":
      return { effect, risk: "R3", reason: `runs ${effect.program}` };
    case "connect":
      return { effect, risk: "R4", reason: `connects to ${effect.host}` };
    case "call":
      return { effect, risk: "R4", reason: `calls ${effect.tool} of the server ${effect.server}` };
    case "delegate":
      return { effect, risk: "R3", reason: `delegates to ${effect.profile}` };
    case "session":
      return { effect, risk: "R0", reason: `touches only the session: ${effect.what}` };
    case "unknown":
      return { effect, risk: "R4", reason: effect.why };
  }
}

function assessFile(
  effect: FileEffect,
  places: PathPlaces,
  { moves, inCommand }: EffectCircumstances,
): { risk: Risk; reason: string } {
  const { resolved, kind, hardLinked } = effect.path;
  const verb = verbs[effect.op];
  const whole = effect.scope === "tree" ? " and all below it" : "";
  const what = `${verb} ${resolved}${whole}`;
  if (effect.op === "read" && effect.scope === "file" && knownToAll.has(resolved)) return { risk: "R1", reason: what };
  if (kind === "special") return { risk: "R5", reason: `${what}, which is not a regular file` };

  const found = classOf(effect, places);
  if (found?.class === "state") return { risk: "R5", reason: `${what}, which belongs to the runtime` };
  if (found?.class === "secret") {
    // `cp .env.example .env` shows nobody a secret: a person decides.
    const isNew = effect.op === "write" && kind === "missing" && isInsideAny(resolved, places.roots);
    return { risk: isNew ? "R4" : "R5", reason: `${what}, a secret (${describeClass(found.path) ?? "by its name"})` };
  }
  if (isInScratch(effect, places.scratch)) return { risk: "R1", reason: what };
  const reads = effect.op === "read" || effect.op === "list";
  if (!isInsideAny(resolved, places.roots)) {
    // Another name of what is closed beside it would open that.
    if (hardLinked && isOfOwnSkill(resolved, places)) {
      return { risk: "R5", reason: `${what}, a file with more than one name: another may belong to the runtime` };
    }
    if (looksAtSystem(effect, places)) return { risk: "R1", reason: what };
    const far = effect.op === "list" || (effect.op === "read" && effect.scope === "file") ? "R4" : "R5";
    return { risk: far, reason: `${what}, outside the workspace` };
  }
  if (hardLinked) return { risk: "R4", reason: `${what}, a file with more than one name` };
  if (effect.op === "read" && isObjectStore(resolved)) {
    return { risk: "R4", reason: `${what}: the object store holds every version of every file` };
  }
  if (effect.op === "read" && found?.class === "committed" && !inCommand) {
    return { risk: "R4", reason: `${what}, a committed file that holds a secret` };
  }
  if (reads) return { risk: "R1", reason: what };
  if (effect.op === "delete" && !moves && places.roots.includes(resolved)) {
    return { risk: "R5", reason: `${what}, a whole workspace` };
  }
  if (found !== undefined) return { risk: "R4", reason: `${what} (${classWords[found.class]})` };
  if (effect.op === "write") return { risk: "R2", reason: what };
  return moves ? { risk: "R3", reason: `moves ${resolved}${whole}` } : { risk: "R4", reason: what };
}

/** What everybody on the machine may know about it, and what we put into sandboxes ourselves. Next to them lie files that nobody should read. */
const knownToAll: ReadonlySet<string> = new Set([
  ..."cpuinfo meminfo version loadavg uptime".split(" ").map((name) => `/proc/${name}`),
  ..."os-release lsb-release debian_version redhat-release alpine-release issue services protocols shells mime.types timezone ld.so.conf"
    .split(" ")
    .map((name) => `/etc/${name}`),
  menuForCommands,
]);

/** What means less in a command, which has devices of its own and sees the system anyway. */
function assessInCommand(effect: Effect, places: PathPlaces): EffectRisk | undefined {
  if (!isFileEffect(effect)) return undefined;
  const what = `${verbs[effect.op]} ${effect.path.resolved}`;
  if (isInScratch(effect, places.scratch) && classOf(effect, places) === undefined)
    return { effect, risk: "R1", reason: what };
  if (touchesNothing(effect) || looksAtSystem(effect, places)) return { effect, risk: "R1", reason: what };
  if (writesOutside(effect, places)) return { effect, risk: "R4", reason: `${what}, outside the workspace` };
  return opensTerminal(effect) ? { effect, risk: "R4", reason: `${what}, the terminal` } : undefined;
}

function looksAtSystem(effect: FileEffect, places: PathPlaces): boolean {
  const { op, path } = effect;
  if ((op !== "list" && op !== "read") || path.kind === "special") return false;
  // A directory that a command enters: what runs there sees more than names.
  if (op === "read" && effect.scope === "file" && path.kind === "directory") return false;
  return isOfSystem(path.resolved) && classOf(effect, places) === undefined;
}

/** An ordinary file or directory beside the workspace. What belongs to the system stays closed. */
function writesOutside(effect: FileEffect, places: PathPlaces): boolean {
  const { op, path } = effect;
  if (op !== "write" || path.kind === "special" || path.hardLinked || isInsideAny(path.resolved, places.roots))
    return false;
  const { resolved } = path;
  const trees = machineTrees.filter((tree) => !places.roots.some((root) => isInside(root, tree)));
  const closed =
    isOfSystem(resolved) || isInsideAny(resolved, [...trees, places.stateDirectory]) || isNeverShown(resolved);
  return !closed && !places.roots.some((root) => isInside(root, resolved)) && classOf(effect, places) === undefined;
}

/** Beside what every sandbox shows: what the machine is configured with, and keeps. */
const machineTrees = ["/etc", "/boot", "/dev", "/proc", "/sys", "/run", "/opt", "/srv", "/var/lib", "/var/log"];

const verbs = { read: "reads", list: "lists", write: "writes", delete: "deletes" } as const;
const classOrder: readonly PathClass[] = ["state", "secret", "committed", "protected", "lockfile", "hidden"];

function classOf(effect: FileEffect, places: PathPlaces): { class: PathClass; path: string } | undefined {
  const candidates = [effect.path.resolved, writtenPath(effect.path.written, places)].flatMap((path) => {
    const found = classifyPath(path, places);
    return found === undefined ? [] : [{ class: found, path }];
  });
  return candidates.sort((a, b) => classOrder.indexOf(a.class) - classOrder.indexOf(b.class))[0];
}

function writtenPath(written: string, { roots, home }: PathPlaces): string {
  const isOfHome = written === "~" || written.startsWith("~/");
  const path = isOfHome
    ? `${home}/${written.slice(1)}`
    : written.startsWith("/")
      ? written
      : `${roots[0] ?? ""}/${written}`;
  return isNormalised(path) ? path : normalize(path);
}
