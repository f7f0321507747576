import { readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import { fileURLToPath } from "node:url";
import { type Figures, writeFigures } from "./figures.ts";
import { agentSection, withAgentSection } from "./section.ts";

const target = fileURLToPath(new URL("../../docs/benchmarks.md", import.meta.url));

/** Keeps the figures, and puts them into their section of the page. */
export function publish(figures: Figures): void {
  writeFigures(figures);
  const section = agentSection(figures);
  writeFileSync(target, withAgentSection(readFileSync(target, "utf8"), section));
  process.stdout.write(`${section.join("\n")}\n`);
}

export function describeMachine(): string {
  const load = os.loadavg()[0]?.toFixed(1);
  return `${os.cpus().length} × ${os.cpus()[0]?.model ?? "unknown"}, Node ${process.version}, load ${load} at the end`;
}
