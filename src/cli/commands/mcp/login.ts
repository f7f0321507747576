import type { Command } from "commander";
import { type CommandContext, type CommonOptions, cwdOption, examples, jsonOption } from "../../command.ts";
import { type ExitCode, exitCodes } from "../../exit-code.ts";
import { lines, say } from "../../render/shown.ts";
import { viewOn } from "../../render/wrap.ts";
import { printJson, printShown, reportFailure } from "../../report.ts";
import type { Surface } from "../../surface.ts";
import { withApp } from "../../with-app.ts";
import { type ConfigFlag, configOption, namedFile } from "./config-option.ts";

type NamedFlags = CommonOptions & ConfigFlag;

export function declareMcpLogin(command: Command, { surface, end }: CommandContext): void {
  command
    .summary("log in to a server that wants it")
    .description(
      "Prints the address where you log in, and waits until your browser comes back to this machine. The tokens are " +
        "kept in the system's keychain, else in a file that only you can read; they are never logged.",
    )
    .argument("<name>", "as `gauntlet mcp list` shows it")
    .option(...configOption)
    .option(...cwdOption)
    .option(...jsonOption)
    .addHelpText("after", examples(["gauntlet mcp login docs", "Log in:"]))
    .action(async (name: string, flags: NamedFlags) => end(await logIn(surface, name, flags)));
}

async function logIn(surface: Surface, name: string, flags: NamedFlags): Promise<ExitCode> {
  const stop = new AbortController();
  const stopListening = surface.onInterrupt(() => stop.abort());
  const { paint, wrap } = viewOn(surface.stderr);
  const show = async (url: string) => {
    const host = URL.canParse(url) ? new URL(url).host : "";
    await surface.stderr.write(
      lines([
        wrap(say`Open this in your browser to log in to ${paint("strong", name)} at ${paint("strong", host)}:`),
        // One line, whatever its length: people copy it.
        say`${url}`,
        paint("quiet", "Waiting for the browser to come back; Ctrl+C ends it."),
      ]).text,
    );
  };
  try {
    return await withApp(surface, flags, async (app) => {
      const done = await app.servers.login(name, { ...namedFile(flags, surface), show, signal: stop.signal });
      if (!done.ok) return reportFailure(surface, done.failure, { json: flags.json ?? false });
      const view = viewOn(surface.stdout);
      const { kept } = done.value;
      const words =
        kept === undefined
          ? say`${view.paint("good", "answers")}: ${name} wants no other login`
          : say`${view.paint("good", "logged in")} to ${name}; kept in ${kept}`;
      if (flags.json === true) await printJson(surface, { name, ...done.value });
      else await printShown(surface, lines([view.wrap(words)]));
      return exitCodes.done;
    });
  } finally {
    stopListening();
  }
}
