import { styleText } from "node:util";
import { visibleText } from "../../base/text.ts";

/** Text that is safe for a terminal: control characters from outside are made visible. Users are shown nothing else. */
export class Shown {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/**
 * The template is trusted, its values are not, unless they are `Shown`. A value stays on its line: text that could
 * start a new line could imitate our own output.
 */
export function say(words: TemplateStringsArray, ...values: readonly (string | number | Shown)[]): Shown {
  let text = words[0] ?? "";
  for (const [index, value] of values.entries()) {
    text += (value instanceof Shown ? value.text : inLine(String(value))) + (words[index + 1] ?? "");
  }
  return new Shown(text);
}

function inLine(text: string): string {
  return visibleText(text).replace(/\r?\n/g, "\\n");
}

export function block(text: string): Shown {
  return new Shown(visibleText(text));
}

export function below(label: Shown, value: string, indent = labelWidth): readonly Shown[] {
  return value
    .split(/\r?\n/)
    .map((row, index) => (index === 0 ? say`${label}${row}` : say`${" ".repeat(indent)}${row}`));
}

export const nothing = new Shown("");

export function joinShown(parts: readonly Shown[], separator: string): Shown {
  return new Shown(parts.map((part) => part.text).join(separator));
}

/** Each part on a line of its own; an absent part takes none. */
export function lines(parts: readonly (Shown | undefined)[]): Shown {
  return new Shown(parts.map((part) => (part === undefined ? "" : `${part.text}\n`)).join(""));
}

export type Tone = "good" | "bad" | "warning" | "quiet" | "strong" | "stressed" | "accent";
export type Paint = (tone: Tone, text: string | Shown) => Shown;

const formats = {
  good: "green",
  bad: "red",
  warning: "yellow",
  quiet: "dim",
  strong: "bold",
  stressed: "italic",
  accent: "cyan",
} as const satisfies Record<Tone, Parameters<typeof styleText>[0]>;

export function painter(output: { readonly colour: boolean }): Paint {
  return (tone, text) => {
    const shown = say`${text}`;
    return output.colour ? new Shown(styleText(formats[tone], shown.text, { validateStream: false })) : shown;
  };
}

export const labelWidth = 14;

export function labeller(paint: Paint): (name: string) => Shown {
  return (name) => paint("quiet", name.padEnd(labelWidth));
}

export function clipped(text: string, most = 120): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  return `${text.slice(0, half)} ⟨${text.length - 2 * half} characters⟩ ${text.slice(-half)}`;
}

export function toneOfDecision(decision: "allow" | "ask" | "deny"): Tone {
  return decision === "allow" ? "good" : decision === "ask" ? "warning" : "bad";
}
