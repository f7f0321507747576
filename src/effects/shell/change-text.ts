import { longestValue } from "./shell-state.ts";

/**
 * What `${x%.*}` and the like make of a text that is known. `undefined` where that takes more than
 * a look.
 */
export function changeText(text: string, operator: string, argument: string): string | undefined {
  if (!/^[\x20-\x7e\n\t]*$/.test(text) || text.length > longest || argument.includes("~")) return undefined;
  switch (operator) {
    // A variable that was only declared, and an array without elements, are empty here and not set.
    case "-":
      return text === "" ? undefined : text;
    case ":-":
      return text === "" ? argument : text;
    case "+":
      return text === "" ? undefined : argument;
    case ":+":
      return text === "" ? "" : argument;
    case "^^":
      return text.toUpperCase();
    case ",,":
      return text.toLowerCase();
    case "^":
      return text.slice(0, 1).toUpperCase() + text.slice(1);
    case ",":
      return text.slice(0, 1).toLowerCase() + text.slice(1);
    case ":":
      return cut(text, argument);
    case "#":
    case "##":
    case "%":
    case "%%":
      return trim(text, operator, argument);
    default:
      return replace(text, operator === "//", argument);
  }
}

const longest = 1_024;

function cut(text: string, argument: string): string | undefined {
  const [, from = "", length] = /^ ?(\d+)(?::(\d+))?$/.exec(argument) ?? [];
  if (from === "") return undefined;
  const rest = text.slice(Number(from));
  return length === undefined ? rest : rest.slice(0, Number(length));
}

/** `#` and `%` take the shortest piece that matches, `##` and `%%` the longest. A `*` stands at its inner end only. */
function trim(text: string, operator: string, argument: string): string | undefined {
  const front = operator.startsWith("#");
  const [, star, plain = ""] = (front ? /^(\*?)([^*?]+)$/ : /^(?=.*?(\*?)$)([^*?]+)\*?$/).exec(argument) ?? [];
  if (plain === "") return undefined;
  if (star === "") {
    if (front) return text.startsWith(plain) ? text.slice(plain.length) : text;
    return text.endsWith(plain) ? text.slice(0, -plain.length) : text;
  }
  const first = front === (operator.length === 1);
  const at = first ? text.indexOf(plain) : text.lastIndexOf(plain);
  if (at < 0) return text;
  return front ? text.slice(at + plain.length) : text.slice(0, at);
}

/** Only plain characters are replaced: what a pattern matches first is another question. */
function replace(text: string, all: boolean, argument: string): string | undefined {
  const [, found = "", by = ""] = /^([\w.,@+=:-]+)(?:\/([\w.,@+=: -]*))?$/.exec(argument) ?? [];
  if (found === "") return undefined;
  if (text.length * by.length > longestValue) return undefined;
  return all ? text.split(found).join(by) : text.replace(found, () => by);
}
