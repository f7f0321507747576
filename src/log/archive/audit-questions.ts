import type { AuditAnswer } from "../../contract/app/archive.ts";
import type { ArtifactStore } from "../../contract/artifact.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import { isFileEffect } from "../../contract/effect.ts";
import type { Event, EventType } from "../../contract/events/index.ts";
import type { Observation } from "../../contract/observation.ts";
import type { RecordedCall } from "./find-call.ts";

type EventOf<Type extends EventType> = Extract<Event, { type: Type }>;

interface CallFacts {
  of<Type extends EventType>(type: Type): readonly EventOf<Type>[];
  readonly observation: Observation;
  evidence(artifact: string): string | undefined;
}

interface Answer {
  readonly text: string;
  readonly brief?: string;
  readonly from: readonly Event[];
}

const auditQuestions: Readonly<Record<string, (call: CallFacts) => Answer>> = {
  "Why was it allowed, or not?": whyAllowed,
  "Who approved it, and for which scope?": whoAgreed,
  "Who proposed it?": whoProposed,
  "What ran?": whatRan,
  "Where did it run?": whereItRan,
  "Under which isolation?": whichIsolation,
  "What changed?": whatChanged,
  "Was the output truncated?": wasTruncated,
  "What did the model see?": whatTheModelSaw,
  "What context did the model see?": whichContext,
  "What was on the menu?": whichMenu,
};

function whoProposed(call: CallFacts): Answer {
  const from = call.of("tool_intent.proposed");
  const text = from.map(({ data, at }) => {
    const { turnId, modelMessageId, provider } = data.origin;
    const model = provider === undefined ? "" : ` ${provider.name}/${provider.model}, call ${provider.callId}`;
    const place = [turnId && `turn ${turnId}`, modelMessageId && `message ${modelMessageId}`]
      .filter(Boolean)
      .join(", ");
    const reason = data.reason === undefined ? "No reason was given." : `Reason given: ${data.reason}`;
    const proposer = proposerOf(data.origin);
    const begin = `${proposer.charAt(0).toUpperCase()}${proposer.slice(1)}`;
    return `${begin}${model}${place && ` (${place})`} proposed ${data.tool} at ${at}. ${reason}`;
  });
  return { text: text.join(" "), from };
}

function proposerOf({ source, client }: EventOf<"tool_intent.proposed">["data"]["origin"]): string {
  if (source === "mcp") return client === undefined ? "an MCP client" : `the MCP client ${client}`;
  return `${source === "agent" ? "an" : "a"} ${source}`;
}

function whichMenu(call: CallFacts): Answer {
  const [proposed] = call.of("tool_intent.proposed");
  const from = call.of("context.projected").filter(({ data }) => data.menu !== undefined);
  const projected = from[0]?.data;
  if (projected?.menu === undefined) {
    return { text: `The menu ${proposed?.data.menuHash ?? ""} was not recorded.`, from: proposed ? [proposed] : [] };
  }
  const { menu, menuHash, named = [] } = projected;
  const tools = menu.map(({ name, version, schemaHash }) => `${name}@${version} (${schemaHash.slice(0, 12)})`);
  const byName = named.length === 0 ? "" : ` By name alone: ${named.join(", ")}.`;
  const alone = named.length === 0 ? "" : `, ${named.length} of them by name alone`;
  const all = `${menu.length + named.length} tools`;
  return {
    text: `${all}, menu ${menuHash}: ${tools.join(", ")}.${byName}`,
    brief: `${all}${alone}, menu ${menuHash.slice(0, 12)}.`,
    from,
  };
}

const briefChars = 500;

