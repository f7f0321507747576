import { z } from "zod";
import { lazy } from "../base/async.ts";
import { fieldPath, type JsonPlace, readJsonText } from "../base/json.ts";
import { nearest } from "../base/nearest.ts";
import { messageOf, visibleText } from "../base/text.ts";
import { fail, type Outcome, ok } from "../contract/codes.ts";
import { type BrokenServer, type SettingsFile, settingsFile } from "../contract/settings.ts";

/** A settings file is small; a large one is a mistake or an attack. */
const largestFile = 1024 * 1024;
const shownProblems = 5;
/** Describing each problem takes time. */
const mostProblems = 200;

/** `undefined` only if the file does not exist; every other error is thrown. */
export type ReadText = (path: string) => string | undefined;

export interface SettingsText {
  readonly path: string;
  readonly text: string;
}

export interface ReadFile {
  readonly file: SettingsFile;
  /** Named in the file and not used. */
  readonly ignored?: readonly string[];
  readonly notes: readonly string[];
  readonly broken?: readonly BrokenServer[];
}

export function readSettingsText(path: string, read: ReadText): Outcome<SettingsText | undefined> {
  let text: string | undefined;
  try {
    text = read(path);
  } catch (error) {
    return invalid(path, [{ problem: `cannot be read (${messageOf(error)})` }]);
  }
  if (text === undefined) return ok(undefined);
  if (text.length > largestFile) return invalid(path, [{ problem: `is larger than ${largestFile} characters` }]);
  // A rule that lost a character has another meaning.
  if (text.includes("\uFFFD")) return invalid(path, [{ problem: "is not UTF-8 (or contains U+FFFD)" }]);
  return ok({ path, text });
}

export function parseSettingsText(file: SettingsText): Outcome<SettingsFile> {
  return parseWith(settingsFile(), file);
}

export function parseWith<Value>(schema: z.ZodType<Value>, file: SettingsText): Outcome<Value> {
  const read = inspectWith(schema, file.text);
  return read.ok ? ok(read.value) : invalid(file.path, read.problems);
}

type Inspected<Value> =
  | { readonly ok: true; readonly value: Value; readonly placeOf: (field: string) => JsonPlace }
  | { readonly ok: false; readonly problems: readonly TextProblem[] };

export function inspectWith<Value>(schema: z.ZodType<Value>, text: string): Inspected<Value> {
  const json = readJsonText(text);
  if (!json.ok) return { ok: false, problems: [{ problem: json.problem, place: json.place }] };
  const { placeOf } = json;
  // Each schema is used once in a process, so compiling it would be slower.
  const parsed = schema.safeParse(json.value, { jitless: true });
  if (parsed.success) return { ok: true, value: parsed.data, placeOf };
  const problems = parsed.error.issues.slice(0, mostProblems).flatMap(problemsOf);
  return { ok: false, problems: problems.map((problem) => ({ ...problem, place: placeOf(problem.field) })) };
}

export interface TextProblem {
  readonly problem: string;
  readonly field?: string;
  readonly place?: JsonPlace;
}

export type FieldProblem = TextProblem & { readonly field: string };

export function problemsUnder(place: readonly string[], issues: readonly z.core.$ZodIssue[]): FieldProblem[] {
  return issues.flatMap((issue) => problemsOf({ ...issue, path: [...place, ...issue.path] }));
}

function problemsOf(issue: z.core.$ZodIssue): FieldProblem[] {
  const field = issue.path.reduce<string>(
    (parent, key) => fieldPath(parent, typeof key === "number" ? key : String(key)),
    "",
  );
  const inServer = issue.path[0] === "mcpServers";
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      field: fieldPath(field, key),
      problem: `unknown key${(inServer ? "" : whyNot(key)) || meant(key)}`,
    }));
  }
  if (issue.code === "invalid_key") return issue.issues.map(({ message }) => ({ field, problem: message }));
  if (issue.code === "invalid_union" && inServer) return serverProblems(issue, field);
  if (issue.code === "invalid_union") {
    return [{ field, problem: 'expected a rule such as "Bash(npm test)", or {"rule", "match", "noMatch", "expires"}' }];
  }
  if (inServer && issue.path.at(-1) === "command" && issue.message.endsWith("received undefined")) {
    return [{ field, problem: 'missing: a server needs a "command", or a "url" for a remote server' }];
  }
  return [{ field, problem: issue.message }];
}

/** The problems of the kind of server that the entry is closest to. */
function serverProblems({ path, errors }: z.core.$ZodIssueInvalidUnion, field: string): FieldProblem[] {
  if (path.at(-1) === "url") return [{ field, problem: "expected an address with http, https, ws or wss" }];
  const kinds = errors.map((issues) => problemsUnder(path.map(String), issues));
  const [nearest = []] = kinds.toSorted((one, other) => one.length - other.length);
  return nearest;
}

function meant(key: string): string {
  const [near] = nearest(key, knownKeys());
  return near === undefined ? "" : `; did you mean ${near}?`;
}

const knownKeys = lazy(() => keysIn(z.toJSONSchema(settingsFile())));

function keysIn(schema: unknown): readonly string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { properties = {}, propertyNames = {} }: { properties?: object; propertyNames?: { enum?: string[] } } = schema;
  return [...Object.keys(properties), ...(propertyNames.enum ?? []), ...Object.values(schema).flatMap(keysIn)];
}

function whyNot(key: string): string {
  return /^env|environment|url|endpoint|key$|token|secret|credential|proxy|header/i.test(key)
    ? ": settings never set endpoints, credentials or environment"
    : "";
}

export function problemText(path: string, { problem, field, place }: TextProblem): string {
  const where = place === undefined ? path : `${path}:${place.line}:${place.column}`;
  return visibleText(field === undefined || field === "" ? `${where}: ${problem}` : `${where}: ${field}: ${problem}`);
}

export function invalid(
  path: string,
  problems: readonly TextProblem[],
  recovery = `Fix ${path} or move it aside. Nothing runs until the settings are valid.`,
): Outcome<never> {
  const lines = problems.slice(0, shownProblems).map((problem) => problemText(path, problem));
  if (problems.length > shownProblems) lines.push(`… and ${problems.length - shownProblems} more`);
  const field = problems[0]?.field;
  return fail("bad_request", lines.join("\n"), { field: field ? visibleText(field) : undefined, recovery });
}
