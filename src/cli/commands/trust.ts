import path from "node:path";
import type { Command } from "commander";
import type { App } from "../../contract/app/app.ts";
import type { TrustReport } from "../../contract/app/policy.ts";
import { type Outcome, ok } from "../../contract/codes.ts";
import { type CommandContext, type CommonOptions, cwdOption, examples, jsonOption } from "../flags.ts";
import { lines, type Shown, say } from "../render/shown.ts";
import { type View, viewOn } from "../render/wrap.ts";
import { type Ended, exitCodes, mistake, printShown } from "../report.ts";
import type { Question, Surface } from "../surface.ts";
import { type CommandRun, onApp } from "../with-app.ts";

interface TrustFlags extends CommonOptions {
  readonly accept?: readonly string[];
  readonly revoke?: readonly string[];
}

export function declare(command: Command, context: CommandContext): void {
  command
    .description(
      "Review and trust this repository's settings: allow rules, hooks, directories, MCP servers and skill scripts, " +
        "which could run programs or widen permissions. An item has no effect until you trust it, and any change to it " +
        "ends that trust. The text of a skill needs no trust: `gauntlet skills list` lists skills without scripts. On a " +
        "terminal you are asked about each item; Enter means no.",
    )
    .option("--accept <hashes...>", "trust the items with these hashes, or starts of hashes")
    .option("--revoke <hashes...>", "stop trusting these items")
    .option(...cwdOption)
    .option(...jsonOption)
    .addHelpText(
      "after",
      examples(
        ["gauntlet trust", "Review each item on a terminal:"],
        ["gauntlet trust --accept 3fa91c", "Trust one item:"],
        ["gauntlet trust --json", "For a program; asks nothing:"],
      ),
    )
    .action(onApp(context, (run, flags: TrustFlags) => runTrust(run, flags)));
}

async function runTrust({ app, surface, json, show }: CommandRun, flags: TrustFlags): Promise<Ended> {
  const before = app.policy.trust();
  if (!before.ok) return before;
  const named = changeOf(before.value, flags);
  if (!named.ok) return named;
  const given = flags.accept !== undefined || flags.revoke !== undefined;
  const after = given ? app.policy.trust(named.value) : before;
  if (!after.ok) return after;
  const report = { ...after.value, items: await thatMatter(app, after.value) };
  if (json) return show(ok(report), renderReport);
  const { question } = surface;
  const asks = !given && question !== undefined && report.items.some(isOpen);
  const shown = asks ? { ...report, items: report.items.filter((item) => !isOpen(item)) } : report;
  if (!asks || shown.items.length + shown.absent.length > 0) await show(ok(shown), renderReport);
  if (asks) return askEach(surface, app, { report, question });
  if (named.value.accept.length > 0) {
    await printShown(surface, lines([viewOn(surface.stdout).line`Trusted items take effect ${fromThen}.`]));
  }
  const open = given ? undefined : report.items.find(isOpen);
  const hash = open?.hash.replace(/^sha256:/, "").slice(0, 8);
  if (hash !== undefined) await printShown(surface, lines([say`Trust one of them: gauntlet trust --accept ${hash}`]));
  return exitCodes.done;
}

type ListedItem = TrustReport["items"][number] & {
  readonly changed?: true;
  readonly detail?: string;
};
type Report = Omit<TrustReport, "items"> & { readonly items: readonly ListedItem[] };

async function thatMatter(app: App, report: TrustReport): Promise<readonly ListedItem[]> {
  const items = report.items.map((item): ListedItem => {
    const detail = report.changed?.find(({ hash }) => hash === item.hash)?.detail;
    return detail === undefined ? item : { ...item, changed: true, detail };
  });
  if (!items.some(({ kind }) => kind === "skill")) return items;
  const survey = await app.skills.survey();
  if (!survey.ok) return items;
  const { skills } = survey.value;
  return items.flatMap((item): readonly ListedItem[] => {
    if (item.kind !== "skill" || item.trusted) return [item];
    const skill = skills.find(({ directory }) => directory === path.dirname(item.origin));
    if (skill === undefined || skill.scripts.length === 0) return [];
    return [skill.changed === true ? { ...item, changed: true } : item];
  });
}

function isOpen({ trusted, refused }: ListedItem): boolean {
  return !trusted && refused === undefined;
}

