import { Buffer } from "node:buffer";
import path from "node:path";
import { plainText } from "../../base/text.ts";
import type { Door } from "../../contract/app/door.ts";
import { isInsideAny } from "../../contract/effect.ts";
import type { ContextDecision } from "../../contract/events/run.ts";
import type { HostFiles, Metadata } from "../../contract/ports.ts";
import type { SessionState } from "../../contract/state.ts";
import { resolvePath } from "../../effects/resolve-path.ts";

const names = ["AGENTS.md", "CLAUDE.md"];

export interface InstructionParts {
  readonly state: Pick<SessionState, "workspace" | "roots" | "cwd">;
  readonly metadata: Metadata;
  readonly files: HostFiles;
  readonly home: string;
  /** Bytes of all of them together. */
  readonly cap: number;
  /** A file that the model may not read is not read for it. */
  readonly explain: Door["explain"];
}

export interface Instructions {
  /** Nearest to the working directory last. Empty when there are none. */
  readonly text: string;
  readonly decisions: readonly ContextDecision[];
}

interface Found {
  readonly shown: string;
  readonly text: string;
}

/** What the project asks of whoever works in it: advice, and never permission. */
export async function readInstructions(parts: InstructionParts): Promise<Instructions> {
  const decisions: ContextDecision[] = [];
  const found: Found[] = [];
  for (const directory of instructionPlaces(parts.state)) {
    for (const name of names) {
      const file = path.join(directory, name);
      if (parts.metadata.lstat(file) === undefined) continue;
      const shown = plainText(path.relative(parts.state.workspace, file)).replace(/\s+/g, " ");
      const read = await readOne(file, parts);
      if (!read.ok) decisions.push({ what: shown, decision: "exclude", reason: read.why });
      else if (read.text.trim() === "" || found.some(({ text }) => text === read.text))
        decisions.push({ what: shown, decision: "exclude", reason: "it says nothing new" });
      else found.push({ shown, text: read.text });
    }
  }
  const kept = withinCap(found, parts.cap);
  for (const { shown, cut } of kept.all) {
    const reason =
      cut === undefined ? "instructions of the project" : `only its beginning: the cap is ${parts.cap} bytes`;
    decisions.push(
      cut === 0
        ? { what: shown, decision: "exclude", reason: `nearer ones fill the cap of ${parts.cap} bytes` }
        : { what: shown, decision: "include", reason },
    );
  }
  return { text: kept.text, decisions };
}

/** From the outermost directory that is open to the working directory. */
function instructionPlaces({ workspace, roots, cwd }: InstructionParts["state"]): readonly string[] {
  const places = new Set<string>();
  for (const start of [workspace, cwd]) {
    for (let here = start; isInsideAny(here, roots); here = path.dirname(here)) {
      places.add(here);
      if (here === path.dirname(here)) break;
    }
  }
  return [...places].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
}

type ReadOne = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string };

const longestFile = 1024 * 1024;

async function readOne(file: string, { metadata, files, home, state, explain }: InstructionParts): Promise<ReadOne> {
  const resolved = resolvePath(file, { metadata, base: state.workspace, home });
  if (!resolved.ok) return { ok: false, why: resolved.failure.message };
  const { kind, resolved: target } = resolved.value;
  if (kind !== "file") return { ok: false, why: "it is not a regular file" };
  if (!isInsideAny(target, state.roots)) return { ok: false, why: "its link leads out of the workspace" };
  const verdict = await explain({ tool: "read", input: { path: file } });
  if (verdict.decision !== "allow") return { ok: false, why: `reading it is not allowed: ${verdict.reason}` };
  const read = await files.tagged("instructions").read(target, { maxBytes: longestFile });
  if (!read.ok) return { ok: false, why: read.failure.message };
  return { ok: true, text: plainText(Buffer.from(read.value.bytes).toString("utf8")) };
}

/** The nearest ones count most, so the farthest are cut first. */
function withinCap(found: readonly Found[], cap: number) {
  let left = cap;
  const sections: string[] = [];
  const all: { readonly shown: string; readonly cut?: number }[] = [];
  for (const { shown, text } of found.toReversed()) {
    const bytes = Buffer.from(text);
    const whole = bytes.length <= left;
    const taken = whole ? text : new TextDecoder().decode(bytes.subarray(0, left)).replace(/\uFFFD+$/, "");
    left -= Math.min(left, bytes.length);
    all.unshift(whole ? { shown } : { shown, cut: taken.length });
    if (taken !== "") sections.unshift(`# ${shown}\n${taken.trim()}${whole ? "" : "\n[cut here]"}`);
  }
  return { text: sections.join("\n\n"), all };
}
