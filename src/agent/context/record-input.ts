import type { RecordedInput } from "../../contract/app/door.ts";
import {
  type Effort,
  type ModelMessage,
  type ModelRef,
  type ModelToolDescription,
  modelName,
} from "../../contract/model.ts";

export interface ExactInput {
  readonly model: ModelRef;
  readonly effort?: Effort;
  readonly tools: readonly ModelToolDescription[];
  readonly messages: readonly ModelMessage[];
}

/**
 * The exact input as JSON lines, of which each turn adds its own: a line with the model, its options and the tools
 * wherever they change, and a line for every message. The last such line and all messages are what was sent.
 */
export interface InputRecorder {
  added(input: ExactInput): { readonly added: string; readonly continues?: RecordedInput };
  recorded(input: RecordedInput): void;
}

export function createInputRecorder(): InputRecorder {
  let messages: readonly ModelMessage[] | undefined;
  let tools: readonly ModelToolDescription[] | undefined;
  let length = 0;
  let header = "";
  let last: RecordedInput | undefined;

  return {
    added(input) {
      if (input.messages !== messages) {
        ({ messages } = input);
        length = 0;
        header = "";
        last = undefined;
      }
      const lines: string[] = [];
      const options = `${modelName(input.model)} ${input.effort ?? ""}`;
      if (options !== header || input.tools !== tools) {
        header = options;
        ({ tools } = input);
        const { model, effort } = input;
        lines.push(JSON.stringify({ model: modelName(model), ...(effort === undefined ? {} : { effort }), tools }));
      }
      for (; length < input.messages.length; length++) lines.push(JSON.stringify(input.messages[length]));
      return {
        added: lines.length === 0 ? "" : `${lines.join("\n")}\n`,
        ...(last === undefined ? {} : { continues: last }),
      };
    },
    recorded(input) {
      last = input;
    },
  };
}
