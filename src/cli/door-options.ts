import path from "node:path";
import { type Command, Option } from "commander";
import type { DoorOptions } from "../contract/app.ts";
import { type Mode, modes } from "../contract/verdict.ts";
import { type CommonOptions, collect, cwdOption, jsonOption } from "./command.ts";
import type { Surface } from "./surface.ts";

export interface DoorFlags extends CommonOptions {
  readonly session?: string;
  readonly mode?: Mode;
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly addDir: readonly string[];
}

/** The flags of everything that goes through the door. */
export function declareDoorFlags(command: Command): Command {
  return command
    .option("--session <id>", "go on in this session: files read there count as read")
    .addOption(new Option("--mode <mode>", "how much runs without asking").choices(modes))
    .option("--allow <rule>", "allow what this rule covers, for example 'Bash(npm test)'; repeatable", collect, [])
    .option("--deny <rule>", "deny what this rule covers; beats every allow; repeatable", collect, [])
    .option("--add-dir <dir>", "let tools work in this directory too; repeatable", collect, [])
    .option(...cwdOption)
    .option(...jsonOption);
}

export function doorOptionsOf(flags: DoorFlags, surface: Surface): DoorOptions {
  return {
    ...(flags.session === undefined ? {} : { session: flags.session }),
    ...(flags.mode === undefined ? {} : { mode: flags.mode }),
    allow: flags.allow,
    deny: flags.deny,
    // Typed at a prompt, so it starts where the person stands, not where --cwd points.
    addDirectories: flags.addDir.map((directory) => path.resolve(surface.cwd, directory)),
  };
}
