// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of servers are written like that.
import type { ServerSetting } from "../contract/server.ts";

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
