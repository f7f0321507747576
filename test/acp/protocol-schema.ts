import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Schema, Validator } from "@cfworker/json-schema";

interface Definition {
  readonly "x-method"?: string;
}

const file = createRequire(import.meta.url).resolve("@agentclientprotocol/sdk/schema/v1/schema.json");
const whole = JSON.parse(readFileSync(file, "utf8")) as { readonly $defs: Readonly<Record<string, Definition>> };

function definitionOf(method: string, kind: "Request" | "Response" | "Notification"): string {
  const found = Object.entries(whole.$defs).find(([name, { "x-method": of }]) => of === method && name.endsWith(kind));
  if (found === undefined) throw new Error(`The schema has no ${kind} of ${method}`);
  return found[0];
}

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** What of a conversation does not follow the published schema, whoever said it. Empty when all of it does. */
export function violations(lines: readonly string[]): readonly string[] {
  // Both sides count their requests from 0: a response belongs to the last request with its number that is open.
  const asked: { readonly id: number | string; readonly method: string }[] = [];
  return lines.flatMap((line) => {
    const message = JSON.parse(line) as Message;
    if (message.method !== undefined) {
      if (message.id === undefined) return problems(definitionOf(message.method, "Notification"), message.params, line);
      asked.push({ id: message.id, method: message.method });
      return problems(definitionOf(message.method, "Request"), message.params, line);
    }
    const at = asked.findLastIndex(({ id }) => id === message.id);
    const [request] = asked.splice(at, 1);
    if (request === undefined) return [`an answer to nothing: ${line}`];
    return message.error === undefined ? problems(definitionOf(request.method, "Response"), message.result, line) : [];
  });
}

const validators = new Map<string, Validator>();

function problems(definition: string, value: unknown, line: string): readonly string[] {
  const known =
    validators.get(definition) ??
    new Validator({ $defs: whole.$defs, $ref: `#/$defs/${definition}` } as Schema, "2020-12");
  validators.set(definition, known);
  const { valid, errors } = known.validate(value);
  return valid ? [] : [`${definition}: ${errors.map(({ error }) => error).join("; ")} in ${line.slice(0, 200)}`];
}