function whichContext(call: CallFacts): Answer {
  const from = call.of("context.projected").filter(({ data }) => data.modelInput !== undefined);
  const input = from.at(-1)?.data.modelInput;
  if (input === undefined) {
    const proposed = call.of("tool_intent.proposed");
    const proposer = proposed.map(({ data }) => proposerOf(data.origin))[0] ?? "a caller";
    return { text: `No model input was recorded; the call came from ${proposer}.`, from: proposed };
  }
  const { artifact, added, continues, bytes, total } = input;
  const seen = added ?? (artifact && call.evidence(artifact));
  const content =
    seen === undefined ? "The artifact is gone." : excerptOf(seen, artifact ? "in the artifact" : "in the event");
  const part = continues === undefined ? "" : `, of which the last ${bytes} were new`;
  const size = `${total} bytes${part}${artifact ? `, kept as artifact ${artifact}` : ""}.`;
  return { text: `${size}\n${content}`, brief: content.length > briefChars ? size : undefined, from };
}

function whyAllowed(call: CallFacts): Answer {
  const decided = call.of("permission.decided");
  const refused = call.of("tool_intent.refused");
  const verdicts = decided.map(({ data }) => {
    const rule = data.rule === undefined ? "" : `, rule ${data.rule}`;
    const isServers = data.effects.some(({ op }) => op === "call");
    const sandbox = isServers ? "run by a server" : data.sandboxed ? "sandboxed" : "not sandboxed";
    return `${data.decision} by ${data.source}${rule}: ${data.reason} (risk ${data.risk}, mode ${data.mode}, ${sandbox})`;
  });
  const refusals = refused.map(({ data }) => `refused in ${data.phase} with ${data.code}: ${data.message}`);
  const hooks = call
    .of("hook.ran")
    .filter(({ data }) => data.event === "PreToolUse" || data.event === "PermissionRequest");
  const revised = call.of("tool_intent.revised");
  const said = [
    ...hooks.map(({ data }) => `the hook ${data.handler.command} (${data.handler.origin}) ${hookText(data)}`),
    ...revised.map(({ data }) => `the hook ${data.hook} changed the input to ${JSON.stringify(data.input)}`),
  ];
  const text = [...said, ...verdicts, ...refusals].join("; ") || "The call was never judged.";
  return { text, from: [...hooks, ...revised, ...decided, ...refused] };
}

function hookText({ decision, exit, reason }: EventOf<"hook.ran">["data"]): string {
  const broke = exit === "failed" || exit === "timeout";
  const outcome = broke
    ? `failed${exit === "timeout" ? " (timeout)" : ""}${decision === "deny" ? ", which counts as deny" : ""}`
    : decision === undefined
      ? `ended ${exit}`
      : `said ${decision}`;
  return reason === undefined ? outcome : `${outcome}: ${reason}`;
}

function whoAgreed(call: CallFacts): Answer {
  const answered = call.of("permission.answered");
  const requested = call.of("permission.requested");
  if (requested.length === 0 && answered.length === 0) {
    return { text: "The user was not asked.", from: call.of("permission.decided") };
  }
  const text = answered.map(({ data }) => {
    const rules = (data.rules ?? [data.rule ?? "none"]).join(", ");
    const reach = data.remember === "always" ? "from now on" : "for this session";
    const scope =
      data.remember === "session" || data.remember === "always" ? `${reach}, rule ${rules}` : "for this call only";
    const note = data.message === undefined ? "" : ` Note: ${data.message}`;
    return `${data.by} answered ${data.answer} (${scope}) to digest ${data.digest}.${note}`;
  });
  return { text: text.join(" ") || "The question was never answered.", from: [...requested, ...answered] };
}

