import type { Command } from "commander";
import type { CommandContext } from "../command.ts";
import { declarePolicyCheck } from "./policy/check.ts";
import { declarePolicyTry } from "./policy/try.ts";

export function declare(command: Command, context: CommandContext): void {
  command.description("Check a policy before it is used, and try it on what has happened. Nothing here runs a tool.");
  declarePolicyCheck(command.command("check"), context);
  declarePolicyTry(command.command("try"), context);
}
