import { dirname, resolve } from "node:path/posix";
import { firstOf } from "../../base/async.ts";
import { plainText } from "../../base/text.ts";
import type { EffectPart } from "../../contract/effect.ts";
import { isInsideAny, isNeverShown, kernelTrees, systemTrees } from "../../contract/effect.ts";
import type { CommandResult, WorkspaceFacts } from "../../contract/ports.ts";
import { isScratch } from "../../contract/ports.ts";
import { gitVerbsIn, isGitVerb } from "../../programs/git/verbs.ts";
import { isProgram } from "../../programs/program-kinds.ts";
import { knownOutput } from "./command-text.ts";

/** What is known of the command from its text alone. */
export interface HintedCommand {
  readonly parts: readonly EffectPart[];
  readonly mayPipe?: boolean;
}

interface HintFacts {
  readonly workspace: WorkspaceFacts;
  readonly confined: NonNullable<CommandResult["confined"]>;
  readonly command: HintedCommand;
  readonly refused: boolean;
}

interface Hint {
  readonly patterns: readonly RegExp[];
  /** Also of a pipeline that succeeded: its exit code says nothing of the parts before the last. */
  readonly piped?: true;
  /** What the sandbox blocked and how to allow it; empty if the sandbox is not the reason. */
  readonly say: (what: string, circumstances: HintFacts) => string | undefined;
}

function openedBy(path: string): string {
  const directory = dirname(path);
  if (isInsideAny(directory, kernelTrees)) return "No rule can open it.";
  if (isNeverShown(directory))
    return `A user can open a directory below ${directory} with --add-dir, but not ${directory} itself.`;
  return `A user can open it with --add-dir ${directory} or permissions.additionalDirectories; secrets in it stay hidden.`;
}

const loopback = String.raw`(?:localhost|127(?:\.\d+){3}|\[?::1\]?)(?:(?::| port )\d+)?`;

/** Private to the sandbox, or the same as on the host. */
const ownToCommands = [...systemTrees, ...kernelTrees, "/run"];

const byItself =
  "A command gets a network only if its text names a program that connects, such as npm install or curl with an address. No rule gives one to a script: run the part that connects by itself.";

