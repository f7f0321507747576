import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { OwnedResult, ToolContext } from "../../contract/ports.ts";
import type { SearchPlace } from "./search-place.ts";

/** Far more than a model can read; what lies beyond is counted as "at least". */
const maxBytes = 8 * 1024 * 1024;

export interface RipgrepOutput {
  readonly stdout: string;
  /** There was more. */
  readonly cut: boolean;
  /** Places that could not be looked at. */
  readonly unreadable: number;
}

export async function runRipgrep(
  context: Pick<ToolContext, "processes">,
  options: readonly string[],
  place: SearchPlace,
): Promise<Outcome<RipgrepOutput>> {
  const args = [...options, "--", place.operand];
  const ran = await context.processes.ripgrep(args, { tree: place.tree, maxBytes });
  if (!ran.ok) return ran;
  return understand(ran.value);
}

/** 0: found, 1: nothing found, 2: a wrong pattern, or some files could not be read. */
function understand({ exitCode, stdout, stderr, cut }: OwnedResult): Outcome<RipgrepOutput> {
  const wrong = /rg: (?:((?:compiled )?regex)|error parsing (glob)|the literal)/.exec(stderr);
  if (wrong !== null && stdout === "") {
    return fail("runtime_precondition_failed", messageOf(stderr), {
      field: wrong[2] === undefined ? "pattern" : "glob",
      happened: "nothing",
      recovery: wrong[2] === undefined ? "Fix the expression, or set literal." : "Fix the glob.",
    });
  }
  if (!cut && (exitCode === null || exitCode > 2)) {
    return fail("tool_failed", `The search ended early: ${messageOf(stderr) || "it was stopped"}`, {
      happened: "nothing",
    });
  }
  return ok({ stdout, cut, unreadable: stderr.split("\n").filter((line) => line.startsWith("rg: ")).length });
}

function messageOf(stderr: string): string {
  return stderr.replace(/^rg: /gm, "").trim();
}
