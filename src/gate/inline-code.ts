import { basename, dirname, resolve } from "node:path/posix";
import type { EffectPart } from "../contract/effect.ts";
import type { UntrustedSkills } from "../contract/skill.ts";
import { hasCode, interpreterOf } from "./interpreters.ts";
import { pathsNamedIn } from "./running-parts.ts";

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
  const pieces = Map.groupBy(new Set(pathsNamedIn(code).map((piece) => resolve(cwd, piece))), (piece) =>
    basename(piece),
  );
  const said = new Map<string, boolean>();
  return skills.files().find((file) => namesOf(file, skills).some(isSaid) || isPiece(file));

  /** Many files have the same folders. */
  function isSaid(name: string): boolean {
    const found = said.get(name) ?? code.includes(name);
    said.set(name, found);
    return found;
  }

  function isPiece(file: string): boolean {
    // A file that is there is not this one: that was looked at by its path.
    return pieces.get(basename(file))?.some((piece) => skills.namedLike(piece, 1) !== undefined) === true;
  }
}

/** Code in the words of a part, or what the whole command feeds to a program; nothing where there is neither. */
export function codeIn({ text, words = [] }: EffectPart): string {
  const isFed = words.length === 0 && (text.includes("<<") || (text.includes("|") && namesInterpreter(text)));
  return isFed || hasCode(words) ? [text, ...words].join("\n") : "";
}

function namesInterpreter(text: string): boolean {
  return text.split(/[\s;|&()<>{}"'`]+/).some((word) => interpreterOf(word) !== undefined);
}

/** `.claude` and `skills/release`, of `.claude/skills/release/scripts/publish.sh`. */
function namesOf(file: string, skills: UntrustedSkills): readonly string[] {
  const folder = skills.leadsInto(file) ?? file;
  const place = dirname(folder);
  return [`${basename(place)}/${basename(folder)}`, basename(dirname(place))];
}
