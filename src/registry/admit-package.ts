import type { EffectView } from "../contract/ports.ts";
import type { Tool } from "../contract/tool.ts";

export interface ToolPackage {
  /** Name under which its tools are recorded. */
  readonly name: string;
  readonly tools: readonly Tool[];
}

/**
 * The one entry for tools from outside. They are untrusted: every call also counts as a call to the package,
 * so it is asked for unless a rule allows it, and nothing a definition says about itself can lift that.
 */
export function admitPackage(toolPackage: ToolPackage): readonly Tool[] {
  return toolPackage.tools.map((tool) =>
    Object.freeze({
      ...tool,
      ownership: "custom" as const,
      source: "package" as const,
      alwaysLoad: false,
      async effects(input: never, view: EffectView) {
        const report = await tool.effects(input, view);
        return {
          ...report,
          effects: [...report.effects, { op: "call" as const, server: toolPackage.name, tool: tool.name }],
        };
      },
    }),
  );
}
