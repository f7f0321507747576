import { basename, dirname, resolve } from "node:path/posix";
import type { EffectPart } from "../contract/effect.ts";
import type { UntrustedSkills } from "../contract/skill.ts";
import { pathsNamedIn } from "./running-parts.ts";

const interpreter =
  /^(?:node(?:js)?|deno|bun|tsx|ts-node|python[\d.]*|pypy[\d.]*|perl[\d.]*|ruby[\d.]*|php[\d.]*|lua(?:jit)?[\d.]*|Rscript|tclsh|guile|julia|elixir|groovy|osascript)$/;
const codeFollows = /^-[A-Za-z]*[cepErR]|^--(?:eval|print|run|command)\b|^eval$/;

interface Around {
  readonly skills: UntrustedSkills;
  readonly cwd: string;
}

/**
 * The file of a skill that code in the words of a part speaks of, by its own name or that of a folder above it. A name
 * that is put together from single letters is not seen.
 */
export function skillNamedInCode(part: EffectPart, { skills, cwd }: Around): string | undefined {
  const code = codeIn(part);
  if (code === "") return undefined;
  const pieces = pathsNamedIn(code).map((piece) => resolve(cwd, piece));
  return skills.scripts().find((file) => namesOf(file, skills).some((name) => code.includes(name)) || isPiece(file));

  function isPiece(file: string): boolean {
    const name = basename(file);
    // A file that is there is not this one: that was looked at by its path.
    return pieces.some((piece) => basename(piece) === name && skills.namedLike(piece, 1) !== undefined);
  }
}

function codeIn({ text, words = [] }: EffectPart): string {
  const isFed = words.length === 0 && text.includes("<<");
  const isCode = words.some((word) => interpreter.test(basename(word))) && words.some((word) => codeFollows.test(word));
  return isFed || isCode ? [text, ...words].join("\n") : "";
}

/** `.claude` and `skills/release`, of `.claude/skills/release/scripts/publish.sh`. */
function namesOf(file: string, skills: UntrustedSkills): readonly string[] {
  const folder = skills.leadsInto(file) ?? file;
  const place = dirname(folder);
  return [`${basename(place)}/${basename(folder)}`, basename(dirname(place))];
}
