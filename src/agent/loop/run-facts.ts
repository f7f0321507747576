import path from "node:path";
import type { ChangedPath, RunReport, UnansweredAsk } from "../../contract/app/agent.ts";
import type { Event, EventData } from "../../contract/events/index.ts";
import type { Verification } from "../../contract/verification.ts";
import { generatedPart } from "../../gate/generated-paths.ts";
import { isBookkeeping } from "../../session/paths.ts";

type RunFactsReport = Pick<RunReport, "calls" | "changed" | "unlisted" | "verifications" | "unanswered">;

export type RunFacts = ReturnType<typeof createRunFacts>;

export function createRunFacts(workspace: string) {
  const changed = new Map<string, ChangedPath["change"]>();
  const known = new Set<string>();
  const unlisted = new Set<string>();
  const verifications = new Map<string, Verification>();
  const unanswered: UnansweredAsk[] = [];
  const calls = { all: 0, failed: 0, denied: 0 };

  return {
    fold(event: Event): void {
      switch (event.type) {
        case "file.changed":
          if (isUnlisted(event.data.path)) return void unlisted.add(event.data.path);
          if (event.data.seenBy !== "scan")
            for (const file of [event.data.path, event.data.to ?? event.data.path]) known.add(file);
          foldChange(changed, event.data);
          return;
        case "verification.recorded":
          for (const kind of event.data.kinds) verifications.set(`${kind} ${event.data.command}`, event.data);
          return;
        case "tool.observed": {
          const { status, code } = event.data.observation;
          calls.all += 1;
          if (status === "error") calls.failed += 1;
          if (status === "denied") calls.denied += 1;
          if (code === "approval_unavailable") unanswered.push(askOf(event.data));
          return;
        }
      }
    },
    facts: (): RunFactsReport => ({
      calls: { ...calls },
      changed: tellingPaths(changed).map(([file, change]) => ({
        path: shownPath(file, workspace),
        change,
        ...(!known.has(file) && { whileRunning: true }),
      })),
      ...(unlisted.size > 0 && { unlisted: unlisted.size }),
      verifications: [...new Set(verifications.values())],
      unanswered: [...unanswered],
    }),
  };
}

/** Dependencies, caches and the files that git writes with every commit would make the list too long to read. */
function isUnlisted(file: string): boolean {
  return isBookkeeping(file) || generatedPart(file, true) !== undefined;
}

/** Compares the end of the run with its start: a file that was created and removed again did not change. */
function foldChange(changed: Map<string, ChangedPath["change"]>, data: EventData<"file.changed">): void {
  const before = changed.get(data.path);
  if (data.change === "moved" && data.to !== undefined) {
    changed.set(data.to, before === "created" ? "created" : "moved");
    changed.delete(data.path);
    if (before !== "created") changed.set(data.path, "deleted");
  } else if (before === "created") {
    if (data.change === "deleted") changed.delete(data.path);
  } else if (before === "deleted" && data.change === "created") changed.set(data.path, "modified");
  else changed.set(data.path, data.change);
}

/** Without directories of which an entry is listed as well. */
function tellingPaths(changed: ReadonlyMap<string, ChangedPath["change"]>) {
  const above = new Set<string>();
  for (const file of changed.keys()) {
    for (let up = path.dirname(file); up !== "/" && !above.has(up); up = path.dirname(up)) above.add(up);
  }
  return [...changed].filter(([file]) => !above.has(file));
}

function askOf({ intentId, observation }: EventData<"tool.observed">): UnansweredAsk {
  const { suggestedRules = [], prompt } = observation.permission ?? {};
  const { tool, recovery, artifacts } = observation;
  // Without a prompt, or with one of several lines, the title describes the question.
  const title = typeof prompt?.action === "string" && !prompt.action.includes("\n") ? prompt.action : observation.title;
  const changes = artifacts.find(({ kind }) => kind === "changes")?.id;
  return {
    ...{ intentId, tool, title, rules: [...suggestedRules] },
    ...(recovery !== undefined && { recovery }),
    ...(changes !== undefined && { changes }),
  };
}

function shownPath(file: string, workspace: string): string {
  return file.startsWith(`${workspace}/`) ? path.relative(workspace, file) : file;
}
