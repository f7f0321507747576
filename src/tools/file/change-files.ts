import { sha256 } from "../../base/digest.ts";
import type { ChangedFile } from "../../contract/changes.ts";
import { type Failure, type Outcome, ok } from "../../contract/codes.ts";
import type { FileWrite, PreconditionView, ToolContext } from "../../contract/ports.ts";
import { type ContentDraft, defineTool, type Summary, type Tool, type ToolDefinition } from "../../contract/tool.ts";
import { aliasesOf } from "../../contract/tool-names.ts";
import { summarizer } from "../summary.ts";
import { diffFile, diffFileMarked, type FileDiff } from "./file-diff.ts";
import { countLines, type LineRange } from "./lines.ts";
import {
  checkingSource,
  type FileSource,
  mayTell,
  type NamedEntry,
  type OpenFile,
  runningSource,
} from "./open-file.ts";
import { encodeText, eolOf, type TextFile, type TextStyle } from "./text-file.ts";

export interface FileChange {
  readonly path: string;
  readonly change: "created" | "modified" | "deleted" | "unchanged";
  readonly diff: FileDiff;
  /** Of the current file; absent after a deletion. */
  readonly now?: TextStyle & { readonly hash: string; readonly bytes: number; readonly lines: number };
  readonly trash?: string;
}

/**
 * All or nothing. The port checks every expected hash again before it replaces the first file; deletions come last, and
 * if one of them fails, the written files are restored.
 */
async function applyChanges(
  changes: readonly PlannedChange[],
  context: ToolContext,
): Promise<Outcome<readonly FileChange[]>> {
  const differing = changes.filter((change) => !isUnchanged(change));
  const writes = differing.flatMap(writeOf);
  const written = writes.length === 0 ? ok([]) : await context.files.write(writes);
  if (!written.ok) return written;

  const trashed = new Map<string, ChangedFile>();
  for (const change of differing.filter((candidate) => candidate.after === undefined)) {
    const outcome = await context.files.trash(change.path);
    if (!outcome.ok) return { ok: false, failure: await putBack(differing, trashed, outcome.failure, context) };
    trashed.set(change.path, outcome.value);
    context.session.forgetBaseline(change.path);
  }
  const stats = new Map(written.value.map((file) => [file.path, file]));
  return ok(
    changes.map((change) => {
      const seen = stats.get(change.path);
      if (seen !== undefined) refreshBaseline(change, seen, context);
      return fileChange(change, trashed.get(change.path)?.to, context.secretsIn);
    }),
  );
}

function isUnchanged({ before, after }: PlannedChange): boolean {
  return before !== undefined && after !== undefined && before.hash === sha256(after.bytes);
}

function writeOf({ path, before, after }: PlannedChange): FileWrite[] {
  if (after === undefined) return [];
  return [{ path, content: after.bytes, expect: before === undefined ? "absent" : { hash: before.hash } }];
}

/** The session knows its own writes: the next change needs no new read, and an outside change still counts as stale. */
function refreshBaseline({ path, after, read }: PlannedChange, seen: ChangedFile, context: ToolContext): void {
  if (after === undefined) return;
  context.session.recordBaseline({
    path,
    hash: sha256(after.bytes),
    size: after.bytes.length,
    mtimeMs: seen.stat?.mtimeMs ?? context.clock.now(),
    lines: { ...read, total: countLines(after.file.text) },
  });
}

function fileChange(change: PlannedChange, trash: string | undefined, secretsIn: ToolContext["secretsIn"]): FileChange {
  const { before, after, shown } = change;
  return {
    path: shown,
    change: isUnchanged(change)
      ? "unchanged"
      : before === undefined
        ? "created"
        : after === undefined
          ? "deleted"
          : "modified",
    diff: diffFileMarked(shown, before?.text, after?.file.text, secretsIn),
    trash,
    ...(after === undefined
      ? {}
      : {
          now: {
            encoding: after.file.encoding,
            bom: after.file.bom,
            eol: after.file.eol,
            hash: sha256(after.bytes),
            bytes: after.bytes.length,
            lines: countLines(after.file.text),
          },
        }),
  };
}

