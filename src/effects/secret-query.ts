/** Why a search for this would be a search for secrets; `undefined` for ordinary words. */
export function secretQueryReason(pattern: string): string | undefined {
  const condensed = pattern.replace(regexNoise, "").toLowerCase();
  const found = shapes.find((shape) => shape.test.test(shape.raw === true ? pattern : condensed));
  return found === undefined ? undefined : `searches for ${found.what}`;
}

/** So that `password\s*[:=]` reads as `password:=`. */
const regexNoise = /\\[sSbBwWdD][*+?]*|[\s"'()[\]{}^$?*+\\]/g;

const shapes: readonly { readonly what: string; readonly test: RegExp; readonly raw?: boolean }[] = [
  { what: "cloud access keys", test: /\b(?:AKIA|ASIA)(?:[A-Z0-9[\\]|$|\b)/, raw: true },
  { what: "private keys", test: /PRIVATE[\s._-]?KEY|-----BEGIN|BEGIN (?:RSA|EC|DSA|OPENSSH|PGP)/, raw: true },
  {
    what: "assigned secrets",
    test: /(?:passw(?:or)?d|passphrase|pwd|secret|token|api[_-]*key|access[_-]*key|client[_-]*secret|credentials?)[:=]/,
  },
  {
    what: "tokens of a known service",
    test: /gh[pousr]_|github_pat_|glpat-|xox[abposr]-|(?<![a-z])sk-(?:ant|proj|live|test)|sk_live_|aiza|hooks\.slack\.com|eyjhb/,
  },
];
