import type { Effect } from "../../contract/effect.ts";
import { endlessEffects, withoutLines } from "../../programs/endless.ts";
import type { ShellNode, ShellRedirect, WordTemplate } from "./shell-tree.ts";
import type { Found, Walk } from "./walk.ts";

/** Behind a command or the commands of a pipeline, whose findings begin at `from`: does one stop what would not end? */
export function settleEndless(commands: readonly ShellNode[], from: number, { found }: Pick<Walk, "found">): void {
  const own = found.slice(from);
  if (!own.some(({ part }) => part.effects.some((effect) => endlessEffects.has(effect)))) return;
  // What runs for a word is not stopped by what stands behind the command.
  if (!commands.every(isPlain)) return;
  const at = own.findIndex(({ part: { words } }) => words !== undefined && limitOf(words) !== undefined);
  const limit = limitOf(own[at]?.part.words ?? []);
  if (limit === undefined || !own.slice(0, at).every(passesOn)) return;
  // Its own redirections stand behind it; what a command behind it reads, it does not stop.
  const next = own.findIndex(({ part }, index) => index > at && part.words !== undefined);
  const stopped = own.slice(0, next < 0 ? own.length : next);
  const lasts = (effect: Effect) => limit === "lines" && withoutLines.has(effect);
  if (stopped.some(({ part }) => part.effects.some(lasts))) return;
  found.splice(from, stopped.length, ...stopped.map(stop));
}

function isPlain(node: ShellNode): boolean {
  return (
    node.kind === "simple" &&
    node.assignments.length === 0 &&
    [...node.words, ...node.redirects.flatMap(templateOf)].every(({ pieces }) =>
      pieces.every(({ kind }) => kind === "text"),
    )
  );
}

function templateOf(redirect: ShellRedirect): readonly WordTemplate[] {
  if (redirect.kind === "copy" || redirect.kind === "sink") return [];
  return [redirect.kind === "input" ? redirect.content : redirect.target];
}

function stop(one: Found): Found {
  const { part } = one;
  const left = part.effects.filter((effect) => !endlessEffects.has(effect));
  if (left.length === part.effects.length) return one;
  return { ...one, part: { ...part, effects: left, reason: "ends as soon as enough has come" } };
}

/** What comes in goes out at once: it keeps nothing of it, and ends when nobody takes it any more. */
function passesOn({ part }: Found): boolean {
  if (part.words !== undefined && !streams.has(part.words[0] ?? "")) return false;
  return part.effects.every((effect) => endlessEffects.has(effect) || effect.op === "read");
}

const streams: ReadonlySet<string> = new Set("yes cat tr fold base64 od xxd hexdump".split(" "));

const byteFlags: Readonly<Record<string, readonly string[]>> = {
  head: ["--bytes=", "-c"],
  od: ["--read-bytes=", "-N"],
  xxd: ["-l"],
  hexdump: ["-n"],
};

/** How it is told to take only so much. */
function limitOf([name = "", ...words]: readonly string[]): "bytes" | "lines" | undefined {
  const flags = Object.hasOwn(byteFlags, name) ? byteFlags[name] : undefined;
  const counted = words.some((word, at) =>
    flags?.some((flag) => word.startsWith(flag) && isCount(word === flag ? words[at + 1] : word.slice(flag.length))),
  );
  if (counted) return "bytes";
  return /^head(?: -\d{1,9}| -n ?\d{1,9}| --lines=\d{1,9})?$/.test([name, ...words].join(" ")) ? "lines" : undefined;
}

function isCount(text: string | undefined): boolean {
  return /^\d{1,9}$|^\d{1,3}[kKM]B?$/.test(text ?? "");
}
