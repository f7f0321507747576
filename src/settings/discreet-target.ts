// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of servers are written like that.
import type { ServerSetting } from "../contract/server/server.ts";

const hidden = "…";
const secretName = /key|token|secret|passw|credential|auth|cookie/i;
/** Beginnings that only keys have. */
const secretValue =
  /^(?:sk-|pk_|gh[opsu]_|github_pat_|glpat-|xox[a-z]-|AKIA|AIza|ya29\.|hf_|npm_|lin_api_|ntn_)\S{12,}$/;

export function discreetTarget(setting: ServerSetting): string {
  if (!("command" in setting)) return discreetUrl(setting.url);
  const words = [setting.command, ...(setting.args ?? [])];
  return words.map((word, at) => discreetWord(word, words[at - 1] ?? "")).join(" ");
}

/** Random letters and digits: not a word, path or option that could have an effect. */
const disorder = /^(?:(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9][\w-]{11,}={0,2}|[0-9a-f]{20,})$/;
const plainToken = /^[\w.=+~-]+$/;
const scheme = /^(?:bearer|basic|token) +/i;

/** Hides only what is certainly a key: users decide by what they see here. */
export function discreetValue(name: string, value: string): string {
  const [kind = ""] = scheme.exec(value) ?? [];
  const rest = value.slice(kind.length);
  const isKey = (secretValue.test(rest) && plainToken.test(rest)) || (secretName.test(name) && disorder.test(rest));
  return isKey ? kind + hidden : value;
}

export function discreetArgument(word: string, before: string): string {
  const [, name, separator = "", value = ""] = /^([\w-]+)(=|: *)(.+)$/s.exec(word) ?? [];
  if (name !== undefined) return name + separator + discreetValue(name, value);
  return discreetValue(before.startsWith("-") ? before : "", word);
}

/** The user part before the host is a secret or a disguise. */
export function discreetAddress(url: string): string {
  return url
    .replace(/(\/\/)([^/@]+)@/, (_, slashes: string, person: string) => `${slashes}${masked(person)}@`)
    .replace(/([?&])([^=&#]+)=([^&#]+)/g, (_, mark: string, name: string, value: string) => {
      return `${mark}${name}=${discreetValue(name, value)}`;
    });
}

function discreetWord(word: string, before: string): string {
  const [, name = "", separator = "", value = ""] = /^([\w.-]+)(=|:\s*)(.+)$/s.exec(word) ?? [];
  if (name !== "" && (secretName.test(name) || secretValue.test(value))) return `${name}${separator}${masked(value)}`;
  const isNamed = /^--?[\w-]+$/.test(before) && secretName.test(before) && !word.startsWith("-");
  return isNamed || secretValue.test(word) ? masked(word) : discreetUrl(word);
}

/** A variable's name is not a secret; its default may be one. */
function masked(value: string): string {
  return isVariable(value) ? value.replace(/:-[^}]*\}/g, `:-${hidden}}`) : hidden;
}

function discreetUrl(text: string): string {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return text;
  return text
    .replace(/(\/\/)([^/@]+)@/, (_, slashes: string, person: string) => `${slashes}${masked(person)}@`)
    .replace(/([?&][^=&#]+=)([^&#]+)/g, (_, name: string, value: string) => name + masked(value));
}

function isVariable(text: string): boolean {
  return text.includes("${");
}
