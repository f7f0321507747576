import type { Command } from "commander";
import type { CommandContext } from "../command.ts";
import { declareAuditVerify } from "./audit/verify.ts";
import { declareAuditWhy } from "./audit/why.ts";

export function declare(command: Command, context: CommandContext): void {
  command.description("Check the log, and ask it why.");
  declareAuditVerify(command.command("verify"), context);
  declareAuditWhy(command.command("why"), context);
}
