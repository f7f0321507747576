import type { Door } from "../contract/door.ts";
import { type Embedded, fileOf } from "./prompt-text.ts";

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
  const file = fileOf(embedded);
  if (!file.ok) return file.failure.message;
  if (file.value === undefined) return undefined;
  const { decision, reason } = await door.explain({ tool: "read", input: { path: file.value } });
  return decision === "deny" ? reason : undefined;
}
