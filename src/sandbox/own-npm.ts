import { join } from "node:path";
import type { BubblewrapOptions } from "./bubblewrap-options.ts";
import { readText, unlessTooLarge } from "./read-text.ts";

/**
 * Keys that choose how package managers work. None of them is a credential or names a program; a registry that needs a
 * token is named all the same, so that what fails is the token and not the package.
 */
const harmless = new Set(
  "registry cafile strict-ssl save-exact save-prefix save package-lock omit-lockfile-registry-resolved lockfile-version legacy-peer-deps strict-peer-deps engine-strict install-strategy prefer-dedupe ignore-scripts fund audit update-notifier progress loglevel color tag min-release-age before auto-install-peers shamefully-hoist node-linker save-workspace-protocol manage-package-manager-versions package-manager-strict link-workspace-packages".split(
    " ",
  ),
);

/** What commands find of the user's own settings for npm and pnpm. A project's still win over them. */
export function ownPackageSettings(home: string): BubblewrapOptions["ownNpm"] {
  return [".npmrc", ".config/pnpm/rc"].flatMap((at) => {
    const read = unlessTooLarge(() => readText(join(home, at)));
    const content = (read.ok ? read.value : "").split("\n").flatMap(harmlessLine).join("");
    return content === "" ? [] : [{ at, content }];
  });
}

function harmlessLine(line: string): string | readonly string[] {
  const [, key = "", value = ""] = /^\s*([@\w:./-]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
  const isHarmless = harmless.has(key) || /^@[\w.-]+:registry$/.test(key);
  // A value may take a token from the environment.
  return isHarmless && !/\$\{|\/\/[^/]*@/.test(value) ? `${key}=${value}\n` : [];
}
