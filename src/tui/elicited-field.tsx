import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { say } from "../cli/render/shown.ts";
import { viewOn } from "../cli/render/wrap.ts";
import type { ElicitedField } from "../contract/server/server.ts";
import { type FieldInput, isPicked, optionsOf, shownValue } from "./elicitation-form.ts";

const mostOptions = 6;
const mostDescribed = 3;
/** Of what is being written. */
export const mostWritten = 3;

interface FieldProps {
  readonly field: ElicitedField;
  readonly input: FieldInput;
  readonly isFocused: boolean;
  readonly problem: string;
  readonly columns: number;
  readonly colour: boolean;
  /** Where it is written in. */
  readonly children: ReactNode;
}

/** One row for a field, and below it what belongs to it while it is being filled in. */
export function FieldRows({ field, input, isFocused, problem, columns, colour, children }: FieldProps): ReactNode {
  const options = isPicked(field) ? optionsOf(field) : [];
  const line = (words: string) => viewOn({ colour: false, columns }).fold(say`${words}`).text.split("\n")[0] ?? "";
  const value = shownValue(field, input);
  const first = Math.max(0, Math.min(input.cursor - mostOptions + 1, options.length - mostOptions));
  const mark = field.required ? "*" : "";
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Text bold={isFocused} wrap="truncate-end">
        {line(
          `${isFocused ? "❯" : " "} ${field.title ?? field.name}${mark}${isFocused ? "" : `: ${value === "" ? "–" : value}`}`,
        )}
      </Text>
      {isFocused && field.description !== undefined && (
        <Text dimColor wrap="truncate-end">
          {described(field, columns).join("\n")}
        </Text>
      )}
      {isFocused &&
        options.slice(first, first + mostOptions).map((option, index) => (
          <Text key={String(option.value)} inverse={first + index === input.cursor} wrap="truncate-end">
            {line(`    ${markOf(field, input.picked.includes(first + index))} ${option.title}`)}
          </Text>
        ))}
      {isFocused && options.length > mostOptions && (
        <Text dimColor>{`    ${Math.max(1, input.cursor + 1)} of ${options.length}`}</Text>
      )}
      {children}
      {problem !== "" && (
        <Text {...(colour ? { color: "red" } : {})} wrap="truncate-end">
          {`    ${problem}`}
        </Text>
      )}
    </Box>
  );
}

function described({ description }: ElicitedField, columns: number): readonly string[] {
  if (description === undefined) return [];
  return viewOn({ colour: false, columns }).wrap(say`    ${description}`).text.split("\n").slice(0, mostDescribed);
}

function markOf({ kind }: ElicitedField, isPickedNow: boolean): string {
  return kind === "choices" ? (isPickedNow ? "[x]" : "[ ]") : isPickedNow ? "(•)" : "( )";
}

interface Room {
  readonly isFocused: boolean;
  readonly hasProblem: boolean;
  readonly columns: number;
}

/** How many it takes at most. */
export function rowsOf(field: ElicitedField, { isFocused, hasProblem, columns }: Room): number {
  if (!isFocused) return 1;
  const options = isPicked(field) ? optionsOf(field).length : 0;
  const shown = options > mostOptions ? mostOptions + 1 : options;
  return 1 + described(field, columns).length + (isPicked(field) ? shown : mostWritten) + (hasProblem ? 1 : 0);
}
