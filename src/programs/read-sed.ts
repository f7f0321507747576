import { closesBrackets } from "./regex-text.ts";

/** What a sed script does besides printing: nothing, or the reason why it may do more. */
export type SedReading = { readonly selectsOnly: boolean } | { readonly why: string };

/**
 * Reads a sed script by a small grammar: addresses, groups, labels, and the commands that select, delete,
 * substitute or print. A script may also run commands (`e`, `s///e`) and touch files (`w`, `r`, `s///w`), so
 * whatever does not fit is refused.
 */
export function readSedScript(script: string): SedReading {
  let at = 0;
  let depth = 0;
  let selectsOnly = true;
  let delimiter = "";

  while (true) {
    skip(/[\s;]/);
    if (at >= script.length) break;
    if (script[at] === "#") {
      skip(/[^\n]/);
      continue;
    }
    if (!takeAddress()) return refuse();
    skip(/[ \t!]/);
    const command = script[at++] ?? "";
    if (command === "{") {
      depth++;
      continue;
    }
    if (command === "}") {
      if (--depth < 0) return refuse();
      if (!ends()) return refuse();
      continue;
    }
    if (Object.hasOwn(dangerous, command)) return { why: `the sed command ${command} ${dangerous[command]}` };
    if (!selecting.has(command)) selectsOnly = false;
    const taken = takeCommand(command);
    if (taken !== undefined) return taken;
  }
  return depth === 0 ? { selectsOnly } : refuse();

  function takeCommand(command: string): SedReading | undefined {
    if (command === "s") return takeSubstitution();
    if (command === "y") return takeDelimited() && takeRest() && ends() ? undefined : refuse();
    if (command === "a" || command === "i" || command === "c") return takeText() ? undefined : refuse();
    if (command === ":" || command === "b" || command === "t" || command === "T") {
      skip(/[ \t]/);
      skip(/\w/);
      return ends() ? undefined : refuse();
    }
    if (!simple.has(command)) return refuse();
    if (numbered.has(command)) {
      skip(/[ \t]/);
      skip(/\d/);
    }
    return ends() ? undefined : refuse();
  }

  function takeSubstitution(): SedReading | undefined {
    if (!takeDelimited() || !takeRest()) return refuse();
    const flags = /^[a-zA-Z0-9]*/.exec(script.slice(at))?.[0] ?? "";
    if (flags.includes("e")) return { why: "s///e of sed runs a command" };
    if (flags.includes("w")) return { why: "s///w of sed writes a file" };
    if (!/^[gpiImM0-9]*$/.test(flags)) return refuse();
    at += flags.length;
    return ends() ? undefined : refuse();
  }

  /** One or two of `5`, `$`, `/re/I`, `\%re%`, `first~step`, and behind the comma also `+3`, `~4`. */
  function takeAddress(): boolean {
    const first = takeOneAddress();
    if (first === "bad") return false;
    if (first === "none") return true;
    skip(/[ \t]/);
    if (script[at] !== ",") return true;
    at++;
    skip(/[ \t]/);
    if (/[+~]/.test(script[at] ?? "")) {
      at++;
      return skip(/\d/) > 0;
    }
    return takeOneAddress() === "taken";
  }

  function takeOneAddress(): "taken" | "none" | "bad" {
    const start = script[at] ?? "";
    if (start === "$") {
      at++;
      return "taken";
    }
    if (/\d/.test(start)) {
      skip(/\d/);
      if (script[at] === "~") {
        at++;
        return skip(/\d/) > 0 ? "taken" : "bad";
      }
      return "taken";
    }
    if (start === "\\") at++;
    else if (start !== "/") return "none";
    if (!takeDelimited()) return "bad";
    skip(/[IM]/);
    return "taken";
  }

  /** From a delimiter to its next appearance. Some seds see no delimiter inside brackets: then there is none. */
  function takeDelimited(): boolean {
    delimiter = script[at++] ?? "";
    if (!/[/|,#@:!%_+~^=;&"'-]/.test(delimiter)) return false;
    const from = at;
    return takeRest() && closesBrackets(script.slice(from, at - 1));
  }

  function takeRest(): boolean {
    for (; at < script.length; at++) {
      const character = script[at];
      if (character === delimiter) {
        at++;
        return true;
      }
      if (character === "\n") return false;
      if (character === "\\") at++;
    }
    return false;
  }

  /** Everything up to the end of the line, also `;` and `}`. */
  function takeText(): boolean {
    skip(/[ \t]/);
    if (script.startsWith("\\\n", at)) at += 2;
    const line = /^[^\n]*/.exec(script.slice(at))?.[0] ?? "";
    at += line.length;
    return line !== "" && !line.endsWith("\\");
  }

  function ends(): boolean {
    skip(/[ \t]/);
    return at >= script.length || /[;\n}#]/.test(script[at] ?? "");
  }

  function skip(what: RegExp): number {
    const from = at;
    while (at < script.length && what.test(script[at] ?? "")) at++;
    return at - from;
  }

  function refuse(): SedReading {
    return { why: "the sed script is not one that only prints or replaces" };
  }
}

/** `10,20p` and the like: the lines it selects. */
export function selectedLines(script: string): { readonly from: number; readonly to: number } | undefined {
  const found = /^(\d+)(?:,(\d+))?p(?:;(\d+)q)?$/.exec(script.trim());
  if (found === null) return undefined;
  const from = Number(found[1]);
  const to = Number(found[2] ?? found[1]);
  const quits = found[3] === undefined ? to : Number(found[3]);
  return from >= 1 && to >= from && quits >= to ? { from, to } : undefined;
}

const simple: ReadonlySet<string> = new Set("pPdDhHgGxnNlqQ=zF");
const numbered: ReadonlySet<string> = new Set("lqQ");
/** What comes out are lines that came in. */
const selecting: ReadonlySet<string> = new Set("pPdDnNqQbtT:");
const dangerous: Readonly<Record<string, string>> = {
  e: "runs a command",
  w: "writes a file",
  W: "writes a file",
  r: "reads another file",
  R: "reads another file",
};
