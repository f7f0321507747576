import path from "node:path";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import type { ServerSetting } from "../contract/server/server.ts";

export interface Here {
  readonly workspace: string;
  readonly exists: (file: string) => boolean;
}

/**
 * An entry for all projects: what it names by a relative path would be looked for in each of them. What is clearly a
 * path here is written whole; a plain word that is also a name of something here is nobody's to guess.
 */
export function portableServer(
  setting: ServerSetting,
  here: Here,
): Outcome<{ readonly setting: ServerSetting; readonly notes: readonly string[] }> {
  if (!("command" in setting)) return ok({ setting, notes: [] });
  const { command, args = [], cwd } = setting;
  const isHere = (written: string) => here.exists(path.resolve(here.workspace, written));
  const plain = args.find((word) => isPlain(word) && isHere(word));
  if (plain !== undefined) {
    return fail(
      "bad_request",
      `"${plain}" lies in this directory, and would be looked for in every other project too.`,
      {
        recovery: `Write ./${plain} if it means what lies here, or keep the server to this project: --scope local.`,
      },
    );
  }
  const notes: string[] = [];
  const whole = (written: string) => {
    if (!isPath(written) || !isHere(written)) return written;
    const resolved = path.resolve(here.workspace, written);
    notes.push(`${written} is written down as ${resolved}, which is the same from every project`);
    return resolved;
  };
  const wholeWord = (word: string) => {
    const [, option, value] = /^(-[^=]*=)(.*)$/s.exec(word) ?? [];
    return option === undefined || value === undefined ? whole(word) : option + whole(value);
  };
  const written = {
    ...setting,
    command: whole(command),
    ...(setting.args === undefined ? {} : { args: args.map(wholeWord) }),
    cwd: cwd && (isPlain(cwd) && isHere(cwd) ? whole(`./${cwd}`) : whole(cwd)),
  };
  for (const place of [...(setting.sandbox?.read ?? []), ...(setting.sandbox?.write ?? [])]) {
    if (!isRelative(place)) continue;
    notes.push(
      `${place} is opened in every project, and where there is none the server does not start; the whole path means this one`,
    );
  }
  return ok({ setting: written, notes });
}

/** It is looked for in each workspace, and may be missing there. */
function isRelative(written: string): boolean {
  return !path.isAbsolute(written) && !written.startsWith("~") && path.normalize(`${written}/`) !== "./";
}

/** `.` is the workspace, wherever that is. */
function isPath(written: string): boolean {
  return written.includes("/") && written !== "./" && !path.isAbsolute(written) && !written.startsWith("~");
}

function isPlain(written: string): boolean {
  return !written.includes("/") && !written.startsWith("-") && ![".", "..", ""].includes(written);
}
