import { isInsideAny } from "../../contract/path-scope.ts";
import { plainText } from "../../contract/plain-text.ts";
import type { CommandResult, WorkspaceFacts } from "../../contract/ports.ts";
import { isScratch } from "../../contract/scratch.ts";
import { knownOutput } from "./command-text.ts";

interface Circumstances {
  readonly workspace: WorkspaceFacts;
  readonly confined: NonNullable<CommandResult["confined"]>;
}

interface Hint {
  /** Its first group that took part is a path or a host. */
  readonly patterns: readonly RegExp[];
  /** What was missing and what gives it; nothing where the sandbox is not the reason. */
  readonly say: (what: string, circumstances: Circumstances) => string | undefined;
}

const addDirectory = "A user can open its directory with --add-dir or permissions.additionalDirectories.";

/** Not the host's, or as the host has them. */
const ownToCommands = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/proc", "/dev", "/sys", "/run"];

/** One line for each kind of failure that a sandbox causes, in the order of how much they explain. */
const hints: readonly Hint[] = [
  {
    patterns: [
      /\b(?:ENOTFOUND|EAI_AGAIN) ([\w.-]+\.[\w.-]+)/,
      /[Cc]ould not resolve (?:host|proxy)(?: name)?:? "?([\w.-]+\.[\w.-]+)/,
      /\blookup ([\w.-]+\.[\w.-]+)[^\n]*(?:no such host|refused|failure)/,
      /host='([\w.-]+)'[^\n]*name resolution/,
      /code: '(?:ENOTFOUND|EAI_AGAIN)',[^}]*hostname: '([\w.-]+)'/,
      /\bmodule lookup disabled by (GOPROXY)=off/,
      /([Tt]emporary failure in name resolution|Name or service not known|Network is unreachable|\bENETUNREACH\b)/,
    ],
    say: (what, { confined }) => {
      if (!confined.offline) return undefined;
      const host = /^[\w-]+(?:\.[\w-]+)+$/.test(what) ? what : undefined;
      const rule = host === undefined ? "" : ` A user can allow the host with --allow 'WebFetch(domain:${host})'.`;
      return `This command had no network${host === undefined ? "" : ` and could not reach ${host}`}. A command gets one only when it names what connects, such as npm install or curl with an address: run that by itself, not from a script.${rule}`;
    },
  },
  {
    patterns: [
      /\bEROFS\b[^\n]*?'(\/[^'\n]+)'/,
      /[\s'"‘:](\/[^\s'"’:]+)['"’]?:? *(?:\(os error 30\)|[^\n/]*Read-only file system)/,
      /Read-only file system[^\n]*?['"](\/[^'"\n]+)['"]/,
      /(Read-only file system|\bEROFS\b)/,
    ],
    say: (what, { confined, workspace }) => {
      if (!what.startsWith("/")) {
        return confined.readOnly
          ? "This command was judged to only read, so nothing but /tmp could be written."
          : "Something that it wanted to write is read-only: outside the workspace only /tmp can be written.";
      }
      if (!isInsideAny(what, workspace.roots))
        return `${what} is outside the workspace and cannot be written; /tmp can. ${addDirectory}`;
      return confined.readOnly
        ? `${what} could not be written: this command was judged to only read.`
        : `${what} is protected and a command cannot change it. The tools write, edit and delete can, and ask first.`;
    },
  },
  {
    patterns: [
      /(?:EACCES|EPERM)\b[^\n]*?'(\/[^'\n]+)'/,
      /[\s'"‘:](\/[^\s'"’:]+)['"’]?: (?:Permission denied|Operation not permitted)/,
      /[\s'"‘:](\/[^\s'"’:]+)['"’]?: No such file or directory/,
      /ENOENT[^\n]*?'(\/[^'\n]+)'/,
    ],
    say: (what, { workspace }) => {
      if (isInsideAny(what, workspace.roots)) return undefined;
      if (isScratch(what, workspace.scratch))
        return `${what}: /tmp belongs to this session. What the machine has there is not shown to it.`;
      if (isInsideAny(what, ownToCommands)) return undefined;
      return `${what} is outside the workspace, and commands see little of the machine. ${addDirectory}`;
    },
  },
  {
    patterns: [/(Invalid cross-device link|\bEXDEV\b)/],
    say: () =>
      "This command ran on a view of the workspace, where a directory from before cannot be renamed in one step. mv does it by copying.",
  },
  {
    patterns: [/(Value too large for defined data type|\bEOVERFLOW\b)/],
    say: () =>
      "What it wanted to change belongs to another user or group, which a view of the workspace cannot hold. A user can set transactions.use to off, and commands write directly.",
  },
];
const longest = 300;

/** Of a command that failed: what the sandbox may have to do with it, and what to do about it. */
export function sandboxHints(result: CommandResult, workspace: WorkspaceFacts): readonly string[] {
  const { confined, exitCode, stderr, stdout } = result;
  if (confined === undefined || exitCode === 0) return [];
  const output = ` ${knownOutput(stderr)}\n${knownOutput(stdout)}`;
  return hints.flatMap(({ patterns, say }) => {
    for (const pattern of patterns) {
      const what = pattern.exec(output)?.[1];
      const said = what === undefined ? undefined : say(plainText(what).slice(0, longest), { confined, workspace });
      if (said !== undefined) return [said];
    }
    return [];
  });
}
