import path from "node:path/posix";
import type { Fixture } from "../../test/gate-matrix/fixture.ts";
import type { Effect, EffectPart, PlainForm } from "../contract/effect.ts";

/** What is reported about each command. They are only looked at, so they may share a project. */
export function linesOfAll(commands: readonly string[], fixture: Fixture): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(commands.map((command) => [command, linesOf(command, fixture)]));
}

/**
 * Everything that is reported about a command, a line a part: its text, with its words where those differ, the
 * directory where that is not the workspace, what it does, and the forms that it may also be called by. A part
 * without words stands in brackets, and `?` is what is not certain or not understood.
 */
function linesOf(command: string, { shell, root, home }: Fixture): readonly string[] {
  const { parts, raiseTo, raisedBecause, syntaxError, next } = shell(command);
  const lines = [
    ...parts.map((part) => partLine(part, root)),
    ...(raisedBecause === undefined ? [] : [`${raiseTo}: ${raisedBecause}`]),
    ...(syntaxError === undefined ? [] : [`error: ${syntaxError}`]),
    ...(next === undefined ? [] : [`next: ${next.tool} ${JSON.stringify(next.input)}`]),
  ];
  return lines.map((line) =>
    line
      .replaceAll(home, "HOME")
      .replaceAll(`${root}/`, "")
      .replaceAll(root, ".")
      .replaceAll(path.dirname(root), "ABOVE"),
  );
}

function partLine(part: EffectPart, root: string): string {
  const { effects, reason, alsoAs = [], moves, needsSavedRule, openEnded } = part;
  const isSaid = effects.some((effect) => effect.op === "unknown" && effect.why === reason);
  return [
    `${shownText(part)}${shownPlace(part, root)}`,
    [...(isSaid ? [] : [reason]), ...effects.map(effectText)].join("; "),
    ...alsoAs.map((form) => `as ${formText(form)}`),
    ...(openEnded === undefined ? [] : ["open-ended"]),
    ...(moves === undefined ? [] : ["moves"]),
    ...(needsSavedRule === undefined ? [] : ["needs a saved rule"]),
  ].join(" → ");
}

function shownText({ text, words }: EffectPart): string {
  if (words === undefined) return `[${text}]`;
  return words.join(" ") === text ? text : `${text} (${words.join("|")})`;
}

function shownPlace({ words, cwd }: EffectPart, root: string): string {
  return words === undefined || cwd === root ? "" : ` in ${cwd ?? "?"}`;
}

function effectText(effect: Effect): string {
  switch (effect.op) {
    case "exec":
      return `exec ${[effect.program, ...effect.argv].join("|")}`;
    case "connect":
      return `connect ${effect.host}${effect.port === undefined ? "" : `:${effect.port}`}`;
    case "unknown":
      return `? ${effect.why}`;
    case "call":
    case "delegate":
    case "session":
      return effect.op;
    default:
      return `${effect.op} ${effect.path.resolved}${effect.scope === "tree" ? "/**" : ""}`;
  }
}

/** `_` is one word that only the running shell knows, `…` any number of them. */
function formText(form: PlainForm): string {
  return form.map((word) => (typeof word === "string" ? word : word.many ? "…" : "_")).join(" ");
}
