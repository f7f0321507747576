import { z } from "zod";
import { lazy } from "../base/async.ts";
import { type Outcome, ok } from "../contract/codes.ts";
import { type HookEvent, hookEvents, hookHandler, type SettingsFile } from "../contract/settings.ts";
import { parseWith, type ReadFile, type SettingsText } from "./parse-settings-text.ts";

/** Another program's file. Its rules and hooks are read; a rule that cannot be read is an error. */
const claudeFile = lazy(() =>
  z.looseObject({
    permissions: z.exactOptional(
      z.looseObject({
        allow: z.exactOptional(z.array(z.string())),
        ask: z.exactOptional(z.array(z.string())),
        deny: z.exactOptional(z.array(z.string())),
        additionalDirectories: z.exactOptional(z.array(z.string())),
      }),
    ),
    hooks: z.exactOptional(z.unknown()),
  }),
);

const understood = ["allow", "ask", "deny", "additionalDirectories"];

export function readClaudeSettings(text: SettingsText): Outcome<ReadFile> {
  const parsed = parseWith(claudeFile(), text);
  if (!parsed.ok) return parsed;
  const { permissions = {}, hooks: writtenHooks, ...others } = parsed.value;
  const { allow, ask, deny, additionalDirectories } = permissions;
  const { hooks, ignored } = readHooks(writtenHooks ?? {});
  const guards = { ask: (ask ?? []).map(readGuard), deny: (deny ?? []).map(readGuard) };
  const all = [...guards.deny, ...guards.ask];
  return ok({
    file: {
      permissions: {
        allow,
        ask: ask && guards.ask.flatMap(({ rule }) => rule ?? []),
        deny: deny && guards.deny.flatMap(({ rule }) => rule ?? []),
        additionalDirectories,
      },
      hooks,
    },
    ignored: [
      ...Object.keys(permissions)
        .filter((key) => !understood.includes(key))
        .map((key) => `permissions.${key}`),
      // The rest (a model, a status line, …) concerns that program alone.
      ...(others.env === undefined ? [] : ["env"]),
      ...all.flatMap(({ written, rule }) => (rule === undefined ? [`${written} (unknown tool)`] : [])),
      ...ignored,
    ],
    notes: all.flatMap(({ written, rule }) =>
      rule === undefined || rule === written ? [] : [`${written} never matches; it is read as ${rule}`],
    ),
  });
}

/** Rules that the other program accepts but ignores; they are read as the rule that was meant. */
const meantFor: ReadonlyMap<string, string> = new Map([
  ...["Write", "MultiEdit", "NotebookEdit"].map((name) => [name, "Edit"] as const),
  ...["Glob", "Grep", "LS", "NotebookRead"].map((name) => [name, "Read"] as const),
]);
const ourForms: ReadonlySet<string> = new Set(["Bash", "Read", "Edit", "WebFetch"]);

function readGuard(written: string): { readonly written: string; readonly rule: string | undefined } {
  const [, name = "", content] = /^([A-Za-z]+)\((.*)\)$/s.exec(written.trim()) ?? [];
  if (content === undefined || ourForms.has(name)) return { written, rule: written };
  const meant = meantFor.get(name);
  return { written, rule: meant === undefined ? undefined : `${meant}(${content})` };
}

type Hooks = NonNullable<SettingsFile["hooks"]>;

const groups = lazy(() =>
  z.array(z.looseObject({ matcher: z.exactOptional(z.string()), hooks: z.array(z.looseObject({})) })),
);

function readHooks(written: unknown): { readonly hooks: Hooks; readonly ignored: readonly string[] } {
  const hooks: Hooks = {};
  const ignored: string[] = [];
  if (typeof written !== "object" || written === null) return { hooks, ignored: ["hooks (not an object)"] };
  for (const [event, value] of Object.entries(written)) {
    const parsed = groups().safeParse(value);
    if (!isHookEvent(event)) ignored.push(`hooks.${event} (unsupported event)`);
    else if (!parsed.success) ignored.push(`hooks.${event} (not a list of matchers and hooks)`);
    else hooks[event] = parsed.data.map((group) => readGroup(event, group, ignored));
  }
  return { hooks, ignored };
}

function readGroup(event: HookEvent, group: z.infer<ReturnType<typeof groups>>[number], ignored: string[]) {
  const handlers = group.hooks.flatMap((written) => {
    const handler = readHandler(written);
    if (typeof handler !== "string") return [handler];
    ignored.push(`hooks.${event} (${handler})`);
    return [];
  });
  return { ...(group.matcher === undefined ? {} : { matcher: group.matcher }), hooks: handlers };
}

const longestSeconds = 600;

function readHandler({
  async: detached,
  asyncRewake: _,
  shell,
  timeout,
  ...written
}: Readonly<Record<string, unknown>>) {
  if (written.type !== "command") return `a handler of type ${JSON.stringify(written.type)} is not supported`;
  if (detached === true) return "a detached handler is not supported";
  if (shell !== undefined && shell !== "bash") return `a handler for ${JSON.stringify(shell)} is not supported`;
  const limit = typeof timeout === "number" ? Math.min(timeout, longestSeconds) : timeout;
  const parsed = hookHandler().safeParse({ ...written, ...(limit === undefined ? {} : { timeout: limit }) });
  return parsed.success ? parsed.data : `invalid handler: ${parsed.error.issues[0]?.message ?? ""}`;
}

function isHookEvent(name: string): name is HookEvent {
  return hookEvents.some((event) => event === name);
}
