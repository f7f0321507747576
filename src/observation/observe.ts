import { clip } from "../base/text.ts";
import type { ArtifactRef } from "../contract/artifact.ts";
import { type Code, codes, type Failure, type Phase } from "../contract/codes.ts";
import type { Observation } from "../contract/observation.ts";
import type { ContentDraft, Summary } from "../contract/tool.ts";
import { defaultResultLimits } from "../contract/tool.ts";
import type { HookRemark } from "../contract/verdict.ts";
import { boundContent } from "./bound-content.ts";
import { boundData, mapStrings } from "./bound-data.ts";
import type { Ending, ObservationInput } from "./observation-input.ts";
import { createCleaner } from "./shown-text.ts";
import { summarizeRefusal, summarizeResult } from "./summarize-result.ts";

export interface Observed {
  readonly observation: Observation;
  readonly stored: readonly ArtifactRef[];
}

const titleChars = 160;
const summaryChars = 600;
const userChars = 2_000;

/**
 * The fact projection of one call: a bounded face for the model, a short one for people, and the audit facts.
 * Throws only when the tool's own `summarize` does.
 */
export function observe(input: ObservationInput): Observed {
  const cleaner = createCleaner(input);
  const end = endOf(input.ending);
  const summary = summaryOf(input);
  const { maxResultChars, maxResultLines } = input.tool ?? defaultResultLimits;
  const pages = summary.continueAt !== undefined || maxResultChars === Number.POSITIVE_INFINITY;
  const content = boundContent([...summary.model, ...(input.remarks ?? []).map(remarkDraft)], {
    limits: { maxChars: Math.min(maxResultChars, input.allowance), maxLines: maxResultLines },
    cleaner,
    artifacts: input.artifacts,
    pages,
    ...(summary.continueAt === undefined ? {} : { continueAt: summary.continueAt }),
  });
  // A page's own step would skip over what was cut off that page.
  const own = content.cut && pages ? undefined : (summary.next ?? input.narrower);
  const next = own === undefined ? content.next : mapStrings(own, cleaner.text);
  const omittedBytes = content.omittedBytes + (summary.omittedBytes ?? 0);

  const observation: Observation = {
    intentId: input.intentId,
    ...(input.invocationId === undefined ? {} : { invocationId: input.invocationId }),
    tool: cleaner.line(input.toolName, titleChars),
    ok: end.code === "ok",
    status: statusOf(end.code),
    phase: end.phase,
    code: end.code,
    title: cleaner.line(summary.title, titleChars),
    summary: cleaner.line(summary.summary, summaryChars),
    ...failureFields(end.failure, cleaner.text),
    model: {
      content: [...content.blocks],
      truncated: content.cut || omittedBytes > 0,
      omittedBytes,
      ...(next === undefined ? {} : { next: { tool: next.tool, input: { ...next.input } } }),
    },
    user: { text: clip(cleaner.text(summary.user), userChars) },
    ...(input.permission === undefined ? {} : { permission: mapStrings(input.permission, input.redact) }),
    ...(input.stop === undefined ? {} : { stop: cleaner.line(input.stop, summaryChars) }),
    effects: {
      happened: end.happened,
      declared: mapStrings([...input.effects.declared], input.redact),
      seen: mapStrings([...input.effects.seen], input.redact),
    },
    ...(summary.data === undefined ? {} : { data: boundData(summary.data, cleaner.text) }),
    artifacts: unique([
      ...(summary.artifacts ?? []),
      ...streamArtifacts(summary),
      ...(input.kept ?? []),
      ...content.stored,
    ]),
    metrics: {
      startedAt: new Date(input.startedAt).toISOString(),
      endedAt: new Date(input.endedAt).toISOString(),
      durationMs: Math.max(0, input.endedAt - input.startedAt),
      outputBytes: content.outputBytes,
    },
    retryable: codes[end.code].retryable,
    sandbox: {
      backend: input.sandbox.backend,
      enforces: input.sandbox.enforces,
      ...(input.sandboxUsed === undefined ? {} : { used: input.sandboxUsed }),
    },
    auditId: input.auditId,
  };
  return { observation, stored: content.stored };
}

interface End {
  readonly code: Code;
  readonly phase: Phase;
  readonly happened: Observation["effects"]["happened"];
  readonly failure?: Failure;
}

function endOf(ending: Ending): End {
  if (ending.kind === "refused") {
    const { refusal } = ending;
    return { code: refusal.code, phase: refusal.phase, happened: refusal.happened ?? "nothing", failure: refusal };
  }
  const { result } = ending;
  if (result.ok) return { code: "ok", phase: "execute", happened: codes.ok.happened };
  const { failure } = result;
  return {
    code: failure.code,
    phase: failure.code === "output_invalid" ? "normalize" : "execute",
    happened: failure.happened ?? codes[failure.code].happened,
    failure,
  };
}

const denials: readonly Code[] = [
  "policy_denied",
  "hook_denied",
  "user_denied",
  "approval_unavailable",
  "approval_expired",
];

function statusOf(code: Code): Observation["status"] {
  if (code === "ok") return "ok";
  return denials.includes(code) ? "denied" : "error";
}

function summaryOf({ ending, toolName, tool, input }: ObservationInput): Summary {
  if (ending.kind === "refused") return summarizeRefusal(toolName, ending.refusal, { tool, input });
  return summarizeResult(toolName, ending.result, tool && { tool, input });
}

function remarkDraft({ hook, text }: HookRemark): ContentDraft {
  return { format: "text", label: `hook ${hook}`, text };
}

function failureFields(
  failure: Failure | undefined,
  clean: (text: string) => string,
): Pick<Observation, "field" | "recovery"> {
  if (failure === undefined) return {};
  return {
    ...(failure.field === undefined ? {} : { field: clean(failure.field) }),
    recovery: clean(failure.recovery ?? codes[failure.code].recovery),
  };
}

function streamArtifacts({ model }: Summary): readonly ArtifactRef[] {
  return model.flatMap((draft) => (draft.format === "stream" ? (draft.stream.artifact ?? []) : []));
}

function unique(artifacts: readonly ArtifactRef[]): ArtifactRef[] {
  return [...new Map(artifacts.map((artifact) => [`${artifact.kind}:${artifact.id}`, artifact])).values()];
}
