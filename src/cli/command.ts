import type { Command } from "commander";
import type { ExitCode } from "./exit-code.ts";
import type { Surface } from "./surface.ts";

export interface CommandContext {
  readonly surface: Surface;
  /** How the process will end. Called once by whichever command ran. */
  end(code: ExitCode): void;
}

/** What a command's file gives: its arguments, options, help and action on an empty command. */
export interface CommandModule {
  declare(command: Command, context: CommandContext): void;
}

export const jsonOption = ["--json", "print JSON for programs"] as const;
export const cwdOption = ["--cwd <dir>", "work in this directory instead of the current one"] as const;

export interface CommonOptions {
  readonly json?: boolean;
  readonly cwd?: string;
}

/** For an option that may be given several times. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** Examples are the part of a help text that people read. */
export function examples(...rows: readonly (readonly [command: string, what: string])[]): string {
  return `\nExamples:\n${rows.map(([command, what]) => `  ${what}\n    $ ${command}`).join("\n")}\n`;
}
