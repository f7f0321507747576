import type { EntryExamples } from "./entry-examples.ts";

const alphabet = "0Az9By8Cx7Dw6Ev5Fu4Gt3Hs2Ir1Jq0Kp9Lo8Mn7Nm6Ol5Pk4Qj3Ri2Sh1Tg0Uf9Ve8Wd7Xc6Yb5Za";
/** Examples are put together here, so that no scanner takes this file for a leak. */
const mixed = (length: number) => alphabet.repeat(4).slice(0, length);
const hex = (length: number) => "0f9e8d7c6b5a4132".repeat(8).slice(0, length);
const upper = (length: number) => "Z2Y3X4W5V6U7T2S3".repeat(4).slice(0, length);

export const secretPatternExamples: readonly EntryExamples[] = [
  {
    entry: "private-key",
    examples: {
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
  },
  {
    entry: "private-key-rest",
    examples: {
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
  },
  {
    entry: "anthropic-key",
    examples: {
      match: [`sk-ant-api03-${mixed(80)}-AA`, `sk-ant-oat01-${mixed(60)}`],
      noMatch: ["sk-ant-", "the prefix sk-ant-api03 is public"],
    },
  },
  {
    entry: "openai-key",
    examples: {
      match: [`sk-${mixed(48)}`, `sk-proj-${mixed(60)}`, `sk-svcacct-${mixed(40)}`, `sk-or-v1-${hex(64)}`],
      noMatch: ["sk-learn-estimator-html-representation", "task-0123456789abcdef0123456789abcdef", "sk-short"],
    },
  },
  {
    entry: "aws-access-key",
    examples: {
      match: [`AKIA${upper(16)}`, `ASIA${upper(16)}`],
      noMatch: ["AKIA", "ASIAPACIFIC", `XAKIA${upper(16)}`],
    },
  },
  {
    entry: "aws-secret-key",
    examples: {
      match: [`aws_secret_access_key = ${mixed(40)}`, `"SecretAccessKey": "${mixed(40)}"`],
      noMatch: ["aws_secret_access_key = <yours>", "secretAccessKey: credentials.secretAccessKey,"],
    },
  },
  {
    entry: "github-token",
    examples: {
      match: [`ghp_${mixed(36)}`, `gho_${mixed(36)}`, `ghs_${mixed(40)}`, `github_pat_${mixed(22)}_${mixed(59)}`],
      noMatch: ["ghp_token", "github_pat_example", "weighs_more"],
    },
  },
  {
    entry: "gitlab-token",
    examples: {
      match: [`glpat-${mixed(20)}`, `glrt-${mixed(20)}`, `glptt-${hex(40)}`],
      noMatch: ["glpat-", "glob-stream-with-a-very-long-name", "gl-matrix"],
    },
  },
  {
    entry: "slack-token",
    examples: {
      match: [
        `xoxb-123456789012-${mixed(24)}`,
        `xapp-1-${upper(10)}-123-${hex(20)}`,
        `hooks.slack.com/services/T0001/B0001/${mixed(24)}`,
      ],
      noMatch: ["xoxo", "xapp-host", "hooks.slack.com/services/"],
    },
  },
  {
    entry: "stripe-key",
    examples: {
      match: [`sk_live_${mixed(24)}`, `rk_test_${mixed(24)}`, `whsec_${mixed(32)}`],
      noMatch: ["pk_live_is_public", "task_test_name", "sk_test_short"],
    },
  },
  {
    entry: "npm-token",
    examples: {
      match: [`npm_${mixed(36)}`],
      noMatch: ["npm_config_registry", "npm_lifecycle_event"],
    },
  },
  {
    entry: "google-key",
    examples: {
      match: [`AIza${mixed(35)}`, `ya29.${mixed(60)}`, `GOCSPX-${mixed(28)}`],
      noMatch: ["AIza", "ya29.", "xAIza"],
    },
  },
  {
    entry: "vendor-token",
    examples: {
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
  },
  {
    entry: "jwt",
    examples: {
      match: [`eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjMifQ.${mixed(43)}`],
      noMatch: ["eyJhbGciOiJIUzI1NiJ9", "eyJ.eyJ.x", "heyJude.eyJude.nananana", "theyJumped.eyJumpers.nananana"],
    },
  },
  {
    entry: "authorization",
    examples: {
      match: [
        "Authorization: Basic dXNlcjpwYXNzd29yZA==",
        `authorization: bearer ${mixed(20)}`,
        `{"Authorization": "Bearer ${hex(20)}"}`,
      ],
      // biome-ignore lint/suspicious/noTemplateCurlyInString: code as it stands in sources
      noMatch: ["Authorization: Bearer <token>", "authorization: required", "Authorization: `Bearer ${token}`"],
    },
  },
  {
    entry: "url-userinfo",
    examples: {
      match: ["postgres://app:hunter2@db.internal/app", `https://x-access-token:${mixed(30)}@example.com/r.git`],
      noMatch: [
        "ssh://git@example.com/repo.git",
        // biome-ignore lint/suspicious/noTemplateCurlyInString: code as it stands in sources
        "postgres://${user}:${password}@host/db",
        "https://example.com:8080/a@b",
        "http://<user>:<password>@proxy",
      ],
    },
  },
];
