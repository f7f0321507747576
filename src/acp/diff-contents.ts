import type { ToolCallContent } from "@agentclientprotocol/sdk";

/** The parser of the package `diff` rejects our extra lines beside a diff. */
export function diffContents(text: string, absolute: (path: string) => string) {
  const changes: ToolCallContent[] = [];
  const beside: string[] = [];
  let path: string | undefined;
  let created = false;
  let hunk: OpenHunk | undefined;
  const end = () => {
    if (hunk !== undefined && path !== undefined) {
      changes.push({ type: "diff", path: absolute(path), oldText: created ? null : hunk.before, newText: hunk.after });
    }
    hunk = undefined;
  };
  for (const line of text.split("\n")) {
    if (hunk !== undefined && takeLine(hunk, line)) continue;
    end();
    const [, sign, name = ""] = /^(---|\+\+\+) (.+?)(?:\t.*)?$/.exec(line) ?? [];
    const [counts, left = "1", added = "1"] = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line) ?? [];
    if (sign !== undefined) {
      if (sign === "---") created = name === "/dev/null";
      if (name !== "/dev/null") path = plainPath(name).replace(/^[ab]\//, "");
    } else if (counts !== undefined) {
      hunk = { before: "", after: "", last: " ", left: Number(left), added: Number(added) };
    } else if (line.trim() !== "") beside.push(line);
  }
  end();
  return { changes, beside };
}

interface OpenHunk {
  before: string;
  after: string;
  last: string;
  left: number;
  added: number;
}

function takeLine(hunk: OpenHunk, line: string): boolean {
  // It applies to the line above, the last of its file.
  if (line === "\\ No newline at end of file") {
    if (hunk.last !== "+") hunk.before = hunk.before.replace(/\n$/, "");
    if (hunk.last !== "-") hunk.after = hunk.after.replace(/\n$/, "");
    return true;
  }
  const sign = line[0] ?? " ";
  if ((hunk.left === 0 && hunk.added === 0) || !" -+".includes(sign)) return false;
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
