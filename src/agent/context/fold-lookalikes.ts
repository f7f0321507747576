/**
 * Letters of other scripts, capitals without a serif and digits, under the letter that they pass for. Only of the
 * letters that the marks are written with; what is a variant of a Latin letter by decomposition need not be here.
 */
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
/** What nobody sees, and what may stand between words or in front of them. */
const separators = /[\p{M}\p{Cf}\p{Pd}\p{Pc}\s\u115f\u1160\u2044\u2212\u2215\u3164\uffa0/\\]/gu;

const letters = new Map(
  Object.entries(lookalikes).flatMap(([letter, others]) => [...others].map((other) => [other, letter] as const)),
);

/** Texts that look the same become the same. Without separators, so that a word may be empty. */
export function foldLookalikes(text: string): string {
  const bare = text.replace(separators, "").normalize("NFKD").replace(separators, "");
  return [...bare].map(foldCharacter).join("");
}

/** An `m` passes for two letters. */
function foldCharacter(character: string): string {
  const lower = character.toLowerCase();
  const letter = letters.get(character) ?? letters.get(lower) ?? lower;
  return letter === "m" ? "rn" : letter;
}
