import type { FileEffect } from "../../contract/effect.ts";
import type { RuleText } from "../../contract/settings.ts";
import { isProgram, runsWithVerb } from "../../programs/program-kinds.ts";
import type { CommandPattern } from "./command-pattern.ts";
import { matchesPath, type PathPattern, type PatternPlaces } from "./path-pattern.ts";
import { type CompiledRule, matchesHost, type RuleProblem, type RuleTarget } from "./rule.ts";

/** Why an allow rule is too broad to have been reviewed. */
export function overbroad(target: RuleTarget, places: PatternPlaces): string | undefined {
  switch (target.kind) {
    case "command":
      return overbroadCommand(target.pattern);
    case "path":
      return overbroadPath(target.ops, target.pattern, places);
    case "tool":
      return target.names.includes("web_fetch") ? "it allows every host" : undefined;
    case "host":
      return target.below && isPublicSuffix(target.host)
        ? `anyone can register a host below ${target.host}`
        : undefined;
    // No allow rule covers every server, and a single server was chosen by the user.
    default:
      return undefined;
  }
}

/** The spelling of a pattern does not matter: it is tried on names that no user can have meant. */
function overbroadPath(
  ops: readonly FileEffect["op"][],
  pattern: PathPattern | undefined,
  { workspace, home }: PatternPlaces,
): string | undefined {
  const changes = ops.includes("write") || ops.includes("delete");
  const what = ops.includes("write") ? "every change" : changes ? "deleting everything" : "reading everything";
  // Reading the workspace is always expected.
  if (pattern === undefined) return changes ? `it allows ${what}` : undefined;
  const { base } = pattern;
  const places = changes ? ["/", workspace, home, base, ...shared, ...installed] : ["/", home, ...shared];
  const place = places.find((directory) => {
    const below = directory === "/" ? "" : directory;
    return probes.some((probe) => matchesPath(pattern, `${below}/${probe}`));
  });
  return place === undefined ? undefined : `it allows ${what} below ${place}`;
}

/** At the top, hidden, and deep down. */
const probes = ["q7zk0v", ".q7zk0v", "q7zk0v/.w3/x9.j5"];

/** Shared directories, and directories of programs, whether or not a sandbox shows them. */
const shared = "/home /root /Users /etc /var /proc /sys /dev /run /mnt /media".split(" ");
const installed = "/usr /usr/local /opt /srv /bin /sbin /lib /boot".split(" ");

function overbroadCommand(pattern: CommandPattern): string | undefined {
  if (pattern.kind === "every") return "it allows every program inside the workspace; what > writes needs Edit as well";
  if (pattern.kind === "exact") return undefined;
  const words = pattern.kind === "prefix" ? pattern.words : pattern.text.split(/\s+/);
  // `FOO=1 bash` is bash.
  const begins = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
  const [program = "*", ...rest] = begins < 0 ? [] : words.slice(begins);
  if (program.includes("*")) return "it allows any program";
  const written = program.slice(program.lastIndexOf("/") + 1);
  const name = isProgram("runsAnything", written) ? written : written.replace(/(?<=[a-z])[\d.]+$/, "");
  // The text before the first star is fixed; anything may follow.
  const open = rest.findIndex((word) => word.includes("*"));
  const fixed = (open === -1 ? rest : rest.slice(0, open)).filter((word) => !word.startsWith("-"));
  const [verb, ...more] = fixed;
  const endsOpen = open === -1 || open === rest.length - 1;
  const hasCommands = isProgram("hasCommands", name);
  const unbound = isProgram("runsAnything", name) || (endsOpen && hasCommands);
  // A flag may take the next word as its value and change the meaning of the rest.
  const flagged = hasCommands && rest[0]?.startsWith("-");
  if ((unbound && (verb === undefined || flagged)) || isProgram("runsAppended", name))
    return `${name} can run or fetch anything`;
  const operand = rest.find((word) => !word.startsWith("-"));
  if (isProgram("deletes", name) && (operand === undefined || operand.startsWith("*")))
    return "it allows deleting every file in the workspace";
  if (isProgram("wraps", name)) return overbroadBehind(name, rest);
  const runs = verb !== undefined && more.length === 0 && runsWithVerb(name, verb);
  return runs ? `${name} ${verb} can run or fetch anything` : undefined;
}

/** `timeout 5 bash`: the inner command must be narrow by itself, wherever it begins. */
function overbroadBehind(name: string, words: readonly string[]): string | undefined {
  const isOption = (word: string) => /^-|^[A-Za-z_]\w*=|^[\d.]+[smhd]?$/.test(word);
  if (words.every(isOption)) return `${name} can run or fetch anything`;
  for (const [at, word] of words.entries()) {
    const inner = isOption(word) ? undefined : overbroadCommand({ kind: "prefix", words: words.slice(at) });
    if (inner !== undefined) return inner;
    if (!isOption(word) && !isOption(words[at - 1] ?? "")) return undefined;
  }
  return undefined;
}

