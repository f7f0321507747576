/** Only for the letters of the marks; NFKD covers variants of Latin letters. */
const lookalikes: Readonly<Record<string, string>> = {
  a: "аαɑᴀАΑᎪ",
  b: "ьвЬƅʙВΒᏴᏏ",
  c: "сϲᴄСϹᏟ",
  d: "ԁɗđᴅᎠ",
  e: "еεɛєҽᴇЕΕᎬ3",
  h: "һհʜнНΗᎻ",
  i: "lіιıɩɪӏǀʟІΙӀᎥᏞ1|!¦",
  j: "јϳᴊʝЈᎫ",
  k: "кκᴋКΚᏦ",
  m: "мᴍМΜᎷ",
  n: "ոռпηɴΝ",
  o: "оοօσᴏⲟ๐ОΟՕ0",
  p: "рρᴘⲣРΡᏢ",
  r: "гᴦʀⲅᎡ",
  s: "ѕꜱƽʂЅՏᏚ5",
  t: "тτᴛŧТΤᎢ",
  u: "υսᴜʋՍ",
  v: "νѵᴠѴᏙ",
  y: "уγүʏУΥҮᎩ",
};
/** Invisible characters and word separators. */
const separators = /[\p{M}\p{Cf}\p{Pd}\p{Pc}\s\u115f\u1160\u2044\u2212\u2215\u3164\uffa0/\\]/gu;

const letters = new Map(
  Object.entries(lookalikes).flatMap(([letter, others]) => [...others].map((other) => [other, letter] as const)),
);

/** Texts that look alike become equal, without separators. */
function foldLookalikes(text: string): string {
  const bare = text.replace(separators, "").normalize("NFKD").replace(separators, "");
  const folded = [...bare].map((one) => letters.get(one) ?? letters.get(one.toLowerCase()) ?? one.toLowerCase());
  // `rn` looks like `m`.
  return folded.map((letter) => (letter === "m" ? "rn" : letter)).join("");
}

/** Marks around text in a model's input that name its source. */
const marks = [
  "untrusted-output",
  "runtime-note",
  "project-instructions",
  "session-environment",
  "available-skills",
  "history-summary",
] as const;
export type Mark = (typeof marks)[number];

const names = marks.map(foldLookalikes);
const foldedAscii = Array.from({ length: 128 }, (_, code) => foldLookalikes(String.fromCharCode(code)));
const brackets = /[<\u02c2\u1438\u16b2\u2329\u276c\u276e\u2770\u27e8\u2991\u29fc\u3008\ufe64\uff1c]/g;

/** Outside text cannot close or open a mark: the bracket before its name is replaced by another character. */
export function withoutMarks(text: string): string {
  return text.replace(brackets, (bracket, at: number) => (namesMark(text, at + bracket.length) ? "‹" : bracket));
}

function namesMark(text: string, from: number): boolean {
  let read = "";
  for (let at = from; at < text.length; ) {
    const code = text.codePointAt(at) ?? 0;
    at += code > 0xffff ? 2 : 1;
    const folded = foldedAscii[code] ?? foldLookalikes(String.fromCodePoint(code));
    if (folded === "") continue;
    read += folded;
    if (names.includes(read)) return true;
    if (!names.some((name) => name.startsWith(read))) return false;
  }
  return false;
}

export function delimited(mark: Mark, text: string, attributes: Readonly<Record<string, string>> = {}): string {
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}=${JSON.stringify(withoutMarks(value))}`);
  const body = withoutMarks(text);
  return `<${mark}${written.join("")}>\n${body}${body.endsWith("\n") ? "" : "\n"}</${mark}>`;
}
