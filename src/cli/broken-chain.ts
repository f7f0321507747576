import type { Archive } from "../contract/app/archive.ts";
import type { SessionId } from "../contract/ids.ts";
import { type ExitCode, exitCodes } from "./exit-code.ts";
import { say } from "./render/shown.ts";
import { viewOn } from "./render/wrap.ts";
import { printNotice } from "./report.ts";
import type { Surface } from "./surface.ts";

/** Said wherever such a command is described. */
export const endsWithOne = "Exits 1 when the session is not as it was written.";

/** What a log tells that does not hold is no evidence, and whoever reads it is told. Gives how the reading ends then. */
export async function checkChain(surface: Surface, archive: Archive, session: SessionId): Promise<ExitCode> {
  const checked = archive.verify(session);
  if (checked.ok && checked.value.every((report) => report.ok)) return exitCodes.done;
  const { paint, wrap } = viewOn(surface.stderr);
  const [first] = checked.ok ? checked.value.flatMap((report) => report.problems) : [];
  const where = first === undefined ? "" : `event ${first.seq}: ${first.problem.replace(/\.$/, "")}. `;
  const warning = paint("bad", "This log does not hold:");
  await printNotice(
    surface,
    wrap(say`${warning} ${where}Run gauntlet audit verify ${session}. What it shows cannot be relied on.`),
  );
  return exitCodes.failed;
}
