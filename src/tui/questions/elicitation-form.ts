import { readField, valueText } from "../../cli/elicit-person.ts";
import { outOfBounds } from "../../contract/server/elicitation.ts";
import type { ElicitedField } from "../../contract/server/server.ts";
import { type EditedText, emptyText } from "../input/line-editor.ts";

export interface FieldInput {
  readonly edited: EditedText;
  readonly cursor: number;
  readonly picked: readonly number[];
}

export interface Form {
  readonly fields: readonly ElicitedField[];
  readonly inputs: readonly FieldInput[];
  readonly at: number;
  readonly problem: string;
}

export function startForm(fields: readonly ElicitedField[]): Form {
  return { fields, inputs: fields.map(inputOf), at: 0, problem: "" };
}

function inputOf(field: ElicitedField): FieldInput {
  const { default: usual } = field;
  if (!isPicked(field)) {
    const text = usual === undefined ? "" : String(usual);
    return { edited: { text, at: text.length }, cursor: 0, picked: [] };
  }
  const usually = [usual].flat();
  const picked = optionsOf(field).flatMap(({ value }, index) => (usually.includes(value) ? [index] : []));
  // Whoever only goes on has chosen nothing.
  return { edited: emptyText, cursor: picked[0] ?? (field.kind === "choices" ? 0 : noOption), picked };
}

const noOption = -1;

export function isPicked({ kind }: ElicitedField): boolean {
  return kind === "boolean" || kind === "choice" || kind === "choices";
}

export function optionsOf(
  field: ElicitedField,
): readonly { readonly title: string; readonly value: string | boolean }[] {
  if (field.kind !== "boolean") return field.choices ?? [];
  return [
    { title: "yes", value: true },
    { title: "no", value: false },
  ];
}

export function shownValue(field: ElicitedField, { edited, picked }: FieldInput): string {
  if (isPicked(field)) return picked.flatMap((index) => optionsOf(field)[index]?.title ?? []).join(", ");
  return edited.text === "" && field.default !== undefined ? valueText(field, field.default) : edited.text;
}

type FormPlace = "field" | "send" | "decline";

export function placeOf({ at, fields }: Form): FormPlace {
  return at < fields.length ? "field" : at === fields.length ? "send" : "decline";
}

export function focused({ fields, at }: Form): ElicitedField | undefined {
  return fields[at];
}

export function moveBy(form: Form, by: 1 | -1): Form {
  const stops = form.fields.length + 2;
  return { ...form, at: (form.at + by + stops) % stops, problem: "" };
}

export function moveWithin(form: Form, by: 1 | -1): Form {
  const field = focused(form);
  const input = form.inputs[form.at];
  if (field === undefined || input === undefined || !isPicked(field)) return moveBy(form, by);
  const cursor = input.cursor + by;
  return optionsOf(field)[cursor] === undefined ? moveBy(form, by) : withInput(form, { ...input, cursor });
}

export function pick(form: Form): Form {
  const field = focused(form);
  const input = form.inputs[form.at];
  if (field === undefined || input === undefined || !isPicked(field)) return form;
  const cursor = Math.max(0, input.cursor);
  const { picked } = input;
  if (field.kind === "choices") {
    const without = picked.filter((one) => one !== cursor);
    const next = without.length === picked.length ? [...picked, cursor].sort((one, other) => one - other) : without;
    return withInput(form, { ...input, picked: next });
  }
  // What is left out is answered by its default.
  const isTakenBack = picked.includes(cursor) && !field.required && field.default === undefined;
  return withInput(form, { ...input, cursor, picked: isTakenBack ? [] : [cursor] });
}

/** Chooses the one option that begins with these letters, each by itself. Letters that mean none change nothing. */
export function pickByLetter(form: Form, letters: string): Form {
  return [...letters].reduce((now, letter) => {
    const field = focused(now);
    const input = now.inputs[now.at];
    if (field === undefined || input === undefined || !isPicked(field)) return now;
    const begins = (title: string) => title.toLowerCase().startsWith(letter.toLowerCase());
    const fitting = optionsOf(field).flatMap(({ title }, index) => (begins(title) ? [index] : []));
    const [cursor, ...others] = fitting;
    if (cursor === undefined || others.length > 0) return now;
    // A second one takes nothing back where only one can be chosen: whoever says yes twice means yes.
    if (field.kind !== "choices" && input.picked.includes(cursor)) return withInput(now, { ...input, cursor });
    return pick(withInput(now, { ...input, cursor }));
  }, form);
}

export function choose(form: Form): Form {
  const input = form.inputs[form.at];
  const isSettled =
    focused(form)?.kind === "choices" || input?.cursor === noOption || input?.picked.includes(input.cursor) === true;
  return moveBy(isSettled ? form : pick(form), 1);
}

export function write(form: Form, edited: EditedText): Form {
  const input = form.inputs[form.at];
  return input === undefined ? form : withInput(form, { ...input, edited });
}

function withInput(form: Form, input: FieldInput): Form {
  return { ...form, problem: "", inputs: form.inputs.map((one, index) => (index === form.at ? input : one)) };
}

export function submit(form: Form): { readonly content: Readonly<Record<string, unknown>> } | Form {
  const content: [string, unknown][] = [];
  for (const [index, field] of form.fields.entries()) {
    const input = form.inputs[index];
    const read = input === undefined ? undefined : readInput(field, input);
    if (read === undefined) continue;
    if (!read.ok) return { ...form, at: index, problem: read.why };
    if (read.value !== undefined) content.push([field.name, read.value]);
  }
  return { content: Object.fromEntries(content) };
}

function readInput(field: ElicitedField, { edited, picked }: FieldInput) {
  if (!isPicked(field)) return readField(field, edited.text);
  const values = picked.flatMap((index) => optionsOf(field)[index]?.value ?? []);
  if (field.kind === "choices") {
    const chosen = values.filter((value) => typeof value === "string");
    const why = outOfBounds({ ...field, min: field.min ?? (field.required ? 1 : 0) }, chosen);
    if (why !== undefined) return { ok: false, why } as const;
    return { ok: true, value: chosen } as const;
  }
  const [value] = values;
  if (value === undefined && field.required) return { ok: false, why: "Choose one." } as const;
  return value === undefined ? ({ ok: true } as const) : ({ ok: true, value } as const);
}
