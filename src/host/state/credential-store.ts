import { spawnSync } from "node:child_process";
import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { sha256 } from "../../base/digest.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import { isExecutable } from "../files/look.ts";
import { updatePrivateText } from "./private-text.ts";

type Credentials = Readonly<Record<string, unknown>>;

interface CredentialPlace {
  readonly directory: string;
  /** Of the server: what one address was given is never shown to another, whatever both are called. */
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
      // What is secret goes through the pipe: everybody can see a command line.
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

/** A file that others can read or have written must not hold a secret. */
function readPrivate(file: string): Outcome<string | undefined> {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return ok(undefined);
    return unusable(file, "cannot be opened, or is a link");
  }
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile() || stat.size > longest) return unusable(file, "is no small file");
    if (stat.uid !== process.getuid?.()) return unusable(file, "belongs to somebody else");
    if ((stat.mode & 0o077) !== 0) return unusable(file, "can be read by others");
    return ok(readFileSync(descriptor, "utf8"));
  } finally {
    closeSync(descriptor);
  }
}

function unusable(file: string, why: string) {
  return fail("bad_request", `${file} ${why}, so the login in it is not used.`, {
    recovery: `Remove ${file} and log in again.`,
  });
}

function parse(text: string, place: string): Outcome<Credentials> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return ok({ ...value });
  } catch {
    // Reported below without any of the content.
  }
  return fail("bad_request", `What ${place} holds for this server is no login of ours.`, {
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
