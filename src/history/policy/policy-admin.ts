import type { Archive } from "../../contract/app/archive.ts";
import type { PolicyAdmin, PolicyCheck, TrialRange, TrustReport } from "../../contract/app/policy.ts";
import type { SkillLibrary } from "../../contract/app/skill.ts";
import { fail, type Outcome, ok } from "../../contract/codes.ts";
import type { Clock, SessionId } from "../../contract/ids.ts";
import type { RuleText, Settings } from "../../contract/settings.ts";
import type { PatternPlaces } from "../../gate/rules/path-pattern.ts";
import { parseSettingsText, type ReadText, readSettingsText } from "../../settings/parse-settings-text.ts";
import { changeTrust, readTrusted, readTrustRecord } from "../../settings/trust-store.ts";
import { brokenRule, checkPolicy } from "./check-policy.ts";
import { type IdleRule, idleRules } from "./idle-rules.ts";
import { type TriedPolicy, tryPolicy } from "./try-policy.ts";

interface PolicyAdminParts {
  readonly archive: () => Outcome<Archive>;
  readonly settings: () => Outcome<Settings>;
  readonly trustFile: string;
  readonly skills: (settings: Settings) => ReturnType<SkillLibrary["offers"]>;
  readonly places: PatternPlaces;
  readonly clock: Clock;
  readonly readText: ReadText;
  readonly exists: (path: string) => boolean;
  /** The policy of a workspace; the text replaces the user's own settings. */
  readonly policyIn: (workspace: string, text?: string) => Outcome<Omit<TriedPolicy, "setsMode">>;
}

export function createPolicyAdmin(parts: PolicyAdminParts): PolicyAdmin {
  function textOf(file: string): Outcome<string> {
    const text = readSettingsText(file, parts.readText);
    if (!text.ok) return text;
    return text.value === undefined
      ? fail("bad_request", `There is no file ${file}.`, { recovery: "Name a policy file." })
      : ok(text.value.text);
  }

  function report(): Outcome<TrustReport> {
    const settings = parts.settings();
    if (!settings.ok) return settings;
    const { trusted, untrusted, idleServers, changedHooks = [] } = settings.value;
    const items = [
      ...trusted.map((item) => ({ ...item, trusted: true })),
      ...untrusted.map((item) => ({ ...item, trusted: false })),
      ...parts.skills(settings.value),
    ];
    const known = readTrusted(parts.trustFile, parts.readText);
    if (!known.ok) return known;
    const absent = known.value.filter((hash) => !items.some((item) => item.hash === hash));
    const { names } = readTrustRecord(parts.trustFile, parts.readText);
    const servers = idleServers.flatMap(({ hash, formerly, detail }) =>
      hash === undefined || formerly === undefined ? [] : [{ hash, formerly, detail }],
    );
    const changed = [...changedHooks, ...servers];
    return ok({ file: parts.trustFile, items, absent, names, changed: changed.length === 0 ? undefined : changed });
  }

  function checkText(file: string, text: string, project: boolean): Promise<PolicyCheck> {
    const { places, exists, clock } = parts;
    return checkPolicy({ file, text, places, project, exists, now: clock.now(), idle: idleHere });
  }

  /** Without the rest of the file, so that nothing else in it allows the same call or makes the file invalid. */
  async function idleHere(rules: readonly RuleText[]): Promise<readonly IdleRule[]> {
    const allow = rules.filter(({ action }) => action === "allow").map(({ text }) => text);
    if (allow.length === 0) return [];
    const policy = parts.policyIn(parts.places.workspace, JSON.stringify({ permissions: { allow } }));
    return policy.ok ? idleRules(rules, parts.places, policy.value) : [];
  }

  return {
    async check(file, { project }) {
      const text = textOf(file);
      return text.ok ? ok(await checkText(file, text.value, project)) : text;
    },
    try(file, range) {
      const text = textOf(file);
      if (!text.ok) return text;
      const parsed = parseSettingsText({ path: file, text: text.value });
      if (!parsed.ok) return parsed;
      const broken = brokenRule(parsed.value, { file, project: false, places: parts.places });
      if (broken !== undefined) {
        return fail("bad_request", `${file}: ${broken}`, {
          recovery: "`gauntlet policy check` lists everything that is wrong with it.",
        });
      }
      const archive = parts.archive();
      if (!archive.ok) return archive;
      const setsMode = parsed.value.permissions?.defaultMode !== undefined;
      const policyIn = remembering((workspace) => parts.policyIn(workspace, text.value), setsMode);
      const ownIn = remembering((workspace) => parts.policyIn(workspace), false);
      return ok(tryPolicy({ archive: archive.value, sessions: chosen(archive.value, range), policyIn, ownIn }));
    },
    trust(change = {}) {
      const { accept = [], revoke = [] } = change;
      if (accept.length + revoke.length === 0) return report();
      const settings = parts.settings();
      if (!settings.ok) return settings;
      const { trusted, untrusted } = settings.value;
      const items = [...trusted, ...untrusted, ...parts.skills(settings.value)];
      const changed = changeTrust(parts.trustFile, items, { accept, revoke });
      return changed.ok ? report() : changed;
    },
  };
}

function remembering(
  read: (workspace: string) => Outcome<Omit<TriedPolicy, "setsMode">>,
  setsMode: boolean,
): (workspace: string) => Outcome<TriedPolicy> {
  const known = new Map<string, Outcome<TriedPolicy>>();
  return (workspace) => {
    const before = known.get(workspace);
    if (before !== undefined) return before;
    const policy = read(workspace);
    const found = policy.ok ? ok({ ...policy.value, setsMode }) : policy;
    known.set(workspace, found);
    return found;
  };
}

function chosen(archive: Archive, { sessions, limit }: TrialRange): readonly SessionId[] {
  if (sessions !== undefined) return sessions;
  // Imported sessions only by name: their calls were not made here.
  const own = archive.list().filter(({ imported }) => !imported);
  const all = own.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt, "en"));
  return all.slice(limit === undefined ? 0 : Math.max(0, all.length - limit)).map(({ id }) => id);
}
