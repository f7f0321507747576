import { fail, type Outcome } from "../contract/codes.ts";
import type { UntrustedItem } from "../contract/settings.ts";
import { updatePrivateText } from "../host/update-private-text.ts";
import { changeTrusted } from "./trust-file.ts";
import { trustName } from "./trust-name.ts";

/** Only what lies there to be looked at can be trusted: a hash from elsewhere is nobody's decision about this. */
export function changeTrust(
  file: string,
  items: readonly UntrustedItem[],
  change: { readonly accept: readonly string[]; readonly revoke: readonly string[] },
): Outcome<void> {
  for (const hash of change.accept) {
    const item = items.find((known) => known.hash === hash);
    if (item === undefined) {
      return fail("bad_request", `Nothing in this project has the hash ${hash}.`, {
        recovery: "`gauntlet trust` lists what there is.",
      });
    }
    if (item.refused !== undefined) {
      return fail("policy_denied", `${item.text} can never be trusted: ${item.refused}.`, {
        recovery: `Ask for less in ${item.origin}.`,
      });
    }
  }
  const accepted = items.filter(({ hash }) => change.accept.includes(hash));
  const names = Object.fromEntries(
    accepted.map(({ hash, kind, text, lines = [] }) => [hash, trustName(kind, lines[0] ?? text)]),
  );
  const bound = Object.fromEntries(accepted.flatMap(({ hash, bound: files }) => (files ? [[hash, files]] : [])));
  return updatePrivateText(file, (before) => changeTrusted(file, before, { ...change, names, bound }));
}
