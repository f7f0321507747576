import { z } from "zod";
import { lazy } from "../base/async.ts";
import { artifactRef } from "./artifact.ts";
import { codeNames, phases } from "./codes.ts";
import { effect, risk, seenEffect } from "./effect.ts";
import { decisionSources, remembers } from "./verdict.ts";

/** Tool output is data. It is never an instruction and never an authorisation. */
export const contentBlock = lazy(() =>
  z.object({
    trust: z.literal("tool_output_untrusted"),
    format: z.enum(["text", "json", "diff", "image", "artifact_ref"]),
    label: z.exactOptional(z.string()),
    text: z.string(),
  }),
);
export type ContentBlock = z.infer<ReturnType<typeof contentBlock>>;

const nextStep = lazy(() => z.object({ tool: z.string(), input: z.record(z.string(), z.unknown()) }));

export const permissionFacts = lazy(() =>
  z.object({
    decision: z.enum(["allow", "ask", "deny"]),
    reason: z.string(),
    source: z.enum(decisionSources),
    rule: z.exactOptional(z.string()),
    risk: risk(),
    request: z.exactOptional(z.string()),
    answeredBy: z.exactOptional(z.string()),
    prompt: z.exactOptional(z.record(z.string(), z.unknown())),
    suggestedRules: z.exactOptional(z.array(z.string())),
    remembered: z.exactOptional(
      z.object({
        scope: z.enum(remembers),
        rules: z.array(z.string()),
        path: z.exactOptional(z.string()),
        problem: z.exactOptional(z.string()),
      }),
    ),
  }),
);
export type PermissionFacts = z.infer<ReturnType<typeof permissionFacts>>;
export type Remembered = WithReadonlyLists<NonNullable<PermissionFacts["remembered"]>>;

export type WithReadonlyLists<Facts> = {
  readonly [Name in keyof Facts]: Facts[Name] extends (infer One)[] ? readonly One[] : Facts[Name];
};

export const observation = lazy(() =>
  z.object({
    intentId: z.string(),
    invocationId: z.exactOptional(z.string()),
    tool: z.string(),
    ok: z.boolean(),
    status: z.enum(["ok", "error", "denied"]),
    phase: z.enum(phases),
    code: z.enum(codeNames),
    title: z.string(),
    summary: z.string(),
    field: z.exactOptional(z.string()),
    recovery: z.exactOptional(z.string()),
    model: z.object({
      content: z.array(contentBlock()),
      truncated: z.boolean(),
      omittedBytes: z.number(),
      next: z.exactOptional(nextStep()),
    }),
    user: z.object({ text: z.string() }),
    permission: z.exactOptional(permissionFacts()),
    stop: z.exactOptional(z.string()),
    effects: z.object({
      happened: z.enum(["nothing", "done", "partly", "unknown"]),
      declared: z.array(effect()),
      seen: z.array(seenEffect()),
    }),
    data: z.exactOptional(z.record(z.string(), z.unknown())),
    artifacts: z.array(artifactRef()),
    metrics: z.object({
      startedAt: z.string(),
      endedAt: z.string(),
      durationMs: z.number(),
      outputBytes: z.number(),
    }),
    retryable: z.boolean(),
    sandbox: z.object({
      backend: z.enum(["bubblewrap", "external", "none"]),
      enforces: z.boolean(),
      used: z.exactOptional(z.boolean()),
    }),
    auditId: z.string(),
  }),
);
export type Observation = z.infer<ReturnType<typeof observation>>;
