const colours: Readonly<Record<string, string>> = { 31: "#ff7b72", 32: "#7ee787", 33: "#e3b341", 36: "#79c0ff" };
const [width, height, margin] = [8.4, 19, 16];

/** The text of a terminal with its colours, as an SVG. */
export function drawTerminal(text: string, columns: number): string {
  const lines = text.replace(/\n+$/, "").split("\n");
  const style = new Map<string, string>();
  const rows = lines.map((line, row) => {
    const spans = line.split("\u001b[").map((piece, at) => {
      if (at === 0) return span(piece, style);
      const [, code = "", rest = ""] = /^([\d;]*)m(.*)$/s.exec(piece) ?? [];
      for (const one of code.split(";")) apply(one, style);
      return span(rest, style);
    });
    return `<text x="${margin}" y="${margin + (row + 0.75) * height}">${spans.join("")}</text>`;
  });
  const size = [Math.ceil(columns * width + 2 * margin), lines.length * height + 2 * margin];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.join(" ")}" width="${size[0]}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14" xml:space="preserve">`,
    '<rect width="100%" height="100%" rx="8" fill="#0d1117"/>',
    `<g fill="#e6edf3">`,
    ...rows,
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

function apply(code: string, style: Map<string, string>): void {
  if (code in colours) style.set("fill", colours[code] ?? "");
  else if (code === "1") style.set("font-weight", "bold");
  else if (code === "2") style.set("opacity", "0.6");
  else if (code === "3") style.set("font-style", "italic");
  else if (code === "39") style.delete("fill");
  else if (code === "23") style.delete("font-style");
  else if (code === "22") for (const key of ["font-weight", "opacity"]) style.delete(key);
  else if (code === "0" || code === "") style.clear();
}

function span(text: string, style: ReadonlyMap<string, string>): string {
  if (text === "") return "";
  const plain = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  if (style.size === 0) return plain;
  return `<tspan ${[...style].map(([key, value]) => `${key}="${value}"`).join(" ")}>${plain}</tspan>`;
}
