import path from "node:path";
import type { Command } from "commander";
import type { App } from "../../contract/app/app.ts";
import type { TrustReport } from "../../contract/app/policy.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import { type CommandContext, type CommonOptions, cwdOption, examples, jsonOption } from "../flags.ts";
import { lines, type Shown, say } from "../render/shown.ts";
import { type View, viewOn } from "../render/wrap.ts";
import { type ExitCode, exitCodes, printJson, printShown, reportFailure } from "../report.ts";
import type { Question, Surface } from "../surface.ts";
import { withApp } from "../with-app.ts";

interface TrustFlags extends CommonOptions {
  readonly accept?: readonly string[];
  readonly revoke?: readonly string[];
}

export function declare(command: Command, { surface, end }: CommandContext): void {
  command
    .description(
      "What this repository asks for that would run or widen something: allow rules, hooks, directories, MCP servers, " +
        "scripts of skills. Nothing of it has an effect until you trust exactly it; any change of it ends that. The words " +
        "of a skill are advice and need no trust: `gauntlet skills list` has those without scripts. On a terminal each " +
        "item is asked for, and Enter is no. Nothing is ever trusted without being named.",
    )
    .option("--accept <hashes...>", "trust the items with these hashes, or beginnings of them")
    .option("--revoke <hashes...>", "trust these no longer")
    .option(...cwdOption)
    .option(...jsonOption)
    .addHelpText(
      "after",
      examples(
        ["gauntlet trust", "Look, and decide item by item on a terminal:"],
        ["gauntlet trust --accept 3fa91c", "Trust one item:"],
        ["gauntlet trust --json", "For a program; asks nothing:"],
      ),
    )
    .action(async (flags: TrustFlags) => end(await withApp(surface, flags, (app) => runTrust(surface, app, flags))));
}

async function runTrust(surface: Surface, app: App, flags: TrustFlags): Promise<ExitCode> {
  const json = { json: flags.json ?? false };
  const before = app.policy.trust();
  if (!before.ok) return reportFailure(surface, before.failure, json);
  const named = changeOf(before.value, flags);
  if (!named.ok) return reportFailure(surface, named.failure, json);
  const given = flags.accept !== undefined || flags.revoke !== undefined;
  const after = given ? app.policy.trust(named.value) : before;
  if (!after.ok) return reportFailure(surface, after.failure, json);
  const report = { ...after.value, items: await thatMatter(app, after.value) };
  if (json.json) await printJson(surface, report);
  if (json.json) return exitCodes.done;
  const { question } = surface;
  const asks = !given && question !== undefined && report.items.some(isOpen);
  const shown = asks ? { ...report, items: report.items.filter((item) => !isOpen(item)) } : report;
  if (!asks || shown.items.length + shown.absent.length > 0) {
    await printShown(surface, renderReport(shown, viewOn(surface.stdout)));
  }
  if (asks) return askEach(surface, app, { report, question });
  if (named.value.accept.length > 0) {
    const view = viewOn(surface.stdout);
    await printShown(surface, lines([view.wrap(say`What you trust has an effect ${fromThen}.`)]));
  }
  return given ? exitCodes.done : tellNext(surface, report);
}

type Item = TrustReport["items"][number] & {
  readonly changed?: true;
  readonly detail?: string;
};
type Report = Omit<TrustReport, "items"> & { readonly items: readonly Item[] };

async function thatMatter(app: App, report: TrustReport): Promise<readonly Item[]> {
  const items = report.items.map((item): Item => {
    const detail = report.changed?.find(({ hash }) => hash === item.hash)?.detail;
    return detail === undefined ? item : { ...item, changed: true, detail };
  });
  if (!items.some(({ kind }) => kind === "skill")) return items;
  const survey = await app.skills.survey();
  if (!survey.ok) return items;
  const { skills } = survey.value;
  return items.flatMap((item): readonly Item[] => {
    if (item.kind !== "skill" || item.trusted) return [item];
    const skill = skills.find(({ directory }) => directory === path.dirname(item.origin));
    if (skill === undefined || skill.scripts.length === 0) return [];
    return [skill.changed === true ? { ...item, changed: true } : item];
  });
}

