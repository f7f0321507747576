import { describe, expect, it } from "vitest";
import { createCleaner } from "./shown-text.ts";

describe("output of programs", () => {
  const cleaner = createCleaner({ redact: (text) => text.replaceAll("AKIA123", "[redacted]") });

  it.each([
    ["GITHUB_TOKEN=ghp_abcdefgh", "GITHUB_TOKEN=[redacted]"],
    ["export AWS_SECRET_ACCESS_KEY='abc/def+ghi'", "export AWS_SECRET_ACCESS_KEY=[redacted]"],
    ['declare -x DB_PASSWORD="opensesame"', "declare -x DB_PASSWORD=[redacted]"],
    ["OPENAI_API_KEY=sk-1234567", "OPENAI_API_KEY=[redacted]"],
    ["npm_config__authToken=0123456789", "npm_config__authToken=[redacted]"],
    ["PATH=/usr/bin:/bin", "PATH=/usr/bin:/bin"],
    ["PWD=/workspace", "PWD=/workspace"],
    ["API_KEY=$OTHER_KEY", "API_KEY=$OTHER_KEY"],
    ["MONKEY=banana-split", "MONKEY=banana-split"],
    ["if (token === expected) x=1;", "if (token === expected) x=1;"],
    ["key AKIA123", "key [redacted]"],
  ])("%j is shown as %j", (raw, shown) => {
    expect(cleaner.output(`first\n${raw}\nlast\n`)).toBe(`first\n${shown}\nlast\n`);
  });

  it("leaves settings in a file that was read as they are: the text must stay what the file says", () => {
    expect(cleaner.text("GITHUB_TOKEN=placeholder-value")).toBe("GITHUB_TOKEN=placeholder-value");
  });
});

it("hides directories that are nobody's business, whole components only", () => {
  const cleaner = createCleaner({
    redact: (text) => text,
    privatePaths: [
      { path: "/tmp/run", shown: "<scratch>" },
      { path: "/tmp/run/deep", shown: "<deep>" },
    ],
  });
  expect(cleaner.text("/tmp/run/a /tmp/running /tmp/run/deep/b (/tmp/run)")).toBe(
    "<scratch>/a /tmp/running <deep>/b (<scratch>)",
  );
});

it("shows what is excepted in a private directory, by whole components", () => {
  const cleaner = createCleaner({
    redact: (text) => text,
    privatePaths: [{ path: "/var/x", shown: "<state>", except: "/var/x/skills" }],
  });
  expect(
    cleaner.text("/var/x /var/x/a /var/x/skills /var/x/skills/b, /var/x/skillset /var/x/skills-old /var/x/a/skills"),
  ).toBe("<state> <state>/a /var/x/skills /var/x/skills/b, <state>/skillset <state>/skills-old <state>/a/skills");
});
