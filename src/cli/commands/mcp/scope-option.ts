import { Option } from "commander";
import { type ServerScope, serverScopes } from "../../../contract/server/desk.ts";

export function scopeOption(words: string): Option {
  return new Option("-s, --scope <scope>", words).choices(serverScopes);
}

export const scopeWords = {
  local: "yours, in this project only",
  project: "the project's",
  user: "yours, in all projects",
  managed: "your company's",
  command_line: "from the command line",
} as const satisfies Record<ServerScope | "managed" | "command_line", string>;
