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
  const options = optionsOf(field);
  if (options === undefined) {
    const text = usual === undefined ? "" : String(usual);
    return { edited: { text, at: text.length }, cursor: 0, picked: [] };
  }
  const usually = [usual].flat();
  const picked = options.flatMap(({ value }, index) => (usually.includes(value) ? [index] : []));
  // Enter alone must choose nothing.
  return { edited: emptyText, cursor: picked[0] ?? (field.kind === "choices" ? 0 : noOption), picked };
}

const noOption = -1;

interface FieldOption {
  readonly title: string;
  readonly value: string | boolean;
}

/** `undefined` for a field that text is typed into. */
export function optionsOf({ kind, choices = [] }: ElicitedField): readonly FieldOption[] | undefined {
  if (kind === "choice" || kind === "choices") return choices;
  if (kind !== "boolean") return undefined;
  return [
    { title: "yes", value: true },
    { title: "no", value: false },
  ];
}

export function shownValue(field: ElicitedField, { edited, picked }: FieldInput): string {
  const options = optionsOf(field);
  if (options !== undefined) return picked.flatMap((index) => options[index]?.title ?? []).join(", ");
  return edited.text === "" && field.default !== undefined ? valueText(field, field.default) : edited.text;
}

type FormPlace = "field" | "send" | "decline";

export function placeOf({ at, fields }: Form): FormPlace {
  return at < fields.length ? "field" : at === fields.length ? "send" : "decline";
}

export function moveBy(form: Form, by: 1 | -1): Form {
  const stops = form.fields.length + 2;
  return { ...form, at: (form.at + by + stops) % stops, problem: "" };
}

function pickable({ fields, inputs, at }: Form) {
  const [field, input] = [fields[at], inputs[at]];
  const options = field && optionsOf(field);
  return options && input && { field, input, options };
}

export function moveWithin(form: Form, by: 1 | -1): Form {
  const { input, options } = pickable(form) ?? {};
  const cursor = (input?.cursor ?? 0) + by;
  return input === undefined || options?.[cursor] === undefined
    ? moveBy(form, by)
    : withInput(form, { ...input, cursor });
}

export function pick(form: Form): Form {
  const { field, input } = pickable(form) ?? {};
  if (field === undefined || input === undefined) return form;
  const cursor = Math.max(0, input.cursor);
  const others = input.picked.filter((one) => one !== cursor);
  const isPicked = others.length < input.picked.length;
  if (field.kind === "choices") {
    const picked = isPicked ? others : [...others, cursor].sort((one, other) => one - other);
    return withInput(form, { ...input, picked });
  }
  // Without a choice its default would be sent.
  const isTakenBack = isPicked && !field.required && field.default === undefined;
  return withInput(form, { ...input, cursor, picked: isTakenBack ? [] : [cursor] });
}

/** Each letter chooses the only option that begins with it; a letter that fits none or several changes nothing. */
export function pickByLetter(form: Form, letters: string): Form {
  return [...letters].reduce((now, letter) => {
    const { field, input, options } = pickable(now) ?? {};
    const begins = ({ title }: FieldOption) => title.toLowerCase().startsWith(letter.toLowerCase());
    const [cursor, ...others] = options?.flatMap((option, index) => (begins(option) ? [index] : [])) ?? [];
    if (input === undefined || cursor === undefined || others.length > 0) return now;
    const moved = withInput(now, { ...input, cursor });
    // Typed twice it stays chosen, except among check boxes.
    return field?.kind !== "choices" && input.picked.includes(cursor) ? moved : pick(moved);
  }, form);
}

export function choose(form: Form): Form {
  const { field, input } = pickable(form) ?? {};
  const isSettled = field?.kind === "choices" || input?.cursor === noOption || input?.picked.includes(input.cursor);
  return moveBy(isSettled === true ? form : pick(form), 1);
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
    const read = readInput(field, form.inputs[index] ?? inputOf(field));
    if (!read.ok) return { ...form, at: index, problem: read.why };
    if (read.value !== undefined) content.push([field.name, read.value]);
  }
  return { content: Object.fromEntries(content) };
}

function readInput(field: ElicitedField, { edited, picked }: FieldInput): ReturnType<typeof readField> {
  const options = optionsOf(field);
  if (options === undefined) return readField(field, edited.text);
  const values = picked.flatMap((index) => options[index]?.value ?? []);
  if (field.kind === "choices") {
    const value = values.filter((one) => typeof one === "string");
    const why = outOfBounds({ ...field, min: field.min ?? (field.required ? 1 : 0) }, value);
    return why === undefined ? { ok: true, value } : { ok: false, why };
  }
  const [value] = values;
  return value === undefined && field.required ? { ok: false, why: "Choose one." } : { ok: true, value };
}