/** One line for each kind of failure that a sandbox causes, in the order of how much they explain. */
const hints: readonly Hint[] = [
  {
    piped: true,
    patterns: [
      /\b(?:ENOTFOUND|EAI_AGAIN) ([\w.-]+\.[\w.-]+)/,
      /[Cc]ould not resolve (?:hostname|host|proxy)(?: name)?:? "?([\w.-]+\.[\w.-]+)/,
      /\b(?:ENETUNREACH|Failed to connect to) ([\w-]+(?:\.[\w-]+)+)(?::| port)/,
      /\blookup ([\w.-]+\.[\w.-]+)[^\n]*(?:no such host|refused|failure)/,
      /host='([\w.-]+)'[^\n]*name resolution/,
      /code: '(?:ENOTFOUND|EAI_AGAIN)',[^}]*hostname: '([\w.-]+)'/,
      /\bmodule lookup disabled by (GOPROXY)=off/,
      /([Tt]emporary failure in name resolution|Name or service not known|Network is unreachable|\bENETUNREACH\b)/,
      /(No matching distribution found|No plugin found for prefix)/,
    ],
    say: (what, { command, confined, refused }) => {
      if (!confined.offline)
        return refused
          ? undefined
          : "A command reaches approved hosts only through an HTTP proxy. Programs that do not use it, such as ssh or ping, cannot connect: use an https address.";
      const host = /^[\w-]+(?:\.[\w-]+)+$/.test(what) ? what : firstOf(wordsOf(command), hostIn);
      return `This command had no network${host === undefined ? "" : ` and could not reach ${host}`}. ${byItself}`;
    },
  },
  {
    piped: true,
    patterns: [
      new RegExp(`(?:ECONNREFUSED|Failed to connect to|onnection refused)[^\\n]{0,80}?(${loopback})`),
      new RegExp(`(${loopback})[^\\n]{0,80}?onnection refused`),
      /(\bECONNREFUSED\b|\b[Cc]onnection refused\b)/,
    ],
    say: (what) =>
      `${what}: commands have a loopback of their own, without the servers of the machine. Start the server in the same command. To reach an HTTP server of the machine, a user adds its host:port to network.privateHosts. ${byItself}`,
  },
  {
    piped: true,
    patterns: [
      /\bEROFS\b[^\n]*?'(\/[^'\n]+)'/,
      /[\s'"‘:]((?:\.\.)?\/[^\s'"’:]+)['"’]?:? *(?:\(os error 30\)|[^\n/]*Read-only file system)/,
      /Read-only file system[^\n]*?['"]((?:\.\.)?\/[^'"\n]+)['"]/,
      /(Read-only file system|\bEROFS\b)/,
    ],
    say: (what, { confined, workspace }) => {
      if (!what.startsWith("/")) {
        return confined.readOnly
          ? "This command was judged read-only, so it could write only to /tmp."
          : "It tried to write to a read-only path: outside the workspace only /tmp is writable.";
      }
      if (!isInsideAny(what, workspace.roots))
        return `${what} is outside the workspace and read-only; /tmp is writable. ${openedBy(what)}`;
      return confined.readOnly
        ? `${what} could not be written: this command was judged read-only.`
        : `${what} is protected and a command cannot change it. Use the tools write, edit and delete, which ask first.`;
    },
  },
  {
    patterns: [
      /(?:EACCES|EPERM)\b[^\n]*?'(\/[^'\n]+)'/,
      /[\s'"‘:](\/[^\s'"’:]+)['"’]?: (?:Permission denied|Operation not permitted)/,
      /[\s'"‘:]((?:\.\.)?\/[^\s'"’:]+)['"’]?: No such file or directory/,
      /(?:ENOENT|No such file or directory)[^\n]*?['"]((?:\.\.)?\/[^'"\n]+)['"]/,
    ],
    say: (what, { workspace }) => {
      if (isInsideAny(what, workspace.roots)) return undefined;
      if (isScratch(what, workspace.scratch))
        return `${what}: /tmp is private to this session. The host's /tmp is not visible.`;
      if (isInsideAny(what, ownToCommands)) return undefined;
      return `${what} is outside the workspace and not visible to commands. ${openedBy(what)}`;
    },
  },
  {
    patterns: [
      /^ ?([^\n]*(?:[Oo]peration not permitted|must be superuser)|mount: [^\n]*permission denied|chown: [^\n]*Invalid argument)/m,
    ],
    say: (what) =>
      `${what}: commands have no privileges, and no rule can grant them. They cannot mount, trace, open raw sockets, create devices or change the owner of a file.`,
  },
  {
    patterns: [/\bunix:\/\/(\/[^\s'"]+\.sock)\b/],
    say: (what) => `${what}: commands cannot connect to sockets of host services, and no rule can allow it.`,
  },
  {
    patterns: [/(Invalid cross-device link|\bEXDEV\b)/],
    say: () =>
      "This command ran on a view of the workspace, where rename() of an existing directory fails. Use mv, which copies.",
  },
  {
    patterns: [/(Value too large for defined data type|\bEOVERFLOW\b)/],
    say: () =>
      "It tried to change a file of another user or group, which a view of the workspace does not support. A user can set transactions.use to off, so that commands write directly.",
  },
];
const longest = 300;

function wordsOf({ parts }: HintedCommand): readonly string[] {
  return parts.flatMap(({ words = [] }) => words);
}

function hostIn(word: string): string | undefined {
  return /https?:\/\/([\w-]+(?:\.[\w-]+)+)/.exec(word)?.[1];
}

function runsHooks({ words = [] }: EffectPart): boolean {
  return isProgram("versionControl", words[0] ?? "") && isGitVerb("runsHooks", gitVerbsIn(words)[0]);
}

export function sandboxHints(
  result: CommandResult,
  command: HintedCommand,
  workspace: WorkspaceFacts,
): readonly string[] {
  const { confined, cwd, direct, exitCode, inHome = [], stderr, stdout } = result;
  if (confined === undefined) return [];
  const paths = plainText(inHome.map((name) => `~/${name}`).join(", ")).slice(0, longest);
  const unrun = [
    ...(direct !== undefined && command.parts.some(runsHooks)
      ? [`Hooks of the repository do not run, because the command writes to the workspace directly: ${direct}.`]
      : []),
    ...(paths === "" ? [] : [`Not kept: ${paths}. A command has a home directory of its own, which ends with it.`]),
  ];
  // What only reads may print what others wrote, as a search of logs does.
  const isPiped = exitCode === 0 && !confined.readOnly && command.mayPipe;
  if (exitCode === 0 && !isPiped) return unrun;
  const output = ` ${knownOutput(stderr)}\n${knownOutput(stdout)}`;
  const said = hints.flatMap(({ patterns, piped, say }) => {
    if (isPiped && piped === undefined) return [];
    for (const pattern of patterns) {
      const found = pattern.exec(output)?.[1];
      if (found === undefined) continue;
      // Translates a path inside the sandbox to the path for a rule.
      const path = found.replace(/^\/run\/home(?=\/)/, workspace.home);
      const what = /^(?:\.\.)?\//.test(path) ? resolve(cwd, path) : path;
      const circumstances = { command, confined, refused: (result.unreached ?? []).length > 0, workspace };
      const words = say(plainText(what).slice(0, longest), circumstances);
      if (words !== undefined) return [words];
    }
    return [];
  });
  return [...unrun, ...said];
}
