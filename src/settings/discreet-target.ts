// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of servers are written like that.
import type { ServerSetting } from "../contract/server/server.ts";

const hidden = "…";
const secretName = /key|token|secret|passw|credential|auth|cookie/i;
/** Beginnings that only keys have. */
const secretValue =
  /^(?:sk-|pk_|gh[opsu]_|github_pat_|glpat-|xox[a-z]-|AKIA|AIza|ya29\.|hf_|npm_|lin_api_|ntn_)\S{12,}$/;

/** The command or the address as written, with a mark in the place of what looks like a secret. */
export function discreetTarget(setting: ServerSetting): string {
  if (!("command" in setting)) return discreetUrl(setting.url);
  const words = [setting.command, ...(setting.args ?? [])];
  return words.map((word, at) => discreetWord(word, words[at - 1] ?? "")).join(" ");
}

/** Nothing but letters and digits in disorder: no word, path or option that could do something. */
const disorder = /^(?:(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9][\w-]{11,}={0,2}|[0-9a-f]{20,})$/;
const plainToken = /^[\w.=+~-]+$/;
const scheme = /^(?:bearer|basic|token) +/i;

/**
 * A value with a mark in its place where it is certainly a key and nothing else. People decide by what they see here:
 * what could be more than a secret stays, whatever its name says.
 */
export function discreetValue(name: string, value: string): string {
  const [kind = ""] = scheme.exec(value) ?? [];
  const rest = value.slice(kind.length);
  const isKey = (secretValue.test(rest) && plainToken.test(rest)) || (secretName.test(name) && disorder.test(rest));
  return isKey ? kind + hidden : value;
}

/** The same for a word of a command, by the option in front of it or in it. */
export function discreetArgument(word: string, before: string): string {
  const [, name, separator = "", value = ""] = /^([\w-]+)(=|: *)(.+)$/s.exec(word) ?? [];
  if (name !== undefined) return name + separator + discreetValue(name, value);
  return discreetValue(before.startsWith("-") ? before : "", word);
}

/** The same for the values in an address; who stands in front of its host is a secret or a disguise. */
export function discreetAddress(url: string): string {
  return url
    .replace(/(\/\/)([^/@]+)@/, (_, slashes: string, person: string) => `${slashes}${masked(person)}@`)
    .replace(/([?&])([^=&#]+)=([^&#]+)/g, (_, mark: string, name: string, value: string) => {
      return `${mark}${name}=${discreetValue(name, value)}`;
    });
}

/** A word of a command, by the one in front of it. */
function discreetWord(word: string, before: string): string {
  const [, name = "", separator = "", value = ""] = /^([\w.-]+)(=|:\s*)(.+)$/s.exec(word) ?? [];
  if (name !== "" && (secretName.test(name) || secretValue.test(value))) return `${name}${separator}${masked(value)}`;
  const isNamed = /^--?[\w-]+$/.test(before) && secretName.test(before) && !word.startsWith("-");
  return isNamed || secretValue.test(word) ? masked(word) : discreetUrl(word);
}

/** Where a variable stands for the secret its name is none; what stands for the variable may be one. */
function masked(value: string): string {
  return isVariable(value) ? value.replace(/:-[^}]*\}/g, `:-${hidden}}`) : hidden;
}

/** Without the person in front of the host and without the values behind `?`. */
function discreetUrl(text: string): string {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return text;
  return text
    .replace(/(\/\/)([^/@]+)@/, (_, slashes: string, person: string) => `${slashes}${masked(person)}@`)
    .replace(/([?&][^=&#]+=)([^&#]+)/g, (_, name: string, value: string) => name + masked(value));
}

function isVariable(text: string): boolean {
  return text.includes("${");
}
