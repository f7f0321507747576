import { styleText } from "node:util";
import { visibleText } from "../../contract/visible-text.ts";

/**
 * Text that may go to a terminal: our own words and colours, and everybody else's with its disguises
 * written out. People are shown nothing that is not one of these.
 */
export class Shown {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** What stands in the template is ours; what is put into it is not, unless it is `Shown` already. */
export function say(words: TemplateStringsArray, ...values: readonly (string | number | Shown)[]): Shown {
  let text = words[0] ?? "";
  for (const [index, value] of values.entries()) {
    text += (value instanceof Shown ? value.text : visibleText(String(value))) + (words[index + 1] ?? "");
  }
  return new Shown(text);
}

export const nothing = new Shown("");

export function joinShown(parts: readonly Shown[], separator: string): Shown {
  return new Shown(parts.map((part) => part.text).join(separator));
}

/** Each part a line. */
export function lines(parts: readonly Shown[]): Shown {
  return new Shown(parts.map((part) => `${part.text}\n`).join(""));
}

export type Tone = "good" | "bad" | "warning" | "quiet" | "strong" | "accent";
export type Paint = (tone: Tone, text: string | Shown) => Shown;

const formats = {
  good: "green",
  bad: "red",
  warning: "yellow",
  quiet: "dim",
  strong: "bold",
  accent: "cyan",
} as const satisfies Record<Tone, Parameters<typeof styleText>[0]>;

/** The caller decided about colour already; nothing here looks at the environment. */
export function painter(output: { readonly colour: boolean }): Paint {
  return (tone, text) => {
    const shown = say`${text}`;
    return output.colour ? new Shown(styleText(formats[tone], shown.text, { validateStream: false })) : shown;
  };
}

/** Words in front of a value, all of one width. */
export function labeller(paint: Paint): (name: string) => Shown {
  return (name) => paint("quiet", name.padEnd(14));
}

export function toneOfDecision(decision: "allow" | "ask" | "deny"): Tone {
  return decision === "allow" ? "good" : decision === "ask" ? "warning" : "bad";
}
