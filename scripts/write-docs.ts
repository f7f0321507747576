import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { streamLine } from "../src/contract/app/stream-line.ts";
import { artifactRef } from "../src/contract/artifact.ts";
import { codeNames, codes, phases } from "../src/contract/codes.ts";
import { effect, pathRef, risk, seenEffect } from "../src/contract/effect.ts";
import { eventFamilies } from "../src/contract/events/index.ts";
import { contentBlock, observation, permissionFacts } from "../src/contract/observation.ts";
import { settingsFile } from "../src/contract/settings.ts";
import { decisionSources, modes } from "../src/contract/verdict.ts";
import { checkedClaim, verification } from "../src/contract/verification.ts";
import { claimsPage } from "./docs/claims-page.ts";
import { commandLinePage } from "./docs/command-line-page.ts";
import { diagrams } from "./docs/diagrams.ts";
import { eventMeanings, familyTitles } from "./docs/event-meanings.ts";
import { lineMeanings } from "./docs/line-meanings.ts";
import { pictures } from "./docs/pictures.ts";
import { choicesOf, type Field, fieldsOf, type NamedSchemas } from "./docs/schema-text.ts";
import { seedEvents } from "./docs/seed-event-names.ts";
import { settingsPage } from "./docs/settings-page.ts";

const code = z.enum(codeNames);

/** Written by name, and explained in a section of their own. */
const shared: NamedSchemas = {
  Observation: observation(),
  Verification: verification(),
  CheckedClaim: checkedClaim(),
  PermissionFacts: permissionFacts(),
  ContentBlock: contentBlock(),
  ArtifactRef: artifactRef(),
  Effect: effect(),
  SeenEffect: seenEffect(),
  PathRef: pathRef(),
  Code: code,
  Phase: z.enum(phases),
  Risk: risk(),
  DecisionSource: z.enum(decisionSources),
  Mode: z.enum(modes),
};

const root = path.join(import.meta.dirname, "..");
const generated: Readonly<Record<string, string>> = {
  "docs/reference/events.md": eventsPage(),
  "docs/reference/codes.md": codesPage(),
  "docs/reference/settings.md": settingsPage(),
  "docs/reference/settings.schema.json": formatted(
    "docs/reference/settings.schema.json",
    JSON.stringify(settingsSchema()),
  ),
  "docs/reference/command-line.md": await commandLinePage(),
  "docs/reference/claims.md": claimsPage(root),
  ...diagrams(),
  ...(await pictures()),
};

const stale = Object.entries(generated).filter(([file, text]) => current(file) !== text);
if (process.argv.includes("--check")) {
  for (const [file] of stale) console.error(`${file} is out of date: run \`npm run docs\``);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else {
  for (const [file, text] of stale) writeFileSync(path.join(root, file), text);
}

function eventsPage(): string {
  const families = Object.entries(eventFamilies()).map(([family, events]) => {
    const sections = Object.entries(events).map(([type, schema]) => eventSection(type, schema));
    return `## ${textFor(familyTitles, family)}\n\n${sections.join("\n\n")}`;
  });
  return `${[
    "# Events",
    "<!-- Made by `npm run docs` from src/contract/events and src/contract/app/stream-line.ts. Do not edit. -->",
    "An event is one fact: `{seq, id, session, at, type, v, data, prev, hash}`. `hash` is the SHA-256 of `prev`, a line feed and the stored bytes of the event without its hash. Rows are never changed or removed; payloads of older versions (`v`) are brought up to date when they are read. Secrets are replaced by marks `[redacted:<kind>:<hmac>]` before anything is hashed or stored.",
    ...families,
    streamLines(),
    sharedTypes(),
    otherNames(),
  ].join("\n\n")}\n`;
}

function eventSection(type: string, schema: z.ZodType): string {
  return `### \`${type}\`\n\n${textFor(eventMeanings, type)}\n\n${fieldTable(fieldsOf(schema, shared))}`;
}

/** The lines of a run for programs. */
function streamLines(): string {
  const sections = streamLine.options.map((schema) => {
    const { v: _, type, ...rest } = schema.shape;
    const fields = fieldsOf(z.object(rest), shared);
    return `### \`${type.value}\`\n\n${textFor(lineMeanings, type.value)}\n\n${fieldTable(fields)}`;
  });
  return `## Lines of \`gauntlet run --output stream-json\`\n\nOne JSON object a line: \`{"v": 1, "type": …}\` and the fields below. While \`v\` is 1, new types and fields may be added, but none is removed or changed in meaning. If a run cannot start, the only line is \`{"ok": false, "code", "message", "recovery"}\`.\n\n${sections.join("\n\n")}`;
}

function sharedTypes(): string {
  const sections = Object.entries(shared).map(([name, schema]) => {
    const fields = fieldsOf(schema, shared);
    const choices = choicesOf(schema, shared).map((choice) => `- \`${choice}\``);
    const body = fields.length > 0 ? fieldTable(fields) : choices.join("\n");
    return `### ${name}\n\n${schema === code ? "One of the [codes](codes.md)." : body}`;
  });
  return `## Shared types\n\n${sections.join("\n\n")}`;
}

function otherNames(): string {
  const tables = Object.entries(seedEvents).map(([source, events]) => {
    const rows = events.map(({ name, ours, note }) => {
      const types = ours.map((type) => `\`${type}\``).join(", ") || "none yet";
      return `| \`${name}\` | ${types} | ${note} |`;
    });
    return `### ${source}\n\n| There | Here | Note |\n|---|---|---|\n${rows.join("\n")}`;
  });
  return `## Names used elsewhere\n\nOther documents use different names for the same facts.\n\n${tables.join("\n\n")}`;
}

function fieldTable(fields: readonly Field[]): string {
  if (fields.length === 0) return "No fields.";
  const rows = fields.map(({ name, type, optional }) => {
    return `| \`${name}\`${optional ? " (optional)" : ""} | \`${type.replaceAll("|", "\\|")}\` |`;
  });
  return `| Field | Type |\n|---|---|\n${rows.join("\n")}`;
}

function codesPage(): string {
  return `${[
    "# Codes",
    "<!-- Made by `npm run docs` from src/contract/codes.ts. Do not edit. -->",
    "How a call, a command or a run can end. The list is closed.",
    codeTable(),
  ].join("\n\n")}\n`;
}

function codeTable(): string {
  const rows = codeNames.map((name) => {
    const { meaning, happened, recovery, retryable } = codes[name];
    return `| \`${name}\` | ${meaning} | ${happened} | ${retryable ? "yes" : "no"} | ${recovery} |`;
  });
  return `| Code | Meaning | What happened | Retryable | Recovery |\n|---|---|---|---|---|\n${rows.join("\n")}`;
}

function settingsSchema(): object {
  const { $schema, ...schema } = z.toJSONSchema(settingsFile(), { io: "input" });
  return {
    $schema,
    title: "Gauntlet settings",
    description: "One settings file. Unknown keys are errors: a misspelt deny rule must not be ignored.",
    ...schema,
  };
}

/** As the formatter would have it, so that the check of the style and this one agree. */
function formatted(file: string, text: string): string {
  const biome = path.join(root, "node_modules", ".bin", "biome");
  return execFileSync(biome, ["format", `--stdin-file-path=${file}`], { cwd: root, encoding: "utf8", input: text });
}

function current(file: string): string | undefined {
  try {
    return readFileSync(path.join(root, file), "utf8");
  } catch {
    return undefined;
  }
}

function textFor(table: Readonly<Record<string, string>>, key: string): string {
  const text = table[key];
  if (text === undefined) throw new Error(`${key} has no explanation`);
  return text;
}
