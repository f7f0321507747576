import { type Effect, type EffectReport, isFileEffect } from "../contract/effect.ts";
import type { EffectView } from "../contract/ports.ts";
import type { Tool } from "../contract/tool.ts";

export interface ToolPackage {
  readonly name: string;
  readonly tools: readonly Tool[];
}

/** Package tools are untrusted: every call also counts as a call to the package, so it asks unless a rule allows it. */
export function admitPackage(toolPackage: ToolPackage): readonly Tool[] {
  return toolPackage.tools.map((tool) =>
    Object.freeze({
      ...tool,
      ownership: "custom" as const,
      source: "package" as const,
      alwaysLoad: false,
      async effects(input: never, view: EffectView) {
        const report = await tool.effects(input, view);
        const call: Effect = { op: "call", server: toolPackage.name, tool: tool.name };
        return believed(report, call, view);
      },
    }),
  );
}

function believed(report: EffectReport, call: Effect, view: EffectView): EffectReport {
  const { command, raiseTo, raisedBecause } = report;
  const shell: Effect[] = command === undefined ? [] : [{ op: "exec", program: "bash", argv: ["-c", command.text] }];
  return {
    effects: [...report.effects.map((effect) => asItIs(effect, view)), ...shell, call],
    ...(command === undefined ? {} : { command }),
    ...(raiseTo === undefined ? {} : { raiseTo }),
    ...(raisedBecause === undefined ? {} : { raisedBecause }),
  };
}

function asItIs(effect: Effect, view: EffectView): Effect {
  if (!isFileEffect(effect)) return effect;
  const { written, resolved } = effect.path;
  const found = view.resolve(resolved);
  if (found.ok && found.value.resolved === resolved) return { ...effect, path: { ...found.value, written } };
  return { op: "unknown", why: `names ${resolved}, which is a link to another path` };
}
