import type { PromptHistory } from "../../contract/app/app.ts";
import { type Outcome, ok } from "../../contract/codes.ts";
import { readSmallText } from "../files/read-small-text.ts";
import { updatePrivateText } from "./private-text.ts";

const mostKept = 200;
const longest = 4_000;

export function createPromptHistory(file: string, redact: (text: string) => Outcome<string>): PromptHistory {
  return {
    read() {
      try {
        return parse(readSmallText(file));
      } catch {
        return [];
      }
    },
    add(text) {
      if (text.length > longest) return ok(undefined);
      const kept = redact(text);
      if (!kept.ok) return kept;
      return updatePrivateText(file, (before) => {
        const past = parse(before);
        const all = past.at(-1) === kept.value ? past : [...past, kept.value].slice(-mostKept);
        return ok(`${JSON.stringify(all)}\n`);
      });
    },
  };
}

function parse(text: string | undefined): readonly string[] {
  try {
    const all: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(all) ? all.filter((one) => typeof one === "string" && one !== "").slice(-mostKept) : [];
  } catch {
    return [];
  }
}
