/** Tracks brackets of JSON that arrives in pieces, to know when the outermost one is closed. */
export interface JsonShape {
  add(text: string): void;
  complete(): boolean;
}

export function startsJson(text: string): boolean {
  return /^\s*[{[]/.test(text);
}

export function createJsonShape(): JsonShape {
  const open: string[] = [];
  let state: "before" | "inside" | "string" | "escape" | "complete" | "other" = "before";

  function step(character: string): void {
    switch (state) {
      case "before":
        if (/\s/.test(character)) return;
        state = character === "{" || character === "[" ? "inside" : "other";
        open.push(character);
        return;
      case "string":
        if (character === "\\") state = "escape";
        else if (character === '"') state = "inside";
        return;
      case "escape":
        state = "string";
        return;
      case "inside":
        if (character === '"') state = "string";
        else if (character === "{" || character === "[") open.push(character);
        else if (character === "}" || character === "]") close(character === "}" ? "{" : "[");
    }
  }

  function close(opening: string): void {
    if (open.pop() !== opening) state = "other";
    else if (open.length === 0) state = "complete";
  }

  return {
    add(text) {
      for (const character of text) step(character);
    },
    complete: () => state === "complete",
  };
}
