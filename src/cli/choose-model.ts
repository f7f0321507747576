import type { App } from "../contract/app/app.ts";
import type { FoundModel } from "../contract/model.ts";
import type { Settings } from "../contract/settings.ts";
import type { ModelFlags } from "./flags.ts";
import { lines, type Shown, say } from "./render/shown.ts";
import { viewOn } from "./render/wrap.ts";
import type { Surface } from "./surface.ts";

export function namesNoModel(flags: ModelFlags, { models }: Settings, past: PastModel): boolean {
  const described = Object.values(models.providers).some((provider) => Object.keys(provider.models ?? {}).length > 0);
  return flags.model === undefined && models.model === undefined && !described && !hasModel(past);
}

interface PastModel {
  readonly app: Pick<App, "archive">;
  readonly session: string | undefined;
}

function hasModel({ app, session }: PastModel): boolean {
  if (session === undefined) return false;
  const archive = app.archive();
  const runs = archive.ok ? archive.value.events(session, { types: ["run.started"], limit: 1 }) : archive;
  return runs.ok && [...runs.value].length > 0;
}

export async function chooseModel(
  surface: Surface,
  app: App,
  baseUrl: string | undefined,
): Promise<{ readonly model: string } | "demo" | undefined> {
  const found = await app.findModels(baseUrl);
  const { paint, wrap } = viewOn(surface.stderr);
  const print = (...rows: readonly Shown[]) => surface.stderr.write(lines(rows.map(wrap)).text);
  const { question } = surface;
  if (found.length === 0 || question === undefined) {
    await print(
      say`${paint("strong", "No model is configured, and none was found.")}`,
      ...waysToOne.map((way) => say`  ${way}`),
    );
    const line = await question?.("Run the demo? [y]es, or Enter to quit: ", new AbortController().signal);
    return line?.trim().toLowerCase().startsWith("y") ? "demo" : undefined;
  }
  await print(
    say`${paint("strong", "No model is configured. Available now:")}`,
    ...found.map(({ name, from }, index) => say`  ${index + 1}  ${name}  ${paint("quiet", `(${from})`)}`),
  );
  const picked = await pick(found, question);
  if (picked === undefined) return undefined;
  if (baseUrl !== undefined) return { model: picked.name };
  const keep = await question(
    "Save it as the default model? [y]es, or only [t]his time (Enter): ",
    new AbortController().signal,
  );
  if (keep?.trim().toLowerCase().startsWith("y")) {
    const saved = app.saveModel(picked.name);
    await print(
      saved.ok ? say`saved in ${saved.value.file}` : say`${paint("bad", "not saved:")} ${saved.failure.message}`,
    );
  }
  return { model: picked.name };
}

async function pick(
  found: readonly FoundModel[],
  question: NonNullable<Surface["question"]>,
): Promise<FoundModel | undefined> {
  const which = found.length === 1 ? "Use it? [y]es, or [q]uit: " : `Which one? 1 to ${found.length}, or [q]uit: `;
  for (;;) {
    const line = (await question(which, new AbortController().signal))?.trim().toLowerCase();
    if (line === undefined || line === "" || line === "q" || line === "quit" || line === "n") return undefined;
    const chosen = found.length === 1 && line.startsWith("y") ? found[0] : found[Number(line) - 1];
    if (chosen !== undefined) return chosen;
  }
}

const waysToOne = [
  "With a key:       export ANTHROPIC_API_KEY=…   (or OPENAI_API_KEY, or GEMINI_API_KEY), then: gauntlet",
  "Local server:     ollama serve, ollama pull qwen3-coder, then: gauntlet",
  "Remote server:    gauntlet --model openai-compatible/NAME --base-url https://HOST/v1",
  "No model:         gauntlet demo   runs a demo with a scripted model",
] as const;