async function putBack(
  changes: readonly PlannedChange[],
  trashed: ReadonlyMap<string, ChangedFile>,
  failure: Failure,
  context: ToolContext,
): Promise<Failure> {
  const back = changes.flatMap(({ path, before, after }): FileWrite[] => {
    if (before === undefined) return [];
    if (after !== undefined) return [{ path, content: before.bytes, expect: { hash: sha256(after.bytes) } }];
    return trashed.has(path) ? [{ path, content: before.bytes, expect: "absent" }] : [];
  });
  const restored = back.length === 0 || (await context.files.write(back)).ok;
  const left = changes.filter(({ path, before, after }) =>
    restored ? before === undefined : after !== undefined || trashed.has(path),
  );
  if (left.length === 0) return { ...failure, happened: "nothing" };
  const paths = left.map(({ shown }) => shown).join(", ");
  return { ...failure, happened: "partly", message: `${failure.message} Left changed: ${paths}.` };
}

export interface PlannedChange {
  readonly path: string;
  readonly shown: string;
  readonly before?: { readonly bytes: Uint8Array; readonly hash: string; readonly text: string };
  readonly after?: { readonly bytes: Uint8Array; readonly file: TextFile };
  /** The baseline of the session afterwards. */
  readonly read: LineRange;
}

export function plannedCreate(
  target: { readonly path: string; readonly shown: string },
  text: string,
  style: TextStyle,
): Outcome<PlannedChange> {
  const encoded = encodeText(text, style);
  if (!encoded.ok) return refused(target.shown, encoded.failure);
  return ok({
    path: target.path,
    shown: target.shown,
    after: { bytes: encoded.value, file: { ...style, text, eol: eolOf(text) } },
    read: { from: 1, to: countLines(text) },
  });
}

export function plannedModify(open: OpenFile, text: string, read: LineRange): Outcome<PlannedChange> {
  const encoded = encodeText(text, open.file);
  if (!encoded.ok) return refused(open.shown, encoded.failure);
  return ok({
    path: open.path,
    shown: open.shown,
    before: { bytes: open.bytes, hash: open.hash, text: open.file.text },
    after: { bytes: encoded.value, file: { ...open.file, text, eol: eolOf(text) } },
    read,
  });
}

export function plannedDelete(open: OpenFile): PlannedChange {
  return {
    path: open.path,
    shown: open.shown,
    before: { bytes: open.bytes, hash: open.hash, text: open.file.text },
    read: { from: 1, to: 0 },
  };
}

function refused(shown: string, failure: Failure): Outcome<never> {
  return { ok: false, failure: { ...failure, message: `${shown}: ${failure.message}.` } };
}

function previewChanges(changes: readonly PlannedChange[]): string {
  return changes.map(previewChange).join("\n");
}

export function noDiff({ message }: Failure): string {
  return `No diff: ${onOneLine(message)}`;
}

/** The deleted or moved entry: its kind, its size and its resolved path. */
export function describeEntry({ ref }: NamedEntry, view: PreconditionView): string {
  const path = onOneLine(ref.resolved);
  const stat = view.facts(ref)?.stat;
  const target = view.resolve(ref.resolved);
  if (stat?.kind === "symlink" || (target.ok && target.value.resolved !== ref.resolved)) {
    const leads = target.ok ? onOneLine(target.value.resolved) : "a target that cannot be resolved";
    return `the symbolic link ${path} (its target stays: ${leads})`;
  }
  if (ref.kind === "directory") return `the directory ${path} and everything below it (not counted)`;
  return `the file ${path} (${stat === undefined ? "size unknown" : `${stat.size} bytes`})`;
}

