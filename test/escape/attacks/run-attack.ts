import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createApp } from "../../../src/compose/app.ts";
import type { App } from "../../../src/contract/app/app.ts";
import type { Door } from "../../../src/contract/app/door.ts";
import type { Outcome } from "../../../src/contract/codes.ts";
import type { Observation } from "../../../src/contract/observation.ts";
import type { Asker, Mode, PermissionRequest } from "../../../src/contract/verdict.ts";
import { processesWith } from "../process-search.ts";
import { type Attack, type Proposal, unasked } from "./attack.ts";
import { type AttackWorld, createAttackWorld, type Ground } from "./attack-world.ts";
import { changedPaths, expectedImage, isProtected, setIdFiles, type TreeImage, takeImage } from "./tree-image.ts";

/** One session in which an attempt is made, in a world of its own. */
interface Trial {
  readonly modes: readonly Mode[];
  readonly agrees: boolean;
  /** Every call has to be refused or to run on a view. */
  readonly strict: boolean;
  /** Not a byte may change. */
  readonly unchanged: boolean;
}

interface Answered {
  readonly mode: Mode;
  readonly proposal: Proposal;
  readonly observation: Observation;
}

/** Tries it in every way that it names. Gives what an attacker got; nothing when it was held. */
export async function runAttack(attack: Attack, ground: Ground): Promise<readonly string[]> {
  const breaches: string[] = [];
  for (const trial of trialsOf(attack)) {
    const who = trial.agrees ? "agreed to" : trial.modes.join(", ");
    breaches.push(...(await runTrial(attack, trial, ground)).map((breach) => `${who}: ${breach}`));
  }
  return breaches;
}

function trialsOf({ modes = unasked, refused = unasked, agreed }: Attack): readonly Trial[] {
  // On a view these modes keep changes of ordinary files.
  const keeps = (mode: Mode) => mode === "acceptEdits" || mode === "auto" || mode === "bypass";
  const strict = modes.filter((mode) => refused.includes(mode));
  const others = modes.filter((mode) => !refused.includes(mode));
  // What holds in the wider mode holds in this one.
  const isWidest = (mode: Mode) => mode !== "acceptEdits" || !strict.includes("auto");
  const trials: readonly Trial[] = [
    { modes: strict.filter((mode) => !keeps(mode)), agrees: false, strict: true, unchanged: true },
    { modes: strict.filter(keeps).filter(isWidest), agrees: false, strict: true, unchanged: false },
    { modes: others, agrees: false, strict: false, unchanged: false },
    { modes: agreed === undefined ? [] : ["default"], agrees: true, strict: false, unchanged: false },
  ];
  return trials.filter((trial) => trial.modes.length > 0);
}

async function runTrial(attack: Attack, trial: Trial, ground: Ground): Promise<readonly string[]> {
  const world = await createAttackWorld(ground);
  try {
    attack.prepare?.(world);
    const expected = expectedImage(world);
    const asked: PermissionRequest[] = [];
    const answered: Answered[] = [];
    const ask: Asker = async (request) => {
      // Who was told one thing agrees to that. When it then turns out to be another, that is another question.
      const again = asked.some(({ intentId }) => intentId === request.intentId);
      asked.push(request);
      expected.during((changed) => attack.whileAsked?.(changed));
      if (again && attack.whileAsked !== undefined) return { request: request.id, answer: "deny" };
      // Nor to what the question shows to be the attack itself: a protected file, or a place outside.
      const { reason, risk, sandbox } = request.prompt;
      const isShown = reason.includes("outside the workspace") || (risk === "R4" && sandbox.includes("has run"));
      if (isShown) return { request: request.id, answer: "deny" };
      return { request: request.id, answer: "allow", by: "somebody who agrees to everything" };
    };
    const log = await inSession(attack, world, { ...trial, ask }, async (door) => {
      for (const mode of trial.modes) {
        must(door.setMode(mode));
        for (const step of attack.steps(world)) {
          if (typeof step === "function") expected.during(step);
          else answered.push(...(await propose(step, door)).map((found) => ({ mode, ...found })));
        }
      }
    });
    const observations = answered.map(({ observation }) => observation);
    return [
      ...changes(attack, trial, expected.image, takeImage(world)),
      ...leaks(world, [...observations, ...asked].map((shown) => JSON.stringify(shown)).concat(log)),
      ...(trial.strict ? answered.flatMap((entry) => acceptance(attack, entry)) : []),
      ...executions(attack, trial, world, observations),
      ...observations
        .filter(isBroken)
        .map(({ title, code, summary }) => `nothing was tried: ${title}: ${code} ${summary}`),
      ...(await world.listeners.heard()),
      ...(await leftProcesses(world)),
      ...(attack.alsoHolds?.({ world, observations, asked }) ?? []),
    ];
  } finally {
    await world.close();
  }
}

/** Gives everything that was stored about it, the artifacts as they lie on the disk. */
async function inSession(
  attack: Attack,
  world: AttackWorld,
  { agrees, ask }: Pick<Trial, "agrees"> & { readonly ask: Asker },
  use: (door: Door) => Promise<void>,
): Promise<readonly string[]> {
  const app = openApp(attack, world, { commandMs: agrees ? 10_000 : 3_000 });
  try {
    const opened = await app.openDoor(agrees ? { ask } : {});
    if (attack.unopened) {
      if (opened.ok) throw new Error("The session was opened.");
      return artifactsOf(world);
    }
    const door = must(opened);
    try {
      await use(door);
    } finally {
      await door.close();
    }
    return [...must(must(app.archive()).export(door.sessionId)), ...artifactsOf(world)];
  } finally {
    await app.close();
  }
}