export interface LintedRule {
  readonly rule: RuleText;
  readonly compiled: CompiledRule;
}

/** Rules that duplicate another rule, or that another rule makes ineffective. */
export function relationsOf(entries: readonly LintedRule[]): readonly RuleProblem[] {
  const guards = entries.filter(({ rule }) => rule.action !== "allow");
  const problems: RuleProblem[] = [];
  const seen = new Map<string, LintedRule>();
  for (const entry of entries) {
    const { rule } = entry;
    const key = `${rule.action} ${rule.text}`;
    const twin = seen.get(key);
    if (twin === undefined) seen.set(key, entry);
    else if (!isPassing(rule) && !isPassing(twin.rule)) {
      problems.push({ rule, level: "warning", message: `it is a duplicate (also in ${twin.rule.origin})` });
    }
    if (rule.action !== "allow") continue;
    const guard = guards.find((other) => swallows(other.compiled, entry.compiled));
    if (guard !== undefined) problems.push({ rule, level: "warning", message: swallowed(guard.rule) });
  }
  return problems;
}

function isPassing({ layer }: RuleText): boolean {
  return layer === "command_line" || layer === "session";
}

function swallowed({ action, text, origin }: RuleText): string {
  const why = action === "deny" ? "denies all of it, and deny always wins" : "asks for all of it, and ask comes first";
  return `it has no effect: ${text} in ${origin} ${why}`;
}

function swallows(guard: CompiledRule, allowed: CompiledRule): boolean {
  const { target: outer } = guard;
  const { target: inner } = allowed;
  if (outer.kind === "command" && inner.kind === "command") return coversCommand(outer.pattern, inner.pattern);
  if (outer.kind === "path" && inner.kind === "path") {
    const sameOps = inner.ops.every((op) => outer.ops.includes(op));
    return sameOps && (outer.pattern === undefined || guard.text === allowed.text);
  }
  if (outer.kind === "tool" && inner.kind === "tool") return inner.names.every((name) => outer.names.includes(name));
  if (outer.kind === "host" && inner.kind === "host") return matchesHost(outer, inner.host);
  if (outer.kind === "server" && inner.kind === "server") {
    const sameServer = outer.server === "*" || outer.server === inner.server;
    return sameServer && (outer.tool === undefined || outer.tool === inner.tool);
  }
  return false;
}

function coversCommand(outer: CommandPattern, inner: CommandPattern): boolean {
  if (outer.kind === "every") return true;
  if (outer.kind === "wildcard") return inner.kind === "wildcard" && inner.text === outer.text;
  const words = inner.kind === "prefix" || inner.kind === "exact" ? inner.words : undefined;
  if (words === undefined || outer.words === undefined) return false;
  if (outer.kind === "exact" && (inner.kind !== "exact" || words.length !== outer.words.length)) return false;
  return outer.words.every((word, index) => word === words[index]);
}

/** Below a top-level domain, or below a suffix under which anyone can register a name. */
function isPublicSuffix(host: string): boolean {
  return !host.includes(".") || publicSuffixes.has(host);
}

const publicSuffixes: ReadonlySet<string> = new Set([
  ..."co.uk org.uk ac.uk gov.uk me.uk com.au net.au org.au co.nz co.jp ne.jp or.jp co.kr co.in com.br".split(" "),
  ..."com.cn com.tr com.mx com.ar co.za com.sg com.hk com.tw eu.org uk.com us.com".split(" "),
  ..."github.io gitlab.io githubusercontent.com pages.dev workers.dev r2.dev trycloudflare.com vercel.app".split(" "),
  ..."now.sh netlify.app web.app firebaseapp.com appspot.com run.app herokuapp.com fly.dev onrender.com".split(" "),
  ..."railway.app up.railway.app surge.sh glitch.me repl.co replit.dev replit.app deno.dev bitbucket.io".split(" "),
  ..."amazonaws.com s3.amazonaws.com cloudfront.net azurewebsites.net azureedge.net windows.net".split(" "),
  ..."blob.core.windows.net cloudapp.net storage.googleapis.com ngrok.io ngrok.app ngrok-free.app".split(" "),
  ..."blogspot.com wordpress.com duckdns.org sslip.io nip.io localtunnel.me loca.lt serveo.net stackblitz.io".split(
    " ",
  ),
  ..."webcontainer.io codesandbox.io csb.app gitpod.io lambda-url.us-east-1.on.aws on.aws hf.space".split(" "),
  ..."readthedocs.io translate.goog oast.fun oast.pro oast.live interact.sh burpcollaborator.net pipedream.net".split(
    " ",
  ),
]);