/** Otherwise a name or message with line ends could imitate lines of a diff. */
export function onOneLine(text: string): string {
  return text.replace(/[\n\r\t]/g, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

function previewChange({ shown, before, after }: PlannedChange): string {
  const keepsLineEnds = before !== undefined && after !== undefined && keepsEol(before.text, after.file.text);
  const asShown = (text: string) => (keepsLineEnds ? text : text.replaceAll("\r\n", "\\u{d}\n"));
  const mark = before === undefined && after?.file.bom === true ? "\ufeff" : "";
  const { unified } = diffFile(
    shown,
    before === undefined ? undefined : asShown(before.text),
    after === undefined ? undefined : mark + asShown(after.file.text),
  );
  if (unified !== "") return unified.slice(0, -1);
  const path = onOneLine(shown);
  if (before === undefined) return `Creates ${path}, an empty file.`;
  if (after === undefined) return `Deletes ${path}, an empty file.`;
  return before.text === after.file.text
    ? `Changes nothing: ${path} has exactly this content.`
    : `No diff: only the line ends of ${path} change.`;
}

/** Diffs do not show line endings. If they change or are mixed, the user must see it. */
function keepsEol(before: string, after: string): boolean {
  const eol = eolOf(before);
  return eol !== "mixed" && eol === eolOf(after);
}

export interface ChangeReport {
  readonly files: readonly FileChange[];
  readonly replacements?: number;
}

export interface ChangePlan {
  readonly changes: readonly PlannedChange[];
  readonly replacements?: number;
}

type ChangeToolFields = "name" | "description" | "searchHint" | "inputAliases" | "input" | "effects";
type ChangeToolOptions = "alwaysLoad" | "concurrency" | "destructive";

export interface ChangeTool<Input>
  extends Required<Pick<ToolDefinition<Input>, ChangeToolFields>>,
    Pick<ToolDefinition<Input>, ChangeToolOptions> {
  readonly name: Parameters<typeof aliasesOf>[0];
  title(call: Input): string;
  paths(call: Input): readonly string[];
  plan(call: Input, source: FileSource): Promise<Outcome<ChangePlan>>;
}

/** The same plan is made for the question, for its preview, and when the call runs. */
export function defineChangeTool<Input>(definition: ChangeTool<Input>): Tool<Input, ChangeReport> {
  const { title, paths, plan, ...own } = definition;
  return defineTool<Input, ChangeReport>({
    ...own,
    version: "1",
    family: "file",
    risks: ["write"],
    aliases: aliasesOf(own.name),
    interrupt: "block",
    describeCall: title,

    async preconditions(call, view) {
      if (!mayTell(view, paths(call))) return undefined;
      const planned = await plan(call, checkingSource(view));
      return planned.ok ? undefined : planned.failure;
    },

    async preview(call, view) {
      const planned = await plan(call, checkingSource(view));
      return planned.ok ? previewChanges(planned.value.changes) : noDiff(planned.failure);
    },

    async run(call, context) {
      const planned = await plan(call, runningSource(context));
      if (!planned.ok) return planned;
      const { changes, replacements } = planned.value;
      const applied = await applyChanges(changes, context);
      return applied.ok ? { ok: true, data: { files: applied.value, replacements } } : applied;
    },

    summarize: summarizer(title, summarizeChanges),
  });
}

/** No language server is used yet; the field is always present and empty. */
const diagnostics = { status: "not_configured" } as const;

function summarizeChanges({ files, replacements }: ChangeReport): Omit<Summary, "title"> {
  const [only] = files;
  const facts = files.map(factsOf);
  const diffStat = {
    insertions: files.reduce((sum, file) => sum + file.diff.insertions, 0),
    deletions: files.reduce((sum, file) => sum + file.diff.deletions, 0),
  };
  return {
    summary: `${files.map(sentence).join(" ")}${replacements === undefined || replacements === 1 ? "" : ` ${replacements} replacements.`}`,
    model: files.map(contentOf),
    user:
      files.length === 1 && only !== undefined
        ? short(only)
        : `${files.length} files +${diffStat.insertions} -${diffStat.deletions}`,
    data: {
      ...(facts.length === 1 ? facts[0] : { files: facts, diffStat }),
      replacements,
      diagnostics,
    },
  };
}

function contentOf(file: FileChange): ContentDraft {
  if (file.diff.unified === "") return { format: "text", text: sentence(file), label: file.path };
  return { format: "diff", text: file.diff.unified, label: file.path };
}

function sentence(file: FileChange): string {
  const size = `+${file.diff.insertions} -${file.diff.deletions} lines`;
  switch (file.change) {
    case "unchanged":
      return `${file.path} already had exactly this content; nothing was written.`;
    case "created":
      return `Created ${file.path}: ${size}.`;
    case "modified":
      return `Changed ${file.path}: ${size}.`;
    case "deleted":
      return `Deleted ${file.path}; it is kept in ${file.trash ?? "the trash"}.`;
  }
}

function short(file: FileChange): string {
  if (file.change === "unchanged") return `${file.path} unchanged`;
  return `${file.path} +${file.diff.insertions} -${file.diff.deletions}`;
}

function factsOf({ path, change, diff, now, trash }: FileChange): Record<string, unknown> {
  return {
    path,
    change,
    diffStat: { insertions: diff.insertions, deletions: diff.deletions },
    hunks: diff.hunks,
    ...now,
    trash,
  };
}
