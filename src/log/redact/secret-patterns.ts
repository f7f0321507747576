export interface SecretPattern {
  readonly kind: string;
  /** One of these must occur before the pattern is tried. */
  readonly anchors: readonly string[];
  /**
   * Global. The group `secret`, if any, is replaced; otherwise the whole match. Flag `d` where the group may lie before
   * the match.
   */
  readonly pattern: RegExp;
}

/** A token may begin after an escaped character, such as `\n`, `\u001b[32m`, `%3D` or `=3D`, but not inside a word. */
const escapes = [
  /\\[abefnrtv0]/,
  /\\x[0-9A-Fa-f]{2}/,
  /\\u[0-9A-Fa-f]{4}/,
  /\\[0-3][0-7]{2}/,
  /%(?:25){0,4}[0-9A-Fa-f]{2}/,
  /=[0-9A-F]{2}/,
  /\[[\d;]{1,16}[mK]/,
  /(?:1[bB]|33|\\e)\[[mK]/,
];
const start = `(?:(?<![A-Za-z0-9])|(?<=${escapes.map(({ source }) => source).join("|")}))`;

/** The head is matched first: looking back from every character is slow. */
export function token(head: RegExp, shape: RegExp): RegExp {
  return new RegExp(`(?=${head.source})${start}(?:${shape.source})`, `g${shape.flags}`);
}

/** Not the `n` of an escaped line end. */
const base64 = "(?<!\\\\)[A-Za-z0-9+/=]";
const lineEnd = "(?:\\r?\\n|(?:\\\\r)?\\\\n)[ \\t]{0,16}";

export const secretPatterns: readonly SecretPattern[] = [
  {
    kind: "private-key",
    anchors: ["-----BEGIN "],
    pattern:
      /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?=[A-Za-z0-9+/=:,.\s\\|│→-]{0,300}?[A-Za-z0-9+/=]{32})[A-Za-z0-9+/=:,.\s\\|│→-]{40,}?(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|(?![A-Za-z0-9+/=:,.\s\\|│→-]))/g,
  },
  {
    kind: "private-key-rest",
    anchors: ["-----END "],
    // For a key whose beginning was not printed. Looks back from the end, so that no other text is tried.
    pattern: new RegExp(
      `(?<=(?<secret>(?:^${base64}{1,80}${lineEnd})?(?:${base64}{20,80}${lineEnd})*${base64}{20,80}(?:${lineEnd}${base64}{1,80})?)${lineEnd})-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----`,
      "dg",
    ),
  },
  {
    kind: "anthropic-key",
    anchors: ["sk-ant-"],
    pattern: token(/sk-ant-/, /sk-ant-[A-Za-z0-9_-]{20,}/),
  },
  {
    kind: "openai-key",
    anchors: ["sk-"],
    pattern: token(/sk-/, /sk-(?:(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,}|or-v1-[0-9a-f]{32,}|[A-Za-z0-9]{32,})/),
  },
  {
    kind: "aws-access-key",
    anchors: ["AKIA", "ASIA", "ABIA", "ACCA"],
    pattern: token(/A[KSBC][IC]A/, /(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Za-z0-9])/),
  },
  {
    kind: "aws-secret-key",
    anchors: ["ecret", "ECRET"],
    pattern: token(
      /secret/,
      /secret_?access_?key\\?["'`]?\s{0,8}[:=]\s{0,8}\\?["'`]?(?<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])/i,
    ),
  },
  {
    kind: "github-token",
    anchors: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
    pattern: token(/gh[pousr]_|github_pat_/, /gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{36,}/),
  },
  {
    kind: "gitlab-token",
    anchors: ["glpat-", "gldt-", "glrt-", "glrtr-", "glsoat-", "glft-", "glcbt-", "glptt-", "glagent-", "glimt-"],
    pattern: token(/gl[a-z]{2,5}-/, /gl(?:pat|dt|rt|rtr|soat|ft|cbt|ptt|agent|imt)-[A-Za-z0-9_-]{20,}/),
  },
  {
    kind: "slack-token",
    anchors: ["xox", "xapp-", "hooks.slack.com"],
    pattern: token(
      /xox|xapp|hooks/,
      /xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-\d-[A-Za-z0-9-]{10,}|hooks\.slack\.com\/services\/(?<secret>[A-Za-z0-9/]{20,})/,
    ),
  },
  {
    kind: "stripe-key",
    anchors: ["_live_", "_test_", "whsec_"],
    pattern: token(/[sr]k_|whsec_/, /[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{24,}/),
  },
  {
    kind: "npm-token",
    anchors: ["npm_"],
    pattern: token(/npm_/, /npm_[A-Za-z0-9]{36,}/),
  },
  {
    kind: "google-key",
    anchors: ["AIza", "ya29.", "GOCSPX-"],
    pattern: token(/AIza|ya29|GOCSPX/, /AIza[A-Za-z0-9_-]{35,}|ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{24,}/),
  },
  {
    kind: "vendor-token",
    anchors: [
      "hf_",
      "dop_v1_",
      "SG.",
      "pypi-AgE",
      "shp",
      "lin_api_",
      "gsk_",
      "xai-",
      "hvs.",
      "AGE-SECRET-KEY-",
      "dapi",
    ],
    pattern: token(
      /hf_|dop_|SG\.|pypi-|shp|lin_|gsk_|xai-|hvs\.|AGE-|dapi/,
      /(?:hf_[A-Za-z0-9]{34,}|dop_v1_[0-9a-f]{64}|SG\.[\w-]{22}\.[\w-]{43}|pypi-AgE[\w-]{50,}|shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}|lin_api_[A-Za-z0-9]{40}|gsk_[A-Za-z0-9]{40,}|xai-[A-Za-z0-9]{60,}|hvs\.[\w-]{24,}|AGE-SECRET-KEY-1[A-Z0-9]{50,}|dapi[0-9a-f]{32})(?![A-Za-z0-9])/,
    ),
  },
  {
    kind: "jwt",
    anchors: [".eyJ"],
    // From the first character of a run, and only if its end matches: no run is read more than twice.
    pattern: new RegExp(
      `(?<![\\w-])(?=[\\w-]*\\.eyJ[\\w-]{8})[\\w-]*?(?=eyJ)${start}(?<secret>eyJ[\\w-]{8,}\\.eyJ[\\w-]{8,}(?:\\.[\\w-]{8,})?)`,
      "g",
    ),
  },
  {
    kind: "authorization",
    anchors: ["uthorization", "UTHORIZATION"],
    pattern: token(
      /proxy-|authorization/,
      /(?:proxy-)?authorization\\?["'`]?\s{0,8}[:=]\s{0,8}\\?["'`]?(?:bearer|basic|token|apikey|digest)\s{1,4}(?<secret>[A-Za-z0-9._~+/=-]{8,})/i,
    ),
  },
  {
    kind: "url-userinfo",
    anchors: ["://"],
    pattern: /:\/\/(?<secret>[^\s/?#@:"'`\\${}<>*]{0,256}:[^\s/?#@"'`\\${}<>*]{1,256})@[A-Za-z0-9[]/g,
  },
];
