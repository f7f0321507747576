import { basename } from "node:path/posix";
import type { Effect } from "../contract/effect.ts";
import { isSink } from "../effects/devices.ts";
import { pathEffect } from "./path-operands.ts";
import { notUnderstood, type Place, type ProgramCall, type ShellWord } from "./program-entry.ts";
import { isLiteral } from "./readings.ts";

/** What the value of a flag is to a program that sends and fetches. `sent` names a file behind `@` or `<`. */
type Use = "read" | "write" | "sent" | "text";

interface Client {
  readonly uses: Readonly<Record<string, Use>>;
  /** These keep what they fetch under the last name of the address. */
  readonly keeps: readonly string[];
  readonly keepsAlways: boolean;
}

const curl: Client = {
  uses: {
    ...all("write", "-o --output -c --cookie-jar -D --dump-header --trace --trace-ascii --stderr --output-dir --hsts"),
    ...all("read", "-T --upload-file -K --config -E --cert --key --cacert --capath --netrc-file -b --cookie"),
    ...all("sent", "-d --data --data-ascii --data-binary --data-urlencode --json -F --form -H --header"),
    ...all("text", "-A -C -e -m -P -Q -r -t -u -U -w -x -X -y -Y -z --user-agent --continue-at --referer --max-time"),
    ...all(
      "text",
      "--range --user --write-out --proxy --request --retry --connect-timeout --url --data-raw --form-string",
    ),
  },
  keeps: ["-O", "--remote-name", "--remote-name-all"],
  keepsAlways: false,
};

const wget: Client = {
  uses: {
    ...all("write", "-O --output-document -o --output-file -a --append-output -P --directory-prefix --save-cookies"),
    ...all(
      "read",
      "-i --input-file --post-file --body-file --load-cookies --certificate --private-key --ca-certificate",
    ),
    ...all("text", "-U -t -T -w -Q -l -A -R -D -e --user-agent --header --post-data --method --timeout --tries"),
  },
  keeps: [],
  keepsAlways: true,
};

const clients: Readonly<Record<string, Client>> = { curl, wget };

/** The files that a transfer reads or leaves behind, as far as the words name them. */
export function transferredFiles(call: ProgramCall, place: Place): readonly Effect[] {
  const client = Object.hasOwn(clients, call.name) ? clients[call.name] : undefined;
  if (client === undefined) return [];
  const effects: Effect[] = [];
  const addresses: ShellWord[] = [];
  let keeps = client.keepsAlways;
  const ahead = call.words.toReversed();
  for (let word = ahead.pop(); word !== undefined; word = ahead.pop()) {
    if (!isLiteral(word)) return notUnderstood(`what ${word.text} becomes is not certain`).effects;
    if (!word.value.startsWith("-") || word.value === "-") {
      addresses.push(word);
      continue;
    }
    const { flags, attached } = splitFlags(word.value, client);
    const last = flags.at(-1) ?? "";
    if (flags.some((flag) => client.keeps.includes(flag))) keeps = true;
    const use = Object.hasOwn(client.uses, last) ? client.uses[last] : undefined;
    if (use === undefined) continue;
    const value = attached === undefined ? ahead.pop() : { ...word, value: attached, tilde: false };
    if (value === undefined) break;
    // `wget -O -` and `-P` choose the place, so the last name of the address no longer matters.
    if (use === "write" && client.keepsAlways) keeps = false;
    effects.push(...fileEffects(use, value, place));
  }
  if (!keeps) return effects;
  const kept = addresses.map((word) => basename(word.value.replace(/[?#].*$/, "")) || "index.html");
  return [
    ...effects,
    ...kept.map((name) => pathEffect("write", { text: name, value: name, glob: false, tilde: false }, "file", place)),
  ];
}

function fileEffects(use: Use, value: ShellWord, place: Place): readonly Effect[] {
  if (use === "text" || value.value === "-" || (use === "write" && isSink(value.value))) return [];
  if (!isLiteral(value)) return notUnderstood(`what ${value.text} becomes is not certain`).effects;
  if (use !== "sent") return [pathEffect(use, value, "file", place)];
  const file = /^[^@<]*[@<]([^;]+)/.exec(value.value)?.[1];
  return file === undefined || file === "-" ? [] : [pathEffect("read", { ...value, value: file }, "file", place)];
}

/** `-sSLo out` is four flags, and the first one that takes a value ends the bundle. */
function splitFlags(value: string, client: Client): { readonly flags: readonly string[]; readonly attached?: string } {
  if (value.startsWith("--")) {
    const equals = value.indexOf("=");
    return equals < 0 ? { flags: [value] } : { flags: [value.slice(0, equals)], attached: value.slice(equals + 1) };
  }
  const flags: string[] = [];
  for (let at = 1; at < value.length; at++) {
    const flag = `-${value[at]}`;
    flags.push(flag);
    if (!Object.hasOwn(client.uses, flag)) continue;
    return at + 1 === value.length ? { flags } : { flags, attached: value.slice(at + 1) };
  }
  return { flags };
}

function all(use: Use, names: string): Readonly<Record<string, Use>> {
  return Object.fromEntries(names.split(" ").map((name) => [name, use]));
}

/** `scp a me@host:b`: what has no host in front of a colon is a path here; the last one is written. */
export function copiedFiles(call: ProgramCall, place: Place): readonly Effect[] {
  if (call.name !== "scp" && call.name !== "rsync") return [];
  const operands = call.words.filter(
    (word, index) => !word.value.startsWith("-") && !takesNext.test(call.words[index - 1]?.value ?? ""),
  );
  return operands.flatMap((word, index) => {
    if (!isLiteral(word)) return notUnderstood(`what ${word.text} becomes is not certain`).effects;
    if (/^[^/]*:/.test(word.value)) return [];
    return [pathEffect(index === operands.length - 1 ? "write" : "read", word, "tree", place)];
  });
}

const takesNext = /^(?:-[a-zA-Z]*[iPFloScJe]|--(?:rsh|exclude|include|port))$/;
