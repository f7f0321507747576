/** One kind of secret that can be told by its shape, with examples that the pattern is tested against. */
export interface SecretPattern {
  /** Goes into the mark. Lower case and dashes. */
  readonly kind: string;
  /** Literal text of which one must occur before the pattern is worth trying. */
  readonly anchors: readonly string[];
  /**
   * Global. The group `secret`, where there is one, is what is replaced; otherwise all of the match. With the flag `d`
   * where that group may lie before the match.
   */
  readonly pattern: RegExp;
  readonly match: readonly string[];
  readonly noMatch: readonly string[];
}

const alphabet = "0Az9By8Cx7Dw6Ev5Fu4Gt3Hs2Ir1Jq0Kp9Lo8Mn7Nm6Ol5Pk4Qj3Ri2Sh1Tg0Uf9Ve8Wd7Xc6Yb5Za";
/** Examples are put together here, so that no scanner takes this file for a leak. */
const mixed = (length: number) => alphabet.repeat(4).slice(0, length);
const hex = (length: number) => "0f9e8d7c6b5a4132".repeat(8).slice(0, length);
const upper = (length: number) => "Z2Y3X4W5V6U7T2S3".repeat(4).slice(0, length);

/**
 * Where a token may begin: not inside a word, but right behind a character that is written out, such as `\n` and
 * `\u001b[32m` in a JSON text, `%3D` in an address or `=3D` in a letter.
 */
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

/** The head, which every match begins with, is looked for first: looking back from every character is slow. */
export function token(head: RegExp, shape: RegExp): RegExp {
  return new RegExp(`(?=${head.source})${start}(?:${shape.source})`, `g${shape.flags}`);
}

/** The `n` of a line end that is written out is none of it. */
const base64 = "(?<!\\\\)[A-Za-z0-9+/=]";
/** With the next line's indent. */
const lineEnd = "(?:\\r?\\n|(?:\\\\r)?\\\\n)[ \\t]{0,16}";