function whatRan(call: CallFacts): Answer {
  const started = call.of("tool_invocation.started");
  const ended = call.of("tool_invocation.ended");
  const jobs = [...call.of("job.started"), ...call.of("job.ended")];
  if (started.length === 0) return { text: "Nothing ran.", from: call.of("tool_intent.refused") };
  const given = [...call.of("tool_intent.proposed"), ...call.of("tool_intent.revised")].slice(-1);
  const input = given.map(({ data }) => `, input ${inputText(data.input)}`).join("");
  const runs = started.map(({ data }) => {
    const what = data.command === undefined ? input : `, command ${JSON.stringify(data.command.text)}`;
    return `${data.tool}@${data.version} as ${data.invocationId}, input digest ${data.digest}${what}`;
  });
  const ends = ended.map(({ data }) => `It ended ${data.exit} (${data.code}) after ${data.durationMs} ms.`);
  const background = jobs.map(({ data }) =>
    "state" in data
      ? `Job ${data.jobId} ${data.state}${data.exitCode == null ? "" : ` with exit code ${data.exitCode}`}.`
      : `It continued as background job ${data.jobId}.`,
  );
  const text = [`${runs.join("; ")}.`, ...(ends.length > 0 ? ends : ["No end was recorded."]), ...background].join(" ");
  return { text, from: [...given, ...started, ...ended, ...jobs] };
}

const inputChars = 1_000;

function inputText(input: unknown): string {
  const text = JSON.stringify(input) ?? "none";
  const rest = text.length - inputChars;
  return rest > 0 ? `${text.slice(0, inputChars)} … ${rest} more characters in the event` : text;
}

function whereItRan(call: CallFacts): Answer {
  const from = call.of("tool_invocation.started");
  const text = from.map(({ data }) => {
    const { kind, gauntlet, pid } = data.executor;
    const directory = data.command === undefined ? "" : `, working directory ${data.command.cwd}`;
    return `${kind} executor, gauntlet ${gauntlet}, process ${pid}, lane ${data.lane}${directory}.`;
  });
  return { text: text.join(" ") || "Nowhere: nothing ran.", from };
}

function whichIsolation(call: CallFacts): Answer {
  const from = call.of("tool_invocation.started");
  const text = from.map(({ data }) => {
    if (data.sandbox === undefined) return data.confinement ?? "It was not recorded.";
    const { backend, enforces, readable, writable, network } = data.sandbox;
    const strength = enforces ? "enforced by the kernel" : "not enforced";
    const held = `${backend}, ${strength}; readable: ${list(readable)}; writable: ${list(writable)}; network: ${network}.`;
    if (data.command !== undefined) return held;
    // Without a command, only our own code ran, limited by its ports.
    const files = data.effects.filter(isFileEffect);
    const touched = files.map(({ op, path, scope }) => `${op} ${path.resolved}${scope === "tree" ? " and below" : ""}`);
    const ports = `ports limited to the paths in the permit: ${touched.join(", ") || "no file"}.`;
    return files.some(({ scope }) => scope === "tree") ? `${ports} Search processes are confined by ${held}` : ports;
  });
  const { backend, enforces } = call.observation.sandbox;
  const made = call.of("connection.made");
  if (made.length > 0) text.push(`Connections: ${made.map(({ data }) => connectionText(data)).join(", ")}.`);
  return {
    text: text.join(" ") || `No sandbox was needed; the session had ${backend} (enforces: ${enforces}).`,
    from: [...from, ...made],
  };
}

function connectionText({ host, port, outcome, reason }: EventOf<"connection.made">["data"]): string {
  return `${host}:${port} ${outcome}${reason === undefined ? "" : ` (${reason})`}`;
}

function whatChanged(call: CallFacts): Answer {
  const from = call.of("file.changed");
  const { happened } = call.observation.effects;
  const changes = from.map(({ data }) => {
    const to = data.to === undefined ? "" : ` to ${data.to}`;
    const hashes = `${data.before?.slice(0, 12) ?? "nothing"} -> ${data.after?.slice(0, 12) ?? "nothing"}`;
    const whose =
      data.seenBy === "scan" && data.attribution !== "call" ? ", during the call but not necessarily by it" : "";
    return `${data.path} ${data.change}${to} (${hashes}, seen by ${data.seenBy}${whose})`;
  });
  const jobs = call.of("job.ended").filter(({ data }) => data.unrecorded !== undefined);
  const unknown = jobs.map(({ data }) => ` The changes of job ${data.jobId} were not recorded: ${data.unrecorded}.`);
  const transaction = transactionOf(call);
  const text = `${transaction.text}${changes.join("; ") || "No file change was recorded"}. Effects: ${happened}.${unknown.join("")}`;
  return { text, from: [...transaction.from, ...(from.length > 0 ? from : call.of("tool.observed")), ...jobs] };
}

