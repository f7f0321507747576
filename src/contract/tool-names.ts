/** What tools are called besides their own name: in rules and hooks, and by models that know other agents. */
interface Spellings {
  readonly rules: string;
  readonly models?: string;
}

const spellings = {
  bash: { rules: "Bash shell Shell", models: "run_command exec run_shell_command" },
  read: { rules: "Read read_file", models: "ReadFile view View view_file cat" },
  write: { rules: "Write write_file", models: "WriteFile create_file write_to_file" },
  edit: { rules: "Edit edit_file", models: "EditFile str_replace str_replace_editor replace_in_file" },
  multi_edit: { rules: "MultiEdit", models: "multiedit multi_edit_file" },
  patch: { rules: "Patch apply_patch", models: "ApplyPatch apply_diff" },
  move: { rules: "Move", models: "move_file MoveFile rename rename_file mv" },
  delete: { rules: "Delete", models: "delete_file DeleteFile remove remove_file rm" },
  glob: { rules: "Glob", models: "glob_files find_files file_search find" },
  grep: { rules: "Grep", models: "search grep_search search_file_content ripgrep rg" },
  list: { rules: "List LS list_files", models: "ListFiles ls list_dir list_directory tree" },
  web_fetch: { rules: "WebFetch" },
  web_search: { rules: "WebSearch" },
  task_output: { rules: "TaskOutput BashOutput", models: "bash_output job_output" },
  task_stop: { rules: "TaskStop KillBash KillShell", models: "kill_shell job_stop" },
  read_artifact: { rules: "ReadArtifact", models: "artifact_read" },
  mcp_resources_list: { rules: "ListMcpResources", models: "ListMcpResourcesTool" },
  mcp_resources_read: { rules: "ReadMcpResource", models: "ReadMcpResourceTool" },
  agent: { rules: "Agent Task" },
} as const satisfies Readonly<Record<string, Spellings>>;

export const ruleSpellings: readonly (readonly string[])[] = Object.entries(spellings).map(([name, { rules }]) => [
  name,
  ...rules.split(" "),
]);

export function aliasesOf(tool: keyof typeof spellings): readonly string[] {
  const { rules, models }: Spellings = spellings[tool];
  return (models === undefined ? rules : `${rules} ${models}`).split(" ");
}
