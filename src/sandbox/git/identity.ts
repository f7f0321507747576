import { join } from "node:path";
import { readText } from "../read-text.ts";

/**
 * The user's own configuration stays outside: it names programs and credentials. Only who makes commits is taken
 * from it, as a file that a repository's own configuration still wins over.
 */
export function gitIdentity(home: string): string {
  const texts = [join(home, ".gitconfig"), join(home, ".config/git/config")].map(readText);
  const section = texts.flatMap((text) => [...text.matchAll(/^\s*\[user\]([^[]*)/gim)].map(([, body = ""]) => body));
  const lines = ["name", "email"].flatMap((key) => {
    const value = new RegExp(`^\\s*${key}\\s*=\\s*"?([^"\\\\;#\\n]*?)"?\\s*$`, "im").exec(section.join("\n"))?.[1];
    return value === undefined || value === "" ? [] : [`\t${key} = "${value}"\n`];
  });
  return lines.length === 0 ? "" : `[user]\n${lines.join("")}`;
}
