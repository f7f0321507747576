import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { contextSummary } from "./command-texts.ts";
import type { Screen } from "./screen-state.ts";

const longestName = 40;

export function StatusBar({
  screen,
  columns,
  colour,
}: {
  readonly screen: Screen;
  readonly columns: number;
  readonly colour: boolean;
}): ReactNode {
  const { model, mode, context, costUsd, usage } = screen;
  const cost = costUsd === undefined || usage.inputTokens === 0 ? "" : `$${costUsd.toFixed(costUsd < 0.1 ? 4 : 2)}`;
  const parts = [
    mode,
    awaited(screen),
    model.length > longestName ? `…${model.slice(-longestName)}` : model,
    contextSummary(context),
    cost,
    screen.working || isAsked(screen) ? "" : "/help",
  ].filter((part) => part !== "");
  const text = parts.reduce((line, part) => (line.length + part.length + 3 > columns ? line : `${line} · ${part}`));
  return (
    <Box width={columns} flexShrink={0}>
      <Text {...(colour ? { color: modeColour(mode) } : {})}>{text.slice(0, mode.length)}</Text>
      <Text dimColor wrap="truncate-end">
        {text.slice(mode.length)}
      </Text>
    </Box>
  );
}

function isAsked({ questions, elicitations }: Screen): boolean {
  return questions.length + elicitations.length > 0;
}

function awaited(screen: Screen): string {
  if (!isAsked(screen)) return screen.working ? "Esc interrupts" : "";
  return `waits for your answer · Ctrl+C ${screen.working ? "interrupts" : "twice quits"}`;
}

function modeColour(mode: string): string {
  if (mode === "bypass") return "red";
  return mode === "plan" ? "blue" : mode === "default" ? "green" : "yellow";
}