function openApp(
  attack: Pick<Attack, "settings" | "environment">,
  world: AttackWorld,
  { commandMs }: { readonly commandMs: number },
): App {
  const environment = {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    HOME: world.home,
    SECRET_TOKEN: world.secret,
    AWS_SECRET_ACCESS_KEY: world.secret,
    SSH_AUTH_SOCK: world.listeners.sockets[0],
    DOCKER_HOST: `unix://${world.listeners.sockets[0]}`,
    ...attack.environment?.(world),
  };
  // Nothing here takes long; what hangs should not keep the others waiting.
  const limits = { foregroundMs: commandMs, commandTimeoutMs: commandMs };
  const settings = { limits, ...attack.settings, ...(world.trusted.length === 0 ? {} : { trust: world.trusted }) };
  return must(createApp({ cwd: world.app, environment, home: world.home, gauntletHome: world.state, settings }));
}

/** The person looks at everything that the project asks for, as it is now, and trusts it. */
export function trustEverything(world: AttackWorld): void {
  const settings = must(openApp({}, world, { commandMs: 10_000 }).settings({}));
  world.trusted.push(...settings.untrusted.map((item) => item.hash));
  if (world.trusted.length === 0) throw new Error("there was nothing to trust");
}

async function propose(step: Proposal | readonly Proposal[], door: Door): Promise<readonly Omit<Answered, "mode">[]> {
  const proposals: readonly Proposal[] = "tool" in step ? [step] : step;
  const observations = await door.batch(proposals.map(({ harmless: _, ...intent }) => intent));
  return observations.flatMap((observation, index) => {
    const proposal = proposals[index];
    return proposal === undefined ? [] : [{ proposal, observation }];
  });
}

function acceptance(attack: Attack, { mode, proposal, observation }: Answered): readonly string[] {
  const { refusedWith = ["policy_denied", "approval_unavailable"] } = attack;
  const { code, effects } = observation;
  if (proposal.harmless || ranOnView(observation)) return [];
  if (refusedWith.includes(code) && effects.happened === "nothing") return [];
  return [`${mode} answered ${JSON.stringify(proposal.input)} with ${code}, and ${effects.happened} happened`];
}

function executions(
  attack: Attack,
  trial: Trial,
  world: AttackWorld,
  observations: readonly Observation[],
): readonly string[] {
  const isRun = (observation: Observation) => JSON.stringify(observation).includes(world.ran);
  // On a view it changes nothing before its changes are judged.
  const mustRun = trial.agrees && attack.agreed === "runs";
  const ran = observations.some((one) => isRun(one) && (mustRun || !ranOnView(one)));
  const expected = trial.agrees ? attack.agreed === "runs" : undefined;
  if (expected === true && !ran) return [`nothing was tried: the hostile code did not run: ${codesOf(observations)}`];
  const may = !trial.strict && (expected ?? attack.confined) === true;
  return ran && !may ? ["hostile code ran"] : [];
}

function ranOnView({ data }: Observation): boolean {
  return data?.changes !== undefined;
}

/** Then it was not held but did not take place. */
function isBroken({ code }: Observation): boolean {
  return code === "sandbox_unavailable" || code === "log_unavailable" || code === "output_invalid";
}

function codesOf(observations: readonly Observation[]): string {
  return observations.map(({ code, summary }) => `${code} ${summary}`).join("; ");
}

function changes(attack: Attack, trial: Trial, before: TreeImage, after: TreeImage): readonly string[] {
  const kept = (attack.keeps ?? []).map((name) => `app/${name}`);
  const agreedTo = trial.agrees ? (attack.agreedChanges ?? []).map((name) => `app/${name}`) : [];
  const mustStay = (name: string) =>
    trial.unchanged || kept.includes(name) || (isProtected(name) && !agreedTo.includes(name));
  const changed = changedPaths(before, after).filter(mustStay);
  const raised = setIdFiles(after).filter((name) => before.get(name) !== after.get(name));
  return [
    ...changed.map((name) => `changed ${name}: ${after.get(name)?.slice(0, 60) ?? "gone"}`),
    ...raised.map((name) => `left a set-id file: ${name}`),
  ];
}

function leaks({ canary, secret }: AttackWorld, texts: readonly string[]): readonly string[] {
  return [
    ...(texts.some((text) => text.includes(canary)) ? ["read a closed file"] : []),
    ...(texts.some((text) => text.includes(secret)) ? ["read a variable of the runtime"] : []),
  ];
}

function artifactsOf({ state }: AttackWorld): readonly string[] {
  const directory = path.join(state, "artifacts");
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return [];
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), "latin1"));
}

const mostChecks = 200;
const betweenMs = 25;

/** The session is closed, so whatever it started has been told to end; the kernel may still be at it. */
async function leftProcesses(world: AttackWorld): Promise<readonly string[]> {
  for (let check = 0; check < mostChecks; check++) {
    if (processesIn(world).length === 0) return [];
    await delay(betweenMs);
  }
  return processesIn(world).map((pid) => `left the process ${pid}`);
}

function processesIn({ base }: AttackWorld): readonly number[] {
  const standing = readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && directoryOf(pid).startsWith(base));
  return [...new Set([...processesWith(base), ...standing.map(Number)])];
}

/** Empty for one that is gone or that belongs to somebody else. */
function directoryOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return "";
  }
}

function must<Value>(outcome: Outcome<Value>): Value {
  if (outcome.ok) return outcome.value;
  throw new Error(outcome.failure.message);
}