function changeOf({ items, absent }: TrustReport, { accept = [], revoke = [] }: TrustFlags) {
  const resolved: { accept: string[]; revoke: string[] } = { accept: [], revoke: [] };
  for (const [list, prefixes] of [
    ["accept", accept],
    ["revoke", revoke],
  ] as const) {
    for (const prefix of prefixes) {
      const hashes = items.map(({ hash }) => hash);
      const found = hashOf(list === "revoke" ? [...hashes, ...absent] : hashes, prefix);
      if (!found.ok) return found;
      resolved[list].push(found.value);
    }
  }
  return ok(resolved);
}

const shortest = 4;

function hashOf(hashes: readonly string[], written: string): Outcome<string> {
  const prefix = written.replace(/^sha256:/, "");
  const [only, ...others] = [...new Set(hashes)].filter((hash) => hash.startsWith(`sha256:${prefix}`));
  if (prefix.length >= shortest && only !== undefined && others.length === 0) return ok(only);
  const why =
    prefix.length < shortest ? "is too short" : only === undefined ? "matches no item" : "matches several items";
  return mistake(`${written} ${why}.`, "`gauntlet trust` lists the items with their hashes.");
}

const fromThen = "from the next session (/new starts one)";

async function askEach(
  surface: Surface,
  app: App,
  { report, question }: { readonly report: Report; readonly question: Question },
): Promise<Ended> {
  const view = viewOn(surface.stderr);
  const tell = (...rows: readonly (Shown | undefined)[]) => surface.stderr.write(lines(rows).text);
  for (const item of report.items.filter(isOpen)) {
    await tell(...itemRows(item, view));
    const answer = await question("Trust this item? [y]es, [N]o: ", new AbortController().signal);
    if (answer === undefined) return exitCodes.done;
    if (!/^y(es)?$/i.test(answer.trim())) {
      const effect = item.kind === "skill" ? "its scripts do not run" : "it has no effect";
      await tell(view.paint("quiet", `Not trusted: ${effect}.`));
      continue;
    }
    const accepted = app.policy.trust({ accept: [item.hash] });
    if (!accepted.ok) return accepted;
    await tell(view.line`${view.paint("good", "Trusted")} ${fromThen}. Any change ends it.`);
  }
  return exitCodes.done;
}

const kindWords = {
  allow_rule: "allow rule",
  hook: "hook",
  directory: "directory",
  mcp_server: "MCP server",
  skill: "skill",
} as const;

const beside = say`${" ".repeat("[not trusted] ".length)}`;

function itemRows(item: ListedItem, { paint, line }: View): readonly (Shown | undefined)[] {
  const { kind, origin, hash, text, trusted, refused, notCovered, changed } = item;
  const { lines: [first = text, ...others] = [], detail = "it changed since it was trusted" } = item;
  const mark = trusted ? paint("good", "[trusted]    ") : paint("warning", "[not trusted]");
  return [
    line`${mark} ${kindWords[kind]}  ${paint("strong", first)}`,
    ...others.map((other) => line`${beside}${other}`),
    line`${beside}${paint("quiet", hash)}`,
    line`${beside}${paint("quiet", `in ${origin}`)}`,
    trusted || notCovered === undefined ? undefined : line`${beside}${notCovered}`,
    refused === undefined ? undefined : line`${beside}${paint("bad", "can never be trusted:")} ${refused}`,
    changed === undefined ? undefined : line`${beside}${paint("warning", detail)}`,
  ];
}

function renderReport({ file, items, absent, names = {}, changed = [] }: Report, view: View): Shown {
  const { paint, line } = view;
  if (items.length + absent.length === 0) return lines([say`This project has no settings that need trust.`]);
  return lines([
    ...items.flatMap((item) => itemRows(item, view)),
    ...absent.flatMap((hash) => {
      const name = names[hash]?.replace(/^mcp server/, kindWords.mcp_server);
      const isOther = changed.some(({ formerly }) => formerly.includes(hash));
      const where = isOther ? "changed in the project since" : "no longer in the project";
      const what = name === undefined ? where : `${name}, ${where}`;
      return [line`${paint("good", "[trusted]    ")} ${what}`, line`${beside}${paint("quiet", hash)}`];
    }),
    line`${paint("quiet", `Trusted items are stored in ${file}.`)}`,
  ]);
}
