import { fail } from "../contract/codes.ts";
import { isInsideAny } from "../contract/effect.ts";
import type { EffectView, PreconditionView } from "../contract/ports.ts";
import { classifyPath } from "../effects/classify-path.ts";
import { resolvePath } from "../effects/resolve-path.ts";
import { pathPlaces } from "./closed-path.ts";
import { type Journey, type Viewpoint, workspaceFacts } from "./journey.ts";

export function effectView(journey: Viewpoint): EffectView {
  const workspace = workspaceFacts(journey);
  return {
    workspace,
    resolve: (written, from) =>
      resolvePath(written, { metadata: journey.metadata, base: from ?? workspace.root, home: workspace.home }),
    ...(journey.metadata.entries === undefined ? {} : { entries: journey.metadata.entries }),
    gitObjects: journey.gitObjects,
    ...(journey.skills === undefined ? {} : { skills: journey.skills }),
  };
}

/** Answers nothing that the gate might protect: no metadata outside the roots, no content of unread files. */
export function preconditionView(journey: Journey): PreconditionView {
  const { resolve, workspace } = effectView(journey);
  const { baselines } = journey.log.state;
  return {
    workspace,
    resolve,
    facts(path) {
      if (!isInsideAny(path.resolved, workspace.roots)) return undefined;
      const kind = classifyPath(path.resolved, pathPlaces(journey));
      if (kind === "secret" || kind === "state") return undefined;
      try {
        const stat = journey.metadata.lstat(path.resolved);
        return stat === undefined ? { exists: false } : { exists: true, stat };
      } catch {
        return undefined;
      }
    },
    baseline: (path) => baselines.get(path),
    async content(path) {
      if (!baselines.has(path))
        return fail("runtime_precondition_failed", `${path} must be read before it can be changed.`);
      return journey.files.tagged("precondition").read(path);
    },
    artifactSize: (id) => journey.artifacts.size(id),
    job: (id) => journey.jobs.get(id),
  };
}