export const secretPatterns: readonly SecretPattern[] = [
  {
    kind: "private-key",
    anchors: ["-----BEGIN "],
    pattern:
      /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?=[A-Za-z0-9+/=:,.\s\\|│→-]{0,300}?[A-Za-z0-9+/=]{32})[A-Za-z0-9+/=:,.\s\\|│→-]{40,}?(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|(?![A-Za-z0-9+/=:,.\s\\|│→-]))/g,
    match: [
      `-----BEGIN RSA PRIVATE KEY-----\n${mixed(64)}\n${mixed(64)}\n-----END RSA PRIVATE KEY-----`,
      `-----BEGIN PRIVATE KEY-----\\n${mixed(64)}\\n-----END PRIVATE KEY-----`,
      `-----BEGIN OPENSSH PRIVATE KEY-----\n${mixed(70)}\n${mixed(70)}`,
      `-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 2\n\n${mixed(64)}\n-----END PGP PRIVATE KEY BLOCK-----`,
    ],
    noMatch: [
      "The file starts with -----BEGIN PRIVATE KEY----- (PEM).",
      "The file starts with -----BEGIN PRIVATE KEY----- and goes on in lines of Base64, up to a line of its own.",
      `-----BEGIN CERTIFICATE-----\n${mixed(64)}\n-----END CERTIFICATE-----`,
      `-----BEGIN PUBLIC KEY-----\n${mixed(64)}\n-----END PUBLIC KEY-----`,
    ],
  },
  {
    kind: "private-key-rest",
    anchors: ["-----END "],
    // Where the beginning was not printed. Looks back from the end, so that no other text is tried.
    pattern: new RegExp(
      `(?<=(?<secret>(?:^${base64}{1,80}${lineEnd})?(?:${base64}{20,80}${lineEnd})*${base64}{20,80}(?:${lineEnd}${base64}{1,80})?)${lineEnd})-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----`,
      "dg",
    ),
    match: [
      `${mixed(64)}\n${mixed(64)}\n-----END RSA PRIVATE KEY-----`,
      `${mixed(30)}\\n${mixed(64)}\\nAg==\\n-----END PRIVATE KEY-----`,
      `  ${mixed(70)}\r\n  =aB3d\r\n  -----END PGP PRIVATE KEY BLOCK-----`,
    ],
    noMatch: [
      "It ends with\n-----END PRIVATE KEY-----",
      "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
      `${mixed(64)}\n-----END CERTIFICATE-----`,
    ],
  },
  {
    kind: "anthropic-key",
    anchors: ["sk-ant-"],
    pattern: token(/sk-ant-/, /sk-ant-[A-Za-z0-9_-]{20,}/),
    match: [`sk-ant-api03-${mixed(80)}-AA`, `sk-ant-oat01-${mixed(60)}`],
    noMatch: ["sk-ant-", "the prefix sk-ant-api03 is public"],
  },
  {
    kind: "openai-key",
    anchors: ["sk-"],
    pattern: token(/sk-/, /sk-(?:(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,}|or-v1-[0-9a-f]{32,}|[A-Za-z0-9]{32,})/),
    match: [`sk-${mixed(48)}`, `sk-proj-${mixed(60)}`, `sk-svcacct-${mixed(40)}`, `sk-or-v1-${hex(64)}`],
    noMatch: ["sk-learn-estimator-html-representation", "task-0123456789abcdef0123456789abcdef", "sk-short"],
  },
  {
    kind: "aws-access-key",
    anchors: ["AKIA", "ASIA", "ABIA", "ACCA"],
    pattern: token(/A[KSBC][IC]A/, /(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Za-z0-9])/),
    match: [`AKIA${upper(16)}`, `ASIA${upper(16)}`],
    noMatch: ["AKIA", "ASIAPACIFIC", `XAKIA${upper(16)}`],
  },
  {
    kind: "aws-secret-key",
    anchors: ["ecret", "ECRET"],
    pattern: token(
      /secret/,
      /secret_?access_?key\\?["'`]?\s{0,8}[:=]\s{0,8}\\?["'`]?(?<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])/i,
    ),
    match: [`aws_secret_access_key = ${mixed(40)}`, `"SecretAccessKey": "${mixed(40)}"`],
    noMatch: ["aws_secret_access_key = <yours>", "secretAccessKey: credentials.secretAccessKey,"],
  },
  {
    kind: "github-token",
    anchors: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
    pattern: token(/gh[pousr]_|github_pat_/, /gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{36,}/),
    match: [`ghp_${mixed(36)}`, `gho_${mixed(36)}`, `ghs_${mixed(40)}`, `github_pat_${mixed(22)}_${mixed(59)}`],
    noMatch: ["ghp_token", "github_pat_example", "weighs_more"],
  },
  {
    kind: "gitlab-token",
    anchors: ["glpat-", "gldt-", "glrt-", "glrtr-", "glsoat-", "glft-", "glcbt-", "glptt-", "glagent-", "glimt-"],
    pattern: token(/gl[a-z]{2,5}-/, /gl(?:pat|dt|rt|rtr|soat|ft|cbt|ptt|agent|imt)-[A-Za-z0-9_-]{20,}/),
    match: [`glpat-${mixed(20)}`, `glrt-${mixed(20)}`, `glptt-${hex(40)}`],
    noMatch: ["glpat-", "glob-stream-with-a-very-long-name", "gl-matrix"],
  },
  {
    kind: "slack-token",
    anchors: ["xox", "xapp-", "hooks.slack.com"],
    pattern: token(
      /xox|xapp|hooks/,
      /xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-\d-[A-Za-z0-9-]{10,}|hooks\.slack\.com\/services\/(?<secret>[A-Za-z0-9/]{20,})/,
    ),
    match: [
      `xoxb-123456789012-${mixed(24)}`,
      `xapp-1-${upper(10)}-123-${hex(20)}`,
      `hooks.slack.com/services/T0001/B0001/${mixed(24)}`,
    ],
    noMatch: ["xoxo", "xapp-host", "hooks.slack.com/services/"],
  },
  {
    kind: "stripe-key",
    anchors: ["_live_", "_test_", "whsec_"],
    pattern: token(/[sr]k_|whsec_/, /[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{24,}/),
    match: [`sk_live_${mixed(24)}`, `rk_test_${mixed(24)}`, `whsec_${mixed(32)}`],
    noMatch: ["pk_live_is_public", "task_test_name", "sk_test_short"],
  },
  {
    kind: "npm-token",
    anchors: ["npm_"],
    pattern: token(/npm_/, /npm_[A-Za-z0-9]{36,}/),
    match: [`npm_${mixed(36)}`],
    noMatch: ["npm_config_registry", "npm_lifecycle_event"],
  },
  {
    kind: "google-key",
    anchors: ["AIza", "ya29.", "GOCSPX-"],
    pattern: token(/AIza|ya29|GOCSPX/, /AIza[A-Za-z0-9_-]{35,}|ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{24,}/),
    match: [`AIza${mixed(35)}`, `ya29.${mixed(60)}`, `GOCSPX-${mixed(28)}`],
    noMatch: ["AIza", "ya29.", "xAIza"],
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
    match: [
      `hf_${mixed(34)}`,
      `dop_v1_${hex(64)}`,
      `SG.${mixed(22)}.${mixed(43)}`,
      `pypi-AgEIcHlwaS5vcmc${mixed(60)}`,
      `shpat_${hex(32)}`,
      `gsk_${mixed(52)}`,
      `hvs.${mixed(24)}`,
      `dapi${hex(32)}`,
    ],
    noMatch: ["hf_hub_download", "MSG.id", "xai-grok", "shpat_x", "dapi", "hvs.length"],
  },
  {
    kind: "jwt",
    anchors: [".eyJ"],
    // From the first character of a run, and only when the run ends well: no run is read more than twice.
    pattern: new RegExp(
      `(?<![\\w-])(?=[\\w-]*\\.eyJ[\\w-]{8})[\\w-]*?(?=eyJ)${start}(?<secret>eyJ[\\w-]{8,}\\.eyJ[\\w-]{8,}(?:\\.[\\w-]{8,})?)`,
      "g",
    ),
    match: [`eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjMifQ.${mixed(43)}`],
    noMatch: ["eyJhbGciOiJIUzI1NiJ9", "eyJ.eyJ.x", "heyJude.eyJude.nananana", "theyJumped.eyJumpers.nananana"],
  },
  {
    kind: "authorization",
    anchors: ["uthorization", "UTHORIZATION"],
    pattern: token(
      /proxy-|authorization/,
      /(?:proxy-)?authorization\\?["'`]?\s{0,8}[:=]\s{0,8}\\?["'`]?(?:bearer|basic|token|apikey|digest)\s{1,4}(?<secret>[A-Za-z0-9._~+/=-]{8,})/i,
    ),
    match: [
      "Authorization: Basic dXNlcjpwYXNzd29yZA==",
      `authorization: bearer ${mixed(20)}`,
      `{"Authorization": "Bearer ${hex(20)}"}`,
    ],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: code as it stands in sources
    noMatch: ["Authorization: Bearer <token>", "authorization: required", "Authorization: `Bearer ${token}`"],
  },
  {
    kind: "url-userinfo",
    anchors: ["://"],
    pattern: /:\/\/(?<secret>[^\s/?#@:"'`\\${}<>*]{0,256}:[^\s/?#@"'`\\${}<>*]{1,256})@[A-Za-z0-9[]/g,
    match: ["postgres://app:hunter2@db.internal/app", `https://x-access-token:${mixed(30)}@example.com/r.git`],
    noMatch: [
      "ssh://git@example.com/repo.git",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: code as it stands in sources
      "postgres://${user}:${password}@host/db",
      "https://example.com:8080/a@b",
      "http://<user>:<password>@proxy",
    ],
  },
];
