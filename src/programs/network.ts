import { listed } from "./flag-lists.ts";
import type { ProgramCall, ProgramEntry, ShellWord } from "./program-entry.ts";
import { asksForVersion, connects, isLiteral, runs } from "./readings.ts";
import { copiedFiles, transferredFiles } from "./transfers.ts";

/**
 * Programs whose business is another machine. Resolvers too: a name looked up is a message sent. The host is
 * named where an address with a scheme says it; everything else may be one as well.
 */
const clients: readonly {
  readonly names: readonly string[];
  readonly host?: string;
  readonly where?: (call: ProgramCall) => readonly string[];
  /** Words that, standing alone, only print a version. Many of the others ask their makers first. */
  readonly versions?: readonly string[];
}[] = [
  { names: ["curl", "wget", "aria2c", "lynx"], where: byAddress, versions: ["--version", "-V"] },
  {
    names: listed("http https xh curlie httpie links w3m yt-dlp youtube-dl grpcurl websocat wscat"),
    where: byAddress,
  },
  { names: ["ssh", "rsync"], where: byLogin, versions: ["--version", "-V"] },
  { names: listed("sftp scp mosh autossh sshfs ssh-copy-id"), where: byLogin },
  { names: listed("ftp lftp ncftp tftp telnet nc ncat netcat socat nmap masscan") },
  {
    names: listed("ping ping6 traceroute tracepath mtr dig host nslookup whois getent resolvectl delv drill arping"),
  },
  { names: listed("gcloud gsutil bq az kubectl helm k9s oc heroku vercel netlify fly flyctl doctl linode-cli") },
  { names: ["aws"], versions: ["--version"] },
  { names: listed("terraform tofu pulumi cdk sam serverless sls ansible ansible-playbook vagrant packer eksctl") },
  { names: ["gh"], host: "api.github.com", versions: ["--version"] },
  { names: ["glab"], host: "gitlab.com" },
  { names: ["hub"], host: "api.github.com" },
  { names: ["psql", "mysql", "mariadb", "pg_dump", "redis-cli"], versions: ["--version", "-V"] },
  { names: listed("mongosh mongo pg_restore mysqldump sqlcmd cqlsh influx clickhouse-client minikube") },
  { names: listed("firebase wrangler supabase railway render stripe twilio sentry-cli datadog-ci circleci travis") },
  { names: listed("mail mailx sendmail mutt msmtp ngrok cloudflared localtunnel lt tailscale") },
  { names: ["brew", "port", "nix", "nix-env", "nix-shell", "snap", "flatpak"] },
];

export const network: readonly ProgramEntry[] = clients.map(({ names, host, where, versions = [] }) => ({
  names,
  verbatim: true,
  operands: (call, place) => {
    if (asksForVersion(call.words, versions)) return { effects: [], reason: `${call.name} only prints its version` };
    const hosts = where?.(call) ?? (host === undefined ? [] : [host]);
    const reading = staysHere(call)
      ? { ...runs(call), reason: "rsync copies files here" }
      : connects(call, hosts.length > 0 ? hosts : ["a host"]);
    const files = [...transferredFiles(call, place), ...copiedFiles(call, place)];
    return { ...reading, effects: [...reading.effects, ...files] };
  },
}));

/** `https://host/path` names its host; anything less certain may be one as well. */
function byAddress(call: ProgramCall): readonly string[] {
  const hosts = call.words.flatMap((word) => (isLiteral(word) ? (hostOf(word.value) ?? []) : []));
  return [...new Set(hosts)];
}

function hostOf(value: string): string | undefined {
  if (!/^[a-z]+:\/\//i.test(value) || !URL.canParse(value)) return undefined;
  return new URL(value).hostname || undefined;
}

/** `user@host`, `user@host:path`. */
function byLogin(call: ProgramCall): readonly string[] {
  const hosts = call.words.flatMap((word) => {
    const found = isLiteral(word) ? /^[\w.-]+@([A-Za-z0-9.-]+)(?::.*)?$/.exec(word.value)?.[1] : undefined;
    return found === undefined ? [] : [found.toLowerCase()];
  });
  return [...new Set(hosts)];
}

/** `rsync -a a/ b/`: a colon stands before every path of another machine, and in every address. */
function staysHere({ name, words }: ProgramCall): boolean {
  const isLocal = (word: ShellWord) =>
    isLiteral(word) &&
    !word.value.includes(":") &&
    !/^-[a-zA-Z]*e|^--(?:rsh|rsync-path|daemon|server)/.test(word.value);
  return name === "rsync" && words.length > 1 && words.every(isLocal);
}

/** What can bring a program in from elsewhere. */
export const downloaders: ReadonlySet<string> = new Set(
  listed("curl wget aria2c http https xh curlie httpie fetch nc ncat netcat socat ftp lftp scp lynx"),
);

/** All of them, for one that does connect: what it prints comes from there. */
export const clientNames: ReadonlySet<string> = new Set([...clients.flatMap(({ names }) => names), ...downloaders]);

/** Builtins of bash. One whose call is not understood may have changed what later words mean. */
export const shellBuiltins: ReadonlySet<string> = new Set([
  ...listed(
    ". : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown",
  ),
  ...listed("echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout"),
  ...listed("mapfile popd printf pushd pwd read readarray readonly return set shift shopt source suspend test times"),
  ...listed("trap true type typeset ulimit umask unalias unset wait"),
]);
