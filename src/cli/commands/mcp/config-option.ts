import path from "node:path";
import type { ServersOf } from "../../../contract/server/desk.ts";
import type { Surface } from "../../surface.ts";

export interface ConfigFlag {
  readonly config?: string;
}

export const configOption = [
  "--config <file>",
  "servers of this file too, as `gauntlet mcp gateway --config` has them",
] as const;

/** Typed at a prompt, so it starts where the person stands, not where --cwd points. */
export function namedFile({ config }: ConfigFlag, { cwd }: Pick<Surface, "cwd">): ServersOf {
  return config === undefined ? {} : { file: path.resolve(cwd, config) };
}
