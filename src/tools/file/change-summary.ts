import type { ContentDraft, RawResult, Summary } from "../../contract/tool.ts";
import type { FileChange } from "./apply-changes.ts";
import { failureSummary } from "./failure-summary.ts";

/** What a tool that changes files returns. */
export interface ChangeReport {
  readonly files: readonly FileChange[];
  readonly replacements?: number;
}

/** No language server is asked yet; the field says so instead of being absent. */
const diagnostics = { status: "not_configured" } as const;

export function summarizeChanges(title: string, result: RawResult<ChangeReport>): Summary {
  if (!result.ok) return failureSummary(title, result.failure);
  const { files, replacements } = result.data;
  const [only] = files;
  const facts = files.map(factsOf);
  const diffStat = {
    insertions: files.reduce((sum, file) => sum + file.diff.insertions, 0),
    deletions: files.reduce((sum, file) => sum + file.diff.deletions, 0),
  };
  return {
    title,
    summary: `${files.map(sentence).join(" ")}${replacements === undefined || replacements === 1 ? "" : ` ${replacements} replacements.`}`,
    model: files.map(contentOf),
    user:
      files.length === 1 && only !== undefined
        ? short(only)
        : `${files.length} files +${diffStat.insertions} -${diffStat.deletions}`,
    data: {
      ...(facts.length === 1 ? facts[0] : { files: facts, diffStat }),
      ...(replacements === undefined ? {} : { replacements }),
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
      return `Deleted ${file.path}; it waits in ${file.trash ?? "the trash"}.`;
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
    ...(trash === undefined ? {} : { trash }),
  };
}
