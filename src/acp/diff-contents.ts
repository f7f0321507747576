import type { ToolCallContent } from "@agentclientprotocol/sdk";

interface DiffContents {
  readonly changes: readonly ToolCallContent[];
  readonly beside: readonly string[];
}

export function diffContents(text: string, absolute: (path: string) => string): DiffContents {
  const changes: ToolCallContent[] = [];
  const beside: string[] = [];
  let path: string | undefined;
  let created = false;
  let hunk: Hunk | undefined;
  const end = () => {
    if (hunk !== undefined && path !== undefined) {
      const oldText = created ? null : hunk.before;
      changes.push({ type: "diff", path: absolute(path), oldText, newText: hunk.after });
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
    } else if (header !== null) path = header[2] === "/dev/null" ? path : withoutPrefix(header[2] ?? "");
    else if (counts !== null)
      hunk = { before: "", after: "", last: " ", left: countOf(counts[1]), added: countOf(counts[2]) };
    else if (line.trim() !== "") beside.push(line);
  }
  end();
  return { changes, beside };
}

interface Hunk {
  before: string;
  after: string;
  last: Sign;
  left: number;
  added: number;
}

type Sign = " " | "-" | "+";

function takeLine(hunk: Hunk, line: string): boolean {
  // Of the line above: it is the last of its file.
  if (line === "\\ No newline at end of file") {
    if (hunk.last !== "+") hunk.before = hunk.before.replace(/\n$/, "");
    if (hunk.last !== "-") hunk.after = hunk.after.replace(/\n$/, "");
    return true;
  }
  if (hunk.left === 0 && hunk.added === 0) return false;
  const sign = line[0] ?? " ";
  if (sign !== " " && sign !== "-" && sign !== "+") return false;
  hunk.last = sign;
  if (sign !== "+") {
    hunk.before += `${line.slice(1)}\n`;
    hunk.left--;
  }
  if (sign !== "-") {
    hunk.after += `${line.slice(1)}\n`;
    hunk.added--;
  }
  return true;
}

function countOf(written: string | undefined): number {
  return written === undefined ? 1 : Number(written);
}

function withoutPrefix(written: string): string {
  return plainPath(written).replace(/^[ab]\//, "");
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", v: "\v", a: "\u0007" };

function plainPath(written: string): string {
  const quoted = /^"(.*)"$/.exec(written)?.[1];
  if (quoted === undefined) return written;
  const bytes = quoted.replace(/\\([0-7]{3}|.)|[^\\]+/gu, (piece, escaped: string | undefined) => {
    const byte = escaped?.length === 3 ? Number.parseInt(escaped, 8) : undefined;
    const text = byte === undefined ? (escapes[escaped ?? ""] ?? escaped ?? piece) : undefined;
    return text === undefined ? String.fromCharCode(byte ?? 0) : Buffer.from(text).toString("latin1");
  });
  return Buffer.from(bytes, "latin1").toString();
}
