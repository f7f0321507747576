import { join } from "node:path";
import { readText, unlessTooLarge } from "./read-text.ts";

/**
 * Keys that choose how package managers work. None of them is a credential or names a program; a registry that needs a
 * token is named all the same, so that what fails is the token and not the package.
 */
const harmless = new Set(
  "registry cafile strict-ssl save-exact save-prefix save package-lock omit-lockfile-registry-resolved lockfile-version legacy-peer-deps strict-peer-deps engine-strict install-strategy prefer-dedupe ignore-scripts fund audit update-notifier progress loglevel color tag min-release-age before auto-install-peers shamefully-hoist node-linker save-workspace-protocol".split(
    " ",
  ),
);

/** What commands find of the user's `~/.npmrc`. A project's own still wins over it. */
export function ownNpmConfiguration(home: string): string {
  const read = unlessTooLarge(() => readText(join(home, ".npmrc")));
  return (read.ok ? read.value : "")
    .split("\n")
    .flatMap((line) => {
      const [, key = "", value = ""] = /^\s*([@\w:./-]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
      const isHarmless = harmless.has(key) || /^@[\w.-]+:registry$/.test(key);
      // A value may take a token from the environment.
      return isHarmless && !/\$\{|\/\/[^/]*@/.test(value) ? [`${key}=${value}\n`] : [];
    })
    .join("");
}
