import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, rmSync, type Stats } from "node:fs";
import path from "node:path";
import { sha256 } from "../../base/digest.ts";
import { isRecord, parseJson } from "../../base/json.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import { isExecutable } from "../files/look.ts";
import { readSmallText } from "../files/read-small-text.ts";
import { updatePrivateText } from "./private-text.ts";

type Credentials = Readonly<Record<string, unknown>>;

interface CredentialPlace {
  readonly directory: string;
  /** The URL of the server: the login of one URL is never sent to another, even if both have the same name. */
  readonly url: string;
  readonly keychain?: Keychain | undefined;
}

export interface Keychain {
  readonly program: string;
  readonly environment: Readonly<Record<string, string>>;
}

const longest = 1024 * 1024;
const keychainMs = 20_000;
const keychainPlaces = ["/usr/bin", "/usr/local/bin", "/run/current-system/sw/bin"];
const passedOn = ["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "HOME", "DISPLAY", "WAYLAND_DISPLAY", "LANG"];

export function findKeychain(environment: Readonly<Record<string, string | undefined>>): Keychain | undefined {
  if (process.platform !== "linux" || !environment.DBUS_SESSION_BUS_ADDRESS) return undefined;
  const program = keychainPlaces.map((place) => path.join(place, "secret-tool")).find(isExecutable);
  if (program === undefined) return undefined;
  const given = passedOn.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]]));
  return { program, environment: Object.fromEntries(given) };
}

export function createCredentialStore({ directory, url, keychain }: CredentialPlace) {
  const key = sha256(url).slice(0, 32);
  const fileOf = (server: string) => {
    const name = /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/.test(server) ? server : sha256(server).slice(0, 32);
    return path.join(directory, `${name}-${key}.json`);
  };
  const ask = (verb: "lookup" | "store" | "clear", server: string, secret?: string) => {
    if (keychain === undefined) return undefined;
    const label = verb === "store" ? [`--label=Gauntlet: MCP server ${server}`] : [];
    const words = [verb, ...label, "service", "gauntlet-mcp", "server", server, "address", key];
    const { status, stdout } = spawnSync(keychain.program, words, {
      // The secret goes through the pipe: every user can read a command line.
      input: secret ?? "",
      env: keychain.environment,
      timeout: keychainMs,
      maxBuffer: longest,
      stdio: ["pipe", "pipe", "ignore"],
    });
    return status === 0 ? stdout.toString("utf8") : undefined;
  };
  return {
    read(server: string): Outcome<Credentials> {
      const file = fileOf(server);
      const read = readPrivate(file);
      if (!read.ok) return read;
      if (read.value !== undefined) return parse(read.value, file);
      const kept = ask("lookup", server) ?? "";
      return kept === "" ? ok({}) : parse(kept, "the system's keychain");
    },
    write(server: string, value: Credentials): Outcome<void> {
      const file = fileOf(server);
      const text = `${JSON.stringify(value)}\n`;
      if (ask("store", server, text) === undefined) return updatePrivateText(file, () => ok(text));
      return removeFile(file);
    },
    remove(server: string): Outcome<void> {
      ask("clear", server);
      return removeFile(fileOf(server));
    },
    keptIn(server: string): string {
      const file = fileOf(server);
      return existsSync(file) ? file : keychain === undefined ? file : "the system's keychain";
    },
  };
}

/** A file that other users can read or write must not contain a secret. */
function readPrivate(file: string): Outcome<string | undefined> {
  const isPrivate = ({ ino, uid, mode }: Stats) =>
    uid === process.getuid?.() && (mode & 0o077) === 0 && lstatSync(file).ino === ino;
  try {
    return ok(readSmallText(file, isPrivate));
  } catch {
    const why = "is a link, cannot be read, or is open to other users";
    return fail("bad_request", `${file} ${why}, so its login is not used.`, {
      recovery: `Remove ${file} and log in again.`,
    });
  }
}

function parse(text: string, place: string): Outcome<Credentials> {
  const value = parseJson(text);
  // The message must not contain the content.
  return isRecord(value)
    ? ok(value)
    : fail("bad_request", `${place} does not contain a valid login for this server.`, {
        recovery: "Remove it and log in again.",
      });
}

function removeFile(file: string): Outcome<void> {
  try {
    rmSync(file, { force: true });
    return ok(undefined);
  } catch {
    return fail("tool_failed", `${file} cannot be removed.`, { recovery: "Remove it yourself." });
  }
}
