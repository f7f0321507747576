import { visibleText } from "../../base/text.ts";
import { fail, type Outcome, ok } from "../codes.ts";
import { type ServerEntry, type ServerSetting, urlOfServer } from "./server.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Replaces `${VAR}` and `${VAR:-default}`. The result holds secrets: it must not be shown, logged or hashed. */
export function fillVariables(entry: ServerEntry, environment: Environment): Outcome<ServerEntry> {
  const { fill, unset, odd } = createFiller(environment);
  const setting = entry.literal === true ? entry.setting : fillSetting(entry.setting, fill);
  const [strange] = odd;
  if (strange !== undefined) {
    return fail("bad_request", `${placeOf(entry)}: ${visibleText(strange)} is not a valid variable.`, {
      // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how people write it.
      recovery: "Write ${VAR} or ${VAR:-default}.",
    });
  }
  if (unset.size > 0) {
    const names = [...unset].join(", ");
    const are = unset.size === 1 ? "is not set in the environment" : "are not set in the environment";
    return fail("bad_request", `${placeOf(entry)}: ${names} ${are}.`, {
      recovery: `Set ${names}, or write \${${[...unset][0]}:-default} in ${entry.origin}.`,
    });
  }
  if ("url" in setting && !urlOfServer().safeParse(setting.url).success) {
    // Never the address itself: a variable may have put a secret into it.
    return fail("bad_request", `${placeOf(entry)}: its url does not start with http, https, ws or wss.`, {
      recovery: `Correct the url, or the variables that it names, in ${entry.origin}.`,
    });
  }
  return ok({ ...entry, setting });
}

export function placeOf({ name, origin }: ServerEntry): string {
  return `MCP server ${name} (${origin})`;
}

export function fillSetting(setting: ServerSetting, fill: (text: string) => string): ServerSetting {
  const fillAll = (values: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, fill(value)]));
  if ("command" in setting) {
    const { command, args, env, cwd } = setting;
    return {
      ...setting,
      command: fill(command),
      ...(args && { args: args.map(fill) }),
      ...(env && { env: fillAll(env) }),
      ...(cwd !== undefined && { cwd: fill(cwd) }),
    };
  }
  const { url, headers } = setting;
  return { ...setting, url: fill(url), ...(headers === undefined ? {} : { headers: fillAll(headers) }) };
}

export function createFiller(environment: Environment) {
  const named = new Set<string>();
  const unset = new Set<string>();
  const odd = new Set<string>();
  const fill = (text: string) =>
    text.replace(/\$\{([^}]*)(\}?)/g, (written, inner: string, closed: string) => {
      const [, name, otherwise] = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s.exec(inner) ?? [];
      if (name === undefined || closed === "") {
        odd.add(written);
        return written;
      }
      named.add(name);
      const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
      if (otherwise !== undefined) return value === undefined || value === "" ? otherwise : value;
      if (value === undefined) unset.add(name);
      return value ?? "";
    });
  return { fill, named, unset, odd };
}