function transactionOf(call: CallFacts): Answer {
  const captured = call.of("transaction.captured");
  const decided = call.of("transaction.decided");
  const ended = call.of("transaction.ended");
  const words = [
    ...captured.map(({ data: { counts, digest, artifact } }) => {
      const { created, modified, deleted } = counts;
      const list = artifact === undefined ? "" : `, listed in artifact ${artifact}`;
      return `It proposed ${created} created, ${modified} modified and ${deleted} deleted entries (digest ${digest.slice(0, 12)}${list}).`;
    }),
    ...decided.map(({ data }) => `Decision by ${data.by}: ${data.decision} (${data.reason}).`),
    ...ended.map(({ data }) => `Outcome: ${data.outcome}${data.failure === undefined ? "" : ` (${data.failure})`}.`),
  ];
  return { text: words.map((sentence) => `${sentence} `).join(""), from: [...captured, ...decided, ...ended] };
}

function wasTruncated(call: CallFacts): Answer {
  const { model, artifacts } = call.observation;
  const kept = artifacts.map(({ kind, id, bytes }) => `${kind} ${id} (${bytes} bytes)`);
  const complete = kept.length === 0 ? "" : ` Stored in full: ${kept.join(", ")}.`;
  const text = model.truncated ? `Yes, ${model.omittedBytes} bytes were omitted.${complete}` : `No.${complete}`;
  return { text, from: [...call.of("artifact.stored"), ...call.of("tool.observed")] };
}

const excerptChars = 4_000;

function whatTheModelSaw(call: CallFacts): Answer {
  const { summary, model } = call.observation;
  const shown = model.content.map(({ format, text }) => `[${format}] ${text}`).join("\n");
  const excerpt = excerptOf(shown, "in the observation");
  return { text: `${summary}\n${excerpt}`.trim(), from: call.of("tool.observed") };
}

function excerptOf(text: string, where: string): string {
  const rest = text.length - excerptChars;
  return rest > 0 ? `${text.slice(0, excerptChars)}\n… ${rest} more characters ${where}` : text;
}

function list(items: readonly string[]): string {
  return items.length === 0 ? "nothing" : items.join(" ");
}

export function explainCall(call: RecordedCall, artifacts: ArtifactStore): Outcome<AuditAnswer> {
  const { session, imported, alsoIn, intentId, events } = call;
  const observed = events.find((event) => event.type === "tool.observed");
  if (observed?.type !== "tool.observed") {
    const reached = events.at(-1)?.type ?? "nothing";
    return fail("bad_request", `The call ${session}/${intentId} is still open; its last event is ${reached}.`, {
      recovery: "Retry when it has ended, or read its events.",
    });
  }
  const { observation } = observed.data;
  const of: CallFacts["of"] = (type) => events.filter((event): event is EventOf<typeof type> => event.type === type);
  const evidence = (id: string) => {
    const content = artifacts.read(id);
    return content.ok ? Buffer.from(content.value).toString("utf8") : undefined;
  };
  return ok({
    session,
    imported,
    alsoIn,
    intentId,
    observation,
    chain: events.map(({ seq, id, type, at }) => ({ seq, id, type, at })),
    questions: Object.entries(auditQuestions).map(([question, answer]) => {
      const { text, brief, from } = answer({ of, observation, evidence });
      return { question, answer: text, brief, events: from.map(({ id }) => id) };
    }),
  });
}