function isOpen({ trusted, refused }: Item): boolean {
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
  const why = prefix.length < shortest ? "is too short" : only === undefined ? "names no item" : "names several items";
  return fail("bad_request", `${written} ${why}.`, { recovery: "`gauntlet trust` lists the items with their hashes." });
}

const fromThen = "from the next session on (in one that is open, /new begins it)";

async function askEach(
  surface: Surface,
  app: App,
  { report, question }: { readonly report: Report; readonly question: Question },
): Promise<ExitCode> {
  const view = viewOn(surface.stderr);
  const tell = (...rows: readonly Shown[]) => surface.stderr.write(lines(rows).text);
  for (const item of report.items.filter(isOpen)) {
    await tell(...itemRows(item, view));
    const answer = await question("Trust exactly this? [y]es, [N]o: ", new AbortController().signal);
    if (answer === undefined) return exitCodes.done;
    if (!/^y(es)?$/i.test(answer.trim())) {
      const effect = item.kind === "skill" ? "its scripts do not run" : "it has no effect";
      await tell(view.paint("quiet", `Not trusted: ${effect}.`));
      continue;
    }
    const accepted = app.policy.trust({ accept: [item.hash] });
    if (!accepted.ok) return reportFailure(surface, accepted.failure, { json: false });
    await tell(view.wrap(say`${view.paint("good", "Trusted")} ${fromThen}, as long as it stays as it is.`));
  }
  return exitCodes.done;
}

async function tellNext(surface: Surface, { items }: Report): Promise<ExitCode> {
  const open = items.find(isOpen);
  const hash = open?.hash.replace(/^sha256:/, "").slice(0, 8);
  if (hash !== undefined) await printShown(surface, lines([say`Trust one of them: gauntlet trust --accept ${hash}`]));
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

function itemRows(item: Item, { paint, wrap }: View): readonly Shown[] {
  const [first, ...others] = linesOf(item);
  const {
    kind,
    origin,
    hash,
    trusted,
    refused,
    notCovered,
    changed,
    detail = "it changed since it was trusted",
  } = item;
  const mark = trusted ? paint("good", "[trusted]    ") : paint("warning", "[not trusted]");
  return [
    wrap(say`${mark} ${kindWords[kind]}  ${paint("strong", first)}`),
    ...others.map((line) => wrap(say`${beside}${line}`)),
    wrap(say`${beside}${paint("quiet", hash)}`),
    wrap(say`${beside}${paint("quiet", `in ${origin}`)}`),
    ...(trusted || notCovered === undefined ? [] : [wrap(say`${beside}${notCovered}`)]),
    ...(refused === undefined ? [] : [wrap(say`${beside}${paint("bad", "can never be trusted:")} ${refused}`)]),
    ...(changed === undefined ? [] : [wrap(say`${beside}${paint("warning", detail)}`)]),
  ];
}

function renderReport({ file, items, absent, names = {}, changed = [] }: Report, view: View): Shown {
  const { paint, wrap } = view;
  if (items.length + absent.length === 0) return lines([say`This project asks for nothing that would need trust.`]);
  return lines([
    ...items.flatMap((item) => itemRows(item, view)),
    ...absent.flatMap((hash) => {
      const name = names[hash]?.replace(/^mcp server/, kindWords.mcp_server);
      const isOther = changed.some(({ formerly }) => formerly.includes(hash));
      const where = isOther ? "in the project with other words or files now" : "not in the project now";
      const what = name === undefined ? say`${where}` : say`${name}, ${where}`;
      const mark = paint("good", "[trusted]    ");
      return [wrap(say`${mark} ${what}`), wrap(say`${beside}${paint("quiet", hash)}`)];
    }),
    wrap(paint("quiet", `Your trust is kept in ${file}.`)),
  ]);
}

function linesOf({ text, lines: [first = text, ...others] = [] }: TrustReport["items"][number]) {
  return [first, ...others] as const;
}
