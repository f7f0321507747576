import type { Door } from "../contract/app/door.ts";
import { addressedFiles } from "./addressed-files.ts";
import type { Embedded } from "./prompt-text.ts";

/**
 * Which texts the model must not be given, with why: those of files that are closed to it. What would only be asked
 * about is agreed to by whoever put it into the prompt.
 */
export async function withheldTexts(
  door: Pick<Door, "explain">,
  embedded: readonly Embedded[],
): Promise<ReadonlyMap<Embedded, string>> {
  const withheld = new Map<Embedded, string>();
  for (const one of embedded) {
    const why = await whyClosed(door, one);
    if (why !== undefined) withheld.set(one, why);
  }
  return withheld;
}

async function whyClosed(door: Pick<Door, "explain">, embedded: Embedded): Promise<string | undefined> {
  const addressed = addressedFiles(embedded);
  if (!addressed.ok) return addressed.failure.message;
  const { file, perhaps } = addressed.value;
  if (file !== undefined) {
    const { closed } = await look(door, file);
    if (closed !== undefined) return closed;
  }
  for (const name of perhaps) {
    const { exists, closed } = await look(door, name);
    if (exists && closed !== undefined) return closed;
  }
  return undefined;
}

async function look(door: Pick<Door, "explain">, path: string) {
  const { decision, reason, effects } = await door.explain({ tool: "read", input: { path } });
  return {
    exists: effects.some((effect) => effect.op === "read" && ["file", "special"].includes(effect.path.kind)),
    closed: decision === "deny" ? reason : undefined,
  };
}
