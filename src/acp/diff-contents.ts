import type { ToolCallContent } from "@agentclientprotocol/sdk";

/** A unified diff as editors draw it: what stood there and what stands there now, hunk by hunk. */
export function diffContents(text: string, absolute: (path: string) => string): readonly ToolCallContent[] {
  const contents: ToolCallContent[] = [];
  let path: string | undefined;
  let created = false;
  let hunk: Hunk | undefined;
  const end = () => {
    if (hunk !== undefined && path !== undefined) {
      const oldText = created ? null : hunk.before.join("\n");
      contents.push({ type: "diff", path: absolute(path), oldText, newText: hunk.after.join("\n") });
    }
    hunk = undefined;
  };
  for (const line of text.split("\n")) {
    if (hunk !== undefined && takeLine(hunk, line)) continue;
    end();
    const header = /^(---|\+\+\+) (.+?)(?:\t.*)?$/.exec(line);
    const counts = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
    if (header?.[1] === "---") {
      created = header[2] === "/dev/null";
      path = created ? undefined : withoutPrefix(header[2] ?? "");
    } else if (header !== null && header[2] !== "/dev/null") path = withoutPrefix(header[2] ?? "");
    else if (counts !== null) hunk = { before: [], after: [], left: countOf(counts[1]), added: countOf(counts[2]) };
  }
  end();
  return contents;
}

interface Hunk {
  readonly before: string[];
  readonly after: string[];
  /** Lines that are still to come, on either side. */
  left: number;
  added: number;
}

function takeLine(hunk: Hunk, line: string): boolean {
  if (line.startsWith("\\")) return true;
  if (hunk.left === 0 && hunk.added === 0) return false;
  const text = line.slice(1);
  const sign = line[0] ?? " ";
  if (sign !== " " && sign !== "-" && sign !== "+") return false;
  if (sign !== "+") {
    hunk.before.push(text);
    hunk.left--;
  }
  if (sign !== "-") {
    hunk.after.push(text);
    hunk.added--;
  }
  return true;
}

function countOf(written: string | undefined): number {
  return written === undefined ? 1 : Number(written);
}

function withoutPrefix(path: string): string {
  return path.replace(/^[ab]\//, "");
}
