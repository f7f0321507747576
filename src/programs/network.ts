import { basename } from "node:path/posix";
import type { Effect } from "../contract/effect.ts";
import { isSink } from "../effects/devices.ts";
import { rowsOf, setOf } from "./flag-lists.ts";
import { namedFiles, pathEffect } from "./path-operands.ts";
import type { ProgramCall, ProgramEntry, ShellWord, Site } from "./program-entry.ts";
import { asksForVersion, connects, isLiteral, notUnderstood, runs } from "./readings.ts";

/**
 * Programs whose business is another machine; a name looked up is a message sent. The host is named where an address
 * with a scheme or a login says it. `versions` stand alone and only print: many others ask their makers first. Files
 * behind flags of `writes` are written; `keeps` saves under the last name of the address, always or with these flags.
 */
const clients = rowsOf(
  `
  curl; where address; versions --version -V; writes -o --output -c --cookie-jar -D --dump-header --trace
    --trace-ascii --stderr --output-dir --hsts; keeps -O --remote-name --remote-name-all
  wget; where address; versions --version -V; writes -O --output-document -o --output-file -a --append-output -P
    --directory-prefix --save-cookies; keeps always
  aria2c lynx; where address; versions --version -V
  http https xh curlie httpie links w3m yt-dlp youtube-dl grpcurl websocat wscat; where address
  ssh rsync; where login; versions --version -V
  sftp scp mosh autossh sshfs ssh-copy-id; where login
  ftp lftp ncftp tftp telnet nc ncat netcat socat nmap masscan
  ping ping6 traceroute tracepath mtr dig host nslookup whois getent resolvectl delv drill arping
  gcloud gsutil bq az kubectl helm k9s oc heroku vercel netlify fly flyctl doctl linode-cli
  aws; versions --version
  terraform tofu pulumi cdk sam serverless sls ansible ansible-playbook vagrant packer eksctl
  gh; host api.github.com; versions --version
  glab; host gitlab.com
  hub; host api.github.com
  psql mysql mariadb pg_dump redis-cli; versions --version -V
  mongosh mongo pg_restore mysqldump sqlcmd cqlsh influx clickhouse-client minikube
  firebase wrangler supabase railway render stripe twilio sentry-cli datadog-ci circleci travis
  mail mailx sendmail mutt msmtp ngrok cloudflared localtunnel lt tailscale
  brew port nix nix-env nix-shell snap flatpak
`,
  ["host", "versions", "where", "writes", "keeps"],
);
type NetworkClient = (typeof clients)[number];

export const network: readonly ProgramEntry[] = clients.map((client) => ({
  names: client.names,
  verbatim: true,
  operands: (call, place) => {
    if (asksForVersion(call.words, client.versions ?? [])) {
      return { effects: [], reason: `${call.name} only prints its version` };
    }
    const hosts = hostsOf(call, client);
    const reading = staysHere(call)
      ? { ...runs(call), reason: "rsync copies files here" }
      : connects(call, hosts.length > 0 ? hosts : ["a host"]);
    return { ...reading, effects: [...reading.effects, ...filesOf(call, client, place)] };
  },
}));

/** What is less certain than `https://host/path` or `user@host:path` may be a host as well. */
function hostsOf({ words }: ProgramCall, { host, where }: NetworkClient): readonly string[] {
  if (host !== undefined) return host;
  const found = words.filter(isLiteral).flatMap(({ value }) => {
    if (where?.[0] === "login") return /^[\w.-]+@([A-Za-z0-9.-]+)(?::.*)?$/.exec(value)?.[1]?.toLowerCase() ?? [];
    return where?.[0] === "address" && /^[a-z]+:\/\//i.test(value) ? (URL.parse(value)?.hostname ?? []) : [];
  });
  return [...new Set(found.filter((name) => name !== ""))];
}

/** `rsync -a a/ b/`: a colon stands before every path of another machine, and in every address. */
function staysHere({ name, words }: ProgramCall): boolean {
  const isLocal = (word: ShellWord) =>
    isLiteral(word) &&
    !word.value.includes(":") &&
    !/^-[a-zA-Z]*e|^--(?:rsh|rsync-path|daemon|server)/.test(word.value);
  return name === "rsync" && words.length > 1 && words.every(isLocal);
}

/** The files that a transfer leaves behind, and all that exist among its words, also behind `@` or `=`. */
function filesOf(call: ProgramCall, { writes = [], keeps, where }: NetworkClient, place: Site): readonly Effect[] {
  const copies = /^(?:scp|rsync)$/.test(call.name);
  if (keeps === undefined && !copies) return [];
  const doubtful = call.words.find((word) => !isLiteral(word));
  if (doubtful !== undefined) return notUnderstood(`the value of ${doubtful.text} is known only when it runs`).effects;
  const values = call.words.map(({ value }) => value);
  const written = values.map((value, at) => (copies ? undefined : writtenBy(value, values[at - 1] ?? "", writes)));
  const effects = call.words.flatMap((word, at) => {
    const target = written[at];
    if (target === "-" || isSink(target ?? "")) return [];
    if (target !== undefined) return [pathEffect("write", { ...word, value: target }, "file", place)];
    const last = copies && at === values.length - 1 && !/^[^/]*:/.test(word.value);
    return last
      ? [pathEffect("write", word, "tree", place)]
      : namedFiles([word], where?.[0] === "login" ? "tree" : "file", place);
  });
  const always = keeps?.[0] === "always";
  const isKept = (value: string) => keeps?.some((flag) => /^-[a-zA-Z]*O/.test(value) || value === flag) === true;
  const kept = always ? written.every((one) => !one) : values.some(isKept);
  const addresses = kept && !copies ? values.filter((value) => !value.startsWith("-")) : [];
  const names = addresses.map((value) => basename(value.replace(/[?#].*$/, "")) || "index.html");
  return [
    ...effects,
    ...names.map((name) => pathEffect("write", { text: name, value: name, glob: false, tilde: false }, "file", place)),
  ];
}

/** The file that such a flag names: `-o x`, `-sSo x`, `-ox` and `--output=x`. */
function writtenBy(value: string, before: string, flags: readonly string[]): string | undefined {
  for (const flag of flags) {
    const short = flag.length === 2;
    if (before === flag || (short && /^-[a-zA-Z]+$/.test(before) && before.endsWith(flag.slice(1)))) return value;
    const start = short ? new RegExp(`^-[sSfLkvqnNi]*${flag.slice(1)}`) : new RegExp(`^${flag}=`);
    const attached = value.replace(start, "");
    if (attached !== value && attached !== "") return attached;
  }
  return undefined;
}

export const downloaders = setOf(
  "curl wget aria2c http https xh curlie httpie fetch nc ncat netcat socat ftp lftp scp lynx",
);

/** All of them, for one that does connect: what it prints comes from there. */
export const clientNames: ReadonlySet<string> = new Set([...clients.flatMap(({ names }) => names), ...downloaders]);
