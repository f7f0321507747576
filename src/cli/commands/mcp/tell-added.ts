import type { AddedServer } from "../../../contract/server/desk.ts";
import type { ServerSetting } from "../../../contract/server/server.ts";
import { lines, say } from "../../render/shown.ts";
import { viewOn } from "../../render/wrap.ts";
import { printJson, printNotice, printShown } from "../../report.ts";
import type { Surface } from "../../surface.ts";
import { literalSecrets } from "./new-server.ts";

/** What was written down, where, what a person should know about it, and what comes next. */
export async function tellAdded(
  surface: Surface,
  name: string,
  { file, scope, setting, notes }: AddedServer,
  { json }: { readonly json: boolean },
): Promise<void> {
  const told = viewOn(surface.stderr);
  for (const note of notes) {
    await printNotice(surface, told.wrap(say`${told.paint("warning", "notice:")} ${note}`));
  }
  await tellSecrets(surface, setting, file);
  if (json) return printJson(surface, { name, file, scope });
  const { paint, wrap } = viewOn(surface.stdout);
  const next =
    scope === "project"
      ? "It stands in the project, so it is in force once you trust it: gauntlet trust"
      : `See whether it answers: gauntlet mcp test ${name}`;
  await printShown(
    surface,
    lines([wrap(say`${paint("good", "added")} ${name} (${scope}) to ${file}`), wrap(paint("quiet", next))]),
  );
}

/** Written out once they lie in a file, and in the history of the shell. */
async function tellSecrets(surface: Surface, setting: ServerSetting, file: string): Promise<void> {
  const { paint, wrap } = viewOn(surface.stderr);
  const values = ("command" in setting ? setting.env : setting.headers) ?? {};
  for (const key of literalSecrets(setting)) {
    const scheme = /^(?:Bearer|Basic|Token) /i.exec(values[key] ?? "")?.[0] ?? "";
    const variable = scheme === "" ? key.toUpperCase().replaceAll("-", "_") : "TOKEN";
    await printNotice(
      surface,
      wrap(
        say`${paint("warning", "notice:")} the value of ${key} lies in ${file} as you wrote it. Better: ${scheme}\${${variable}} in its place, and ${variable} in your environment.`,
      ),
    );
  }
}
